import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { events } from '@invoicecontrol/contracts/events';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { createLogger } from '../logger.js';
import { connectMongo } from '../mongo/connection.js';
import type { MongoConnection } from '../mongo/connection.js';
import { deadLetterStore } from '../mongo/dead-letters.js';
import { announce, envelopes } from '../mongo/event-envelope.js';
import { connectNats } from './connection.js';
import type { Bus } from './connection.js';
import { eventPublisher } from './publish.js';
import { subscribe } from './subscribe.js';
import type { Subscription } from './subscribe.js';
import { isOutage } from '../outage.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const organizationId = testDatabaseName();
let mongo: MongoConnection;
let bus: Bus;
const subscriptions: Subscription[] = [];

beforeAll(async () => {
  const { mongodbUrl, natsUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: organizationId, appName: 'test' });
  bus = await connectNats({ url: natsUrl, name: 'test', logger });
});
afterAll(async () => {
  await Promise.all(subscriptions.map((subscription) => subscription.stop()));
  await mongo.db.dropDatabase();
  await bus.close();
  await mongo.close();
});

async function publish(version: number): Promise<string> {
  const publisher = await eventPublisher(bus, 'organization');
  const body = announce(events.organizationRestored, { version });
  const [event] = envelopes({ id: organizationId, organizationId, version }, [body], new Date());
  if (event === undefined) throw new Error('no event');
  // A broker that answers late has stored it perhaps; a repeat under the same id is stored once.
  for (let times = 1; times <= 2; times++) await eventually(() => publisher.publish(event));
  return event.id;
}

async function listen(service: string, handle: (version: number) => Promise<void>): Promise<Subscription> {
  const subscription = await subscribe(
    { bus, deadLetters: deadLetterStore(mongo.db), isOutage, logger },
    {
      service: `${service}_${organizationId}`,
      type: events.organizationRestored,
      handle: async (event) => {
        if (event.organizationId === organizationId) await handle(event.version);
      },
    },
  );
  subscriptions.push(subscription);
  return subscription;
}

test('an event published twice under its id is handled once', async () => {
  const seen: number[] = [];
  await listen('once', async (version) => void seen.push(version));
  await publish(1);
  await publish(2);
  await eventually(() => expect(seen).toContain(2));
  expect(seen.filter((version) => version <= 2)).toEqual([1, 2]);
});

test('an event published while no consumer ran is handled later', async () => {
  const seen: number[] = [];
  await publish(3);
  const first = await listen('late', async (version) => void seen.push(version));
  await eventually(() => expect(seen).toContain(3));
  await first.stop();
  await publish(4);
  await listen('late', async (version) => void seen.push(version));
  await eventually(() => expect(seen).toContain(4));
  expect(new Set(seen).size).toBe(seen.length);
});

test('an event whose handler failed is delivered again', async () => {
  let tries = 0;
  const done: number[] = [];
  await publish(5);
  await listen('retry', async (version) => {
    if (version === 5 && ++tries === 1) throw new Error('not yet');
    done.push(version);
  });
  await eventually(() => expect(done).toContain(5));
  expect(tries).toBe(2);
});
