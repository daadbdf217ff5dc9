import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { stuckCounters } from './stuck-counters.js';
import { usageCollection } from './usage-counter.js';

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

test('the operator is told of usage counters whose check was not made, and of the organization', async () => {
  const due = new Date('2026-03-10T11:00:00Z');
  await usageCollection(mongo.db).insertOne({ _id: 'o1:2026-03:rows', used: 7, moves: 1, lookAt: due });
  const find = stuckCounters(mongo.db, 'scan');
  expect(await find(new Date('2026-03-10T11:50:00Z'), new Date('2026-03-10T12:00:00Z'))).toEqual([
    {
      kind: 'usage',
      what: expect.stringContaining('o1:2026-03:rows'),
      since: due,
      why: expect.any(String),
      resolution: expect.stringContaining('kubectl rollout restart deployment/scan'),
    },
  ]);
  expect(await find(new Date('2026-03-10T10:59:59Z'), new Date('2026-03-10T11:09:59Z'))).toEqual([]);
});
