import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { MongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import { MongoClient } from 'mongodb';
import { isOutOfReach } from './connection.js';

let proxy: MongoProxy;
let client: MongoClient;

beforeAll(async () => {
  proxy = await startMongoProxy(testInfrastructure().mongodbUrl);
  client = new MongoClient(proxy.url, { maxPoolSize: 1, waitQueueTimeoutMS: 1_000 });
  await client.connect();
});
afterAll(async () => {
  await client.close();
  await proxy.close();
});

test('a database that does not answer is out of reach for those who wait for a connection, too', async () => {
  const things = client.db('nowhere').collection('things');
  // The first connection may take longer than anybody waits for one here.
  await eventually(() => things.findOne({}));
  proxy.stall();
  const first = things.findOne({}).catch((error: unknown) => error);
  const refused = await things.findOne({}).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'MongoWaitQueueTimeoutError' });
  expect(isOutOfReach(refused)).toBe(true);
  proxy.reset();
  proxy.heal();
  await first;
});
