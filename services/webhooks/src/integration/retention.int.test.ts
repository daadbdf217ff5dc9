import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { FREE } from '@invoicecontrol/runtime/mongo/claims';
import { startOutbox } from '@invoicecontrol/runtime/mongo/outbox';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { deleteOld } from '../application/sweeps.js';
import { deliveryStore } from '../storage/deliveries.js';
import type { DeliveryDocument } from '../storage/deliveries.js';
import { endpointStore } from '../storage/endpoints.js';
import type { EndpointDocument } from '../storage/endpoints.js';
import { eventStore } from '../storage/events.js';
import type { EventDocument } from '../storage/events.js';

const clock = { now: () => new Date() };
const daysAgo = (days: number): Date => new Date(Date.now() - days * 24 * 3_600_000);
const never = new AbortController().signal;
const three = ['1', '2', '3'];

let mongo: MongoConnection;
let bus: Bus;
let stores: ReturnType<typeof storesOf>;
let stopOutbox: () => Promise<unknown>;

beforeAll(async () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const { mongodbUrl, natsUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: testDatabaseName(), appName: 'test' });
  bus = await connectTestNats({ url: natsUrl, name: 'test', logger });
  const publisher = await eventPublisher(bus, 'webhooks');
  // The outbox has no collections: waiting events in the outboxes of these tests stay there.
  const outbox = await startOutbox({ db: mongo.db, collectionNames: [], publisher, clock, logger });
  stopOutbox = () => outbox.stop();
  stores = storesOf(outbox);
});
afterAll(async () => {
  await stopOutbox();
  await bus.close();
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(async () => {
  await Promise.all([deliveries(), events(), endpoints()].map((collection) => collection.deleteMany({})));
});

function storesOf(outbox: Parameters<typeof endpointStore>[1]) {
  return {
    deliveries: deliveryStore(deliveries(), outbox, clock),
    events: eventStore(events()),
    endpoints: endpointStore(endpoints(), outbox, clock),
    clock,
  };
}

function deliveries() {
  return mongo.db.collection<DeliveryDocument>('deliveries');
}
function events() {
  return mongo.db.collection<EventDocument>('events');
}
function endpoints() {
  return mongo.db.collection<EndpointDocument>('endpoints');
}

function delivery(id: string, part: Partial<DeliveryDocument> = {}): DeliveryDocument {
  const ids = { _id: id, organizationId: 'o', endpointId: 'e', eventId: 'v', type: 'scan.completed', version: 1 };
  const counts = { failures: 0, tries: 0, attempts: [], attemptCount: 0, leaseUntil: FREE };
  return { ...ids, ...counts, createdAt: daysAgo(400), state: 'DELIVERED', ...part };
}

function event(id: string, createdAt: Date): EventDocument {
  return { _id: id, organizationId: 'o', type: 'scan.completed', body: '{}', createdAt };
}

function endpoint(id: string, part: Partial<EndpointDocument> = {}): EndpointDocument {
  const common = { _id: id, organizationId: 'o', version: 1, url: 'https://a.example/', events: [], secrets: [] };
  const times = { activeSince: daysAgo(400), createdAt: daysAgo(400), failuresInRow: 0 };
  return { ...common, ...times, status: 'DELETED', ...part };
}

const idsIn = async (collection: ReturnType<typeof deliveries | typeof events | typeof endpoints>) =>
  (await collection.find({}).toArray()).map(({ _id }) => String(_id)).toSorted();

test('deliveries are kept 30 days after their end, events 35 days, deleted endpoints 35 days, excerpts 7 days', async () => {
  await deliveries().insertMany([
    delivery('old', { closedAt: daysAgo(30.01) }),
    delivery('young', { closedAt: daysAgo(29.99), lastExcerpt: 'a', excerptAt: daysAgo(7.01) }),
    delivery('younger', { closedAt: daysAgo(6.99), lastExcerpt: 'b', excerptAt: daysAgo(6.99) }),
    delivery('waiting', { state: 'PENDING', nextAttemptAt: daysAgo(60) }),
  ]);
  await events().insertMany([event('old', daysAgo(35.01)), event('young', daysAgo(34.99))]);
  await endpoints().insertMany([
    endpoint('old', { deletedAt: daysAgo(35.01) }),
    endpoint('young', { deletedAt: daysAgo(34.99) }),
    endpoint('active', { status: 'ACTIVE' }),
    endpoint('unfinished', { deletedAt: daysAgo(60), deletionPending: daysAgo(60) }),
    endpoint('unpublished', { deletedAt: daysAgo(60), outboxPending: true }),
  ]);
  await deleteOld(stores)(never);
  expect(await idsIn(deliveries())).toEqual(['waiting', 'young', 'younger']);
  expect(await deliveries().findOne({ _id: 'young' })).not.toHaveProperty('lastExcerpt');
  expect(await deliveries().findOne({ _id: 'younger' })).toHaveProperty('lastExcerpt', 'b');
  expect(await idsIn(events())).toEqual(['young']);
  expect(await idsIn(endpoints())).toEqual(['active', 'unfinished', 'unpublished', 'young']);
});

describe('one command', () => {
  test('deletes no more than it is told, and says how many', async () => {
    const now = new Date();
    await deliveries().insertMany(
      three.map((id) => delivery(id, { closedAt: daysAgo(60), lastExcerpt: '', excerptAt: daysAgo(60) })),
    );
    await events().insertMany(three.map((id) => event(id, daysAgo(60))));
    await endpoints().insertMany(three.map((id) => endpoint(id, { deletedAt: daysAgo(60) })));
    for (const deleteSome of [
      stores.deliveries.deleteExcerptsBefore,
      stores.deliveries.deleteClosedBefore,
      stores.events.deleteBefore,
      stores.endpoints.deleteDeletedBefore,
    ]) {
      expect([await deleteSome(now, 2), await deleteSome(now, 2), await deleteSome(now, 2)]).toEqual([2, 1, 0]);
    }
  });
});

describe('a run', () => {
  test.each([1_000, 1_001, 2_000])('deletes all of %i old records', async (count) => {
    await events().insertMany(Array.from({ length: count }, (_, at) => event(`old-${at}`, daysAgo(60))));
    await deleteOld(stores)(never);
    expect(await idsIn(events())).toEqual([]);
  });

  test('begins no further command when the service stops', async () => {
    await events().insertMany([event('old', daysAgo(60))]);
    await deleteOld(stores)(AbortSignal.abort());
    expect(await idsIn(events())).toEqual(['old']);
  });
});
