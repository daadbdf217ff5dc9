import { setTimeout as delay } from 'node:timers/promises';
import { DeliverPolicy } from '@nats-io/jetstream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { createLogger } from '../logger.js';
import { connectMongo } from '../mongo/connection.js';
import type { MongoConnection } from '../mongo/connection.js';
import { consumerPositions } from '../mongo/consumer-positions.js';
import { deadLetterStore } from '../mongo/dead-letters.js';
import { announce, envelopes } from '../mongo/event-envelope.js';
import { connectTestNats } from '../testing/test-bus.js';
import type { Bus } from './connection.js';
import { eventPublisher } from './publish.js';
import type { EventPublisher } from './publish.js';
import { stuckConsumers } from './stuck-consumers.js';
import { subscribe } from './subscribe.js';
import type { Subscription } from './subscribe.js';
import { isOutage } from '../outage.js';

const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'warn', destination: { write: (line) => lines.push(line) } });
const organizationId = testDatabaseName();
let mongo: MongoConnection;
let bus: Bus;
const subscriptions: Subscription[] = [];

beforeAll(async () => {
  const { mongodbUrl, natsUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: organizationId, appName: 'test' });
  bus = await connectTestNats({ url: natsUrl, name: 'test', logger });
});
afterAll(async () => {
  await Promise.all(subscriptions.map((subscription) => subscription.stop()));
  await mongo.db.dropDatabase();
  await bus.close();
  await mongo.close();
});

async function publish(version: number): Promise<string> {
  return publishFrom(await eventPublisher(bus, 'organization'), events.organizationRestored, version);
}

async function publishFrom(publisher: EventPublisher, type: typeof events.organizationRestored, version: number) {
  const body = announce(type, { version });
  const [event] = envelopes({ id: organizationId, organizationId, version }, [body], new Date());
  if (event === undefined) throw new Error('no event');
  // If the broker responds too late, it may have stored the event although the call failed. Publishing again is safe,
  // because the broker stores an event id only once.
  for (let times = 1; times <= 2; times++) await eventually(() => publisher.publish(event));
  return event.id;
}

