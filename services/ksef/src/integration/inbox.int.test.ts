import { randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openEgress } from '@invoicecontrol/egress/egress';
import { DomainError } from '@invoicecontrol/errors';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { dueWork } from '@invoicecontrol/runtime/due-work';
import type { Job } from '@invoicecontrol/runtime/job';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { repeat } from '@invoicecontrol/runtime/repeat';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { keyRing } from '@invoicecontrol/secretbox/key-ring';
import { sealedField } from '@invoicecontrol/secretbox/sealed-field';
import { secretbox } from '@invoicecontrol/secretbox/secretbox';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import type { KsefSimulator } from '@invoicecontrol/simulators/ksef';
import { fa3Document } from '@invoicecontrol/simulators/ksef/fa3-document';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { CallLimits } from '../application/call-limits.js';
import { dismissRefusal, endInbox, listRuns, updateInbox } from '../application/inbox/change-inbox.js';
import { AT_ONCE_MAX, inboxWorker } from '../application/inbox/inbox-worker.js';
import type { InboxWorker } from '../application/inbox/inbox-worker.js';
import type { DueInbox, InboxClaim, ReceivedInvoice } from '../application/inbox/stores.js';
import { exportPackages } from '../clients/export-packages.js';
import { ksefClient } from '../clients/ksef.js';
import type { KsefClient } from '../clients/ksef.js';
import type { Connection } from '../domain/connection.js';
import { sha256 } from '../domain/encryption.js';
import { INBOX_RUNS_MAX, REFUSALS_KEPT_MAX, uploadIdOf } from '../domain/inbox.js';
import type { Inbox, InboxRun } from '../domain/inbox.js';
import { compareInstants } from '../domain/instants.js';
import { FAILURES_MAX } from '../domain/inbox-steps.js';
import { waitingRefusals } from '../domain/kept-refusals.js';
import { callScopeStore } from '../storage/call-scopes.js';
import type { CallScopeDocument } from '../storage/call-scopes.js';
import { createInboxIndexes, inboxEnvironmentStore, inboxStore } from '../storage/inboxes.js';
import type { InboxDocument, InboxEnvironmentDocument } from '../storage/inboxes.js';
import { exampleToken } from '../testing/running-ksef.js';
import { simulatorControl } from '../testing/simulator-control.js';

const context = systemContext('test');
const logger = createLogger({ service: 'test', level: 'silent' });
const box = secretbox(keyRing.parse(`k1:${randomBytes(32).toString('base64')}`));
const tokens = sealedField(box, 'connections', 'token');
const exportKeys = sealedField(box, 'inboxes', 'exportKey');
/** Factor for waiting times in the tests: two hours take 0.7 s, fifteen minutes 0.09 s and a night 9 s. */
const WAIT_FACTOR = 0.0001;
/**
 * Number of KSeF inboxes whose processes are killed at once, and factor for their waits. Fifteen minutes take 0.9 s,
 * and two hours 7 s. With more inboxes or shorter waits, the runs of complete inboxes keep a busy machine from the
 * others.
 */
const KILLED_AT_ONCE = 9;
const KILLED_WAIT_FACTOR = 0.001;
/** Upper limit for the number of database writes of inbox runs for three roles without faults. */
const WRITES_MAX = 16;

type Store = ReturnType<typeof inboxStore>;

let simulator: KsefSimulator;
let mongo: MongoConnection;
let ksef: KsefClient;
let packages: ReturnType<typeof exportPackages>;
let storeWith: (lease: { readonly leaseMs: number }) => Store;
let store: Store;
let environments: ReturnType<typeof inboxEnvironmentStore>;
const control = simulatorControl(() => `${simulator.url}/test`);

// KSeF connections that the fakes of the other services know. Both fakes store each id once, as the real services do.
const connections = new Map<string, Connection>();
const failedConnections: string[] = [];
interface Kept {
  readonly content: Buffer;
  readonly storedAt: Date;
}
class Documents {
  readonly kept = new Map<string, Kept>();
  readonly analyzed: string[] = [];
  /** Number of calls to both fake services, with or without a response. */
  calls = 0;
  beforeCall: (call: number, name: 'store' | 'request', invoice: { readonly ksefNumber: string }) => void = () => {};

  readonly documents = {
    store: async (invoice: ReceivedInvoice) => {
      this.beforeCall(++this.calls, 'store', invoice);
      const known = this.kept.get(invoice.uploadId);
      if (known !== undefined && !known.content.equals(invoice.content)) {
        throw new DomainError('already_exists', 'Another content is stored under this id.');
      }
      const kept = known ?? { content: invoice.content, storedAt: new Date() };
      this.kept.set(invoice.uploadId, kept);
      return { storedAt: kept.storedAt };
    },
  };
  readonly analyses = {
    request: async (invoice: Omit<ReceivedInvoice, 'content'>) => {
      this.beforeCall(++this.calls, 'request', invoice);
      if (!this.analyzed.includes(invoice.ksefNumber)) this.analyzed.push(invoice.ksefNumber);
    },
  };
}

