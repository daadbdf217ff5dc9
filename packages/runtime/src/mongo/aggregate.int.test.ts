import { afterAll, beforeAll, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { systemClock } from '../clock.js';
import { createLogger } from '../logger.js';
import { connectTestNats } from '../testing/test-bus.js';
import type { Bus } from '../nats/connection.js';
import { eventPublisher } from '../nats/publish.js';
import { subscribe } from '../nats/subscribe.js';
import type { Subscription } from '../nats/subscribe.js';
import { aggregateStore, retryOnConflict, VersionConflict } from './aggregate.js';
import type { Aggregate, AggregateStore } from './aggregate.js';
import { connectMongo } from './connection.js';
import type { MongoConnection } from './connection.js';
import { deadLetterStore } from './dead-letters.js';
import { announce } from './event-envelope.js';
import { startOutbox } from './outbox.js';
import type { Outbox } from './outbox.js';
import { isOutage } from '../outage.js';

interface Counter extends Aggregate {
  readonly value: number;
  readonly unfinished?: true;
}

const logger = createLogger({ service: 'test', level: 'silent' });
const { mongodbUrl, natsUrl } = testInfrastructure();
const organizationId = testDatabaseName();
let mongo: MongoConnection;
let bus: Bus;
let outbox: Outbox;
let counters: AggregateStore<Counter>;
interface Heard {
  readonly id: string;
  readonly version: number;
}
/** Events of the organization under test that were published, including repeats. */
const heard: Heard[] = [];
/** Events that the broker stored and delivered to a consumer. */
const delivered: Heard[] = [];
let subscription: Subscription;

const changed = (version: number): ReturnType<typeof announce> =>
  announce(events.organizationChanged, { version, changed: ['name'] });
const collection = () => mongo.db.collection<Counter>('counters');

beforeAll(async () => {
  mongo = await connectMongo({ url: mongodbUrl, databaseName: organizationId, appName: 'test' });
  bus = await connectTestNats({ url: natsUrl, name: 'test', logger });
  bus.connection.subscribe(events.organizationChanged.subject, {
    callback: (_, message) => {
      const event = events.organizationChanged.codec.fromJSON(message.json());
      if (event.organizationId === organizationId) heard.push({ id: event.eventId, version: event.version });
    },
  });
  subscription = await subscribe(
    { bus, deadLetters: deadLetterStore(mongo.db), isOutage, logger },
    {
      service: `aggregates_${organizationId}`,
      type: events.organizationChanged,
      handle: async (event) => {
        if (event.organizationId === organizationId) delivered.push({ id: event.eventId, version: event.version });
      },
    },
  );
  await start();
});
afterAll(async () => {
  await subscription.stop();
  await outbox.stop();
  await mongo.db.dropDatabase();
  await bus.close();
  await mongo.close();
});

async function start(): Promise<void> {
  const publisher = await eventPublisher(bus, 'organization');
  outbox = await startOutbox({
    db: mongo.db,
    collectionNames: ['counters'],
    publisher,
    clock: systemClock,
    logger,
    relayEachMs: 1_000,
  });
  counters = aggregateStore(collection(), outbox, systemClock);
}

/**
 * Waits until the events have left the document, and returns it. On a slow machine, the relay may have to publish
 * events again.
 */
function afterRelay(_id: string): Promise<Counter | null> {
  return eventually(async () => {
    await outbox.idle();
    const document = await collection().findOne({ _id });
    expect(document?.outboxPending).toBeUndefined();
    return document;
  });
}

test('a change, its version and its event are one write, and the event reaches the broker once', async () => {
  await counters.insert({ _id: 'once', organizationId, value: 0 }, { events: [changed(1)] });
  const saved = await counters.save(
    { id: 'once', organizationId, version: 1 },
    { $set: { value: 5 } },
    { events: [changed(2)] },
  );
  expect(saved).toMatchObject({ value: 5, version: 2 });
  const stored = await afterRelay('once');
  expect(stored).toMatchObject({ value: 5, version: 2 });
  expect(stored?.outbox ?? []).toEqual([]);
  const recent = stored?.recentEvents?.map(({ id }) => id) ?? [];
  expect(recent).toHaveLength(2);
  await eventually(() =>
    expect(delivered.filter(({ id }) => recent.includes(id)).map(({ version }) => version)).toEqual([1, 2]),
  );
});

test('an event that two relays publish appears once among the recent events, and the slower relay still clears its marks', async () => {
  let finish = (): void => {};
  const when = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await counters.insert(
    { _id: 'twice', organizationId, value: 0, unfinished: true },
    { events: [changed(1)], finish: { when, unset: ['unfinished'] } },
  );
  const { outbox: entries = [] } = (await collection().findOne({ _id: 'twice' })) ?? {};
  const publisher = await eventPublisher(bus, 'organization');
  const options = { db: mongo.db, collectionNames: ['counters'], publisher, clock: systemClock, logger };
  const faster = await startOutbox(options);
  faster.nudge('counters', { id: 'twice', version: 1, events: entries });
  await faster.stop();
  finish();
  const stored = await afterRelay('twice');
  expect(stored?.recentEvents).toEqual(entries);
  expect(stored).not.toHaveProperty('unfinished');
});

test('a write with an old version changes nothing and reports it', async () => {
  await counters.insert({ _id: 'stale', organizationId, value: 0 });
  await counters.save({ id: 'stale', organizationId, version: 1 }, { $set: { value: 1 } });
  await expect(counters.save({ id: 'stale', organizationId, version: 1 }, { $set: { value: 9 } })).rejects.toThrow(
    VersionConflict,
  );
  expect(await collection().findOne({ _id: 'stale' })).toMatchObject({ value: 1, version: 2 });
});

test('another tenant cannot change a document, whatever it knows of it', async () => {
  await counters.insert({ _id: 'tenant', organizationId, value: 0 });
  const stranger = { id: 'tenant', organizationId: 'stranger', version: 1 };
  await expect(counters.save(stranger, { $set: { value: 9 } })).rejects.toThrow(VersionConflict);
});

test('ten writers at once each apply once, no version is skipped', async () => {
  await counters.insert({ _id: 'busy', organizationId, value: 0 });
  const add = (): Promise<unknown> =>
    retryOnConflict(async () => {
      const { version = 0, value = 0 } = (await collection().findOne({ _id: 'busy' })) ?? {};
      return counters.save({ id: 'busy', organizationId, version }, { $set: { value: value + 1 } });
    });
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, add));
  const applied = outcomes.filter(({ status }) => status === 'fulfilled').length;
  expect(await collection().findOne({ _id: 'busy' })).toMatchObject({ value: applied, version: applied + 1 });
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ kind: 'concurrent_change' });
  }
});

