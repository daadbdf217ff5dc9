import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '@invoicecontrol/runtime/clock';
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
import { fa3Document, SELLER } from '@invoicecontrol/simulators/ksef/fa3-document';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { CallLimits } from '../application/call-limits.js';
import { createSubmission } from '../application/submissions/create-submission.js';
import { submissionWorker } from '../application/submissions/submission-worker.js';
import { ksefClient } from '../clients/ksef.js';
import type { Connection } from '../domain/connection.js';
import { sha256 } from '../domain/encryption.js';
import { callScopeStore, createCallScopeIndexes } from '../storage/call-scopes.js';
import type { CallScopeDocument } from '../storage/call-scopes.js';
import { confirmationStore, createSubmissionIndexes, submissionStore } from '../storage/submissions.js';
import type { ConfirmationDocument, SubmissionDocument } from '../storage/submissions.js';
import { exampleToken } from '../testing/running-ksef.js';
import { simulatorControl } from '../testing/simulator-control.js';

/**
 * In this test, an hour of KSeF takes 12 s and its limits are a tenth of the real ones, which allows 12 sessions an
 * hour for one taxpayer.
 */
const WINDOW_FACTOR = 12 / 3_600;
const LIMIT_FACTOR = 0.1;
const SESSIONS_AN_HOUR = 12;
const HOUR_MS = 12_000;
const REQUEST_MS = 20_000;

interface Logged {
  readonly operation: string | null;
  readonly at: string;
  readonly status: number | null;
}

const organizationId = randomUUID();
const context = systemContext('test');
const logger = createLogger({ service: 'test', level: 'silent' });
const box = secretbox(keyRing.parse(`k1:${randomBytes(32).toString('base64')}`));
const tokens = sealedField(box, 'connections', 'token');
const documents = new Map<string, Buffer>();
const documentOf = (id: string): Buffer => documents.get(id) ?? Buffer.alloc(0);
const companyId = randomUUID();
const id = randomUUID();
const connection: Connection = {
  id,
  organizationId,
  version: 1,
  companyId,
  environment: 'TEST',
  contextNip: SELLER,
  authentication: 'TOKEN',
  secret: tokens.seal({ id, organizationId }, exampleToken),
  status: 'CONNECTED',
  lastTestedAt: undefined,
  lastErrorMessage: undefined,
  createdAt: new Date(),
};
const outside = {
  organizations: { exists: () => Promise.resolve(true) },
  connections: { find: () => Promise.resolve(connection) },
  failConnection: () => Promise.reject(new Error('the token holds')),
  invoices: { find: (_: string, documentId: string) => Promise.resolve({ companyId, documentId, isPass: true }) },
  documents: {
    facts: (_: string, uploadId: string) =>
      Promise.resolve({
        hash: sha256(documentOf(uploadId)),
        byteSize: documentOf(uploadId).length,
        faults: [],
        sellerNip: SELLER,
        kind: 'VAT',
        number: `FV/${uploadId}`,
        issueDate: '2026-02-15',
      }),
    read: (_: string, uploadId: string) => Promise.resolve(documentOf(uploadId)),
    checkConfirmation: () => Promise.resolve({ seal: { fingerprint: '00', isHolderKnown: false } }),
  },
};

let simulator: KsefSimulator;
const control = simulatorControl(() => `${simulator.url}/test`);
let mongo: MongoConnection;
let store: ReturnType<typeof submissionStore>;
const replicas: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  simulator = await startKsefSimulator({ limitWindowFactor: WINDOW_FACTOR });
  const databaseName = testDatabaseName();
  mongo = await connectMongo({ url: testInfrastructure().mongodbUrl, databaseName, appName: 'test' });
  const submissions = mongo.db.collection<SubmissionDocument>('submissions');
  const confirmations = mongo.db.collection<ConfirmationDocument>('confirmations');
  const scopes = mongo.db.collection<CallScopeDocument>('call_scopes');
  await Promise.all([createSubmissionIndexes(submissions, confirmations), createCallScopeIndexes(scopes)]);
  const outbox = { nudge: () => {} } as unknown as Parameters<typeof submissionStore>[1]['outbox'];
  store = submissionStore(submissions, { outbox, clock: systemClock, leaseMs: 10_000, onDue: () => {} });
  await control('PUT', 'settings', { limitFactor: LIMIT_FACTOR });
  await control('PUT', `contexts/${SELLER}`, { tokens: [{ token: exampleToken }] });
  // Each replica counts its KSeF calls in its own process. The replicas share only the database.
  for (let replica = 1; replica <= 2; replica++) replicas.push(startReplica(scopes, confirmations));
});
afterAll(async () => {
  for (const { stop } of replicas) await stop();
  await simulator.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});