beforeAll(async () => {
  const { mongodbUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: testDatabaseName(), appName: 'test' });
  simulator = await startKsefSimulator();
  const url = `${simulator.url}/test/v2`;
  const urls = { TEST: url, DEMO: url, PRODUCTION: url };
  // The deadline is long, because test, worker and simulator share a process, and a busy machine would exceed a short
  // deadline.
  const requestMs = 20_000;
  const limits = new CallLimits({
    store: callScopeStore(mongo.db.collection<CallScopeDocument>('call_scopes')),
    factor: 1_000,
    requestMs,
    clock: systemClock,
    logger,
  });
  ksef = ksefClient({ urls, requestMs, waitFactor: WAIT_FACTOR, limits }, logger);
  const egress = openEgress(
    { EGRESS_ALLOW_CIDRS: [], EGRESS_ALLOW_HTTP: false, EGRESS_DNS_SERVERS: [] },
    { connectionsPerOrigin: 8, connectMs: 1_000, peer: 'ksef' },
  );
  const storageHosts = { TEST: ['storage.example'], DEMO: [], PRODUCTION: [] };
  packages = exportPackages({ urls, storageHosts, requestMs }, egress, logger);
  const collection = mongo.db.collection<InboxDocument>('inboxes');
  await createInboxIndexes(collection);
  storeWith = ({ leaseMs }) => {
    const outbox = { nudge: () => {} } as unknown as Parameters<typeof inboxStore>[1]['outbox'];
    return inboxStore(collection, { outbox, clock: systemClock, leaseMs, onDue: due.note });
  };
  store = storeWith({ leaseMs: 3_000 });
  environments = inboxEnvironmentStore(mongo.db.collection<InboxEnvironmentDocument>('inbox_environments'));
});
afterAll(async () => {
  packages.close();
  await ksef.close();
  await simulator.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(async () => {
  await control('DELETE', 'faults');
  const settings = { exportPolls: 0, exportInvoicesMax: 10_000, partBytesMax: 50_000_000, highWaterLagSeconds: 0 };
  await control('PUT', 'settings', { authPolls: 0, limitFactor: 0, ...settings });
});
const replicas: { stop(): Promise<void> }[] = [];
/** Schedule without searches, which runs only when the store says that an inbox is due. */
const due = dueWork(systemClock, { pollMs: 3_600_000, gapMs: 20 });
/** Stops all replicas and removes all KSeF inboxes, because a replica takes every due inbox. */
async function removeInboxes(): Promise<void> {
  for (const { stop } of replicas.splice(0)) await stop();
  await mongo.db.collection<InboxDocument>('inboxes').deleteMany({});
}
afterEach(removeInboxes);

const deps = () => ({
  connections: { find: (_organization: string, id: string) => Promise.resolve(connections.get(id)) },
  inboxes: store,
  environments,
  clock: systemClock,
});

function startReplica(
  services: Pick<Documents, 'documents' | 'analyses'>,
  own: Partial<Parameters<typeof inboxWorker>[0]> = {},
  { pauseMs, alarm }: Pick<Job, 'pauseMs' | 'alarm'> = { pauseMs: 150 },
): { readonly worker: InboxWorker; stop(): Promise<void> } {
  const worker = inboxWorker({
    queue: store,
    onDue: due.note,
    connections: deps().connections,
    failConnection: async (connection) => {
      failedConnections.push(connection.id);
      connections.set(connection.id, { ...connection, status: 'ERROR' });
    },
    endInbox: endInbox(deps()),
    plans: { limitsOf: () => Promise.resolve({ analyses: undefined, uploadBytes: undefined }) },
    documents: services.documents,
    analyses: services.analyses,
    ksef,
    packages,
    secrets: tokens,
    exportKeys,
    waitFactor: WAIT_FACTOR,
    clock: systemClock,
    logger,
    ...own,
  });
  const polling = repeat(
    pauseMs,
    () => worker.poll(),
    () => {},
    alarm,
  );
  const replica = {
    worker,
    async stop() {
      await polling.stop();
      await worker.stop();
    },
  };
  replicas.push(replica);
  return replica;
}

let nips = 1_000_000_000 + Math.floor(Math.random() * 1_000_000_000);

/** Connects a new taxpayer and organization, so that the requests of each test are separate. */
async function connect(permissions?: readonly string[]): Promise<Connection> {
  const [id, organizationId, contextNip] = [randomUUID(), randomUUID(), String(nips++)];
  const token = exampleToken.replace('5265877635', contextNip);
  await control('PUT', `contexts/${contextNip}`, { tokens: [{ token, ...(permissions ? { permissions } : {}) }] });
  const connection: Connection = {
    id,
    organizationId,
    version: 1,
    companyId: randomUUID(),
    environment: 'TEST',
    contextNip,
    authentication: 'TOKEN',
    secret: tokens.seal({ id, organizationId }, token),
    status: 'CONNECTED',
    lastTestedAt: undefined,
    lastErrorMessage: undefined,
    createdAt: new Date(),
  };
  connections.set(id, connection);
  return connection;
}

const enable = ({ id: connectionId, organizationId }: Connection) =>
  updateInbox(deps())({ organizationId, connectionId, isEnabled: true, from: undefined }, context);

/** Enables a KSeF inbox in which only the buyer runs, before a replica finds it. */
const enableBuyer = async (connection: Connection): Promise<void> => {
  await enable(connection);
  const dueAt = new Date(Date.now() + 86_400_000);
  const later = { $set: { 'roles.1.dueAt': dueAt, 'roles.2.dueAt': dueAt } };
  await mongo.db.collection<InboxDocument>('inboxes').updateOne({ _id: connection.id }, later);
};

interface Registered {
  readonly ksefNumber: string;
  readonly xml: string;
}
/** Registers a purchase of the company in KSeF. */
async function purchase({ contextNip: buyer }: Connection, more: object = {}): Promise<Registered> {
  const xml = fa3Document({ number: `FV/${randomUUID()}`, buyer });
  const { ksefNumber } = await control<{ ksefNumber: string }>('POST', 'invoices', { buyerNip: buyer, xml, ...more });
  return { ksefNumber, xml };
}

const inboxOf = async ({ id, organizationId }: Connection): Promise<Inbox> => {
  const inbox = await store.find(organizationId, id);
  if (inbox === undefined) throw new Error('no inbox');
  return inbox;
};
const runsOf = ({ id, organizationId }: Connection): Promise<readonly InboxRun[]> =>
  listRuns(deps())(organizationId, id);
/** Returns the completed inbox runs of a role, oldest first. */
const endedOf = async (connection: Connection, role = 'SUBJECT2'): Promise<readonly InboxRun[]> =>
  (await runsOf(connection)).filter((run) => run.role === role && run.status !== 'RUNNING').toReversed();
/** Waits for a number of ended runs of a role. */
const ended = (connection: Connection, count = 1, role = 'SUBJECT2'): Promise<readonly InboxRun[]> =>
  eventually(async () => {
    const runs = await endedOf(connection, role);
    if (runs.length < count) throw new Error(`${runs.length} runs: ${JSON.stringify(await inboxOf(connection))}`);
    return runs;
  });
/** Returns the names and bodies of an inbox's events, oldest first. */
const eventsOf = async ({ id }: Connection): Promise<readonly { name: string; body: Record<string, unknown> }[]> => {
  const document = await mongo.db.collection<InboxDocument>('inboxes').findOne({ _id: id });
  return (document?.outbox ?? []).map(({ subject, payload }) => ({
    name: subject.split('.').at(-1) ?? '',
    body: JSON.parse(payload) as Record<string, unknown>,
  }));
};
const requestsOf = async ({ contextNip }: Connection, operation: string): Promise<number> =>
  (await control<{ items: readonly { operation: string }[] }>('GET', `requests?context=${contextNip}`)).items.filter(
    (request) => request.operation === operation,
  ).length;

const packageFiles = async (): Promise<readonly string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('ksef-package-'));

const sum = (runs: readonly InboxRun[], member: 'received' | 'repeated'): number =>
  runs.reduce((all, run) => all + run[member], 0);

/** Expects that every invoice was passed on once, byte for byte. */
function expectReceived(services: Documents, { companyId }: Connection, invoices: readonly Registered[]): void {
  const stored = invoices.map(({ ksefNumber }) => {
    const kept = services.kept.get(uploadIdOf(companyId, ksefNumber));
    return kept === undefined ? undefined : sha256(kept.content);
  });
  expect(stored).toEqual(invoices.map(({ xml }) => sha256(Buffer.from(xml))));
  expect(services.kept.size).toBe(invoices.length);
  expect(services.analyzed.toSorted()).toEqual(invoices.map(({ ksefNumber }) => ksefNumber).toSorted());
}

describe('a run', () => {
  test('receives each purchase once, byte for byte and in the order of KSeF, and moves the mark', async () => {
    const services = new Documents();
    const connection = await connect();
    const invoices = [await purchase(connection), await purchase(connection), await purchase(connection)];
    await enable(connection);
    startReplica(services);
    const [first] = await ended(connection);
    expect(first).toMatchObject({ trigger: 'SCHEDULE', status: 'SUCCEEDED', received: 3, repeated: 0, refused: [] });
    expectReceived(services, connection, invoices);
    expect(services.analyzed).toEqual(invoices.map(({ ksefNumber }) => ksefNumber));
    const more = await purchase(connection);
    await eventually(() => expect(services.analyzed).toContain(more.ksefNumber));
    expectReceived(services, connection, [...invoices, more]);
    await eventually(async () => expect((await inboxOf(connection)).invoicesReceived).toBe(4));
    expect((await inboxOf(connection)).lastRunAt).toBeInstanceOf(Date);
  });

  test('is started and continued by what the store says, without a search', async () => {
    const services = new Documents();
    const connection = await connect();
    startReplica(services, {}, due.schedule);
    const invoices = [await purchase(connection)];
    await enable(connection);
    await eventually(() => expect(services.analyzed).toHaveLength(1));
    invoices.push(await purchase(connection));
    await eventually(() => expect(services.analyzed).toHaveLength(2));
    expectReceived(services, connection, invoices);
  });

  test('without news costs one export and one look at it', async () => {
    const connection = await connect();
    await enable(connection);
    // With a wait factor of 1, the next inbox run is far in the future.
    const replica = startReplica(new Documents(), { waitFactor: 1 });
    for (const role of ['SUBJECT2', 'SUBJECT3', 'SUBJECT_AUTHORIZED']) await ended(connection, 1, role);
    await replica.stop();
    expect([await requestsOf(connection, 'R1'), await requestsOf(connection, 'R2')]).toEqual([3, 3]);
  });

  test('receives what the company is a third or an authorized party of, and an invoice that it sent to itself', async () => {
    const services = new Documents();
    const connection = await connect();
    const { contextNip } = connection;
    const others = { buyerNip: '1111111111' };
    const invoices = [
      await purchase(connection, { sellerNip: contextNip }),
      await purchase(connection, { ...others, thirdNips: [contextNip] }),
      await purchase(connection, { ...others, authorizedNip: contextNip }),
    ];
    await purchase(connection, others);
    await purchase(connection, { ...others, sellerNip: contextNip });
    await enable(connection);
    startReplica(services);
    for (const role of ['SUBJECT2', 'SUBJECT3', 'SUBJECT_AUTHORIZED']) await ended(connection, 1, role);
    expectReceived(services, connection, invoices);
  });

  test('goes on at once behind a truncated package, and parts are joined in their order', async () => {
    await control('PUT', 'settings', { exportInvoicesMax: 2, partBytesMax: 1_000 });
    const services = new Documents();
    const connection = await connect();
    const invoices: Registered[] = [];
    for (let count = 0; count < 5; count++) invoices.push(await purchase(connection));
    await enable(connection);
    startReplica(services);
    const [first] = await ended(connection);
    expect(first).toMatchObject({ status: 'SUCCEEDED', received: 5 });
    // Consecutive time windows share their boundary, so an invoice may arrive twice.
    expect(first?.repeated).toBeGreaterThan(0);
    expectReceived(services, connection, invoices);
  });

  test('has nothing new where the window lies behind the high water mark, and goes on from there later', async () => {
    await control('PUT', 'settings', { highWaterLagSeconds: 3 * 86_400 });
    const services = new Documents();
    const connection = await connect();
    const invoice = await purchase(connection);
    await enable(connection);
    startReplica(services);
    const [first] = await ended(connection);
    expect(first).toMatchObject({ status: 'SUCCEEDED', received: 0 });
    expect(first?.errorMessage).toBeUndefined();
    await control('PUT', 'settings', { highWaterLagSeconds: 0 });
    await eventually(() => expectReceived(services, connection, [invoice]));
  });

  test('by night repeats what KSeF stored below a mark that it had stated already', async () => {
    const services = new Documents();
    const connection = await connect();
    await updateInbox(deps())(
      { organizationId: connection.organizationId, connectionId: connection.id, isEnabled: true, from: '2026-03-01' },
      context,
    );
    startReplica(services);
    await ended(connection);
    const late = await purchase(connection, { storedSecondsAgo: 47 * 3_600 });
    await eventually(() => expectReceived(services, connection, [late]));
  });

  test('announces itself once when it has moved the mark, and leaves nothing on the disk', async () => {
    const connection = await connect();
    await purchase(connection);
    const before = await packageFiles();
    await enable(connection);
    const replica = startReplica(new Documents(), { waitFactor: 1 });
    for (const role of ['SUBJECT2', 'SUBJECT3', 'SUBJECT_AUTHORIZED']) await ended(connection, 1, role);
    await replica.stop();
    const told = (await eventsOf(connection)).filter(({ name }) => name === 'inbox_changed');
    expect(told.map(({ body }) => [body['enabled'], typeof body['receivedThroughTime']])).toEqual([
      [true, 'undefined'],
      [true, 'string'],
    ]);
    // The check is repeated, because other processes on this machine may have packages open at the same time.
    await eventually(async () => expect((await packageFiles()).filter((name) => !before.includes(name))).toEqual([]));
  });

  test('is one of the newest that an inbox keeps', async () => {
    const connection = await connect();
    await enable(connection);
    const runs = Array.from({ length: INBOX_RUNS_MAX }, (_, index) => ({
      id: String(index),
      role: 'SUBJECT3' as const,
      trigger: 'SCHEDULE' as const,
      status: 'SUCCEEDED' as const,
      from: '2026-03-01T00:00:00Z',
      received: 0,
      repeated: 0,
      refused: [],
      startedAt: new Date(index),
    }));
    const collection = mongo.db.collection<InboxDocument>('inboxes');
    await collection.updateOne({ _id: connection.id }, { $set: { runs } });
    startReplica(new Documents());
    await ended(connection);
    expect((await collection.findOne({ _id: connection.id }))?.runs).toHaveLength(INBOX_RUNS_MAX);
    expect((await runsOf(connection)).length).toBeLessThanOrEqual(INBOX_RUNS_MAX);
  });
});

const faults: readonly (readonly [operation: string, kind: string, more: object])[] = [
  ['R1', 'DROP', {}],
  ['R1', 'LOSE_ANSWER', {}],
  ['R1', 'STATUS', { status: 503 }],
  ['R1', 'PROBLEM', { status: 400, code: 21182 }],
  ['R1', 'PROBLEM', { status: 400, code: 21470 }],
  ['R1', 'THROTTLE', { retryAfter: 1 }],
  ['R1', 'UNAUTHORIZED', {}],
  ['R1', 'EXPORT_STATUS', { code: 100 }],
  ['R1', 'EXPORT_STATUS', { code: 210 }],
  ['R1', 'EXPORT_STATUS', { code: 415 }],
  ['R1', 'EXPORT_STATUS', { code: 500 }],
  ['R1', 'EXPORT_STATUS', { code: 550 }],
  ['R1', 'ZIP_BOMB', { bytes: 5_000_000 }],
  ['R1', 'CUT_METADATA', {}],
  ['R1', 'REPEATED_INVOICE', {}],
  ['R2', 'DROP', {}],
  ['R2', 'STATUS', { status: 502 }],
  ['R2', 'PROBLEM', { status: 410 }],
  ['R2', 'PROBLEM', { status: 400, code: 21175 }],
  ['R2', 'PART_HASH', {}],
  ['R2', 'PART_HASH', { member: 'partHash' }],
  ['R2', 'FOREIGN_LINK', { origin: 'http://storage.example' }],
  ['R2', 'BODY', { body: '{}' }],
  ['R3', 'DROP', {}],
  ['R3', 'STATUS', { status: 403 }],
  ['R3', 'BAD_HASH', {}],
  ['R3', 'HANG', { seconds: 1 }],
];

describe('each purchase is received once, and the run succeeds', () => {
  test.each(faults)('when %s meets %s %j', async (operation, kind, more) => {
    const services = new Documents();
    const connection = await connect();
    const invoices = [await purchase(connection), await purchase(connection)];
    const { contextNip } = connection;
    const { id } = await control<{ id: string }>('POST', 'faults', { operation, kind, context: contextNip, ...more });
    await enable(connection);
    startReplica(services);
    const runs = await eventually(async () => {
      const all = await endedOf(connection);
      expect(sum(all, 'received')).toBe(2);
      return all;
    });
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'SUCCEEDED'));
    expectReceived(services, connection, invoices);
    expect(id).toEqual(expect.any(String));
  });
});