test.each([
  [5, undefined],
  [7, 7],
])('throws CONFLICT after %d conflicts, when %p are allowed', async (allowed, attemptsMax) => {
  const outcomeAfter = async (conflicts: number): Promise<string> => {
    let tries = 0;
    return retryOnConflict(() => {
      tries++;
      return tries > conflicts ? Promise.resolve(`done after ${tries}`) : Promise.reject(new VersionConflict());
    }, attemptsMax);
  };
  expect(await outcomeAfter(allowed - 1)).toBe(`done after ${allowed}`);
  await expect(outcomeAfter(allowed)).rejects.toMatchObject({ kind: 'concurrent_change' });
});

test('an event that a crash left in its document is published by the relay', async () => {
  await outbox.idle();
  await collection().insertOne({
    _id: 'crashed',
    organizationId,
    version: 1,
    value: 0,
    outbox: [
      {
        id: 'evt_crashed',
        subject: events.organizationChanged.subject,
        payload: JSON.stringify({ eventId: 'evt_crashed', organizationId, version: 77, changed: [] }),
        at: new Date(Date.now() - 5_000),
      },
    ],
    outboxPending: true,
  });
  await eventually(() => expect(heard.map(({ version }) => version)).toContain(77));
  await eventually(async () => {
    const stored = await collection().findOne({ _id: 'crashed' });
    expect(stored?.outboxPending).toBeUndefined();
    expect(stored?.recentEvents).toHaveLength(1);
  });
});

