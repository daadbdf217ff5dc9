import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import type { CredentialEnding } from '@invoicecontrol/contracts/ksef/v1/events';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { announceEnds } from '../application/connections/announce-ends.js';
import { noteWarnings } from '../application/connections/note-warnings.js';
import { startService } from '../compose.js';
import type { Connection } from '../domain/connection.js';
import { connectionStore, createConnectionIndexes } from '../storage/connections.js';
import type { ConnectionDocument } from '../storage/connections.js';
import { issueCertificate } from '../testing/certificates.js';
import { caller, connectionRequest, startKsef, stated } from '../testing/running-ksef.js';

const DAY_MS = 86_400_000;
const TOKENS_END = new Date('2026-12-31T23:00:00Z');
/** Number of KSeF connections that a sweep reads in one page. */
const PAGE = 256;

const logger = createLogger({ service: 'test', level: 'silent' });
const runs = new AbortController().signal;
let mongo: MongoConnection;
let now = new Date('2026-11-01T12:00:00Z');
const clock = { now: () => now };
const outbox = { nudge: () => {} } as unknown as Parameters<typeof connectionStore>[1];
const documents = () => mongo.db.collection<ConnectionDocument>('connections');
const store = () => connectionStore(documents(), outbox, clock);
beforeAll(async () => {
  const { mongodbUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: testDatabaseName(), appName: 'test' });
  await createConnectionIndexes(documents());
});
afterEach(async () => {
  await documents().deleteMany({});
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

async function storedConnection(part: Partial<Connection> = {}): Promise<Connection> {
  const connection: Connection = {
    id: randomUUID(),
    organizationId: randomUUID(),
    version: 1,
    companyId: randomUUID(),
    environment: 'PRODUCTION',
    contextNip: '5265877635',
    authentication: 'CERTIFICATE',
    secret: { sealed: 'sealed', keyId: 'k1' },
    secretSavedAt: now,
    status: 'CONNECTED',
    lastTestedAt: undefined,
    lastErrorMessage: undefined,
    createdAt: now,
    ...part,
  };
  await store().insert(connection, []);
  return connection;
}

const inDays = (days: number): Date => new Date(now.getTime() + days * DAY_MS);
const token = { authentication: 'TOKEN', certificate: undefined } as const;

function sweep({
  exists = () => Promise.resolve(true),
  tokensEnd = TOKENS_END,
}: {
  readonly exists?: (organizationId: string) => Promise<boolean>;
  readonly tokensEnd?: Date | undefined;
} = {}): Promise<void> {
  return announceEnds({ connections: store(), organizations: { exists }, tokensEnd, clock, logger })(runs);
}

/** Reads the notices of a KSeF connection from its outbox and returns the days of each. */
async function announced({ id }: Connection): Promise<readonly number[]> {
  const outboxOf = (await documents().findOne({ _id: id }))?.outbox ?? [];
  return outboxOf.map(({ payload }) => (JSON.parse(payload) as { daysLeft: number }).daysLeft);
}

describe('the end of a secret is announced', () => {
  test('30, 14, 7 and 1 day before, each once, however many replicas sweep and however often', async () => {
    const connection = await storedConnection({ certificate: { expiresAt: inDays(40) } });
    for (const days of [0, 5, 5, 5, 11, 7, 6, 0.5, 0.5]) {
      now = inDays(days);
      await Promise.all([sweep(), sweep(), sweep()]);
      await sweep();
    }
    expect(await announced(connection)).toEqual([30, 14, 7, 1]);
  });

  test('with the company, the environment and the time', async () => {
    const certificate = { expiresAt: inDays(3) };
    const { id, companyId } = await storedConnection({ certificate });
    await sweep();
    const [event] = (await documents().findOne({ _id: id }))?.outbox ?? [];
    expect(JSON.parse(event?.payload ?? '')).toMatchObject({
      connectionId: id,
      companyId,
      environment: 'PRODUCTION',
      authentication: 'CERTIFICATE',
      expiryTime: certificate.expiresAt.toISOString(),
      daysLeft: 7,
    });
  });

  test('of tokens once, in PRODUCTION alone, also of one that was stored before connections named their kind', async () => {
    now = new Date('2026-12-05T12:00:00Z');
    const production = await storedConnection(token);
    const old = await storedConnection(token);
    await documents().updateOne(
      { _id: old.id, organizationId: old.organizationId },
      { $unset: { authentication: '' } },
    );
    const others = [
      await storedConnection({ ...token, environment: 'DEMO' }),
      await storedConnection({ ...token, status: 'DISABLED' }),
    ];
    for (const days of [0, 14, 10]) {
      now = inDays(days);
      await sweep();
    }
    expect([await announced(production), await announced(old)]).toEqual([[30], [30]]);
    for (const other of others) expect(await announced(other)).toEqual([]);
  });

  test('not where no end of tokens is known', async () => {
    const connection = await storedConnection(token);
    await announceEnds({
      connections: store(),
      organizations: { exists: () => Promise.resolve(true) },
      tokensEnd: undefined,
      clock,
      logger,
    })(runs);
    expect(await announced(connection)).toEqual([]);
  });

  test('not to a deleted organization before it is restored', async () => {
    const connection = await storedConnection({ certificate: { expiresAt: inDays(6) } });
    await sweep({ exists: () => Promise.resolve(false) });
    expect(await announced(connection)).toEqual([]);
    await sweep();
    expect(await announced(connection)).toEqual([7]);
  });

  test('to those behind a page of connections that fail, and the sweep counts as failed', async () => {
    const first = { certificate: { expiresAt: inDays(6) } };
    const failing = await storedConnection(first);
    const copied = stated(await documents().findOne({ _id: failing.id }));
    const idOf = (n: number): string => `0198a000-0000-7000-8000-${String(n).padStart(12, '0')}`;
    await documents().insertMany(Array.from({ length: PAGE }, (_, n) => ({ ...copied, _id: idOf(n) })));
    const last = await storedConnection({ ...first, id: 'ffffffff-0000-7000-8000-000000000000' });
    const exists = (organizationId: string): Promise<boolean> =>
      organizationId === last.organizationId ? Promise.resolve(true) : Promise.reject(new Error('It is unavailable.'));
    await expect(sweep({ exists })).rejects.toThrow(`${PAGE + 1} failed`);
    expect(await announced(last)).toEqual([7]);
    await sweep();
    expect(await announced({ ...failing, id: idOf(0) })).toEqual([7]);
    expect(await announced(last)).toEqual([7]);
  });
});

describe('a warning of KSeF', () => {
  const warning = { code: 'sig-001', message: 'The signature is weak.' };
  const warningsOf = async ({ organizationId, id }: Connection) => (await store().find(organizationId, id))?.warnings;
  const used = ({ id: connectionId, organizationId, secretSavedAt }: Connection) => ({
    connectionId,
    organizationId,
    secretSavedAt,
  });

  test('is stored once, and a repeated one renews its time once a minute', async () => {
    const connection = await storedConnection();
    const note = noteWarnings({ connections: store(), clock, logger });
    const at = now;
    await Promise.all(Array.from({ length: 20 }, () => note(used(connection), [warning])));
    expect(await warningsOf(connection)).toEqual([{ ...warning, at }]);
    now = new Date(at.getTime() + 59_999);
    await note(used(connection), [warning]);
    expect(await warningsOf(connection)).toEqual([{ ...warning, at }]);
    now = new Date(at.getTime() + 60_000);
    await note(used(connection), [warning]);
    expect(await warningsOf(connection)).toEqual([{ ...warning, at: now }]);
  });

  test('about a secret that was replaced, or in another organization, is dropped', async () => {
    const connection = await storedConnection();
    const note = noteWarnings({ connections: store(), clock, logger });
    await note({ ...used(connection), secretSavedAt: new Date(0) }, [warning]);
    await note({ ...used(connection), organizationId: randomUUID() }, [warning]);
    expect(await warningsOf(connection)).toBeUndefined();
  });

  test('that cannot be stored fails no call, and is stored when KSeF repeats it', async () => {
    const connection = await storedConnection();
    let isDown = true;
    const connections = store();
    const note = noteWarnings({
      connections: {
        save: (...change) => connections.save(...change),
        find: (...of) => (isDown ? Promise.reject(new Error('It is unavailable.')) : connections.find(...of)),
      },
      clock,
      logger,
    });
    await note(used(connection), [warning]);
    isDown = false;
    await note(used(connection), [warning]);
    expect(await warningsOf(connection)).toHaveLength(1);
  });
});

test('the service announces an ending certificate, shows it as a warning, and forgets it with the next certificate', async () => {
  const simulator = await startKsefSimulator();
  const announcedDays: CredentialEnding[] = [];
  const running = await startKsef(startService, {
    infrastructure: testInfrastructure(),
    databaseName: `${testDatabaseName()}_service`,
    env: { KSEF_TEST_URL: `${simulator.url}/test/v2` },
  });
  const closeBroadcast = subscribeBroadcast(
    running.bus,
    [events.ksefCredentialEnding],
    (event) => void announcedDays.push(event),
    logger,
  ).close;
  try {
    const organizationId = running.organization.newTenant();
    const save = async (days: number) => {
      const { certificate, privateKey } = await issueCertificate(`${simulator.url}/test`, { nip: '5265877635', days });
      const request = {
        ...connectionRequest(organizationId),
        ksefToken: '',
        certificate: { certificate, privateKey, privateKeyPassword: undefined },
      };
      return stated((await running.connections.saveConnection(request, caller)).connection);
    };
    const saved = await save(5);
    expect(saved.warnings).toEqual([
      { code: 'CERTIFICATE_ENDS', message: expect.stringContaining('expires at'), time: expect.any(Date) },
    ]);
    // Test files that run at the same time share the broker, so this test also receives their events.
    const ofThisTest = () => announcedDays.filter((event) => event.organizationId === organizationId);
    await eventually(() => expect(ofThisTest()).not.toEqual([]));
    expect(ofThisTest()[0]).toMatchObject({ organizationId, connectionId: saved.connectionId, daysLeft: 7 });
    expect((await save(365)).warnings).toEqual([]);
  } finally {
    closeBroadcast();
    await running.stop();
    await simulator.stop();
  }
});