describe('what a package has beyond its list is not stored', () => {
  const receive = async (connection: Connection, services: Documents): Promise<InboxRun> => {
    await enable(connection);
    startReplica(services);
    const [first] = await ended(connection);
    if (first === undefined) throw new Error('no run');
    return first;
  };

  test('a file that the list lacks', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const invoice = await purchase(connection);
    for (const name of [undefined, 'etc/passwd']) {
      const fault = { operation: 'R1', kind: 'EXTRA_FILE', context: connection.contextNip, ...(name ? { name } : {}) };
      await control('POST', 'faults', fault);
    }
    const { status, received, refused } = await receive(connection, services);
    expect([status, received]).toEqual(['PARTIAL', 1]);
    expect(refused.length).toBeGreaterThan(0);
    expectReceived(services, connection, [invoice]);
  });

  test('an invoice without its file', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const [lost, invoice] = [await purchase(connection), await purchase(connection)];
    await control('POST', 'faults', { operation: 'R1', kind: 'MISSING_FILE', context: connection.contextNip });
    const { refused } = await receive(connection, services);
    expect(refused).toEqual([{ ksefNumber: lost.ksefNumber, reason: expect.stringContaining('no file for it') }]);
    expectReceived(services, connection, [invoice]);
  });

  test('a file whose content is not the registered one', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const other = await purchase(connection, { invoiceHash: sha256(Buffer.from('other')) });
    const invoice = await purchase(connection);
    const { refused, received } = await receive(connection, services);
    expect(refused).toEqual([{ ksefNumber: other.ksefNumber, reason: expect.stringContaining('SHA-256') }]);
    expect(received).toBe(1);
    expectReceived(services, connection, [invoice]);
  });

  test('an invoice that documents refuses for good', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const [refused, invoice] = [await purchase(connection), await purchase(connection)];
    services.beforeCall = (_, name, { ksefNumber }) => {
      if (name === 'store' && ksefNumber === refused.ksefNumber) {
        throw new DomainError('already_exists', 'Another content is stored under this id.');
      }
    };
    const run = await receive(connection, services);
    expect(run.refused).toEqual([
      { ksefNumber: refused.ksefNumber, reason: 'Another content is stored under this id.' },
    ]);
    expectReceived(services, connection, [invoice]);
  });

  test.each(['invalid', 'not_found'] as const)(
    'an invoice that analysis refuses as %s, and all others go on',
    async (kind) => {
      const [services, connection] = [new Documents(), await connect()];
      const [invoice, refused, last] = [
        await purchase(connection),
        await purchase(connection),
        await purchase(connection),
      ];
      services.beforeCall = (_, name, { ksefNumber }) => {
        if (name === 'request' && ksefNumber === refused.ksefNumber) throw new DomainError(kind, 'No such company.');
      };
      const run = await receive(connection, services);
      expect(run).toMatchObject({
        status: 'PARTIAL',
        received: 2,
        refused: [{ ksefNumber: refused.ksefNumber, reason: 'No such company.' }],
      });
      expect(services.analyzed).toEqual([invoice.ksefNumber, last.ksefNumber]);
      const { roles, refused: kept } = await inboxOf(connection);
      // The mark of the role may be later than the end of this inbox run, because the next run may have moved the mark
      // further.
      const { mark = '' } = roles.find(({ role }) => role === 'SUBJECT2') ?? {};
      expect(compareInstants(mark, run.through ?? '')).toBeGreaterThanOrEqual(0);
      expect(kept).toMatchObject([{ ksefNumber: refused.ksefNumber, role: 'SUBJECT2', reason: 'No such company.' }]);
      services.beforeCall = () => {};
      await eventually(() => expect(services.analyzed).toContain(refused.ksefNumber));
      await eventually(async () => expect(waitingRefusals(await inboxOf(connection))).toEqual([]));
    },
  );

  test('but a document that cannot be read is, and the run succeeds', async () => {
    const [services, connection] = [new Documents(), await connect()];
    await purchase(connection);
    services.beforeCall = (_, name) => {
      if (name === 'request') throw new DomainError('unprocessable', 'The document has no invoice.');
    };
    expect(await receive(connection, services)).toMatchObject({ status: 'SUCCEEDED', received: 1, refused: [] });
  });

  test('and a package on a host that is not configured is not called', async () => {
    const [services, connection] = [new Documents(), await connect()];
    await purchase(connection);
    const fault = { operation: 'R2', kind: 'FOREIGN_LINK', times: 0, context: connection.contextNip };
    await control('POST', 'faults', { ...fault, origin: 'https://elsewhere.example' });
    const { status, errorMessage } = await receive(connection, services);
    expect([status, errorMessage]).toEqual(['FAILED', expect.stringContaining('KSEF_TEST_STORAGE_HOSTS')]);
    expect(await requestsOf(connection, 'R3')).toBe(0);
    expect((await inboxOf(connection)).roles.find(({ role }) => role === 'SUBJECT2')?.mark).toBeUndefined();
  });
});