test('a relay that has found nothing searches again soon after a failed publication', async () => {
  let searches = 0;
  const quiet = mongo.db.collection('quiet');
  const aggregate = ((...asked: Parameters<typeof quiet.aggregate>) => {
    searches++;
    return quiet.aggregate(...asked);
  }) as typeof quiet.aggregate;
  const watched = Object.create(quiet, { aggregate: { value: aggregate } }) as typeof quiet;
  const publisher = await eventPublisher(bus, 'organization');
  const own = await startOutbox({
    db: Object.create(mongo.db, {
      collection: { value: (name: string) => (name === 'quiet' ? watched : mongo.db.collection(name)) },
    }) as typeof mongo.db,
    collectionNames: ['quiet'],
    publisher: { ...publisher, publish: () => Promise.reject(new Error('The message broker is unavailable.')) },
    clock: systemClock,
    logger,
  });
  try {
    await eventually(() => expect(searches).toBe(1));
    const failedAt = performance.now();
    own.nudge('quiet', {
      id: 'quiet-1',
      version: 1,
      events: [{ id: 'evt_quiet', subject: events.organizationChanged.subject, payload: '{}', at: new Date() }],
    });
    await eventually(() => expect(searches).toBe(2));
    // If no publication had failed, the next search of the relay would follow ten seconds after the first.
    expect(performance.now() - failedAt).toBeLessThan(8_000);
  } finally {
    await own.stop();
  }
});

test('one command searches all outboxes of a service, and an event in the last of them is published', async () => {
  const names = ['outbox_a', 'outbox_b', 'outbox_c'];
  const searched: string[] = [];
  const watched = (name: string) => {
    const collection = mongo.db.collection<{ _id: string }>(name);
    const aggregate = ((...asked: Parameters<typeof collection.aggregate>) => {
      searched.push(name);
      return collection.aggregate(...asked);
    }) as typeof collection.aggregate;
    const find = ((...asked: Parameters<typeof collection.find>) => {
      if ('outboxPending' in (asked[0] ?? {})) searched.push(`${name} alone`);
      return collection.find(...asked);
    }) as typeof collection.find;
    return Object.create(collection, { aggregate: { value: aggregate }, find: { value: find } }) as typeof collection;
  };
  const relay = await startOutbox({
    db: Object.create(mongo.db, { collection: { value: watched } }) as typeof mongo.db,
    collectionNames: names,
    publisher: await eventPublisher(bus, 'organization'),
    clock: systemClock,
    logger,
    relayEachMs: 200,
  });
  try {
    await eventually(() => expect(searched).toEqual(['outbox_a', 'outbox_a']));
    const payload = JSON.stringify({ eventId: 'evt_last', organizationId, version: 78, changed: [] });
    const at = new Date(Date.now() - 5_000);
    const event = { id: 'evt_last', subject: events.organizationChanged.subject, payload, at };
    const document = { _id: 'last', organizationId, version: 1, outbox: [event], outboxPending: true };
    await mongo.db.collection<{ _id: string }>('outbox_c').insertOne(document);
    await eventually(() => expect(heard.map(({ version }) => version)).toContain(78));
    expect(searched).toContain('outbox_c alone');
    expect(searched).not.toContain('outbox_b alone');
  } finally {
    await relay.stop();
  }
});

test('the relay brings a backlog of six searches in one go, and not one of them each time it runs', async () => {
  const DOCUMENTS = 1_536;
  const at = new Date(Date.now() - 120_000);
  const warnings: unknown[] = [];
  const warn = (fields: object): void => void warnings.push(fields);
  await mongo.db.collection<{ _id: string }>('backlog').insertMany(
    Array.from({ length: DOCUMENTS }, (_, number) => {
      const eventId = `evt_backlog${number}`;
      const payload = JSON.stringify({ eventId, organizationId: 'backlog', version: 1, changed: [] });
      const outbox = [{ id: eventId, subject: events.organizationChanged.subject, payload, at }];
      return { _id: `backlog-${number}`, organizationId, version: 1, outbox, outboxPending: true };
    }),
  );
  const relay = await startOutbox({
    db: mongo.db,
    collectionNames: ['backlog'],
    publisher: await eventPublisher(bus, 'organization'),
    clock: systemClock,
    logger: Object.create(logger, { warn: { value: warn } }) as typeof logger,
    relayEachMs: 8_000,
  });
  try {
    const left = () => mongo.db.collection('backlog').countDocuments({ outboxPending: true });
    await eventually(async () => expect(await left()).toBe(0), { timeoutMs: 44_000 });
    // The relay writes one warning for each search of the outbox, not one for each document.
    expect(warnings.length).toBeLessThanOrEqual(DOCUMENTS / 256 + 1);
    expect(warnings).toContainEqual(expect.objectContaining({ collection: 'backlog', documents: 256 }));
  } finally {
    await relay.stop();
  }
});

