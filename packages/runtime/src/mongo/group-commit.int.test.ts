import type { Collection, OptionalUnlessRequiredId } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { systemClock } from '../clock.js';
import { aggregateStore, VersionConflict } from './aggregate.js';
import type { Aggregate, AggregateStore } from './aggregate.js';
import { connectMongo, isDuplicateKey } from './connection.js';
import type { MongoConnection } from './connection.js';
import { announce } from './event-envelope.js';
import { groupedInsert } from './group-commit.js';
import { groupedInsertMissing } from './insert-missing.js';

interface Counter extends Aggregate {
  readonly value: number | string;
}

const COUNT = 50;
const BSON_BYTES_MAX = 16 * 1024 * 1024;
let mongo: MongoConnection;
let collection: Collection<Counter>;
let counters: AggregateStore<Counter>;
/** Ids of the documents whose events were given to the outbox. */
const nudged: string[] = [];

const ids = Array.from({ length: COUNT }, (_, index) => `counter-${index}`);
const organizationOf = (id: string): string => `org-${Number(id.slice(8)) % 3}`;
const increase = (id: string, by = 1): Promise<void> =>
  counters.commitFirst(
    { id, organizationId: organizationOf(id), version: 1 },
    { $set: { value: by } },
    { events: [announce(events.organizationChanged, { version: 2, changed: ['name'] })] },
  );

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
  collection = mongo.db.collection<Counter>('counters');
  const outbox = {
    nudge: (_name: string, { id }: { readonly id: string }) => void nudged.push(id),
    idle: async () => {},
    stop: async () => {},
  };
  counters = aggregateStore(collection, outbox, systemClock);
});
beforeEach(async () => {
  await collection.deleteMany({});
  await Promise.all(ids.map((id) => counters.insertGrouped({ _id: id, organizationId: organizationOf(id), value: 0 })));
  nudged.length = 0;
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

test('of fifty concurrent first commits, the one whose document was changed in the meantime is the only one that conflicts', async () => {
  await collection.updateOne({ _id: 'counter-7' }, { $set: { value: 99 }, $inc: { version: 1 } });
  const outcomes = await Promise.allSettled(ids.map((id) => increase(id)));
  const lost = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [{ id: ids[index], reason: outcome.reason as unknown }] : [],
  );
  expect(lost).toEqual([{ id: 'counter-7', reason: expect.any(VersionConflict) }]);
  expect(await collection.countDocuments({ value: 1, version: 2, outboxPending: true })).toBe(COUNT - 1);
  expect(await collection.findOne({ _id: 'counter-7' })).toMatchObject({ value: 99, version: 2 });
  expect(nudged.toSorted()).toEqual(ids.filter((id) => id !== 'counter-7').toSorted());
});

test('of two concurrent first commits of one document, exactly one is stored', async () => {
  const outcomes = await Promise.allSettled(ids.flatMap((id) => [increase(id, 1), increase(id, 2)]));
  for (const [index, id] of ids.entries()) {
    const statuses = outcomes.slice(2 * index, 2 * index + 2).map(({ status }) => status);
    const stored = await collection.findOne({ _id: id });
    expect(statuses).toEqual(stored?.value === 1 ? ['fulfilled', 'rejected'] : ['rejected', 'fulfilled']);
    expect(stored?.version).toBe(2);
  }
});

test('a commit with the id of another organization changes nothing', async () => {
  const foreign = counters.commitFirst(
    { id: 'counter-3', organizationId: 'org-9', version: 1 },
    { $set: { value: 5 } },
  );
  const outcomes = await Promise.allSettled([foreign, increase('counter-4')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(await collection.findOne({ _id: 'counter-3' })).toMatchObject({ value: 0, version: 1 });
});

test('of fifty concurrent inserts, only those whose id exists are refused, with the error of a duplicate key', async () => {
  await collection.deleteMany({ _id: { $nin: ['counter-7', 'counter-8'] } });
  const outcomes = await Promise.allSettled(
    ids.map((id) => counters.insertGrouped({ _id: id, organizationId: organizationOf(id), value: 3 })),
  );
  const refused = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [{ id: ids[index], isDuplicate: isDuplicateKey(outcome.reason) }] : [],
  );
  expect(refused).toEqual([
    { id: 'counter-7', isDuplicate: true },
    { id: 'counter-8', isDuplicate: true },
  ]);
  expect(await collection.countDocuments({ value: 3 })).toBe(COUNT - 2);
});

test('a document that is too large is refused alone', async () => {
  await collection.deleteMany({});
  const insert = groupedInsert(collection, COUNT);
  const outcomes = await Promise.allSettled(
    ids.slice(0, 3).map((id, index) =>
      insert({
        _id: id,
        organizationId: organizationOf(id),
        version: 1,
        value: index === 1 ? 'x'.repeat(BSON_BYTES_MAX + 1) : index,
      } as OptionalUnlessRequiredId<Counter>),
    ),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await collection.countDocuments({})).toBe(2);
});

test('of fifty concurrent inserts of missing documents, those that exist stay as they are', async () => {
  await collection.deleteMany({ _id: { $nin: ['counter-7', 'counter-8'] } });
  const insert = groupedInsertMissing(collection, COUNT);
  await Promise.all(
    ids.map((id) => insert({ _id: id, organizationId: organizationOf(id), version: 1, value: 3 } as Counter)),
  );
  expect(await collection.countDocuments({ value: 3 })).toBe(COUNT - 2);
  expect(await collection.countDocuments({ _id: { $in: ['counter-7', 'counter-8'] }, value: 0 })).toBe(2);
});