function startReplica(
  scopes: Parameters<typeof callScopeStore>[0],
  confirmations: Parameters<typeof confirmationStore>[0],
): { stop(): Promise<void> } {
  const limits = new CallLimits({
    store: callScopeStore(scopes),
    factor: LIMIT_FACTOR,
    requestMs: REQUEST_MS,
    clock: systemClock,
    logger,
    windowsMs: [HOUR_MS / 3_600, HOUR_MS / 60, HOUR_MS],
  });
  const url = `${simulator.url}/test/v2`;
  const urls = { TEST: url, DEMO: url, PRODUCTION: url };
  const ksef = ksefClient({ urls, requestMs: REQUEST_MS, waitFactor: 0.01, limits }, logger);
  const worker = submissionWorker({
    ...outside,
    queue: store,
    onDue: () => {},
    confirmations: confirmationStore(confirmations),
    ksef,
    secrets: tokens,
    sessionKeys: sealedField(box, 'submissions', 'sessionKey'),
    waitFactor: 0.01,
    requestMs: REQUEST_MS,
    clock: systemClock,
    logger,
  });
  const polling = repeat(
    20,
    () => worker.poll(),
    () => {},
  );
  return {
    async stop() {
      await polling.stop();
      await worker.stop();
      await ksef.close();
    },
  };
}

test('two replicas submit one invoice more than KSeF takes in an hour: it waits for the hour, and KSeF never answers 429', async () => {
  const invoiceIds = Array.from({ length: SESSIONS_AN_HOUR + 1 }, () => randomUUID());
  for (const invoiceId of invoiceIds) documents.set(invoiceId, Buffer.from(fa3Document({ number: `FV/${invoiceId}` })));
  const submit = createSubmission({ ...outside, submissions: store, clock: systemClock });
  await Promise.all(
    invoiceIds.map((invoiceId) => submit({ organizationId, connectionId: connection.id, invoiceId }, context)),
  );
  const ended = await eventually(
    async () => {
      const all = await mongo.db.collection<SubmissionDocument>('submissions').find({}).toArray();
      if (all.some(({ dueAt }) => dueAt !== undefined)) throw new Error('some have not ended');
      return all;
    },
    { timeoutMs: 60_000 },
  );
  expect(ended.map(({ status }) => status)).toEqual(invoiceIds.map(() => 'ACCEPTED'));
  // Calls that only waited for the limits are not among the steps, because each step has a response.
  const steps = ended.map(({ attempts }) =>
    attempts.map((attempt) => attempt.steps.map(({ name, code }) => [name, code])),
  );
  for (const [first, ...more] of steps) {
    expect([first?.[0], more]).toEqual([['open', 201], []]);
    expect(first?.map(([, code]) => code)).not.toContain(undefined);
  }

  const requests = (await control<{ items: readonly Logged[] }>('GET', 'requests')).items;
  expect(requests.filter(({ status }) => status === 429)).toEqual([]);
  const openings = requests.filter(({ operation }) => operation === 'S1').map(({ at }) => Date.parse(at));
  expect(openings.length).toBeGreaterThan(SESSIONS_AN_HOUR);
  const hours = openings.slice(SESSIONS_AN_HOUR).map((at, first) => at - (openings[first] ?? 0));
  expect(Math.min(...hours)).toBeGreaterThanOrEqual(HOUR_MS);
  const counters = await control<{
    sends: Readonly<Record<string, number>>;
    registered: readonly { readonly invoiceHash: string }[];
    sessions: { readonly open: number };
  }>('GET', 'counters');
  const hashes = invoiceIds.map((invoiceId) => sha256(documentOf(invoiceId))).toSorted();
  expect(counters.registered.map(({ invoiceHash }) => invoiceHash).toSorted()).toEqual(hashes);
  expect(Object.values(counters.sends)).toEqual(hashes.map(() => 1));
  expect(counters.sessions.open).toBe(0);
}, 90_000);