describe('a refused invoice', () => {
  const refusalsOf = async (connection: Connection): Promise<readonly string[]> =>
    (await eventsOf(connection))
      .filter(({ name }) => name === 'inbox_invoices_refused')
      .flatMap(({ body }) =>
        (body['refusals'] as readonly { ksefNumber: string }[]).map(({ ksefNumber }) => ksefNumber),
      );
  const keptOf = async (connection: Connection): Promise<readonly string[]> =>
    waitingRefusals(await inboxOf(connection)).map(({ ksefNumber }) => ksefNumber);
  const dismiss = ({ id: connectionId, organizationId }: Connection, ksefNumber: string): Promise<void> =>
    dismissRefusal(deps())({ organizationId, connectionId, ksefNumber }, context);
  /** Returns a KSeF connection whose first run refused two purchases. */
  const withTwoKept = async (): Promise<Connection> => {
    const [services, connection] = [new Documents(), await connect()];
    await purchase(connection);
    await purchase(connection);
    services.beforeCall = (_, name) => {
      if (name === 'store') throw new DomainError('invalid', 'Not now.');
    };
    await enable(connection);
    startReplica(services, { waitFactor: 1 });
    await ended(connection);
    expect(await keptOf(connection)).toHaveLength(2);
    return connection;
  };
  /** Lets every invoice package of the company lack its first file. */
  const loseFiles = ({ contextNip }: Connection) =>
    control<{ id: string }>('POST', 'faults', { operation: 'R1', kind: 'MISSING_FILE', times: 0, context: contextNip });

  test('is announced once and kept, and a nightly run downloads it by its number', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const lost = await purchase(connection);
    const invoice = await purchase(connection);
    await loseFiles(connection);
    // At first, KSeF does not deliver the single invoice by its number either.
    const { contextNip } = connection;
    const problem = { status: 400, code: 21_164, description: 'Faktura nie istnieje.' };
    await control('POST', 'faults', { operation: 'R5', kind: 'PROBLEM', ...problem, context: contextNip });
    await enable(connection);
    startReplica(services);
    const [first] = await ended(connection);
    expect(first).toMatchObject({
      status: 'PARTIAL',
      received: 1,
      errorMessage: expect.stringContaining(lost.ksefNumber),
      refused: [{ ksefNumber: lost.ksefNumber, reason: expect.stringContaining('no file for it') }],
    });
    expect((await inboxOf(connection)).refused).toMatchObject([{ ksefNumber: lost.ksefNumber, role: 'SUBJECT2' }]);
    await eventually(async () => {
      const reasons = (await endedOf(connection)).flatMap(({ refused }) => refused.map(({ reason }) => reason));
      expect(reasons).toContainEqual(expect.stringContaining('has no invoice with this KSeF number'));
      const [kept] = (await inboxOf(connection)).refused;
      expect(kept?.lastAttemptAt.getTime()).toBeGreaterThan(kept?.firstAttemptAt.getTime() ?? Infinity);
    });
    await eventually(() => expectReceived(services, connection, [invoice, lost]));
    await eventually(async () => expect(await keptOf(connection)).toEqual([]));
    expect(await refusalsOf(connection)).toEqual([lost.ksefNumber]);
    expect((await inboxOf(connection)).invoicesReceived).toBe(2);
  });

  test('is requested again when a person starts runs, and its content is never stored with another hash', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const forged = await purchase(connection, { invoiceHash: sha256(Buffer.from('other')) });
    await enable(connection);
    startReplica(services, { waitFactor: 1 });
    await ended(connection);
    for (const role of ['SUBJECT3', 'SUBJECT_AUTHORIZED']) await ended(connection, 1, role);
    expect(await requestsOf(connection, 'R5')).toBe(0);
    await store.request(connection.organizationId, connection.id);
    const [, second] = await ended(connection, 2);
    expect(second).toMatchObject({
      trigger: 'MANUAL',
      status: 'PARTIAL',
      refused: [{ ksefNumber: forged.ksefNumber, reason: expect.stringContaining('SHA-256') }],
    });
    expect(await requestsOf(connection, 'R5')).toBe(1);
    expect([services.kept.size, await keptOf(connection)]).toEqual([0, [forged.ksefNumber]]);
    expect(await refusalsOf(connection)).toEqual([forged.ksefNumber]);
  });

  test('costs no further call for single invoices once they are limited, and the run goes on', async () => {
    const connection = await withTwoKept();
    const { contextNip } = connection;
    await control('POST', 'faults', { operation: 'R5', kind: 'THROTTLE', retryAfter: 3_600, context: contextNip });
    await store.request(connection.organizationId, connection.id);
    const [, second] = await ended(connection, 2);
    expect(second).toMatchObject({ trigger: 'MANUAL', status: 'SUCCEEDED' });
    expect(await requestsOf(connection, 'R5')).toBe(1);
    expect(await keptOf(connection)).toHaveLength(2);
  });

  test('that KSeF denies alone stays refused, the next one is requested, and the run goes on', async () => {
    const connection = await withTwoKept();
    const { contextNip } = connection;
    const denial = { status: 403, reasonCode: 'insufficient-resource-access', times: 0 };
    await control('POST', 'faults', { operation: 'R5', kind: 'PROBLEM', ...denial, context: contextNip });
    await store.request(connection.organizationId, connection.id);
    const [, second] = await ended(connection, 2);
    expect(second).toMatchObject({ trigger: 'MANUAL', status: 'PARTIAL' });
    expect(await requestsOf(connection, 'R5')).toBe(2);
    expect(await keptOf(connection)).toHaveLength(2);
  });

  test('that a person dismissed is not requested again, and no run reports it', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const forged = await purchase(connection, { invoiceHash: sha256(Buffer.from('other')) });
    await enable(connection);
    startReplica(services, { waitFactor: 1 });
    for (const role of ['SUBJECT2', 'SUBJECT3', 'SUBJECT_AUTHORIZED']) await ended(connection, 1, role);
    await expect(dismiss(connection, 'unknown')).rejects.toMatchObject({ kind: 'not_found' });
    await dismiss(connection, forged.ksefNumber);
    await expect(dismiss(connection, forged.ksefNumber)).rejects.toMatchObject({ kind: 'not_found' });
    await store.request(connection.organizationId, connection.id);
    await eventually(async () => {
      const [manual] = (await endedOf(connection)).filter(({ trigger }) => trigger === 'MANUAL');
      expect(manual?.status).toBe('SUCCEEDED');
    });
    const audited = (await eventsOf(connection)).filter(({ name }) => name === 'audit_recorded');
    expect(audited.map(({ body }) => body['action'])).toContain('ksef_connection.refused_invoice_dismissed');
    expect(await refusalsOf(connection)).toEqual([forged.ksefNumber]);
  });

  test('for which the inbox has no room holds the mark, loses nothing, and goes on after a dismissal', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const hash = { invoiceHash: sha256(Buffer.from('other')) };
    await enable(connection);
    const refused = Array.from({ length: REFUSALS_KEPT_MAX - 1 }, (_, index) => ({
      ksefNumber: `file-${index}`,
      reason: 'r',
      role: 'SUBJECT2' as const,
      firstAttemptAt: new Date(0),
      lastAttemptAt: new Date(0),
    }));
    await mongo.db.collection<InboxDocument>('inboxes').updateOne({ _id: connection.id }, { $set: { refused } });
    const [fits, invoice, over] = [
      await purchase(connection, hash),
      await purchase(connection),
      await purchase(connection, hash),
    ];
    startReplica(services);
    const [first] = await ended(connection);
    expect(first).toMatchObject({
      status: 'PARTIAL',
      received: 1,
      errorMessage: expect.stringContaining('no invoice is lost'),
    });
    expectReceived(services, connection, [invoice]);
    expect((await inboxOf(connection)).roles.find(({ role }) => role === 'SUBJECT2')).not.toHaveProperty('mark');
    expect((await keptOf(connection)).at(-1)).toBe(fits.ksefNumber);
    expect((await eventsOf(connection)).filter(({ name }) => name === 'inbox_paused')).toHaveLength(1);
    await dismiss(connection, 'file-0');
    await eventually(async () => {
      expect((await inboxOf(connection)).roles.find(({ role }) => role === 'SUBJECT2')?.mark).toBeDefined();
    });
    expect(await refusalsOf(connection)).toEqual([fits.ksefNumber, over.ksefNumber]);
  });
});