async function listen(
  service: string,
  handle: (version: number) => Promise<void>,
  type = events.organizationRestored,
  { handlersMax, through = bus }: { handlersMax?: number; through?: Bus } = {},
): Promise<Subscription> {
  const subscription = await subscribe(
    { bus: through, deadLetters: deadLetterStore(mongo.db), positions: consumerPositions(mongo.db), isOutage, logger },
    {
      service: `${service}_${organizationId}`,
      type,
      handlersMax,
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
  expect(seen).toEqual([...new Set(seen)]);
});

test('no more events are handled at once than the subscriber says, and the others follow', async () => {
  const begun: number[] = [];
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const handle = async (version: number): Promise<void> => {
    if (version < 31 || version > 34) return;
    begun.push(version);
    await released;
  };
  await listen('bounded', handle, events.organizationRestored, { handlersMax: 3 });
  for (let version = 31; version <= 34; version++) await publish(version);
  try {
    await eventually(() => expect(begun).toHaveLength(3));
    // Without a limit, the fourth event would be handled before the limited subscriber handles it.
    const heard: number[] = [];
    await listen('unbounded', async (version) => void heard.push(version));
    await eventually(() => expect(heard).toContain(34));
    expect(begun).toHaveLength(3);
  } finally {
    release();
  }
  await eventually(() => expect(new Set(begun)).toEqual(new Set([31, 32, 33, 34])));
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

test('an event whose handler fails each time is tried again after pauses that grow', async () => {
  const triedAt: number[] = [];
  await listen('failing', async (version) => {
    if (version !== 51) return;
    triedAt.push(performance.now());
    throw new Error('broken');
  });
  await publish(51);
  await eventually(() => expect(triedAt.length).toBeGreaterThanOrEqual(3));
  const [first = 0, second = 0, third = 0] = triedAt;
  expect(second - first).toBeGreaterThan(750);
  expect(third - second).toBeGreaterThan(1_500);
});

test('a consumer that the broker lost is created again, hears what it missed, and is named in the log', async () => {
  const seen = new Set<number>();
  await listen('deleted', async (version) => void seen.add(version));
  await publish(6);
  await eventually(() => expect(seen).toContain(6));
  const consumer = `deleted_${organizationId}__${events.organizationRestored.name}`;
  await bus.manager.consumers.delete(events.organizationRestored.stream, consumer);
  await publish(7);
  await eventually(() => expect(seen).toContain(7));
  await eventually(() => expect(linesAbout(consumer)).toEqual([expect.objectContaining({ isRecreated: true })]));
});

test('a consumer that was deleted and created again by another process keeps being heard by each process', async () => {
  const consumer = `twice_${organizationId}__${events.organizationRestored.name}`;
  const seen = new Set<number>();
  await listen('twice', async (version) => void seen.add(version));
  await bus.manager.consumers.delete(events.organizationRestored.stream, consumer);
  const second = await listen('twice', async () => {});
  await eventually(() => expect(linesAbout(consumer)).toEqual([expect.objectContaining({ isRecreated: false })]));
  await second.stop();
  await publish(8);
  await eventually(() => expect(seen).toContain(8));
});

test('a stream that the broker lost is created again, and its subscriber hears what is published from then on', async () => {
  const name = organizationId.slice(0, 12);
  // The test deletes the stream of its events. It uses a separate stream, because other tests publish at the same time.
  const type = {
    ...events.organizationRestored,
    service: name,
    stream: `INVOICECONTROL_${name.toUpperCase()}`,
    subject: `invoicecontrol.${name}.v1.organization_restored`,
  };
  const publisher = await eventPublisher(bus, name);
  const seen: number[] = [];
  await listen('stream', async (version) => void seen.push(version), type);
  await publishFrom(publisher, type, 1);
  await eventually(() => expect(seen).toEqual([1]));
  await bus.manager.streams.delete(type.stream);
  // The publisher creates the stream when it compares the positions.
  await publisher.position();
  await publishFrom(publisher, type, 2);
  await eventually(() => expect(seen).toEqual([1, 2]));
  await bus.manager.streams.delete(type.stream);
});

test('a subscriber of an earlier release receives its events although a later release publishes new types and fields', async () => {
  const name = `later_${organizationId}`.toLowerCase();
  const type = {
    ...events.organizationRestored,
    service: name,
    stream: `INVOICECONTROL_${name.toUpperCase()}`,
    subject: `invoicecontrol.${name}.v1.organization_restored`,
  };
  const publisher = await eventPublisher(bus, name);
  const seen: number[] = [];
  await listen('earlier', async (version) => void seen.push(version), type);
  const [event] = envelopes(
    { id: organizationId, organizationId, version: 7 },
    [announce(type, { version: 7 })],
    new Date(),
  );
  if (event === undefined) throw new Error('no event');
  const payload = JSON.stringify({ ...JSON.parse(event.payload), addedLater: { values: [1] } });
  const later = { ...event, id: 'evt_later', subject: `invoicecontrol.${name}.v1.added_later` };
  await eventually(() => publisher.publish(later));
  await eventually(() => publisher.publish({ ...event, payload }));
  await eventually(() => expect(seen).toEqual([7]));
  const consumer = `earlier_${organizationId}__${type.name}`;
  expect((await bus.manager.consumers.info(type.stream, consumer)).num_pending).toBe(0);
  expect(await deadLetterStore(mongo.db).count(consumer)).toBe(0);
  await bus.manager.streams.delete(type.stream);
});

test('a subscriber does not create the stream of another service, says that it waits, and starts when the stream exists', async () => {
  const name = `missing_${organizationId}`.toLowerCase();
  const type = {
    ...events.organizationRestored,
    service: name,
    stream: `INVOICECONTROL_${name.toUpperCase()}`,
    subject: `invoicecontrol.${name}.v1.organization_restored`,
  };
  const seen: number[] = [];
  await listen('waiting', async (version) => void seen.push(version), type);
  const consumer = `waiting_${organizationId}__${type.name}`;
  // The subscriber looks for the stream each second.
  await delay(2_500);
  await expect(bus.manager.streams.info(type.stream)).rejects.toThrow('stream not found');
  expect(lines.filter((line) => line.includes(consumer))).toEqual([
    expect.stringContaining('the stream does not exist'),
  ]);
  const watched = [{ durable: consumer, type, lastError: () => undefined }];
  expect(await stuckConsumers(bus, 'test', watched)(new Date(), new Date())).toMatchObject([
    { kind: 'consumer', what: expect.stringContaining(type.stream) },
  ]);
  await publishFrom(await eventPublisher(bus, name), type, 1);
  await eventually(() => expect(seen).toEqual([1]));
  // The broker gets the acknowledgement after the handler has ended.
  await eventually(async () => expect(await stuckConsumers(bus, 'test', watched)(new Date(), new Date())).toEqual([]));
  await bus.manager.streams.delete(type.stream);
});

test('a consumer whose database was restored hears again what was handled since the backup, and nothing older', async () => {
  const seen: number[] = [];
  const start = (): Promise<Subscription> => listen('restored', async (version) => void seen.push(version));
  const positions = mongo.db.collection<{ _id: string; acknowledgedSeq: number }>('consumer_positions');
  const consumer = `restored_${organizationId}__${events.organizationRestored.name}`;
  const _id = `${events.organizationRestored.stream}:${consumer}`;
  const first = await start();
  await publish(9);
  await eventually(() => expect(seen).toContain(9));
  await first.stop();
  const backup = await positions.findOne({ _id });
  if (backup === null) throw new Error('the position was not stored');
  const second = await start();
  await publish(10);
  await eventually(() => expect(seen).toContain(10));
  await second.stop();
  await positions.replaceOne({ _id }, backup);
  seen.length = 0;
  const third = await start();
  const rewound = await positions.findOne({ _id });
  await eventually(() => expect(seen).toEqual([10]));
  await third.stop();
  // A process that ends directly after it reset the position does not lose the earlier events.
  expect(rewound?.acknowledgedSeq).toBeGreaterThanOrEqual(backup.acknowledgedSeq);
  expect(linesAbout(consumer)).toEqual([]);
});

test('processes that start at once after a restore all listen, and the events since the backup are handled again', async () => {
  const seen: number[] = [];
  const start = (): Promise<Subscription> => listen('together', async (version) => void seen.push(version));
  const first = await start();
  const version = 100;
  await publish(version);
  await eventually(() => expect(seen).toContain(version));
  await first.stop();
  for (let round = 1; round <= 10; round++) {
    await forgetPosition('together');
    seen.length = 0;
    const started = await Promise.all([start(), start(), start()]);
    await eventually(() => expect(seen).toContain(version));
    await Promise.all(started.map((subscription) => subscription.stop()));
  }
});

test('a consumer that the broker created with the position of the deleted one is set back again', async () => {
  const seen: number[] = [];
  const { stream } = events.organizationRestored;
  const first = await listen('misplaced', async (version) => void seen.push(version));
  await publish(301);
  await eventually(() => expect(seen).toContain(301));
  await first.stop();
  await forgetPosition('misplaced');
  seen.length = 0;
  const { last_seq: lastSeq } = (await bus.manager.streams.info(stream)).state;
  let added = 0;
  // nats-server sometimes returns this error when one process deletes a consumer while another process creates it.
  const consumers: typeof bus.manager.consumers = Object.create(bus.manager.consumers, {
    add: {
      value: (name: string, config: object) => {
        const misplaced = { ...config, deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: lastSeq + 1 };
        return bus.manager.consumers.add(name, ++added <= 2 ? misplaced : config);
      },
    },
  });
  const manager: typeof bus.manager = Object.create(bus.manager, { consumers: { value: consumers } });
  await listen('misplaced', async (version) => void seen.push(version), events.organizationRestored, {
    through: { ...bus, manager },
  });
  await eventually(() => expect(seen).toContain(301));
  expect(added).toBe(3);
});

test('a consumer whose database was restored to a time before it existed hears the whole stream again', async () => {
  const seen: number[] = [];
  const start = (): Promise<Subscription> => listen('emptied', async (version) => void seen.push(version));
  const first = await start();
  await publish(11);
  await eventually(() => expect(seen).toContain(11));
  await first.stop();
  await forgetPosition('emptied');
  seen.length = 0;
  await start();
  await eventually(() => expect(seen).toContain(11));
});

test('a consumer that stops right after handling an event does not hear it again at the next start', async () => {
  const seen: number[] = [];
  for (let version = 201; version <= 230; version++) {
    await publish(version);
    const subscription = await listen('stopped', async (heard) => void seen.push(heard));
    await eventually(() => expect(seen).toContain(version));
    await subscription.stop();
  }
  expect(seen).toEqual([...new Set(seen)]);
});

test('a process that joins one that listens leaves its consumer as it is', async () => {
  const seen: number[] = [];
  const join = (): Promise<Subscription> => listen('joined', async (version) => void seen.push(version));
  const info = () =>
    bus.manager.consumers.info(
      events.organizationRestored.stream,
      `joined_${organizationId}__${events.organizationRestored.name}`,
    );
  await join();
  await publish(12);
  await eventually(async () => expect((await info()).ack_floor.stream_seq).toBeGreaterThan(0));
  const { created } = await info();
  await join();
  expect((await info()).created).toBe(created);
});

/** Restores the state that the database had before the consumer of this service existed. */
async function forgetPosition(service: string): Promise<void> {
  const { stream, name } = events.organizationRestored;
  const _id = `${stream}:${service}_${organizationId}__${name}`;
  const { deletedCount } = await mongo.db.collection<{ _id: string }>('consumer_positions').deleteOne({ _id });
  expect(deletedCount).toBe(1);
}

/** Returns the log lines about a lost consumer. */
function linesAbout(consumer: string): object[] {
  return lines.map((line) => JSON.parse(line)).filter((line) => line.consumer === consumer && 'isRecreated' in line);
}
