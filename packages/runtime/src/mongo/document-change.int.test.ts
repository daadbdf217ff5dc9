import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { connectMongo } from './connection.js';
import type { MongoConnection } from './connection.js';
import { changeBetween } from './document-change.js';

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const entry = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.record({ day: fc.integer({ min: 0, max: 2 }) }));
const list = fc.array(entry, { maxLength: 7 });
const value = fc.oneof(entry, fc.constant(null), fc.constantFrom('a', 'b'), list, fc.array(list, { maxLength: 2 }));
const name = fc.constantFrom('one', 'two', '3', 'a.b', '$c', '');
const members = fc.dictionary(name, value, { maxKeys: 4 });
const document = fc.record(
  { profile: members, list, deep: fc.record({ list, members }, { requiredKeys: [] }), flag: fc.boolean() },
  { requiredKeys: [] },
);
/** Generates a list of limited length before and after entries were appended to it. */
const appended = fc
  .tuple(list, list, fc.integer({ min: 1, max: 7 }))
  .map(([old, added, max]) => [{ list: old.slice(-max) }, { list: [...old, ...added].slice(-max) }] as const);

test('the update between two documents makes the second one out of the first', async () => {
  const collection = mongo.db.collection<{ _id: number }>('documents');
  let count = 0;
  const pairs = fc.oneof(fc.tuple(document, document), appended);
  await fc.assert(
    fc.asyncProperty(pairs, async ([before, after]) => {
      const _id = ++count;
      await collection.insertOne({ _id, ...before });
      const change = changeBetween(before, after);
      if (Object.keys(change).length === 0) expect(after).toEqual(before);
      else await collection.updateOne({ _id }, change);
      expect(await collection.findOne({ _id })).toEqual({ _id, ...after });
    }),
    { numRuns: 400 },
  );
});

test('entries that push older ones out of a list are written alone, and so is one changed entry', () => {
  const days = [1, 2, 3, 4].map((day) => ({ day, count: 1 }));
  const after = [...days.slice(1), { day: 5, count: 1 }];
  expect(changeBetween({ days }, { days: after })).toEqual({
    $push: { days: { $each: [{ day: 5, count: 1 }], $slice: -4 } },
  });
  expect(changeBetween({ days }, { days: days.with(2, { day: 3, count: 2 }) })).toEqual({
    $set: { 'days.2.count': 2 },
  });
  expect(changeBetween({ days, name: 'a' }, { days })).toEqual({ $unset: { name: '' } });
});