describe('counts', () => {
  /** Makes the documents service fail once for an invoice. */
  const breakOff = (services: Documents, ksefNumber: string | undefined): void => {
    let isBroken = false;
    services.beforeCall = (_, name, invoice) => {
      if (name !== 'store' || isBroken || invoice.ksefNumber !== ksefNumber) return;
      isBroken = true;
      throw new Error('documents failed');
    };
  };

  test('tell the truth after a package broke off and its export had to be repeated', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const invoices = [await purchase(connection), await purchase(connection), await purchase(connection)];
    breakOff(services, invoices[1]?.ksefNumber);
    const { contextNip } = connection;
    // After the interruption, KSeF no longer has the export.
    await control('POST', 'faults', { operation: 'R2', kind: 'PROBLEM', status: 410, context: contextNip, skip: 1 });
    await enableBuyer(connection);
    startReplica(services);
    const [first] = await ended(connection);
    expect(first).toMatchObject({ status: 'SUCCEEDED', received: 3, repeated: 0 });
    expectReceived(services, connection, invoices);
    await eventually(async () => expect((await inboxOf(connection)).invoicesReceived).toBe(3));
  });

  test('of a run that ends after a package broke off include what it received, and the next run repeats it', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const invoices = [await purchase(connection), await purchase(connection), await purchase(connection)];
    breakOff(services, invoices[2]?.ksefNumber);
    const { contextNip } = connection;
    await control('POST', 'faults', {
      operation: 'R2',
      kind: 'STATUS',
      status: 502,
      times: FAILURES_MAX,
      context: contextNip,
      skip: 1,
    });
    await enableBuyer(connection);
    startReplica(services);
    const [first, second] = await ended(connection, 2);
    expect(first).toMatchObject({ status: 'PARTIAL', received: 2, repeated: 0 });
    expect(second).toMatchObject({ status: 'SUCCEEDED', received: 1, repeated: 2 });
    expectReceived(services, connection, invoices);
    await eventually(async () => expect((await inboxOf(connection)).invoicesReceived).toBe(3));
  });

  test('include a document whose analysis was refused at first, once it is accepted', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const refused = await purchase(connection);
    const invoice = await purchase(connection);
    services.beforeCall = (_, name, { ksefNumber }) => {
      if (name === 'request' && ksefNumber === refused.ksefNumber)
        throw new DomainError('not_found', 'No such company.');
    };
    await enableBuyer(connection);
    startReplica(services);
    expect((await ended(connection))[0]).toMatchObject({ received: 1, repeated: 0 });
    services.beforeCall = () => {};
    await eventually(async () => expect((await inboxOf(connection)).invoicesReceived).toBe(2));
    expectReceived(services, connection, [refused, invoice]);
  });

  test('include what a package stored whose process ended, after another role received later documents', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const third = { thirdNips: [connection.contextNip] };
    const invoices = [await purchase(connection), await purchase(connection), await purchase(connection, third)];
    await enableBuyer(connection);
    let stopping: Promise<void> | undefined;
    const first = startReplica(services, { waitFactor: 1 });
    services.beforeCall = (_, name, { ksefNumber }) => {
      if (name === 'store' && ksefNumber === invoices[1]?.ksefNumber) stopping ??= first.stop();
    };
    await eventually(() => expect(stopping).toBeDefined());
    await stopping;
    expect([services.kept.size, (await inboxOf(connection)).invoicesReceived]).toEqual([2, 0]);
    const collection = mongo.db.collection<InboxDocument>('inboxes');
    const [now, tomorrow] = [new Date(), new Date(Date.now() + 86_400_000)];
    const onlyThird = { dueAt: now, 'roles.0.dueAt': tomorrow, 'roles.1.dueAt': now };
    await collection.updateOne({ _id: connection.id }, { $set: onlyThird });
    const second = startReplica(services, { waitFactor: 1 });
    expect((await ended(connection, 1, 'SUBJECT3'))[0]).toMatchObject({ received: 1 });
    await second.stop();
    await collection.updateOne({ _id: connection.id }, { $set: { dueAt: now, 'roles.0.dueAt': now } });
    startReplica(services, { waitFactor: 1 });
    expect((await ended(connection))[0]).toMatchObject({ status: 'SUCCEEDED', received: 2, repeated: 1 });
    expectReceived(services, connection, invoices);
    expect((await inboxOf(connection)).invoicesReceived).toBe(3);
  });

  test('of two roles count an invoice once that is in the packages of both', async () => {
    const [services, connection] = [new Documents(), await connect()];
    await purchase(connection, { thirdNips: [connection.contextNip] });
    await enable(connection);
    startReplica(services, { waitFactor: 1 });
    for (const role of ['SUBJECT2', 'SUBJECT3', 'SUBJECT_AUTHORIZED']) await ended(connection, 1, role);
    const runs = await runsOf(connection);
    expect([sum(runs, 'received'), sum(runs, 'repeated')]).toEqual([1, 1]);
  });
});

