import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { MongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import { MongoClient, MongoNetworkError } from 'mongodb';
import { isMongoUnavailable } from './connection.js';
import { ourConnections } from './driver-connection.js';

const databaseName = testDatabaseName();
const asIs = (error: unknown): unknown => error;

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

test('a database that does not answer counts as unavailable for callers that wait for a connection, too', async () => {
  const things = client.db('nowhere').collection('things');
  // Opening the first connection may take longer than the timeouts in this test.
  await eventually(() => things.findOne({}));
  proxy.stall();
  const first = things.findOne({}).catch((error: unknown) => error);
  const refused = await things.findOne({}).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'MongoWaitQueueTimeoutError' });
  expect(isMongoUnavailable(refused)).toBe(true);
  proxy.reset();
  proxy.heal();
  await first;
});

describe('a command that is still being written', () => {
  /** Document with more data than all buffers between client and server can hold. */
  const large = { text: 'x'.repeat(15_000_000) };
  let writer: MongoClient;

  beforeEach(async () => {
    writer = new MongoClient(proxy.url, {
      ...ourConnections(() => {}),
      socketTimeoutMS: 500,
      serverSelectionTimeoutMS: 1_000,
      retryWrites: false,
    });
    await writer.connect();
    // A first command makes the driver connect, so that later commands find an open connection.
    await eventually(() => writer.db('nowhere').command({ ping: 1 }));
  });
  afterEach(async () => {
    proxy.reset();
    proxy.heal();
    await writer.close();
  });

  test('ends when the network has been silent for too long', async () => {
    proxy.stall();
    const failure = await writer.db(databaseName).collection('things').insertOne(large).catch(asIs);
    expect(failure).toBeInstanceOf(MongoNetworkError);
    expect(isMongoUnavailable(failure)).toBe(true);
  });

  test('fails as an outage when the connection is reset', async () => {
    proxy.stall();
    const failing = writer.db(databaseName).collection('things').insertOne(large).catch(asIs);
    // Either the reset of the connection interrupts the command, or the silence timeout ends it earlier. Both errors
    // count as an outage of the database.
    proxy.reset();
    const failure = await failing;
    expect(failure).toBeInstanceOf(MongoNetworkError);
    expect(isMongoUnavailable(failure)).toBe(true);
  });
});

test('each answer to a command is heard, and no heartbeat is taken for one', async () => {
  let replies = 0;
  let heartbeats = 0;
  const client = new MongoClient(proxy.url, { ...ourConnections(() => replies++), heartbeatFrequencyMS: 500 });
  client.on('serverHeartbeatSucceeded', () => heartbeats++);
  await client.connect();
  const before = replies;
  await eventually(() => expect(heartbeats).toBeGreaterThan(2));
  expect(replies).toBe(before);
  await client.db('nowhere').command({ ping: 1 });
  expect(replies).toBe(before + 1);
  await client.close();
});
