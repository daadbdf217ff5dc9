import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { ClientSession, Collection } from 'mongodb';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { ensureIndexes, missingIndexes } from './ensure-indexes.js';
import { indexBuilds } from './index-builds.js';
import { stuckIndexes } from './stuck-indexes.js';

const databaseName = testDatabaseName();
let client: MongoClient;
let reader: ClientSession;

beforeAll(async () => {
  client = new MongoClient(testInfrastructure().mongodbUrl);
  await client.connect();
});
afterEach(async () => {
  if (reader.inTransaction()) await reader.abortTransaction();
  await reader.endSession();
});
afterAll(async () => {
  await client.db(databaseName).dropDatabase();
  await client.close();
});

const builds = () => indexBuilds(client.db(databaseName));

/** Creates a collection that is large enough for a build to last until the test holds it. */
async function largeCollection(name: string): Promise<Collection> {
  const collection = client.db(databaseName).collection(name);
  const fields = Object.fromEntries(Array.from({ length: 300 }, (_, field) => [`field${field}`, field]));
  for (let batch = 0; batch < 8; batch += 1) {
    await collection.insertMany(Array.from({ length: 250 }, () => ({ ...fields })));
  }
  return collection;
}

/** Holds the build of the index that the function requests. It ends when the test aborts the transaction. */
async function holdBuild(collection: Collection, request: () => Promise<void>): Promise<{ requested: Promise<void> }> {
  const requested = request();
  await eventually(async () => expect(await builds()).not.toEqual([]));
  // An index build cannot end while a transaction uses the collection, so the test decides how long the build lasts.
  reader = client.startSession();
  reader.startTransaction();
  await collection.findOne({}, { session: reader });
  expect(await builds()).not.toEqual([]);
  return { requested };
}

test('a start does not wait for a long build of an index that only makes queries faster, and names the index', async () => {
  const collection = await largeCollection('large');
  const everything = [{ key: { '$**': 1 as const }, name: 'everything' }];
  const { requested } = await holdBuild(collection, () => ensureIndexes(collection, everything));
  await requested;
  expect(await builds()).toEqual(['large.everything']);
  expect(missingIndexes(databaseName)).toMatchObject([{ name: 'large.everything' }]);
  expect(await stuckIndexes(databaseName)(new Date(), new Date())).toMatchObject([
    { kind: 'index', what: `index large.everything of database ${databaseName}` },
  ]);
  await reader.abortTransaction();
  await eventually(() => expect(missingIndexes(databaseName)).toEqual([]));
  expect((await collection.indexes()).map(({ name }) => name)).toContain('everything');
});

test.each([
  ['is unique', { unique: true }, {}],
  ['a query names', {}, { named: ['number'] }],
])('a start waits for an index that %s', async (reason, kind, options) => {
  const collection = client.db(databaseName).collection(`needed${reason.length}`);
  await collection.insertOne({ number: 1 });
  // An index build cannot begin while a transaction uses the collection.
  reader = client.startSession();
  reader.startTransaction();
  await collection.findOne({}, { session: reader });
  let isDone = false;
  const requested = (async () => {
    await ensureIndexes(collection, [{ key: { number: 1 }, name: 'number', ...kind }], options);
    isDone = true;
  })();
  // A build that a start does not wait for is left after two seconds.
  await delay(3_000);
  expect(isDone).toBe(false);
  await reader.abortTransaction();
  await requested;
  expect((await collection.indexes()).map(({ name }) => name)).toContain('number');
});

test('an index that can never be built is named with the reason', async () => {
  const collection = client.db(databaseName).collection('other');
  await collection.createIndexes([{ key: { first: 1 }, name: 'one' }]);
  await expect(ensureIndexes(collection, [{ key: { second: 1 }, name: 'one' }])).rejects.toThrow('same name');
  reader = client.startSession();
});