describe('an inbox that needs a person', () => {
  test('is paused by a used up quota, tells it once, loses nothing, and goes on', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const invoices = [await purchase(connection), await purchase(connection), await purchase(connection)];
    let isUsedUp = true;
    services.beforeCall = (_, name, { ksefNumber }) => {
      if (isUsedUp && name === 'request' && ksefNumber !== invoices[0]?.ksefNumber) {
        throw new DomainError('usage_exceeded', 'The plan allows 1 analyses in 2026-11, of which none is left.');
      }
    };
    await enable(connection);
    startReplica(services);
    const [first] = await ended(connection, 2);
    expect(first).toMatchObject({
      status: 'PARTIAL',
      received: 1,
      errorMessage: expect.stringContaining('none is left'),
    });
    expect(first?.through).toBeUndefined();
    const paused = (await eventsOf(connection)).filter(({ name }) => name === 'inbox_paused');
    expect(paused.map(({ body }) => body['message'])).toEqual([first?.errorMessage]);
    isUsedUp = false;
    await eventually(() => expectReceived(services, connection, invoices));
    await eventually(async () =>
      expect((await inboxOf(connection)).roles.every(({ isPaused, error }) => !isPaused && error === undefined)).toBe(
        true,
      ),
    );
    expect((await eventsOf(connection)).filter(({ name }) => name === 'inbox_paused')).toHaveLength(1);
  });

  test('is paused without the permission to view invoices, and its connection stays as it is', async () => {
    const connection = await connect(['InvoiceWrite']);
    await enable(connection);
    startReplica(new Documents());
    const [first] = await ended(connection);
    expect([first?.status, first?.errorMessage]).toEqual(['FAILED', expect.stringContaining('InvoiceRead')]);
    expect((await eventsOf(connection)).filter(({ name }) => name === 'inbox_paused')).toHaveLength(1);
    expect(failedConnections).not.toContain(connection.id);
  });

  test('waits when KSeF refuses the token, and its connection turns to ERROR', async () => {
    const connection = await connect();
    const token = exampleToken.replace('5265877635', connection.contextNip);
    await control('PUT', `contexts/${connection.contextNip}`, { tokens: [{ token, state: 'REVOKED' }] });
    await enable(connection);
    startReplica(new Documents());
    const [first] = await eventually(async () => {
      const runs = (await runsOf(connection)).filter(({ status }) => status === 'FAILED');
      expect(runs.length).toBeGreaterThan(0);
      return runs;
    });
    expect(first?.errorMessage).toMatch(/token/);
    // The KSeF connection changes after the inbox run, which was stored first.
    await eventually(() => expect(failedConnections.filter((id) => id === connection.id)).toHaveLength(1));
  });

  test('ends with its connection, and keeps no key', async () => {
    const connection = await connect();
    await control('POST', 'faults', {
      operation: 'R1',
      kind: 'EXPORT_STATUS',
      code: 100,
      context: connection.contextNip,
    });
    await enable(connection);
    startReplica(new Documents(), { waitFactor: 0.01 });
    await eventually(async () =>
      expect((await inboxOf(connection)).roles.some(({ run }) => run?.export?.referenceNumber !== undefined)).toBe(
        true,
      ),
    );
    const disabled: Connection = { ...connection, status: 'DISABLED' };
    connections.set(connection.id, disabled);
    await eventually(async () => expect((await inboxOf(connection)).isEnabled).toBe(false));
    const document = await mongo.db.collection('inboxes').findOne({ organizationId: connection.organizationId });
    expect(JSON.stringify(document)).not.toContain('sealed');
    expect((await runsOf(connection)).filter(({ status }) => status === 'RUNNING')).toEqual([]);
  });
});

