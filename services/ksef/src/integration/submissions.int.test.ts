import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { notFound } from '@invoicecontrol/errors';
import { dueWork } from '@invoicecontrol/runtime/due-work';
import type { Job } from '@invoicecontrol/runtime/job';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { repeat } from '@invoicecontrol/runtime/repeat';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { keyRing } from '@invoicecontrol/secretbox/key-ring';
import { sealedField } from '@invoicecontrol/secretbox/sealed-field';
import { secretbox } from '@invoicecontrol/secretbox/secretbox';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import type { KsefSimulator } from '@invoicecontrol/simulators/ksef';
import { fa3Document, SELLER } from '@invoicecontrol/simulators/ksef/fa3-document';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { CallLimits } from '../application/call-limits.js';
import { cancelSubmission, createSubmission } from '../application/submissions/create-submission.js';
import type { DecidedInvoice, DueSubmission, SubmissionClaim } from '../application/submissions/stores.js';
import { submissionWorker } from '../application/submissions/submission-worker.js';
import type { SubmissionWorker } from '../application/submissions/submission-worker.js';
import { ksefClient } from '../clients/ksef.js';
import type { KsefClient } from '../clients/ksef.js';
import type { Connection, ConnectionStatus } from '../domain/connection.js';
import { sha256 } from '../domain/encryption.js';
import type { DocumentFacts } from '../domain/preconditions.js';
import type { Submission } from '../domain/submission.js';
import { callScopeStore } from '../storage/call-scopes.js';
import type { CallScopeDocument } from '../storage/call-scopes.js';
import { confirmationStore, createSubmissionIndexes, submissionStore } from '../storage/submissions.js';
import type { ConfirmationDocument, SubmissionDocument } from '../storage/submissions.js';
import { exampleToken } from '../testing/running-ksef.js';
import { simulatorControl } from '../testing/simulator-control.js';

const organizationId = randomUUID();
const context = systemContext('test');
const logger = createLogger({ service: 'test', level: 'silent' });
const box = secretbox(keyRing.parse(`k1:${randomBytes(32).toString('base64')}`));
const tokens = sealedField(box, 'connections', 'token');

let simulator: KsefSimulator;
const control = simulatorControl(() => `${simulator.url}/test`);
let mongo: MongoConnection;
let ksef: KsefClient;
let store: ReturnType<typeof submissionStore>;
let storeWith: (lease: { readonly leaseMs: number }) => ReturnType<typeof submissionStore>;
let confirmations: ReturnType<typeof confirmationStore>;

const SEAL = { fingerprint: 'AB:CD', isHolderKnown: true };
/** Results of the documents service for the next confirmations. Later confirmations are valid. */
const confirmationChecks: ({ fault: string } | { seal: typeof SEAL })[] = [];

// KSeF connections that the fakes of the other services know.
const connections = new Map<string, Connection>();
const invoices = new Map<string, DecidedInvoice>();
const files = new Map<string, Buffer>();
const facts = new Map<string, DocumentFacts>();
const deletedOrganizations = new Set<string>();
/** KSeF connections that a refused token has set to ERROR. */
const failedConnections: string[] = [];
const outside = {
  failConnection: ({ id }: Connection) => {
    failedConnections.push(id);
    return Promise.resolve();
  },
  organizations: { exists: (id: string) => Promise.resolve(!deletedOrganizations.has(id)) },
  connections: { find: (_organization: string, id: string) => Promise.resolve(connections.get(id)) },
  invoices: { find: (_organization: string, id: string) => Promise.resolve(stated(invoices.get(id))) },
  documents: {
    facts: (_organization: string, id: string) => Promise.resolve(stated(facts.get(id))),
    read: async (_organization: string, id: string) => {
      const file = files.get(id);
      if (file === undefined) throw notFound('upload');
      return file;
    },
    checkConfirmation: () => Promise.resolve(confirmationChecks.shift() ?? { seal: SEAL }),
  },
};

/** Upper limit for the number of database writes of a KSeF submission without faults. */
const WRITES_MAX = 16;

interface Replica {
  readonly worker: SubmissionWorker;
  stop(): Promise<void>;
}
const replicas: Replica[] = [];
/** Schedule without searches, which runs only when the store says that a submission is due. */
const due = dueWork(systemClock, { pollMs: 3_600_000, gapMs: 20 });

