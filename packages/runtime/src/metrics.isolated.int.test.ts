import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { exportedMetrics } from '@invoicecontrol/testkit/exported-metrics';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startTcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import { startJob } from './job.js';
import { createLogger } from './logger.js';
import { claim, FREE } from './mongo/claims.js';
import type { Claimable } from './mongo/claims.js';
import { connectMongo } from './mongo/connection.js';
import type { MongoConnection } from './mongo/connection.js';
import { deadLetterStore } from './mongo/dead-letters.js';
import { announce, envelopes } from './mongo/event-envelope.js';
import type { Announcing } from './mongo/event-envelope.js';
import { startOutbox } from './mongo/outbox.js';
import { connectTestNats } from './testing/test-bus.js';
import type { Bus } from './nats/connection.js';
import { eventPublisher } from './nats/publish.js';
import { subscribe } from './nats/subscribe.js';
import { startTelemetry } from './telemetry.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const name = testDatabaseName();
const { reader, value: exported } = exportedMetrics();
const type = events.organizationRestored;
const notes = { collection: 'notes' };
const work = { 'job.name': 'work' };
const closing: (() => Promise<unknown>)[] = [];
let telemetry: { stop(): Promise<void> };
let mongo: MongoConnection;
let bus: Bus;

beforeAll(async () => {
  telemetry = await startTelemetry('test', 'http://127.0.0.1:4318', { metricReaders: [reader], spanProcessors: [] });
  const { mongodbUrl, natsUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: name, appName: 'test' });
  bus = await connectTestNats({ url: natsUrl, name: 'test', logger });
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(async () => {
  await telemetry.stop();
  await mongo.db.dropDatabase();
  await bus.close();
  await mongo.close();
});

function eventOf(version: number, at: Date) {
  const [event] = envelopes({ id: name, organizationId: name, version }, [announce(type, { version })], at);
  if (event === undefined) throw new Error('no event');
  return event;
}

test('an outbox that the broker does not empty shows its depth and the age of its oldest event, and zeros when it is empty', async () => {
  const real = await eventPublisher(bus, 'organization');
  let isAvailable = false;
  const publisher: typeof real = {
    ...real,
    publish: (event) =>
      isAvailable ? real.publish(event) : Promise.reject(new Error('The message broker is unavailable.')),
  };
  const clock = { now: () => new Date() };
  const outbox = await startOutbox({ db: mongo.db, collectionNames: ['notes'], publisher, clock, logger });
  closing.push(() => outbox.stop());
  expect(await exported('invoicecontrol.outbox.depth', notes)).toBe(0);
  expect(await exported('invoicecontrol.outbox.oldest_age', notes)).toBe(0);
  const at = new Date(Date.now() - 120_000);
  await mongo.db
    .collection<Announcing>('notes')
    .insertOne({ _id: 'n1', version: 1, outbox: [eventOf(1, at)], outboxPending: true });
  expect(await exported('invoicecontrol.outbox.depth', notes)).toBe(1);
  const age = await exported('invoicecontrol.outbox.oldest_age', notes);
  expect(age).toBeGreaterThanOrEqual(120);
  expect(age).toBeLessThan(600);
  isAvailable = true;
  await eventually(async () => expect(await exported('invoicecontrol.outbox.depth', notes)).toBe(0));
});

test('a consumer shows that it is alive, its failures and what waits for a retry; one that the broker lost is dead until it is created again', async () => {
  let isBroken = true;
  const subscription = await subscribe(
    { bus, deadLetters: deadLetterStore(mongo.db), isOutage: () => false, logger },
    {
      service: name,
      type,
      handle: async ({ organizationId }) => {
        if (organizationId === name && isBroken) throw new Error('not yet');
      },
    },
  );
  closing.push(() => subscription.stop());
  const durable = `${name}__${type.name}`;
  const consumer = { consumer: durable };
  expect(await exported('invoicecontrol.consumer.state', consumer)).toBe(1);
  const publisher = await eventPublisher(bus, 'organization');
  await eventually(() => publisher.publish(eventOf(2, new Date())));
  await eventually(async () => {
    expect(
      await exported('invoicecontrol.consumer.failures', { consumer: durable, outcome: 'retry' }),
    ).toBeGreaterThanOrEqual(1);
    expect(await exported('invoicecontrol.consumer.ack_pending', consumer)).toBeGreaterThanOrEqual(1);
    expect(await exported('invoicecontrol.consumer.age', consumer)).toBeGreaterThan(0.1);
  });
  isBroken = false;
  await eventually(async () => expect(await exported('invoicecontrol.consumer.ack_pending', consumer)).toBe(0));
  expect(await exported('invoicecontrol.consumer.age', consumer)).toBe(0);
  expect(await exported('invoicecontrol.consumer.pending', consumer)).toBe(0);
  const add = vi.spyOn(bus.manager.consumers, 'add').mockRejectedValue(new Error('not yet'));
  await bus.manager.consumers.delete(type.stream, durable);
  expect(await exported('invoicecontrol.consumer.state', consumer)).toBe(0);
  add.mockRestore();
  await eventually(async () => {
    expect(await exported('invoicecontrol.consumer.recreated', consumer)).toBe(1);
    expect(await exported('invoicecontrol.consumer.state', consumer)).toBe(1);
  });
});

test('a consumer whose stream does not exist is not alive until its publisher has created the stream', async () => {
  const other = `missing_${name}`.toLowerCase();
  const stream = `INVOICECONTROL_${other.toUpperCase()}`;
  const missing = { ...type, service: other, stream, subject: `invoicecontrol.${other}.v1.${type.name}` };
  const subscription = await subscribe(
    { bus, deadLetters: deadLetterStore(mongo.db), isOutage: () => false, logger },
    { service: name, type: missing, handle: async () => {} },
  );
  closing.push(() => subscription.stop());
  const consumer = { consumer: `${name}__${type.name}` };
  expect(await exported('invoicecontrol.consumer.state', consumer)).toBe(0);
  await eventPublisher(bus, other);
  await eventually(async () => expect(await exported('invoicecontrol.consumer.state', consumer)).toBe(1));
  await bus.manager.streams.delete(stream);
});

test('an event that becomes a dead letter is counted for its consumer, and no longer when it is removed', async () => {
  const deadLetters = deadLetterStore(mongo.db);
  const subscription = await subscribe(
    { bus, deadLetters, isOutage: () => false, logger },
    { service: name, type, handle: async () => {} },
  );
  closing.push(() => subscription.stop());
  const consumer = { consumer: `${name}__${type.name}` };
  const count = () => exported('invoicecontrol.dead_letters', consumer);
  expect(await count()).toBe(0);
  const letter = { subject: type.subject, payload: '{}', error: 'failed', at: new Date() };
  await deadLetters.store({ id: `${consumer.consumer}:evt_1`, ...letter });
  await deadLetters.store({ id: `${consumer.consumer}_of_others:evt_1`, ...letter });
  expect(await count()).toBe(1);
  await mongo.db.collection('dead_letters').deleteMany({});
  expect(await count()).toBe(0);
});

test('a worker that finds its work claimed by another one counts a lost lease', async () => {
  const collection = mongo.db.collection<Claimable>('work');
  await collection.insertOne({ _id: 'w', leaseUntil: FREE });
  const slow = await claim(collection, { _id: 'w' }, { clock: { now: () => new Date(0) }, leaseMs: 1 });
  const lost = () => exported('invoicecontrol.leases.lost', { kind: 'work' });
  expect(await slow?.renew()).toBe(true);
  expect(await lost()).toBeUndefined();
  await claim(collection, { _id: 'w' }, { clock: { now: () => new Date() }, leaseMs: 60_000 });
  expect(await slow?.renew()).toBe(false);
  expect(await lost()).toBe(1);
});

test('a process shows how long its event loop is held up', async () => {
  expect(await exported('nodejs.eventloop.delay.p99')).toBeGreaterThan(0);
});

test('a process shows whether it is connected to the broker', async () => {
  const { hostname, port } = new URL(testInfrastructure().natsUrl);
  const proxy = await startTcpProxy({ serverHost: hostname, serverPort: Number(port) });
  closing.push(() => proxy.close());
  const proxied = await connectTestNats({ url: `tls://127.0.0.1:${proxy.port}`, name: 'proxied', logger });
  closing.push(() => proxied.close());
  const connected = () => exported('invoicecontrol.broker.connected', {}, 'proxied');
  expect(await connected()).toBe(1);
  proxy.cut();
  await eventually(async () => expect(await connected()).toBe(0));
  proxy.heal();
  await eventually(async () => expect(await connected()).toBe(1));
});

test('a job shows its failures and that it has not succeeded since, and a run that does not end', async () => {
  const runs: { end: () => void; fail: () => void }[] = [];
  const stop = startJob(
    {
      name: 'work',
      pauseMs: 1,
      run: () =>
        new Promise<void>((end, reject) => {
          runs.push({ end, fail: () => reject(new Error('failed')) });
        }),
    },
    'test',
    logger,
  );
  const run = async (count: number) => {
    await eventually(() => expect(runs).toHaveLength(count));
    return runs.at(-1) ?? { end() {}, fail() {} };
  };
  (await run(1)).fail();
  const second = await run(2);
  expect(await exported('invoicecontrol.jobs.failures', work)).toBe(1);
  await eventually(async () => expect(await exported('invoicecontrol.job.running_time', work)).toBeGreaterThan(0.05));
  const started = (await exported('invoicecontrol.job.last_success', work)) ?? 0;
  expect(Date.now() / 1_000 - started).toBeGreaterThan(0.05);
  second.end();
  const third = await run(3);
  expect(await exported('invoicecontrol.job.last_success', work)).toBeGreaterThan(started);
  const stopped = stop();
  third.end();
  await stopped;
});