test('while its organization is deleted, an inbox calls nobody, and goes on when it is restored', async () => {
  const [services, connection] = [new Documents(), await connect()];
  const invoice = await purchase(connection);
  let isDeleted = true;
  let looks = 0;
  const plans = {
    limitsOf: async () => {
      looks++;
      return isDeleted ? undefined : { analyses: undefined, uploadBytes: undefined };
    },
  };
  await enable(connection);
  startReplica(services, { plans });
  await eventually(() => expect(looks).toBeGreaterThan(1));
  expect([await requestsOf(connection, 'R1'), await runsOf(connection)]).toEqual([0, []]);
  isDeleted = false;
  await eventually(() => expectReceived(services, connection, [invoice]));
});

describe('two packages that take long', () => {
  test('keep no other inbox from ending a run without invoices, and a third package waits without further calls', async () => {
    const [services, slow] = [new Documents(), [await connect(), await connect()]];
    const claims: string[] = [];
    let hidden: string | undefined;
    const queue: Store = {
      ...store,
      due: async (...args) => (await store.due(...args)).filter(({ id }) => id !== hidden),
      async claim(due: DueInbox) {
        claims.push(due.id);
        return store.claim(due);
      },
    };
    const waiting = [...slow];
    for (const connection of slow) await purchase(connection);
    let readings = 0;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const reading: typeof packages.reading = async (...args) => {
      readings++;
      await released;
      return packages.reading(...args);
    };
    for (const connection of slow) await enable(connection);
    startReplica(services, { packages: { reading }, queue });
    try {
      await eventually(() => expect(readings).toBe(2));
      const [empty, third] = [await connect(), await connect()];
      await purchase(third);
      hidden = third.id;
      await enable(empty);
      await enableBuyer(third);
      hidden = undefined;
      waiting.push(third);
      expect((await ended(empty))[0]).toMatchObject({ status: 'SUCCEEDED', received: 0 });
      await eventually(() => expect(claims.filter((id) => id === third.id).length).toBeGreaterThan(5));
      expect([await requestsOf(third, 'R2'), readings]).toEqual([1, 2]);
    } finally {
      release();
    }
    for (const connection of waiting) {
      expect((await ended(connection))[0]).toMatchObject({ status: 'SUCCEEDED', received: 1 });
    }
  });
});

test('an inbox that is due again after each run leaves its slot to an inbox that has waited longer', async () => {
  const services = new Documents();
  const waiting = await Promise.all(Array.from({ length: AT_ONCE_MAX + 1 }, () => connect()));
  for (const connection of waiting) await enable(connection);
  // Without a waiting time between inbox runs, every KSeF inbox is always due.
  startReplica(services, { waitFactor: 0 });
  for (const connection of waiting) expect((await ended(connection)).length).toBeGreaterThan(0);
});