beforeAll(async () => {
  const { mongodbUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: testDatabaseName(), appName: 'test' });
  simulator = await startKsefSimulator();
  ksef = clientWith({ requestMs: 2_000 });
  const submissions = mongo.db.collection<SubmissionDocument>('submissions');
  const stored = mongo.db.collection<ConfirmationDocument>('confirmations');
  await createSubmissionIndexes(submissions, stored);
  storeWith = ({ leaseMs }) => {
    const outbox = { nudge: () => {} } as unknown as Parameters<typeof submissionStore>[1]['outbox'];
    return submissionStore(submissions, { outbox, clock: systemClock, leaseMs, onDue: due.note });
  };
  store = storeWith({ leaseMs: 3_000 });
  confirmations = confirmationStore(stored);
});
afterAll(async () => {
  await ksef.close();
  await simulator.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(async () => {
  await control('DELETE', 'faults');
  await control('PUT', 'settings', { authPolls: 1, invoicePolls: 1, sessionPolls: 1, limitFactor: 0 });
});
afterEach(async () => {
  for (const { stop } of replicas.splice(0)) await stop();
});

function startReplica(
  own: Partial<Parameters<typeof submissionWorker>[0]> = {},
  { pauseMs, alarm }: Pick<Job, 'pauseMs' | 'alarm'> = { ...due.schedule, pauseMs: 100 },
): Replica {
  const worker = submissionWorker({
    ...outside,
    queue: store,
    onDue: due.note,
    confirmations,
    ksef,
    secrets: tokens,
    sessionKeys: sealedField(box, 'submissions', 'sessionKey'),
    waitFactor: 0.01,
    requestMs: 2_000,
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
  const replica: Replica = {
    worker,
    async stop() {
      await polling.stop();
      await worker.stop();
    },
  };
  replicas.push(replica);
  return replica;
}

function clientWith({ requestMs, waitFactor = 0.01 }: { requestMs: number; waitFactor?: number }): KsefClient {
  const url = `${simulator.url}/test/v2`;
  const urls = { TEST: url, DEMO: url, PRODUCTION: url };
  const limits = new CallLimits({
    store: callScopeStore(mongo.db.collection<CallScopeDocument>('call_scopes')),
    factor: 1_000,
    requestMs,
    clock: systemClock,
    logger,
  });
  return ksefClient({ urls, requestMs, waitFactor, limits }, logger);
}

interface Registered {
  readonly number: string;
  readonly invoiceHash: string;
}
interface Logged {
  readonly operation: string;
  /** HTTP status of the KSeF response. Null before the response has arrived. */
  readonly status: number | null;
}
interface Counters {
  readonly sends: Readonly<Record<string, number>>;
  readonly registered: readonly Registered[];
  readonly sessions: { readonly open: number };
  readonly plaintextTokens: number;
}

const loggedOf = async (nip: string, operation: string): Promise<readonly Logged[]> =>
  (await control<{ items: readonly Logged[] }>('GET', `requests?context=${nip}`)).items.filter(
    (request) => request.operation === operation,
  );
const countersOf = (nip: string): Promise<Counters> => control<Counters>('GET', `counters?context=${nip}`);

/** Connects a new taxpayer, so that its call counters are separate. */
async function connect(
  status: ConnectionStatus = 'CONNECTED',
  contextNip = String(Math.floor(1_000_000_000 + Math.random() * 8_999_999_999)),
): Promise<Connection> {
  const id = randomUUID();
  const token = exampleToken.replace('5265877635', contextNip);
  await control('PUT', `contexts/${contextNip}`, { tokens: [{ token }], grants: ['*'] });
  const connection: Connection = {
    id,
    organizationId,
    version: 1,
    companyId: randomUUID(),
    environment: 'TEST',
    contextNip,
    authentication: 'TOKEN',
    secret: tokens.seal({ id, organizationId }, token),
    status,
    lastTestedAt: undefined,
    lastErrorMessage: undefined,
    createdAt: new Date(),
  };
  connections.set(id, connection);
  return connection;
}

/** Creates an invoice that can be submitted with a KSeF connection. */
function invoiceFor({ companyId }: Connection, part: Partial<DocumentFacts> = {}): { invoiceId: string; hash: string } {
  const [invoiceId, documentId] = [randomUUID(), randomUUID()];
  const number = `FV/${invoiceId}`;
  const bytes = Buffer.from(fa3Document({ number }));
  invoices.set(invoiceId, { companyId, documentId, isPass: true });
  files.set(documentId, bytes);
  const hash = sha256(bytes);
  facts.set(documentId, {
    hash,
    byteSize: bytes.length,
    faults: [],
    sellerNip: SELLER,
    kind: 'VAT',
    number,
    issueDate: '2026-02-15',
    ...part,
  });
  return { invoiceId, hash };
}

const deps = () => ({ ...outside, submissions: store, clock: systemClock });
const submit = async ({ id: connectionId }: Connection, invoiceId: string) =>
  createSubmission(deps())({ organizationId, connectionId, invoiceId }, context);

/** Waits until no work is left for the KSeF submission and returns it. */
const ended = ({ id, connectionId }: Submission, timeoutMs = 20_000): Promise<Submission> =>
  eventually(
    async () => {
      const found = stated(await store.find(organizationId, connectionId, id));
      if (found.dueAt !== undefined) throw new Error(`still ${found.status}: ${JSON.stringify(found)}`);
      return found;
    },
    { timeoutMs },
  );

function stated<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('missing');
  return part;
}

/** Waits until the KSeF submission is final and its sessions count as closed, and returns it. */
const closedSubmission = ({ id, connectionId }: Submission): Promise<Submission> =>
  eventually(async () => {
    const found = stated(await store.find(organizationId, connectionId, id));
    expect([found.completedAt, found.sessions]).toEqual([
      expect.any(Date),
      found.sessions.map((session) => ({ ...session, isClosed: true })),
    ]);
    return found;
  });

const noOpenSession = async (nip: string): Promise<void> => expect((await countersOf(nip)).sessions.open).toBe(0);

test('an invoice is registered once, byte for byte, its session is closed and its confirmation stored', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  startReplica({ logger: createLogger({ service: 'test', level: 'info', destination }) });
  const connection = await connect();
  const { invoiceId, hash } = invoiceFor(connection);
  const { submission, isQueued } = await submit(connection, invoiceId);
  expect([submission.status, isQueued]).toEqual(['QUEUED', true]);
  const end = await ended(submission);
  expect(end).toMatchObject({ status: 'ACCEPTED', upoReferenceNumber: expect.any(String) });
  const counters = await countersOf(connection.contextNip);
  expect(counters.registered.map(({ invoiceHash }) => invoiceHash)).toEqual([hash]);
  expect(counters).toMatchObject({ sends: { [hash]: 1 }, sessions: { open: 0 }, plaintextTokens: 0 });
  const confirmation = await confirmations.find(organizationId, submission.id);
  expect(confirmation?.xml.toString()).toContain(stated(end.ksefNumber));
  expect(confirmation?.seal).toEqual(SEAL);
  expect(await store.hasOpenSubmissions(organizationId, connection.id)).toBe(false);
  // Each step has one line, however often KSeF was polled, and no line has the number of the invoice.
  const ofSteps = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a step of a submission ended');
  expect(ofSteps.map(({ step, code }) => `${step} ${code}`)).toEqual(
    expect.arrayContaining(['open 201', 'send 202', 'status 200', 'close 204', 'confirmation 200']),
  );
  expect(new Set(ofSteps.map(({ step, code }) => `${step} ${code}`)).size).toBe(ofSteps.length);
  const ids = { organizationId, submissionId: submission.id, connectionId: connection.id, invoiceId };
  expect(ofSteps[0]).toMatchObject({ ...ids, environment: 'test', durationMs: expect.any(Number) });
  expect(lines.join('')).not.toContain('FV/');
});

test('a submission whose answer was lost counts as unknown, with its session open, until KSeF was asked', async () => {
  startReplica();
  const connection = await connect();
  await control('POST', 'faults', { operation: 'S2', kind: 'LOSE_ANSWER', context: connection.contextNip });
  const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
  const { unknown, ...others } = await eventually(async () => {
    const summary = await store.summarizeUnfinished();
    expect(summary.unknown.count).toBe(1);
    return summary;
  });
  expect(others).toEqual({ byStatus: { SENDING: 1 }, openSessions: 1 });
  expect(unknown.since?.getTime()).toBeGreaterThanOrEqual(submission.createdAt.getTime());
  await ended(submission);
  const nothing = { byStatus: {}, unknown: { count: 0, since: undefined }, openSessions: 0 };
  expect(await store.summarizeUnfinished()).toEqual(nothing);
});

test('stored submissions wake the worker, which then needs no search', async () => {
  startReplica({}, due.schedule);
  const connection = await connect();
  const wanted = Array.from({ length: 12 }, () => invoiceFor(connection));
  const queued = await Promise.all(wanted.map(({ invoiceId }) => submit(connection, invoiceId)));
  for (const { submission } of queued) expect(await ended(submission)).toMatchObject({ status: 'ACCEPTED' });
});

test('a confirmation with a fault is not stored and fetched again; one whose holder is not known says so', async () => {
  startReplica();
  const connection = await connect();
  const seal = { fingerprint: 'EF:01', isHolderKnown: false };
  confirmationChecks.push({ fault: 'another hash' }, { seal });
  const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
  await ended(submission);
  expect(confirmationChecks).toEqual([]);
  expect(await confirmations.find(organizationId, submission.id)).toMatchObject({ seal });
});

describe('a token that KSeF refuses before anything was sent', () => {
  async function refusedSubmission() {
    const connection = await connect();
    const { contextNip } = connection;
    const token = exampleToken.replace('5265877635', contextNip);
    await control('PUT', `contexts/${contextNip}`, { tokens: [{ token, state: 'REVOKED' }], grants: ['*'] });
    const { invoiceId, hash } = invoiceFor(connection);
    const { submission } = await submit(connection, invoiceId);
    await eventually(() => expect(failedConnections).toContain(connection.id));
    return { connection, submission, hash, token };
  }

  test('turns the connection to ERROR, and the invoice is sent with the next token without being posted again', async () => {
    startReplica();
    const { connection, submission, hash, token } = await refusedSubmission();
    expect(await store.find(organizationId, connection.id, submission.id)).toMatchObject({ status: 'QUEUED' });
    const next = `${token.slice(0, -4)}abcd`;
    await control('PUT', `contexts/${connection.contextNip}`, { tokens: [{ token: next }], grants: ['*'] });
    connections.set(connection.id, { ...connection, secret: tokens.seal(connection, next) });
    await store.wake(organizationId, connection.id);
    expect(await ended(submission)).toMatchObject({ status: 'ACCEPTED' });
    expect((await countersOf(connection.contextNip)).sends).toEqual({ [hash]: 1 });
  });

  test('fails the submission where no other token comes for seven days', async () => {
    startReplica();
    const { connection, submission } = await refusedSubmission();
    // Seven days, multiplied by KSEF_WAIT_FACTOR, which is a hundredth in this test.
    const sevenDaysMs = 7 * 24 * 3_600_000 * 0.01;
    const inError = (at: Date): Connection => ({
      ...connection,
      version: 2,
      status: 'ERROR',
      refusal: { at, code: 'KSEF_AUTH_450' },
      lastErrorMessage: 'KSeF does not accept the token.',
    });
    connections.set(connection.id, inError(new Date(Date.now() - sevenDaysMs + 60_000)));
    await store.wake(organizationId, connection.id);
    await eventually(async () =>
      expect((await store.find(organizationId, connection.id, submission.id))?.dueAt?.getTime()).toBeGreaterThan(
        Date.now() + 1_000,
      ),
    );
    expect(await store.find(organizationId, connection.id, submission.id)).toMatchObject({ status: 'QUEUED' });
    connections.set(connection.id, inError(new Date(Date.now() - sevenDaysMs)));
    await store.wake(organizationId, connection.id);
    expect(await ended(submission)).toMatchObject({
      status: 'FAILED',
      errorCode: 'KSEF_AUTH_450',
      errorMessage: 'KSeF does not accept the token. The invoice was not sent.',
    });
  });
});

describe('a connection that may only view invoices', () => {
  const readOnly = (connection: Connection, readOnlySince: Date): Connection => ({
    ...connection,
    version: connection.version + 1,
    readOnlySince,
  });
  const deny = async ({ contextNip }: Connection, operations: readonly string[]): Promise<void> => {
    for (const operation of operations) {
      const denial = { kind: 'PROBLEM', status: 403, reasonCode: 'missing-permissions', times: 0 };
      await control('POST', 'faults', { operation, ...denial, context: contextNip });
    }
  };

  test('takes no submission, and says which permission to grant', async () => {
    const connection = await connect();
    connections.set(connection.id, readOnly(connection, new Date()));
    await expect(submit(connection, invoiceFor(connection).invoiceId)).rejects.toMatchObject({
      kind: 'wrong_state',
      publicMessage: expect.stringMatching(/^The token lacks .*InvoiceWrite.* Grant InvoiceWrite in KSeF/),
    });
    expect(await loggedOf(connection.contextNip, 'S1')).toEqual([]);
  });

  test('calls nobody for a submission that was queued before, which is sent when invoices may be issued', async () => {
    const connection = await connect();
    const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
    connections.set(connection.id, readOnly(connection, new Date()));
    startReplica({ waitFactor: 1 });
    const raw = () => mongo.db.collection<SubmissionDocument>('submissions').findOne({ _id: submission.id });
    await eventually(async () => expect((await raw())?.waitsForConnection).toBe(true));
    expect(await loggedOf(connection.contextNip, 'S1')).toEqual([]);
    connections.set(connection.id, { ...connection, version: 3 });
    await store.wake(organizationId, connection.id);
    await eventually(async () =>
      expect((await store.find(organizationId, connection.id, submission.id))?.status).not.toBe('QUEUED'),
    );
  });

  test('makes a submission fail that has waited for the permission for seven days', async () => {
    const connection = await connect();
    const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
    // The waits are multiplied by KSEF_WAIT_FACTOR, which is a hundredth in this test.
    connections.set(connection.id, readOnly(connection, new Date(Date.now() - 7 * 24 * 3_600_000 * 0.01)));
    startReplica();
    expect(await ended(submission)).toMatchObject({
      status: 'FAILED',
      errorCode: 'KSEF_HTTP_403',
      errorMessage: expect.stringContaining('InvoiceWrite'),
    });
  });

  test('lets a submission that was sent wait for the permission', async () => {
    const connection = await connect();
    const fault = { operation: 'S2', kind: 'INVOICE_STATUS', code: 150, context: connection.contextNip };
    await control('POST', 'faults', fault);
    const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
    startReplica();
    await eventually(async () =>
      expect((await store.find(organizationId, connection.id, submission.id))?.status).toBe('PROCESSING'),
    );
    connections.set(connection.id, readOnly(connection, new Date()));
    await deny(connection, ['S3', 'S4']);
    const raw = () => mongo.db.collection<SubmissionDocument>('submissions').findOne({ _id: submission.id });
    await eventually(async () => expect((await raw())?.waitsForConnection).toBe(true));
    expect((await raw())?.status).toBe('PROCESSING');
  });

  test('holds no accepted submission whose session has expired and whose confirmation is a week late', async () => {
    const connection = await connect();
    await deny(connection, ['S5', 'S6', 'S7', 'S8']);
    const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
    const replica = startReplica();
    const raw = () => mongo.db.collection<SubmissionDocument>('submissions').findOne({ _id: submission.id });
    await eventually(async () => expect((await raw())?.status).toBe('ACCEPTED'));
    connections.set(connection.id, readOnly(connection, new Date()));
    await replica.stop();
    const weekAgo = new Date(Date.now() - 8 * 24 * 3_600_000);
    const past = { 'progress.sessions.0.validUntil': weekAgo, 'progress.completedAt': weekAgo, dueAt: new Date() };
    await mongo.db.collection('submissions').updateOne({ _id: submission.id as never }, { $set: past });
    startReplica();
    const { sessions, status } = await ended(submission);
    expect([status, sessions.map(({ isClosed }) => isClosed)]).toEqual(['ACCEPTED', [true]]);
    // Nothing needs the secret of the KSeF connection any more.
    expect(await store.hasUnfinishedWork(organizationId, connection.id)).toBe(false);
  });
});

test('a document that KSeF refuses leaves the connection as it is', async () => {
  startReplica();
  const connection = await connect();
  const fault = { operation: 'S2', kind: 'INVOICE_STATUS', code: 450, context: connection.contextNip };
  await control('POST', 'faults', fault);
  const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
  expect(await ended(submission)).toMatchObject({ status: 'REJECTED', errorCode: 'KSEF_450' });
  expect(failedConnections).not.toContain(connection.id);
});

const faults: readonly (readonly [string, string, object])[] = [
  ...['A2', 'A3', 'A4', 'A5', 'S1', 'S2', 'S3', 'S5', 'S6', 'S7'].flatMap((operation) => [
    [operation, 'DROP', {}] as const,
    [operation, 'LOSE_ANSWER', {}] as const,
    [operation, 'STATUS', { status: 503 }] as const,
    [operation, 'STATUS', { status: 504, processed: true }] as const,
    [operation, 'THROTTLE', { retryAfter: 1 }] as const,
    [operation, 'BODY', { body: '<html>', contentType: 'text/html' }] as const,
  ]),
  ...['S1', 'S2', 'S3', 'S5', 'S6'].map((operation) => [operation, 'UNAUTHORIZED', {}] as const),
  ['S1', 'SESSION_STATUS', { code: 415 }],
  ['S2', 'INVOICE_STATUS', { code: 550 }],
  ['S2', 'INVOICE_STATUS', { code: 405 }],
  ['S2', 'INVOICE_STATUS', { code: 435 }],
  ['S2', 'HIDE', { polls: 1 }],
  ['S2', 'HIDE', { polls: 5 }],
  ['S2', 'HANG', { seconds: 3, processed: true }],
  ['S2', 'PROBLEM', { status: 400, code: 21184 }],
  ['S7', 'BAD_HASH', {}],
  ['S1', 'UPO_LATE', { polls: 2 }],
];

describe('one invoice is registered exactly once, and no session stays open', () => {
  test.each(faults)('when %s meets %s %j', async (operation, kind, more) => {
    startReplica();
    const connection = await connect();
    await control('POST', 'faults', { operation, kind, context: connection.contextNip, ...more });
    const { invoiceId, hash } = invoiceFor(connection);
    const end = await ended((await submit(connection, invoiceId)).submission);
    expect([end.status, end.errorCode]).toEqual(['ACCEPTED', undefined]);
    const { registered, sessions } = await countersOf(connection.contextNip);
    expect(registered.map(({ invoiceHash }) => invoiceHash)).toEqual([hash]);
    // If the response to opening a session was lost, the service does not know the session and cannot close it. The
    // session is empty, and KSeF ends it.
    const isUnknown = operation === 'S1' && (kind === 'LOSE_ANSWER' || JSON.stringify(more).includes('processed'));
    expect(sessions.open).toBe(isUnknown ? 1 : 0);
  });
});

type Queue = ReturnType<typeof submissionStore>;

/** Returns the queue of a process that works on one KSeF submission and is killed at one of its writes. */
function killedAt(queue: Queue, id: string, { write, isWritten }: { write: number; isWritten: boolean }) {
  let writes = 0;
  let isDead = false;
  const killed = {
    ...queue,
    due: async (...asked: Parameters<Queue['due']>) =>
      isDead ? [] : (await queue.due(...asked)).filter((due) => due.id === id),
    async claim(due: DueSubmission) {
      const claimed = await queue.claim(due);
      return claimed === undefined ? undefined : watched(claimed);
    },
  };
  function watched(claim: SubmissionClaim): SubmissionClaim {
    return {
      ...claim,
      // A process that was killed cannot release its claim.
      release: async () => (isDead ? undefined : claim.release()),
      wait: async (...args) => (isDead ? undefined : claim.wait(...args)),
      keepAlive: () => ({ stop: () => {} }),
      async save(...args) {
        if (isDead) throw new Error('killed');
        isDead = ++writes === write;
        if (!isDead) return watched(await claim.save(...args));
        if (isWritten) await claim.save(...args);
        throw new Error('killed');
      },
    };
  }
  return { queue: killed, isKilled: () => isDead };
}

test('a write whose answer was lost, and that conflicts with itself when it is repeated, does not hold the submission', async () => {
  const queue = storeWith({ leaseMs: 600_000 });
  let isAnswerLost = false;
  const forgetful: Queue = {
    ...queue,
    async claim(due: DueSubmission) {
      const claimed = await queue.claim(due);
      if (claimed === undefined || isAnswerLost) return claimed;
      return {
        ...claimed,
        async save(...args) {
          await claimed.save(...args);
          isAnswerLost = true;
          throw new VersionConflict();
        },
      };
    },
  };
  const connection = await connect();
  const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
  startReplica({ queue: forgetful });
  expect((await ended(submission)).status).toBe('ACCEPTED');
  expect(isAnswerLost).toBe(true);
});

describe('a process that ends in the middle', () => {
  const shortLease = () => storeWith({ leaseMs: 500 });

  test('at any write of a submission leaves one registered invoice with its confirmation, and no session open', async () => {
    const queue = shortLease();
    const kills = Array.from({ length: WRITES_MAX }, (_, index) =>
      [true, false].map((isWritten) => ({ write: index + 1, isWritten })),
    ).flat();
    const runs: {
      kill: (typeof kills)[number];
      connection: Connection;
      submission: Submission;
      hash: string;
      process: ReturnType<typeof killedAt>;
    }[] = [];
    for (const kill of kills) {
      const connection = await connect();
      const { invoiceId, hash } = invoiceFor(connection);
      const { submission } = await submit(connection, invoiceId);
      const process = killedAt(queue, submission.id, kill);
      startReplica({ queue: process.queue });
      runs.push({ kill, connection, submission, hash, process });
    }
    const isOver = async ({ process, submission, connection }: (typeof runs)[number]): Promise<boolean> =>
      process.isKilled() || (await queue.find(organizationId, connection.id, submission.id))?.dueAt === undefined;
    for (const run of runs) await eventually(async () => expect(await isOver(run)).toBe(true));
    for (const { stop } of replicas.splice(0)) await stop();
    // The process must be killed at each write of a KSeF submission, including the last one, but not after it.
    expect(runs.find(({ kill }) => kill.write === 8)?.process.isKilled()).toBe(true);
    expect(runs.at(-1)?.process.isKilled()).toBe(false);

    startReplica({ queue });
    for (const { kill, connection, submission, hash } of runs) {
      const end = await ended(submission);
      expect([kill, end.status, end.errorCode]).toEqual([kill, 'ACCEPTED', undefined]);
      expect(end.upoReferenceNumber).toEqual(expect.any(String));
      const { registered, sessions } = await countersOf(connection.contextNip);
      expect([kill, registered.map(({ invoiceHash }) => invoiceHash)]).toEqual([kill, [hash]]);
      // A KSeF session whose reference was never stored is empty and ends without being closed.
      const isUnknown = kill.write === 2 && !kill.isWritten;
      expect([kill, sessions.open]).toEqual([kill, isUnknown ? 1 : 0]);
    }
  }, 120_000);

  test('of its lease while the document is sent changes nothing more, and the next one finds what was sent', async () => {
    const queue = shortLease();
    const connection = await connect();
    const { invoiceId, hash } = invoiceFor(connection);
    const { submission } = await submit(connection, invoiceId);
    const held = { operation: 'S2', kind: 'HOLD', processed: true, context: connection.contextNip };
    const { id: faultId } = await control<{ id: string }>('POST', 'faults', held);
    // The first process does not renew its lease and is never killed, so that its lease expires while the process
    // works.
    const slow = killedAt(queue, submission.id, { write: Infinity, isWritten: false });
    const patient = clientWith({ requestMs: 60_000 });
    startReplica({ queue: slow.queue, ksef: patient });
    await eventually(async () => expect((await countersOf(connection.contextNip)).sends[hash]).toBe(1));
    const takeover = startReplica({ queue });
    expect((await ended(submission)).status).toBe('ACCEPTED');
    const before = await queue.find(organizationId, connection.id, submission.id);
    await control('DELETE', `faults/${faultId}`);
    await takeover.stop();
    await eventually(async () =>
      expect((await loggedOf(connection.contextNip, 'S2')).map(({ status }) => status)).toEqual([202]),
    );
    for (const { stop } of replicas.splice(0)) await stop();
    expect(await queue.find(organizationId, connection.id, submission.id)).toEqual(before);
    const { registered, sends, sessions } = await countersOf(connection.contextNip);
    expect(registered.map(({ invoiceHash }) => invoiceHash)).toEqual([hash]);
    expect([sends, sessions.open]).toEqual([{ [hash]: 1 }, 0]);
    await patient.close();
  }, 60_000);
});

test('fifty invoices of one connection in two replicas are each registered once', async () => {
  startReplica();
  startReplica();
  const connection = await connect();
  const wanted = Array.from({ length: 50 }, () => invoiceFor(connection));
  const queued = await Promise.all(wanted.map(({ invoiceId }) => submit(connection, invoiceId)));
  for (const { submission } of queued) expect((await ended(submission)).status).toBe('ACCEPTED');
  const { registered, sessions, sends } = await countersOf(connection.contextNip);
  expect(registered.map(({ invoiceHash }) => invoiceHash).toSorted()).toEqual(
    wanted.map(({ hash }) => hash).toSorted(),
  );
  expect(Object.values(sends)).toEqual(wanted.map(() => 1));
  expect(sessions.open).toBe(0);
});

describe('403 means what its reason says, at whatever step it is given', () => {
  const LOGIN = ['A3', 'A4', 'A5'] as const;
  const STEPS = [...LOGIN, 'S1', 'S2', 'S3', 'S4', 'S5', 'S6', 'S7'] as const;
  type StepName = (typeof STEPS)[number];
  /**
   * Steps of a submission before its document is sent. After a refused login, the KSeF submission waits for another
   * token or certificate.
   */
  const UNSENT: readonly StepName[] = ['S1', 'S2'];
  const isLogin = (step: StepName): boolean => LOGIN.some((one) => one === step);

  interface Expected {
    readonly isConnectionFailed: boolean;
    readonly isFailed: (step: StepName) => boolean;
  }
  /** Expected result when every call of the KSeF connection would be refused. Sent documents are still tracked. */
  const connectionRefused: Expected = { isConnectionFailed: true, isFailed: (step) => UNSENT.includes(step) };
  const triedAgain: Expected = { isConnectionFailed: false, isFailed: () => false };
  const reasons: Readonly<Record<string, Expected>> = {
    'missing-permissions': connectionRefused,
    'ip-not-allowed': connectionRefused,
    'auth-method-not-allowed': connectionRefused,
    'context-type-not-allowed': connectionRefused,
    // Here, the refusal concerns only the session or invoice that the call names. A login starts again, and a KSeF
    // session counts as closed.
    'insufficient-resource-access': {
      isConnectionFailed: false,
      isFailed: (step) => ['S1', 'S2', 'S3', 'S4'].includes(step),
    },
    'security-service-blocked': triedAgain,
    'a-reason-that-nobody-knows': triedAgain,
  };
  const rows = Object.keys(reasons).flatMap((reason) => STEPS.map((step) => [reason, step] as const));
  /** Factor that shortens pauses of half an hour to 2 s. */
  const waitFactor = 0.001;
  let client: KsefClient;
  beforeAll(() => {
    client = clientWith({ requestMs: 2_000, waitFactor });
  });
  afterAll(async () => client.close());

  test.each(rows)('%s at %s', async (reasonCode, step) => {
    startReplica({ ksef: client, waitFactor });
    const connection = await connect();
    const { contextNip: context } = connection;
    // The list of invoices is read only if the response to sending the invoice was lost.
    if (step === 'S4') await control('POST', 'faults', { operation: 'S2', kind: 'LOSE_ANSWER', context });
    // The first login only reads the limits that KSeF states.
    const times = isLogin(step) ? 2 : 1;
    const refusal = { operation: step, kind: 'PROBLEM', status: 403, reasonCode, context, times };
    const { id } = await control<{ id: string }>('POST', 'faults', refusal);
    const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
    // A KSeF session whose closing failed ends later, and its confirmation exists only then.
    const isLeftOpen = step === 'S5' && reasonCode === 'insufficient-resource-access';
    const end = isLeftOpen ? await closedSubmission(submission) : await ended(submission);
    const { items } = await control<{ items: readonly { id: string; hits: number }[] }>('GET', 'faults');
    expect(items.find((one) => one.id === id)?.hits).toBeGreaterThan(0);
    const { isConnectionFailed, isFailed } = stated(reasons[reasonCode]);
    // The KSeF connection changes after the submission, which was stored first.
    if (isConnectionFailed) await eventually(() => expect(failedConnections).toContain(connection.id));
    else expect(failedConnections).not.toContain(connection.id);
    const isExpectedToFail = isFailed(step);
    expect([end.status, end.errorCode]).toEqual(
      isExpectedToFail ? ['FAILED', 'KSEF_HTTP_403'] : ['ACCEPTED', undefined],
    );
    if (!isExpectedToFail && !isLeftOpen) expect(end.upoReferenceNumber).toEqual(expect.any(String));
  });
});

describe('what KSeF refuses', () => {
  test.each([410, 415, 430, 450])('%i is REJECTED, and the session is closed', async (code) => {
    startReplica();
    const connection = await connect();
    await control('POST', 'faults', { operation: 'S2', kind: 'INVOICE_STATUS', context: connection.contextNip, code });
    const end = await ended((await submit(connection, invoiceFor(connection).invoiceId)).submission);
    expect(end).toMatchObject({ status: 'REJECTED', errorCode: `KSEF_${code}` });
    await noOpenSession(connection.contextNip);
  });
  test('a refused invoice is taken up again by one of several requests', async () => {
    startReplica();
    const connection = await connect();
    await control('POST', 'faults', {
      operation: 'S2',
      kind: 'INVOICE_STATUS',
      context: connection.contextNip,
      code: 450,
    });
    const { invoiceId } = invoiceFor(connection);
    await ended((await submit(connection, invoiceId)).submission);
    const answers = await Promise.all(Array.from({ length: 5 }, () => submit(connection, invoiceId)));
    expect(answers.filter(({ isQueued }) => isQueued)).toHaveLength(1);
    expect((await ended(stated(answers[0]).submission)).status).toBe('ACCEPTED');
  });
});

test('five requests at once queue an invoice once', async () => {
  const connection = await connect();
  const { invoiceId } = invoiceFor(connection);
  const answers = await Promise.all(Array.from({ length: 5 }, () => submit(connection, invoiceId)));
  expect(answers.filter(({ isQueued }) => isQueued)).toHaveLength(1);
  expect(new Set(answers.map(({ submission }) => submission.id)).size).toBe(1);
  const [first] = answers;
  const { id } = stated(first).submission;
  const canceled = await cancelSubmission(deps())(organizationId, connection.id, id, context);
  expect(canceled.errorCode).toBe('CANCELED');
});

test('an invoice that is asked for and taken back leaves a line of the audit trail for each, also when it is repeated', async () => {
  const connection = await connect();
  const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
  for (let times = 0; times < 2; times += 1) {
    await cancelSubmission(deps())(organizationId, connection.id, submission.id, context);
  }
  const { outbox = [] } = stated(
    (await mongo.db.collection<SubmissionDocument>('submissions').findOne({ _id: submission.id })) ?? undefined,
  );
  const actions = outbox.flatMap(({ payload }) => /"action":"([^"]+)"/.exec(payload)?.[1] ?? []);
  expect(actions).toEqual(['ksef_submission.created', 'ksef_submission.canceled']);
});

test('a document of another seller is submitted with a warning, as it was queued last', async () => {
  const connection = await connect();
  const { invoiceId } = invoiceFor(connection);
  const { submission } = await submit(connection, invoiceId);
  expect(submission.warnings).toEqual(['OTHER_SELLER']);
  const found = async () => stated(await store.find(organizationId, connection.id, submission.id)).warnings;
  expect(await found()).toEqual(['OTHER_SELLER']);
  await cancelSubmission(deps())(organizationId, connection.id, submission.id, context);
  expect(await found()).toEqual(['OTHER_SELLER']);
  connections.set(connection.id, { ...connection, contextNip: SELLER });
  expect((await submit(connection, invoiceId)).submission.warnings).toEqual([]);
  expect(await found()).toEqual([]);
});

test('a decision that is not PASS any more stops the invoice before it is sent', async () => {
  const connection = await connect();
  const { invoiceId, hash } = invoiceFor(connection);
  const { submission } = await submit(connection, invoiceId);
  invoices.set(invoiceId, { ...stated(invoices.get(invoiceId)), isPass: false });
  startReplica();
  expect(await ended(submission)).toMatchObject({ status: 'FAILED', errorCode: 'DECISION_CHANGED' });
  expect((await countersOf(connection.contextNip)).sends[hash]).toBeUndefined();
});

test('a connection that ends before the invoice is sent fails it, and nothing is sent', async () => {
  const connection = await connect();
  const { invoiceId, hash } = invoiceFor(connection);
  const { submission } = await submit(connection, invoiceId);
  connections.set(connection.id, { ...connection, status: 'DISABLED' });
  startReplica();
  expect(await ended(submission)).toMatchObject({ status: 'FAILED', errorCode: 'CONNECTION_DISABLED' });
  expect((await countersOf(connection.contextNip)).sends[hash]).toBeUndefined();
});

describe('a duplicate', () => {
  const UNREADABLE = { kind: 'BODY', body: '{"invoices":7}', contentType: 'application/json', times: 0 };
  interface Foreign {
    readonly invoiceHash?: string;
    readonly sessionReferenceNumber?: string;
    readonly context?: string;
  }
  /**
   * Registers the number with other software, with the same file or with another one.
   * @returns the KSeF number
   */
  async function registeredElsewhere(connection: Connection, invoiceId: string, more: Foreign = {}): Promise<string> {
    const { documentId } = stated(invoices.get(invoiceId));
    const { number, sellerNip } = stated(facts.get(stated(documentId)));
    const foreign = { context: connection.contextNip, sellerNip, number, ...more };
    return (await control<{ ksefNumber: string }>('POST', 'invoices', foreign)).ksefNumber;
  }
  const faultAt = (operation: string, { contextNip: context }: Connection, more: object): Promise<unknown> =>
    control('POST', 'faults', { operation, context, ...more });
  async function expectRejected({ contextNip }: Connection, end: Submission, ksefNumber: string): Promise<void> {
    expect([end.status, end.errorCode, end.ksefNumber]).toEqual(['REJECTED', 'KSEF_440', undefined]);
    expect(end.errorMessage).toContain(ksefNumber);
    await noOpenSession(contextNip);
  }

  test('whose file is another one is REJECTED, and says what to do', async () => {
    startReplica();
    const connection = await connect();
    const { invoiceId } = invoiceFor(connection);
    const ksefNumber = await registeredElsewhere(connection, invoiceId);
    const end = await ended((await submit(connection, invoiceId)).submission);
    await expectRejected(connection, end, ksefNumber);
    expect(end.errorMessage).toMatch(/different file.* new number/);
  });
  test('whose file is another one is REJECTED, too, where KSeF names our own session', async () => {
    startReplica();
    const connection = await connect();
    const { invoiceId, hash } = invoiceFor(connection);
    const held = { operation: 'S2', kind: 'HOLD', context: connection.contextNip };
    const { id: faultId } = await control<{ id: string }>('POST', 'faults', held);
    const { submission } = await submit(connection, invoiceId);
    await eventually(async () => expect((await countersOf(connection.contextNip)).sends[hash]).toBe(1));
    const { sessions } = stated(await store.find(organizationId, connection.id, submission.id));
    const sessionReferenceNumber = stated(sessions[0]).referenceNumber;
    const ksefNumber = await registeredElsewhere(connection, invoiceId, { sessionReferenceNumber });
    await control('DELETE', `faults/${faultId}`);
    await expectRejected(connection, await ended(submission), ksefNumber);
  });
  test('that cannot be read during an outage waits for its end, and is decided then', async () => {
    startReplica({ waitFactor: 0.001 });
    const connection = await connect();
    const [same, other] = [invoiceFor(connection), invoiceFor(connection)];
    await registeredElsewhere(connection, same.invoiceId, { invoiceHash: same.hash });
    const ksefNumber = await registeredElsewhere(connection, other.invoiceId);
    const outage = { kind: 'STATUS', status: 503, times: 60 };
    for (const operation of ['S4', 'S10']) await faultAt(operation, connection, outage);
    const queued = [await submit(connection, same.invoiceId), await submit(connection, other.invoiceId)];
    const [one, two] = [await ended(stated(queued[0]).submission, 60_000), await ended(stated(queued[1]).submission)];
    expect([one.status, one.errorCode]).toEqual(['ACCEPTED', undefined]);
    await expectRejected(connection, two, ksefNumber);
    expect(two.errorMessage).toContain('different file');
    const asked = await loggedOf(connection.contextNip, 'S10');
    expect(asked.filter(({ status }) => status === 503)).toHaveLength(60);
  }, 90_000);
  test('of our own session is ACCEPTED with its confirmation after an outage', async () => {
    startReplica();
    const connection = await connect();
    const { invoiceId, hash } = invoiceFor(connection);
    await faultAt('S2', connection, { kind: 'HIDE', polls: 5 });
    // The three status calls before the document is sent again succeed.
    await faultAt('S4', connection, { kind: 'STATUS', status: 503, skip: 3, times: 3 });
    const end = await ended((await submit(connection, invoiceId)).submission);
    expect(end).toMatchObject({ status: 'ACCEPTED', upoReferenceNumber: expect.any(String) });
    expect((await countersOf(connection.contextNip)).sends[hash]).toBe(2);
  });
  test('waits for another token where KSeF refuses this one while it is read', async () => {
    startReplica();
    const connection = await connect();
    const { invoiceId, hash } = invoiceFor(connection);
    await registeredElsewhere(connection, invoiceId, { invoiceHash: hash });
    await faultAt('S4', connection, { kind: 'PROBLEM', status: 403, reasonCode: 'missing-permissions' });
    const end = await ended((await submit(connection, invoiceId)).submission);
    expect([end.status, failedConnections.includes(connection.id)]).toEqual(['ACCEPTED', true]);
  });
  test('of another NIP, which this token cannot read, is REJECTED without its number as ours', async () => {
    startReplica();
    const [connection, stranger] = [await connect(), await connect()];
    const { invoiceId, hash } = invoiceFor(connection);
    const foreign = { context: stranger.contextNip, invoiceHash: hash };
    const ksefNumber = await registeredElsewhere(connection, invoiceId, foreign);
    const end = await ended((await submit(connection, invoiceId)).submission);
    await expectRejected(connection, end, ksefNumber);
    expect(end.errorMessage).toContain('not known whether the registered document is the same file');
    expect(failedConnections).not.toContain(connection.id);
  });
  test('that needs the permission to view invoices is REJECTED without it, and the connection is as before', async () => {
    startReplica();
    const connection = await connect('CONNECTED', SELLER);
    const stranger = await connect();
    const token = exampleToken.replace('5265877635', SELLER);
    const { invoiceId, hash } = invoiceFor(connection);
    const foreign = { context: stranger.contextNip, invoiceHash: hash };
    const ksefNumber = await registeredElsewhere(connection, invoiceId, foreign);
    await control('PUT', `contexts/${SELLER}`, { tokens: [{ token, permissions: ['InvoiceWrite'] }] });
    const end = await ended((await submit(connection, invoiceId)).submission);
    await expectRejected(connection, end, ksefNumber);
    expect(end.errorMessage).toContain('not known whether the registered document is the same file');
    expect(failedConnections).not.toContain(connection.id);
    await control('PUT', `contexts/${SELLER}`, { tokens: [{ token }] });
    const again = await ended((await submit(connection, invoiceId)).submission);
    expect([again.status, again.ksefNumber]).toEqual(['ACCEPTED', ksefNumber]);
  });
  test.each<[string, object, object]>([
    ['whose lists nobody can read', UNREADABLE, UNREADABLE],
    [
      'whose session is refused without a known reason, while the token lacks InvoiceRead',
      { kind: 'PROBLEM', status: 400, code: 29_999, times: 0 },
      { kind: 'PROBLEM', status: 403, reasonCode: 'missing-permissions', times: 0 },
    ],
  ])(
    '%s is REJECTED in the end, instead of waiting without one',
    async (_name, listed, found) => {
      startReplica({ waitFactor: 0.001 });
      const connection = await connect();
      const { invoiceId, hash } = invoiceFor(connection);
      const ksefNumber = await registeredElsewhere(connection, invoiceId, { invoiceHash: hash });
      await faultAt('S4', connection, listed);
      await faultAt('S10', connection, found);
      const end = await ended((await submit(connection, invoiceId)).submission, 60_000);
      await expectRejected(connection, end, ksefNumber);
      expect(end.errorMessage).toContain('not known whether the registered document is the same file');
    },
    90_000,
  );
  test('whose list cannot be read is found under its number', async () => {
    startReplica();
    // KSeF shows an invoice under its number only to its seller.
    const connection = await connect('CONNECTED', SELLER);
    const { invoiceId, hash } = invoiceFor(connection);
    await registeredElsewhere(connection, invoiceId, { invoiceHash: hash });
    await faultAt('S4', connection, UNREADABLE);
    const end = await ended((await submit(connection, invoiceId)).submission);
    expect([end.status, end.errorCode]).toEqual(['ACCEPTED', undefined]);
  });
});

describe('one file that was uploaded as two invoices, submitted at once through two connections of one NIP', () => {
  test.each<[string, object | undefined]>([
    ['without a fault', undefined],
    ['while answers to sending are lost', { kind: 'LOSE_ANSWER', times: 2 }],
    ['while a list hides what arrived', { kind: 'HIDE', polls: 5 }],
    ['while KSeF cancels the first', { kind: 'INVOICE_STATUS', code: 550 }],
  ])('is registered once, and both have its number, %s', async (_name, fault) => {
    startReplica();
    startReplica();
    const one = await connect();
    const { contextNip } = one;
    const other = await connect('CONNECTED', contextNip);
    if (fault !== undefined) await control('POST', 'faults', { operation: 'S2', context: contextNip, ...fault });
    const { invoiceId, hash } = invoiceFor(one);
    const again = randomUUID();
    invoices.set(again, { ...stated(invoices.get(invoiceId)), companyId: other.companyId });
    const queued = await Promise.all([submit(one, invoiceId), submit(other, again)]);
    const ends = [];
    for (const { submission } of queued) ends.push(await ended(submission));
    const { registered } = await countersOf(contextNip);
    expect(registered.map(({ invoiceHash }) => invoiceHash)).toEqual([hash]);
    const { ksefNumber } = stated(ends[0]);
    expect(registered).toMatchObject([{ ksefNumber }]);
    expect(ends).toMatchObject([
      { status: 'ACCEPTED', ksefNumber },
      { status: 'ACCEPTED', ksefNumber },
    ]);
    await noOpenSession(contextNip);
  });
});

describe('an answer about the status of an invoice decides nothing', () => {
  const registered = { code: 200, description: 'Sukces' };
  test.each<[string, object]>([
    ['that is about another document', { invoiceHash: sha256(Buffer.from('another')), status: registered }],
    ['that refuses another document', { invoiceHash: sha256(Buffer.from('another')), status: { code: 450 } }],
    ['whose number KSeF could not have given', { ksefNumber: '<b>1</b>', status: registered }],
    ['whose number has that fault with another success', { ksefNumber: '<b>1</b>', status: { code: 201 } }],
  ])('%s', async (_name, patch) => {
    startReplica();
    const connection = await connect();
    const fault = { operation: 'S3', kind: 'PATCH', context: connection.contextNip, times: 3, patch };
    const { id } = await control<{ id: string }>('POST', 'faults', fault);
    const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
    const end = await ended(submission);
    const { items } = await control<{ items: readonly { id: string; hits: number }[] }>('GET', 'faults');
    expect(items.find((one) => one.id === id)?.hits).toBe(3);
    expect([end.status, end.errorCode]).toEqual(['ACCEPTED', undefined]);
    const { registered: documents } = await countersOf(connection.contextNip);
    expect(documents).toMatchObject([{ ksefNumber: end.ksefNumber }]);
  });
});

describe('a token that KSeF refuses after the invoice was sent', () => {
  test('turns the connection to ERROR, and the invoice is followed with the next one', async () => {
    startReplica();
    const connection = await connect();
    const { contextNip } = connection;
    const held = { operation: 'S2', kind: 'INVOICE_STATUS', code: 150, context: contextNip };
    const { id: faultId } = await control<{ id: string }>('POST', 'faults', held);
    const { invoiceId, hash } = invoiceFor(connection);
    const { submission } = await submit(connection, invoiceId);
    await eventually(async () =>
      expect((await store.find(organizationId, connection.id, submission.id))?.status).toBe('PROCESSING'),
    );
    const token = exampleToken.replace('5265877635', contextNip);
    await control('PUT', `contexts/${contextNip}`, { tokens: [{ token, state: 'REVOKED' }], grants: ['*'] });
    await control('POST', 'faults', { operation: 'S3', kind: 'UNAUTHORIZED', context: contextNip });
    await eventually(() => Promise.resolve(expect(failedConnections).toContain(connection.id)));
    await control('DELETE', `faults/${faultId}`);
    const next = `${token.slice(0, -4)}abcd`;
    await control('PUT', `contexts/${contextNip}`, { tokens: [{ token: next }], grants: ['*'] });
    connections.set(connection.id, { ...connection, secret: tokens.seal(connection, next) });
    await store.wake(organizationId, connection.id);
    const end = await ended(submission);
    expect([end.status, end.errorCode]).toEqual(['ACCEPTED', undefined]);
    const { registered, sends } = await countersOf(contextNip);
    expect(registered.map(({ invoiceHash }) => invoiceHash)).toEqual([hash]);
    expect(sends).toEqual({ [hash]: 1 });
    await noOpenSession(contextNip);
  });
});

describe('while its organization is deleted, an invoice', () => {
  afterEach(() => deletedOrganizations.clear());
  test('that waits is not sent, and goes on when the organization is restored', async () => {
    const connection = await connect();
    const { invoiceId, hash } = invoiceFor(connection);
    const { submission } = await submit(connection, invoiceId);
    deletedOrganizations.add(organizationId);
    const looks: string[] = [];
    const organizations = {
      exists(id: string) {
        looks.push(id);
        return outside.organizations.exists(id);
      },
    };
    startReplica({ waitFactor: 0.0001, organizations });
    await eventually(() => Promise.resolve(expect(looks.length).toBeGreaterThan(3)));
    expect((await store.find(organizationId, connection.id, submission.id))?.status).toBe('QUEUED');
    expect(await loggedOf(connection.contextNip, 'S1')).toEqual([]);
    deletedOrganizations.clear();
    expect((await ended(submission)).status).toBe('ACCEPTED');
    expect((await countersOf(connection.contextNip)).sends).toEqual({ [hash]: 1 });
  });
  test('that was sent is followed to its end', async () => {
    startReplica();
    const connection = await connect();
    const held = { operation: 'S2', kind: 'INVOICE_STATUS', code: 150, context: connection.contextNip };
    const { id: faultId } = await control<{ id: string }>('POST', 'faults', held);
    const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
    await eventually(async () =>
      expect((await store.find(organizationId, connection.id, submission.id))?.status).toBe('PROCESSING'),
    );
    deletedOrganizations.add(organizationId);
    await control('DELETE', `faults/${faultId}`);
    expect(await ended(submission)).toMatchObject({ status: 'ACCEPTED', upoReferenceNumber: expect.any(String) });
    await noOpenSession(connection.contextNip);
  });
});

describe('a submission that waits for its connection', () => {
  const raw = (id: string) => mongo.db.collection<SubmissionDocument>('submissions').findOne({ _id: id });
  test('does not change, and goes on as soon as it is woken', async () => {
    const connection = await connect();
    const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
    connections.set(connection.id, { ...connection, version: 2, status: 'PENDING' });
    // The other replica has a wait factor of 1, so it waits for longer than the test takes.
    startReplica({ waitFactor: 1 });
    await eventually(async () => expect((await raw(submission.id))?.waitsForConnection).toBe(true));
    expect(await raw(submission.id)).toMatchObject({ version: submission.version, updatedAt: submission.updatedAt });
    expect(stated((await raw(submission.id))?.dueAt).getTime()).toBeGreaterThan(Date.now() + 200_000);
    connections.set(connection.id, { ...connection, version: 3 });
    await store.wake(organizationId, connection.id);
    await eventually(async () =>
      expect((await store.find(organizationId, connection.id, submission.id))?.status).not.toBe('QUEUED'),
    );
  });
  test('is woken, too, by a change between the look at the connection and the wait', async () => {
    const connection = await connect();
    const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
    let finds = 0;
    const changing = {
      // The KSeF connection becomes CONNECTED between the first check and the second.
      find: () =>
        Promise.resolve<Connection>(
          ++finds === 1 ? { ...connection, status: 'PENDING' } : { ...connection, version: 2 },
        ),
    };
    startReplica({ waitFactor: 1, connections: changing });
    await eventually(async () =>
      expect((await store.find(organizationId, connection.id, submission.id))?.status).not.toBe('QUEUED'),
    );
  });
  test('of another connection is not woken', async () => {
    const [one, other] = [await connect(), await connect()];
    const { submission } = await submit(one, invoiceFor(one).invoiceId);
    connections.set(one.id, { ...one, status: 'PENDING' });
    startReplica({ waitFactor: 1 });
    await eventually(async () => expect((await raw(submission.id))?.waitsForConnection).toBe(true));
    await store.wake(organizationId, other.id);
    await store.wake(randomUUID(), one.id);
    expect((await raw(submission.id))?.waitsForConnection).toBe(true);
  });
});

describe('a call that our own limits put off', () => {
  const raw = async (id: string) =>
    stated((await mongo.db.collection<SubmissionDocument>('submissions').findOne({ _id: id })) ?? undefined);
  const putOff = (id: string) =>
    eventually(async () => {
      const found = await raw(id);
      expect(found.dueAt?.getTime()).toBeGreaterThan(Date.now() + 500_000);
      return found;
    });
  const stepsOf = ({ attempts }: Pick<SubmissionDocument, 'attempts'>) =>
    attempts.flatMap(({ steps }) => steps.map(({ name, code }) => [name, code]));
  /** Submits two invoices. KSeF asks the first to wait, and the second learns of it before it calls. */
  async function two(operation: string) {
    const connection = await connect();
    const throttled = { operation, kind: 'THROTTLE', retryAfter: 600, context: connection.contextNip };
    await control('POST', 'faults', throttled);
    startReplica();
    const [one, other] = [invoiceFor(connection), invoiceFor(connection)];
    const first = (await submit(connection, one.invoiceId)).submission;
    const refusedOne = await putOff(first.id);
    const second = (await submit(connection, other.invoiceId)).submission;
    return { connection, one, first, refusedOne, second, waiting: await putOff(second.id) };
  }

  test('before a session was opened leaves the submission QUEUED as it was, so that it can be taken back', async () => {
    const { connection, refusedOne, second, waiting } = await two('S1');
    expect([refusedOne.status, stepsOf(refusedOne)]).toEqual(['SENDING', [['open', 429]]]);
    expect(waiting).toMatchObject({ status: 'QUEUED', version: second.version, updatedAt: second.updatedAt });
    expect([waiting.attempts, waiting.progress.failures]).toEqual([[], 0]);
    const canceled = await cancelSubmission(deps())(organizationId, connection.id, second.id, context);
    expect([canceled.status, canceled.errorCode]).toEqual(['FAILED', 'CANCELED']);
    expect(await loggedOf(connection.contextNip, 'S1')).toHaveLength(1);
  });

  test('before the document left does not count as sent: it ends with its connection at once', async () => {
    const { connection, one, first, refusedOne, second, waiting } = await two('S2');
    expect(stepsOf(refusedOne)).toEqual([
      ['open', 201],
      ['send', 429],
    ]);
    expect(stepsOf(waiting)).toEqual([['open', 201]]);
    for (const { wasSent, progress } of [refusedOne, waiting]) {
      expect([wasSent, progress.sessions.map(({ sends, sentAt }) => [sends, sentAt])]).toEqual([
        undefined,
        [[0, undefined]],
      ]);
    }
    connections.set(connection.id, { ...connection, status: 'DISABLED' });
    await store.wakeUnsent(organizationId, connection.id);
    for (const submission of [first, second]) {
      expect(await ended(submission)).toMatchObject({ status: 'FAILED', errorCode: 'CONNECTION_DISABLED' });
    }
    expect(await loggedOf(connection.contextNip, 'S4')).toEqual([]);
    const { sends, registered } = await countersOf(connection.contextNip);
    expect([sends, registered]).toEqual([{ [one.hash]: 1 }, []]);
    await noOpenSession(connection.contextNip);
  });
});

test('an invoice whose document is gone is FAILED, and nothing is sent', async () => {
  startReplica();
  const connection = await connect();
  const { invoiceId, hash } = invoiceFor(connection);
  files.delete(stated(stated(invoices.get(invoiceId)).documentId));
  expect(await ended((await submit(connection, invoiceId)).submission)).toMatchObject({
    status: 'FAILED',
    errorCode: 'DOCUMENT_CHANGED',
  });
  expect((await countersOf(connection.contextNip)).sends[hash]).toBeUndefined();
  await noOpenSession(connection.contextNip);
});

test('another look at KSeF does not move the time of the last change', async () => {
  startReplica();
  const connection = await connect();
  const held = { operation: 'S2', kind: 'INVOICE_STATUS', code: 150, context: connection.contextNip };
  await control('POST', 'faults', held);
  const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
  const read = async () => stated(await store.find(organizationId, connection.id, submission.id));
  const before = await eventually(async () => {
    const found = await read();
    expect(found.status).toBe('PROCESSING');
    return found;
  });
  await eventually(async () => expect((await read()).polls).toBeGreaterThan(before.polls + 2));
  expect((await read()).updatedAt).toEqual(before.updatedAt);
});

describe('nothing is stored', () => {
  const refusals: readonly (readonly [string, Partial<DocumentFacts>])[] = [
    ['a byte order mark', { faults: ['BYTE_ORDER_MARK'] }],
    ['another encoding', { faults: ['OTHER_ENCODING'] }],
    ['a processing instruction', { faults: ['PROCESSING_INSTRUCTION'] }],
    ['a forbidden character', { faults: ['FORBIDDEN_CHARACTER'] }],
    ['an attachment', { faults: ['ATTACHMENT'] }],
    ['another format', { faults: ['NOT_FA3'] }],
    ['1,000,001 bytes', { byteSize: 1_000_001 }],
    ['a date in the future', { issueDate: '2050-01-01' }],
  ];
  test.each(refusals)('for a document with %s', async (_name, part) => {
    const connection = await connect();
    const { invoiceId } = invoiceFor(connection, part);
    await expect(submit(connection, invoiceId)).rejects.toMatchObject({ kind: 'wrong_state' });
    expect(await mongo.db.collection('submissions').countDocuments({ connectionId: connection.id })).toBe(0);
  });
  test.each(['PENDING', 'ERROR', 'DISABLED'] as const)('with a connection that is %s', async (status) => {
    const connection = await connect(status);
    await expect(submit(connection, invoiceFor(connection).invoiceId)).rejects.toMatchObject({ kind: 'wrong_state' });
  });
  test('for an invoice of another company', async () => {
    const { invoiceId } = invoiceFor(await connect());
    await expect(submit(await connect(), invoiceId)).rejects.toMatchObject({ kind: 'wrong_state' });
  });
});

test.each([
  ['ACCEPTED', 'ksefNumber'],
  ['REJECTED', 'errorCode'],
] as const)('a stored submission that is %s without its %s is not read', async (status, missing) => {
  const connection = await connect();
  const { submission } = await submit(connection, invoiceFor(connection).invoiceId);
  const { id } = submission;
  const incomplete = { $set: { status, 'progress.completedAt': new Date() }, $unset: { dueAt: '' } } as const;
  await mongo.db.collection<SubmissionDocument>('submissions').updateOne({ _id: id }, incomplete);
  await expect(store.find(organizationId, connection.id, id)).rejects.toThrow(
    `The KSeF submission ${id} has the status ${status} but no ${missing}.`,
  );
});
