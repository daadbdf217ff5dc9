import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import type { KsefCalls } from '../application/ksef-calls.js';
import { failConnection } from '../application/connections/fail-connection.js';
import type { Connection, ConnectionStatus } from '../domain/connection.js';
import { KsefRefusal, MISSING_PERMISSIONS } from '../domain/ksef-refusal.js';
import type { RefusalFacts } from '../domain/ksef-refusal.js';
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
const refusalOf = (facts: Partial<RefusalFacts>): KsefRefusal =>
  new KsefRefusal('PERMANENT', 'KSeF refuses the token.', {
    code: 'KSEF_AUTH_450',
    concerns: 'CONNECTION',
    isOfLogin: true,
    ...facts,
  });
let probes = 0;
/**
 * Marks a KSeF connection as failed after a refusal.
 * @param probe response of KSeF to the call that shows whether invoices may be viewed
 */
const fail = (connection: Connection, refusal = refusalOf({}), probe?: KsefRefusal) => {
  const probeViewPermission = async (): Promise<void> => {
    probes++;
    if (probe !== undefined) throw probe;
  };
  const secrets = { open: () => 'token' };
  return failConnection({
    connections: store,
    ksef: { callsOf: () => ({ probeViewPermission }) as KsefCalls },
    secrets,
    clock: systemClock,
  })(connection, refusal);
};
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

describe('the permission to issue invoices that is withdrawn during a submission', () => {
  const withdrawn = refusalOf({
    code: 'KSEF_HTTP_403',
    httpStatus: 403,
    reasonCode: MISSING_PERMISSIONS,
    isOfLogin: false,
  });

  test('leaves the connection CONNECTED for its inbox if invoices may be viewed, and tells it once', async () => {
    const connection = await storedConnection('CONNECTED');
    await Promise.all([fail(connection, withdrawn), fail(connection, withdrawn)]);
    const stored = await read(connection);
    expect(stored).toMatchObject({ status: 'CONNECTED', readOnlySince: expect.any(Date), refusal: undefined });
    expect(await announced(connection)).toBe(1);
    // Calls that follow a sent submission are refused in the same way.
    const before = probes;
    await fail(stored!, withdrawn);
    expect([await read(connection), probes]).toEqual([stored, before]);
  });

  test.each([
    ['invoices may not be viewed either', refusalOf({ ...withdrawn, concerns: 'REFERENCE' })],
    ['KSeF does not respond', new KsefRefusal('TRANSIENT', 'KSeF did not respond.', { code: 'KSEF_TIMEOUT' })],
  ])('turns the connection to ERROR if %s', async (_, probe) => {
    const connection = await storedConnection('CONNECTED');
    await fail(connection, withdrawn, probe);
    expect(await read(connection)).toMatchObject({ status: 'ERROR', readOnlySince: undefined });
    expect(await announced(connection)).toBe(1);
  });

  test('turns a connection to ERROR that has not been tested since its token was stored', async () => {
    const connection = await storedConnection('PENDING');
    await fail(connection, withdrawn);
    expect(await read(connection)).toMatchObject({ status: 'ERROR' });
  });
});
