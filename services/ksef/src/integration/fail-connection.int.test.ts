import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { failConnection } from '../application/connections/fail-connection.js';
import type { Connection, ConnectionStatus } from '../domain/connection.js';
import { connectionStore } from '../storage/connections.js';
import type { ConnectionDocument } from '../storage/connections.js';

let mongo: MongoConnection;
let store: ReturnType<typeof connectionStore>;
beforeAll(async () => {
  const { mongodbUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: testDatabaseName(), appName: 'test' });
  const outbox = { nudge: () => {} } as unknown as Parameters<typeof connectionStore>[1];
  store = connectionStore(documents(), outbox, systemClock);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const documents = () => mongo.db.collection<ConnectionDocument>('connections');
const announced = async ({ id }: Connection) => (await documents().findOne({ _id: id }))?.outbox?.length ?? 0;

async function storedConnection(status: ConnectionStatus): Promise<Connection> {
  const connection: Connection = {
    id: randomUUID(),
    organizationId: randomUUID(),
    version: 1,
    companyId: randomUUID(),
    environment: 'TEST',
    contextNip: '5265877635',
    authentication: 'TOKEN',
    secret: { sealed: 'sealed', keyId: 'k1' },
    secretSavedAt: new Date(),
    status,
    lastTestedAt: undefined,
    lastErrorMessage: undefined,
    createdAt: new Date(),
  };
  await store.insert(connection, []);
  return connection;
}
const fail = (connection: Connection) =>
  failConnection({ connections: store, clock: systemClock })(connection, {
    code: 'KSEF_AUTH_450',
    message: 'KSeF refuses the token.',
  });
const read = ({ organizationId, id }: Connection) => store.find(organizationId, id);

test.each(['CONNECTED', 'PENDING'] as const)(
  'a refused token turns a %s connection to ERROR and tells it once',
  async (status) => {
    const connection = await storedConnection(status);
    await Promise.all([fail(connection), fail(connection), fail(connection)]);
    await fail(connection);
    expect(await read(connection)).toMatchObject({
      status: 'ERROR',
      refusal: { at: expect.any(Date), code: 'KSEF_AUTH_450' },
      lastErrorMessage: 'KSeF refuses the token.',
    });
    expect(await announced(connection)).toBe(1);
  },
);

test('of a disabled connection, whose token is still needed, it is told once', async () => {
  const connection = await storedConnection('DISABLED');
  await fail(connection);
  await fail(connection);
  expect(await read(connection)).toMatchObject({ status: 'DISABLED', lastErrorMessage: 'KSeF refuses the token.' });
  expect(await announced(connection)).toBe(1);
});

test('a change that came between, such as a test, does not hide it', async () => {
  const connection = await storedConnection('CONNECTED');
  await store.save(connection, { lastTestedAt: new Date() }, []);
  await fail(connection);
  expect(await read(connection)).toMatchObject({ status: 'ERROR' });
});

test('a token that was stored since is not touched', async () => {
  const connection = await storedConnection('CONNECTED');
  const change = { status: 'PENDING' as const, secretSavedAt: new Date(Date.now() + 1_000) };
  await store.save(connection, change, []);
  await fail(connection);
  expect(await read(connection)).toMatchObject({ status: 'PENDING', lastErrorMessage: undefined });
  expect(await announced(connection)).toBe(0);
});