describe('two replicas', () => {
  test('work on one inbox one after the other', async () => {
    const [services, connection] = [new Documents(), await connect()];
    const invoices = await Promise.all(Array.from({ length: 5 }, () => purchase(connection)));
    let atOnce = 0;
    let most = 0;
    const counted = {
      store: async (invoice: ReceivedInvoice) => {
        atOnce++;
        most = Math.max(most, atOnce);
        try {
          await new Promise((resolve) => setTimeout(resolve, 5));
          return await services.documents.store(invoice);
        } finally {
          atOnce--;
        }
      },
    };
    await enable(connection);
    startReplica(services, { documents: counted });
    startReplica(services, { documents: counted });
    await ended(connection, 3);
    expect(most).toBe(1);
    expectReceived(services, connection, invoices);
  });
});

/** A KSeF inbox with separate fakes, whose process is killed. */
interface Killed {
  readonly services: Documents;
  readonly connection: Connection;
  readonly invoices: readonly Registered[];
  readonly death: { isDead: boolean; readonly write?: number; readonly isWritten?: boolean };
}

/** Passes received documents on to the fakes of their inbox. */
function routed(cases: readonly Killed[]): Pick<Documents, 'documents' | 'analyses'> {
  const of = (organizationId: string): Documents => {
    const found = cases.find(({ connection }) => connection.organizationId === organizationId);
    if (found === undefined) throw new Error('no such inbox');
    return found.services;
  };
  return {
    documents: { store: (invoice) => of(invoice.organizationId).documents.store(invoice) },
    analyses: { request: (invoice) => of(invoice.organizationId).analyses.request(invoice) },
  };
}

/** Returns the queue of processes that are killed. Each works on one KSeF inbox and does nothing after its death. */
function killing(queue: Store, cases: readonly Killed[]): Store {
  const deathOf = (id: string) => cases.find(({ connection }) => connection.id === id)?.death;
  function watched(claim: InboxClaim, death: Killed['death'], counter: { writes: number }): InboxClaim {
    return {
      ...claim,
      // A process that was killed cannot release its claim.
      release: async () => (death.isDead ? undefined : claim.release()),
      wait: async (...args) => (death.isDead ? undefined : claim.wait(...args)),
      keepAlive: (onLost) => claim.keepAlive(death.isDead ? () => {} : onLost),
      async save(...args) {
        if (death.isDead) throw new Error('killed');
        death.isDead = ++counter.writes === death.write;
        if (!death.isDead) return watched(await claim.save(...args), death, counter);
        if (death.isWritten === true) await claim.save(...args);
        throw new Error('killed');
      },
    };
  }
  const counters = new Map<string, { writes: number }>();
  return {
    ...queue,
    due: async (_, busyIds) => (await queue.due(1_000, busyIds)).filter(({ id }) => deathOf(id)?.isDead === false),
    async claim(due: DueInbox) {
      const claim = await queue.claim(due);
      const death = deathOf(due.id);
      if (claim === undefined || death === undefined) return claim;
      const counter = counters.get(due.id) ?? { writes: 0 };
      counters.set(due.id, counter);
      return watched(claim, death, counter);
    },
  };
}

async function prepare(death: Omit<Killed['death'], 'isDead'>): Promise<Killed> {
  const [services, connection] = [new Documents(), await connect()];
  const invoices = [await purchase(connection), await purchase(connection)];
  await enable(connection);
  return { services, connection, invoices, death: { ...death, isDead: false } };
}

/** Expects that another process continues, and that each purchase is received once and counted once. */
async function expectGoneOn(queue: Store, cases: readonly Killed[]): Promise<void> {
  for (const { stop } of replicas.splice(0)) await stop();
  startReplica(routed(cases), { queue, waitFactor: KILLED_WAIT_FACTOR });
  for (const { services, connection, invoices, death } of cases) {
    await eventually(async () => {
      const { invoicesReceived } = await inboxOf(connection);
      expect([death, invoicesReceived]).toEqual([death, 2]);
    });
    const runs = await endedOf(connection);
    // The list keeps only the newest runs, and the case that is checked last may have had more in the meantime.
    if ((await runsOf(connection)).length < INBOX_RUNS_MAX) expect([death, sum(runs, 'received')]).toEqual([death, 2]);
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'SUCCEEDED'));
    expectReceived(services, connection, invoices);
    expect((await inboxOf(connection)).invoicesReceived).toBe(2);
  }
}

/** Kills the process of each KSeF inbox, a few at a time, and expects that other processes continue. */
async function expectSurvived(preparations: readonly (() => Promise<Killed>)[]): Promise<void> {
  const queue = storeWith({ leaseMs: 1_000 });
  for (let first = 0; first < preparations.length; first += KILLED_AT_ONCE) {
    const cases: Killed[] = [];
    for (const prepareCase of preparations.slice(first, first + KILLED_AT_ONCE)) cases.push(await prepareCase());
    startReplica(routed(cases), { queue: killing(queue, cases), waitFactor: KILLED_WAIT_FACTOR });
    for (const { death } of cases) await eventually(() => expect(death).toMatchObject({ isDead: true }));
    await expectGoneOn(queue, cases);
    await removeInboxes();
  }
}

describe('a process that ends in the middle', () => {
  test('at any write leaves each purchase received once, and counted once', async () => {
    await expectSurvived(
      Array.from({ length: WRITES_MAX }, (_, index) =>
        [true, false].map((isWritten) => () => prepare({ write: index + 1, isWritten })),
      ).flat(),
    );
  });

  test('at a write while KSeF has a fault, whichever, leaves each purchase received once, and counted once', async () => {
    await expectSurvived(
      [true, false].flatMap((isWritten) =>
        faults.map(([operation, kind, more], index) => async () => {
          // The first inbox run needs eight database writes. Because 5 and 8 have no common divisor, the tests
          // interrupt every one of these writes.
          const killed = await prepare({ write: 1 + ((index * 5) % 8), isWritten });
          const { contextNip } = killed.connection;
          await control('POST', 'faults', { operation, kind, context: contextNip, ...more });
          return killed;
        }),
      ),
    );
  });

  test('at any call of documents or analysis leaves each purchase received once, and counted once', async () => {
    await expectSurvived(
      [1, 2, 3, 4].map((call) => async () => {
        const killed = await prepare({});
        killed.services.beforeCall = (count) => {
          if (count !== call || killed.death.isDead) return;
          killed.death.isDead = true;
          throw new Error('killed');
        };
        return killed;
      }),
    );
  });
});
