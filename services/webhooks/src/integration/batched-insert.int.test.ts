import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import type { Collection } from 'mongodb';
import { batchedInsert } from '../storage/batched-insert.js';

interface Note {
  readonly _id: string;
  readonly text: string;
}

let mongo: MongoConnection;
let collection: Collection<Note>;
beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
  collection = mongo.db.collection<Note>('notes');
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => collection.deleteMany({}));

const notes = (...ids: readonly string[]): Note[] => ids.map((_id) => ({ _id, text: 'new' }));
const told = async (answers: readonly Promise<ReadonlySet<string>>[]): Promise<string[][]> =>
  (await Promise.all(answers)).map((existing) => [...existing]);

test('tells each of many concurrent callers which of its documents were there', async () => {
  await collection.insertOne({ _id: 'b', text: 'old' });
  const insert = batchedInsert(collection);
  expect(await told([insert(notes('a', 'b')), insert(notes('c')), insert([])])).toEqual([['b'], [], []]);
  const stored = await collection.find({}, { sort: { _id: 1 } }).toArray();
  expect(stored.map(({ _id, text }) => `${_id} ${text}`)).toEqual(['a new', 'b old', 'c new']);
});

test('tells one alone of two callers with the same document that it is new', async () => {
  const insert = batchedInsert(collection);
  const answers = await told([insert(notes('a')), insert(notes('a')), insert(notes('a', 'b'))]);
  expect(answers.filter((existing) => existing.includes('a'))).toHaveLength(2);
  expect(await collection.countDocuments()).toBe(2);
});

test('stores more documents than one command has', async () => {
  const many = Array.from({ length: 101 }, (_, number) => String(number));
  const insert = batchedInsert(collection);
  expect(await told([insert(notes(...many)), insert(notes('x'))])).toEqual([[], []]);
  expect(await collection.countDocuments()).toBe(102);
});