test('documents whose events are published during a write share the next one, which has 256 at most', async () => {
  const DOCUMENTS = 64 + 257;
  const written: number[] = [];
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const batches = mongo.db.collection('batches');
  const bulkWrite: typeof batches.bulkWrite = async (operations, options) => {
    written.push(operations.length);
    await released;
    return batches.bulkWrite(operations, options);
  };
  const held = Object.create(batches, { bulkWrite: { value: bulkWrite } }) as typeof batches;
  const collectionOf = (name: string) => (name === 'batches' ? held : mongo.db.collection(name));
  const publisher = await eventPublisher(bus, 'organization');
  let published = 0;
  const publish: typeof publisher.publish = async (event) => {
    await publisher.publish(event);
    published++;
  };
  const own = await startOutbox({
    db: Object.create(mongo.db, { collection: { value: collectionOf } }) as typeof mongo.db,
    collectionNames: ['batches'],
    publisher: Object.create(publisher, { publish: { value: publish } }) as typeof publisher,
    clock: systemClock,
    logger,
    relayEachMs: 60_000,
  });
  try {
    const at = new Date();
    const documents = Array.from({ length: DOCUMENTS }, (_, number) => {
      const id = `batches-${number}`;
      const payload = JSON.stringify({ eventId: `evt_${id}`, organizationId: 'batches', version: 1, changed: [] });
      const outbox = [{ id: `evt_${id}`, subject: events.organizationChanged.subject, payload, at }];
      return { id, version: 1, events: outbox };
    });
    await mongo.db
      .collection<{ _id: string }>('batches')
      .insertMany(
        documents.map(({ id, version, events: outbox }) => ({ _id: id, version, outbox, outboxPending: true })),
      );
    for (const document of documents) own.nudge('batches', document);
    await eventually(() => expect(published).toBe(DOCUMENTS));
    expect(written).toHaveLength(1);
    release();
    await eventually(async () => expect(await batches.countDocuments({ outboxPending: true })).toBe(0));
    expect(written[0]).toBeLessThanOrEqual(64);
    expect([written[1], written.reduce((sum, size) => sum + size, 0)]).toEqual([256, DOCUMENTS]);
  } finally {
    release();
    await own.stop();
  }
});

test('marks of unfinished work go with the events, and stay when the work failed', async () => {
  const finish = (when: Promise<unknown>) => ({ events: [changed(1)], finish: { when, unset: ['unfinished'] } });
  await counters.insert({ _id: 'done', organizationId, value: 0, unfinished: true }, finish(Promise.resolve()));
  const failing = Promise.reject(new Error('no'));
  failing.catch(() => undefined);
  await counters.insert({ _id: 'failed', organizationId, value: 0, unfinished: true }, finish(failing));
  expect((await afterRelay('done'))?.unfinished).toBeUndefined();
  expect(await afterRelay('failed')).toMatchObject({ unfinished: true });
});

test('a document keeps its last 32 events and no more', async () => {
  await counters.insert({ _id: 'long', organizationId, value: 0 });
  for (let version = 1; version <= 33; version++) {
    await counters.save(
      { id: 'long', organizationId, version },
      { $set: { value: version } },
      { events: [changed(version + 1)] },
    );
    await outbox.idle();
  }
  const { recentEvents = [] } = (await afterRelay('long')) ?? {};
  expect(recentEvents).toHaveLength(32);
  expect(JSON.parse(recentEvents.at(-1)?.payload ?? '{}')).toMatchObject({ version: 34 });
});

test('a change keeps the fields that a later release stored in the document', async () => {
  await counters.insert({ _id: 'later', organizationId, value: 1 });
  const added = { addedLater: { text: 'kept' }, addedList: [1, 2] };
  await collection().updateOne({ _id: 'later' }, { $set: added });
  const saved = await counters.save(
    { id: 'later', organizationId, version: 1 },
    { $set: { value: 2 } },
    { events: [changed(2)] },
  );
  expect(saved).toMatchObject({ value: 2, ...added });
  expect(await afterRelay('later')).toMatchObject({ value: 2, version: 2, ...added });
});

