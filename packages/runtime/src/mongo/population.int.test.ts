import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { connectMongo } from './connection.js';
import type { MongoConnection } from './connection.js';
import { POPULATION_COUNTED_EACH_MS, POPULATION_MAX, populationOf } from './population.js';

interface Thing {
  readonly kind: string;
  readonly status: string;
}

let mongo: MongoConnection;
beforeAll(async () => {
  const { mongodbUrl: url } = testInfrastructure();
  mongo = await connectMongo({ url, databaseName: testDatabaseName(), appName: 'test' });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

test('a population is counted by its fields, and counted again only after five minutes', async () => {
  const things = mongo.db.collection<Thing>('things');
  await things.insertMany([
    { kind: 'a', status: 'ACTIVE' },
    { kind: 'a', status: 'ACTIVE' },
    { kind: 'b', status: 'DISABLED' },
    { kind: 'b', status: 'DELETED' },
  ]);
  let nowMs = Date.now();
  const count = populationOf(things, {
    filter: { status: { $ne: 'DELETED' } },
    fields: { kind: '$kind', status: '$status' },
    clock: { now: () => new Date(nowMs) },
  });
  const before = [
    { kind: 'a', status: 'ACTIVE', count: 2 },
    { kind: 'b', status: 'DISABLED', count: 1 },
  ];
  expect(new Set(await count())).toEqual(new Set(before));
  await things.insertOne({ kind: 'b', status: 'DISABLED' });
  nowMs += POPULATION_COUNTED_EACH_MS - 1;
  expect(new Set(await count())).toEqual(new Set(before));
  nowMs += 1;
  expect(await count()).toContainEqual({ kind: 'b', status: 'DISABLED', count: 2 });
});

test('a population is counted up to its limit, so that a large collection stays cheap', async () => {
  const many = mongo.db.collection<Thing>('many');
  const counted = (): Promise<readonly { count: number }[]> =>
    populationOf(many, { filter: {}, fields: { kind: '$kind' }, clock: { now: () => new Date() } })();
  const thing = (): Thing => ({ kind: 'a', status: 'ACTIVE' });
  await many.insertMany(Array.from({ length: POPULATION_MAX }, thing));
  expect(await counted()).toEqual([{ kind: 'a', count: POPULATION_MAX }]);
  await many.insertOne(thing());
  expect(await counted()).toEqual([{ kind: 'a', count: POPULATION_MAX }]);
});
