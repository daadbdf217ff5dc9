import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startTcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import type { TcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import { connectMongo, isMongoUnavailable } from './connection.js';
import type { MongoConnection } from './connection.js';
import { HEARTBEAT_EACH_MS, SILENT_AFTER_MS } from './silence.js';

/** Maximum time until a caller of the product is refused, including the gateway and the service. */
const REFUSED_WITHIN_MS = 3_000;

let proxy: TcpProxy;
let mongo: MongoConnection;

beforeAll(async () => {
  const { mongodbUrl } = testInfrastructure();
  const { hostname, port } = new URL(mongodbUrl);
  proxy = await startTcpProxy({ serverHost: hostname, serverPort: Number(port) });
  const url = Object.assign(new URL(mongodbUrl), { port: String(proxy.port) }).href;
  mongo = await connectMongo({ url, databaseName: testDatabaseName(), appName: 'test' });
});
afterAll(async () => {
  proxy.heal();
  await mongo.db.dropDatabase();
  await mongo.close();
  await proxy.close();
});
beforeEach(async () => {
  await eventually(() => {
    if (mongo.silence.isSilent()) throw new Error('not heard of again');
  });
});

test('is noticed early enough to answer within three seconds', () => {
  expect(SILENT_AFTER_MS + HEARTBEAT_EACH_MS).toBeLessThan(REFUSED_WITHIN_MS);
});

describe.each(['stall', 'cut'] as const)('a database behind a network that does this: %s', (what) => {
  test('falls silent, tells those who wait, and is heard again when the network is back', async () => {
    let isTold = false;
    mongo.silence.whenSilent(() => (isTold = true));
    proxy[what]();
    await eventually(() => expect(isTold).toBe(true), { timeoutMs: 20_000 });
    expect(mongo.silence.isSilent()).toBe(true);
    proxy.heal();
    await eventually(() => expect(mongo.silence.isSilent()).toBe(false), { timeoutMs: 20_000 });
    expect(await eventually(() => mongo.db.command({ ping: 1 }))).toMatchObject({ ok: 1 });
  });

  test('keeps what was begun, or ends it as an outage', async () => {
    const things = mongo.db.collection<{ _id: string }>('things');
    proxy[what]();
    const writing = things.insertOne({ _id: what }).then(
      () => true,
      (error: unknown) => isMongoUnavailable(error),
    );
    await eventually(() => expect(mongo.silence.isSilent()).toBe(true), { timeoutMs: 20_000 });
    proxy.heal();
    expect(await writing).toBe(true);
  });
});

test('those who no longer wait are not told', async () => {
  let isTold = false;
  mongo.silence.whenSilent(() => (isTold = true))();
  proxy.cut();
  await eventually(() => expect(mongo.silence.isSilent()).toBe(true), { timeoutMs: 20_000 });
  expect(isTold).toBe(false);
  proxy.heal();
});