test('a broker that lost its volume is filled again under the same ids', async () => {
  await counters.insert({ _id: 'lost', organizationId, value: 0 }, { events: [changed(99)] });
  const { recentEvents = [] } = (await afterRelay('lost')) ?? {};
  await outbox.stop();
  // After a volume was restored, the database contains positions of another event stream.
  await mongo.db
    .collection<{ _id: string }>('relay')
    .updateOne({ _id: 'INVOICECONTROL_ORGANIZATION' }, { $set: { created: 'an earlier life', lastSeq: 1_000_000 } });
  heard.length = 0;
  // If the broker does not respond in time, the process of the service exits and its supervisor starts it again.
  await eventually(start);
  await eventually(() => expect(heard).toContainEqual({ id: recentEvents[0]?.id, version: 99 }));
  const relay = await mongo.db.collection<{ _id: string }>('relay').findOne({ _id: 'INVOICECONTROL_ORGANIZATION' });
  expect(relay).not.toMatchObject({ created: 'an earlier life' });
});

test('a broker that lost exactly the events since the last comparison is filled again at the next one', async () => {
  await outbox.stop();
  const real = await eventPublisher(bus, 'organization');
  const compared = await real.position();
  // The broker looks as it did at the last comparison, although it has acknowledged another event since.
  const publisher = Object.create(real, { position: { value: () => Promise.resolve(compared) } }) as typeof real;
  outbox = await startOutbox({ db: mongo.db, collectionNames: ['counters'], publisher, clock: systemClock, logger });
  counters = aggregateStore(collection(), outbox, systemClock);
  await counters.insert({ _id: 'cut', organizationId, value: 0 }, { events: [changed(97)] });
  await afterRelay('cut');
  heard.length = 0;
  await eventually(() => expect(heard).toContainEqual(expect.objectContaining({ version: 97 })), { timeoutMs: 25_000 });
  await outbox.stop();
  await start();
});

test('a service starts while a lost stream is still being filled, and the next start completes what this one left', async () => {
  await counters.insert({ _id: 'beside', organizationId, value: 0 }, { events: [changed(98)] });
  await afterRelay('beside');
  await outbox.stop();
  const relays = mongo.db.collection<{ _id: string; refillSince?: Date }>('relay');
  const relay = { _id: 'INVOICECONTROL_ORGANIZATION' };
  await relays.updateOne(relay, { $set: { created: 'an earlier life', lastSeq: 1_000_000 } });
  let refuse = (_: Error): void => {};
  const refused = new Promise<never>((_, reject) => (refuse = reject));
  let publishes = 0;
  const publisher = {
    ...(await eventPublisher(bus, 'organization')),
    publish: () => {
      publishes++;
      return refused;
    },
  };
  const filling = await startOutbox({
    db: mongo.db,
    collectionNames: ['counters'],
    publisher,
    clock: systemClock,
    logger,
  });
  await eventually(() => expect(publishes).toBe(1));
  refuse(new Error('The message broker is unavailable.'));
  await filling.stop();
  expect(await relays.findOne(relay)).toMatchObject({ refillSince: expect.any(Date) });
  heard.length = 0;
  await eventually(start);
  await eventually(() => expect(heard).toContainEqual(expect.objectContaining({ version: 98 })));
  await eventually(async () => expect(await relays.findOne(relay)).not.toHaveProperty('refillSince'));
});

test('changes after a restore reach consumers although the lost changes had the same versions', async () => {
  await counters.insert({ _id: 'restored', organizationId, value: 0 });
  const backup = await collection().findOne({ _id: 'restored' });
  if (backup === null) throw new Error('nothing was stored');
  const change = (value: number): Promise<unknown> =>
    counters.save({ id: 'restored', organizationId, version: 1 }, { $set: { value } }, { events: [changed(value)] });
  await change(501);
  const lost = (await afterRelay('restored'))?.recentEvents?.at(-1);
  await outbox.stop();
  await collection().replaceOne({ _id: 'restored' }, backup);
  await eventually(start);
  await change(502);
  const after = (await afterRelay('restored'))?.recentEvents?.at(-1);
  expect(after?.id).not.toBe(lost?.id);
  await eventually(() => expect(delivered).toContainEqual({ id: after?.id, version: 502 }));
});
