// Deletes the databases of a running system, restores them from a backup, and lists every difference.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@invoicecontrol/client';
import type { Schemas } from '@invoicecontrol/client';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/operator_service';
import { events } from '@invoicecontrol/contracts/events';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import { startInfrastructure } from '@invoicecontrol/dev/infrastructure';
import type { Infrastructure } from '@invoicecontrol/dev/infrastructure';
import { startSystem } from '@invoicecontrol/dev/system';
import type { System } from '@invoicecontrol/dev/system';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { subscribe } from '@invoicecontrol/runtime/nats/subscribe';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { databaseNames, newSecrets } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { invoiceAt } from '../bench/invoices.js';
import { closingAfter, onEnd } from '../bench/run-program.js';
import { scanRows } from '../bench/scan-rows.js';
import { unfinishedWork } from '../e2e/crash/audit.js';
import { startKsef } from '../e2e/ksef-actions.js';
import { differences } from './backup.js';
import type { BackupMethod } from './backup.js';
import { connectFiler, submitBeforeBackup, submitRest } from './ksef-submissions.js';

const CONNECTIONS = 4;
const REPLAY_PAGE = 200;
/** Settings with which KSeF is polled for results sooner than in production. */
const KSEF_WAITS = { KSEF_WAIT_FACTOR: '0.05', KSEF_REQUEST_SECONDS: '5' };
const UNLIMITED_PER_MINUTE = '1000000';

export interface RehearsalOptions {
  /** Number of invoices that the first organization of the restore rehearsal posts. */
  readonly invoices: number;
  /** Number of rows that the second organization imports as a history scan in the restore rehearsal. */
  readonly rows: number;
  /** Method by which the databases are copied for the backup. */
  readonly method: BackupMethod;
  /** True when the rehearsal deletes the volume of the message broker as well as the databases. */
  readonly losesBroker: boolean;
  /** Function that receives a line about the current step of the restore rehearsal. */
  readonly say: (line: string) => void;
  /** Function that receives progress lines of the restore rehearsal. Each line replaces the previous one. */
  readonly progress: (line: string) => void;
}

export interface Rehearsal {
  readonly stages: readonly { readonly name: string; readonly ms: number }[];
  readonly comparisons: readonly Comparison[];
}

export interface Comparison {
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
}

/**
 * Starts separate servers, whatever the environment specifies, because the restore rehearsal destroys the data of its
 * servers.
 */
export function rehearseRestore(options: RehearsalOptions): Promise<Rehearsal> {
  return closingAfter(() => rehearse(options));
}

async function rehearse({ invoices, rows, method, losesBroker, say, progress }: RehearsalOptions): Promise<Rehearsal> {
  const stages: { name: string; ms: number }[] = [];
  const stage = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    say(name);
    const beganMs = performance.now();
    const result = await work();
    stages.push({ name, ms: performance.now() - beganMs });
    return result;
  };
  const comparisons: Comparison[] = [];
  const compare = (subject: string, expected: unknown, found: unknown): void => {
    comparisons.push({ subject, expected: String(expected), found: String(found) });
  };

  const directory = await mkdtemp(join(tmpdir(), 'invoice-control-rehearsal-'));
  onEnd(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  const lost = await stage('start a system', () => startServers(join(directory, 'lost'), undefined, say));
  onEnd(() => lost.stop());
  const { natsUrl } = lost;
  const ksef = await startKsef();
  onEnd(() => ksef.stop());
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const start = async (mongodbUrl: string): Promise<RunningOn> => {
    const unlimited = ['DEFAULT', 'ORGANIZATION', 'WRITES', 'SCANS'].map((limit) => `RATE_LIMIT_${limit}_PER_MINUTE`);
    const env = {
      LOG_LEVEL: 'silent',
      ...ksef.env,
      ...KSEF_WAITS,
      ...Object.fromEntries(unlimited.map((name) => [name, UNLIMITED_PER_MINUTE])),
    };
    return { mongodbUrl, system: await startSystem({ mongodbUrl, natsUrl, secrets, identities, env }) };
  };
  const before = await start(lost.mongodbUrl);
  let isRunning = true;
  onEnd(async () => isRunning && before.system.stop());
  const listener = await startListener(natsUrl);
  onEnd(() => listener.stop());

  const { first, second } = await stage(`fill it: ${invoices} invoices, a scan of ${rows} rows, reviews`, () =>
    fill(before.system, identities, { invoices, rows, progress }),
  );
  const filer = await stage('submit invoices to KSeF', async () => {
    const connected = await connectFiler(before.system, ksef, second);
    await submitBeforeBackup(before.system, ksef, connected);
    return connected;
  });
  await stage('wait until no work is left', () => settled(before));
  const [finding, assigned] = await openFindings(before.system, first);
  const backup = await stage('back up', () => method.backUp(before.mongodbUrl, databaseNames(''), directory));
  const atBackup = await effectsOn(before, finding.id);

  const lostNumbers = await stage('go on working, which will be lost', async () => {
    await ksef.mend();
    const numbers = await submitRest(before.system, filer);
    await act(before.system, first, { finding, assigned });
    await eventually(async () => {
      const { auditLines, mails } = await effectsOn(before, finding.id);
      requireEqual([auditLines, mails], [atBackup.auditLines + 1, atBackup.mails + 1]);
    });
    await settled(before);
    return numbers;
  });
  const known = new Set(listener.heard().map(({ id }) => id));

  await stage(losesBroker ? 'lose all databases and the broker' : 'lose all databases', async () => {
    await before.system.stop();
    isRunning = false;
    await lost.mongodb.kill();
    if (!losesBroker) return;
    await lost.nats.kill();
    await empty(join(directory, 'lost', lost.source.nats, 'nats'));
    await lost.nats.restart();
  });

  const servers = await stage('start empty databases', () => startServers(join(directory, 'new'), natsUrl, say));
  onEnd(() => servers.stop());
  const restored = await stage('restore the backup', () => method.restore(servers.mongodbUrl, backup, directory));
  const sum = (states: typeof backup): number => states.reduce((total, { documents }) => total + documents, 0);
  compare('collections', backup.length, restored.length);
  compare('documents', sum(backup), sum(restored));
  compare('documents and indexes that differ', 'none', differences(backup, restored).join('; ') || 'none');

  const after = await stage('start the services', () => start(servers.mongodbUrl));
  onEnd(() => after.system.stop());
  const replays = await stage('replay every decision', () => replayAll(after, [first, second]));
  compare('decisions replayed', replays.stored, replays.replayed);
  compare('decisions that differ', 0, replays.different);
  const { disposition } = await findingOf(after.system, first, finding.id);
  compare('the lost review', 'OPEN', disposition);

  // The broker still has the events that the database lost, so the audit entries and the mails for these events are
  // created again.
  const kept = losesBroker ? 0 : 1;
  await stage('do the lost work again', () => act(after.system, first, { finding, assigned }));
  const expected = { auditLines: atBackup.auditLines + kept + 1, mails: atBackup.mails + kept + 1 };
  const effects = await stage('wait for its effects', () => reached(() => effectsOn(after, finding.id), expected));
  compare('audit lines about the finding', expected.auditLines, effects.auditLines);
  compare('mails about assignments', expected.mails, effects.mails);
  const newEvents = (): Record<string, number> => {
    const fresh = listener.heard().filter(({ id }) => !known.has(id));
    return Object.fromEntries(
      announcedByAct.map(({ name }) => [name, new Set(fresh.filter((e) => e.name === name).map(({ id }) => id)).size]),
    );
  };
  const announced = { invoice_analyzed: 1, finding_reviewed: 1, finding_assigned: 1 };
  const heard = await stage('wait for its events', () => reached(async () => newEvents(), announced));
  for (const [name, count] of Object.entries(announced)) {
    compare(`${name} events under ids that no consumer knows`, count, heard[name]);
  }

  const numbers = await stage('submit to KSeF again', () => submitRest(after.system, filer));
  for (const [kind, number] of Object.entries(lostNumbers)) {
    compare(`KSeF number of the invoice ${kind}`, number, numbers[kind]);
  }
  const { registered } = await ksef.counters(filer.nip);
  compare('invoices registered at KSeF', Object.keys(filer.invoices).length, registered.length);
  return { stages, comparisons };
}

interface RunningOn {
  readonly mongodbUrl: string;
  readonly system: System;
}

function startServers(
  dataDir: string,
  natsUrl: string | undefined,
  log: (line: string) => void,
): Promise<Infrastructure> {
  const { INFRASTRUCTURE } = process.env;
  const env = { ...(natsUrl && { NATS_URL: natsUrl }), ...(INFRASTRUCTURE && { INFRASTRUCTURE }) };
  return startInfrastructure({ dataDir, env, log });
}

async function empty(directory: string): Promise<void> {
  for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true });
}

type Api = ReturnType<typeof createClient>;

function apiOf({ baseUrl }: System, { keys }: Tenant): Api {
  return createClient({ baseUrl, apiKey: keys.owner });
}

async function fill(
  system: System,
  identities: string,
  { invoices, rows, progress }: Pick<RehearsalOptions, 'invoices' | 'rows' | 'progress'>,
): Promise<{ first: Tenant; second: Tenant }> {
  const newTenant = (name: string): Promise<Tenant> => createTenant(system.addresses.organization, identities, name);
  const [first, second] = [await newTenant('Rehearsal one'), await newTenant('Rehearsal two')];
  const api = apiOf(system, first);
  let index = 0;
  const connection = async (): Promise<void> => {
    while (index < invoices) {
      const number = index++;
      // Every third invoice is posted twice, so that the rehearsal has findings.
      const body = invoiceAt(number - (number % 3 === 2 ? 1 : 0), invoices);
      await api.post('/invoices', { body, idempotencyKey: `rehearsal-${number}` });
      progress(`${number + 1} of ${invoices} invoices`);
    }
  };
  await Promise.all([
    ...Array.from({ length: CONNECTIONS }, connection),
    apiOf(system, second).post('/scans', { body: { rows: scanRows(1, rows, 0) }, idempotencyKey: 'rehearsal' }),
  ]);
  const reviewed = (await openFindings(system, first)).slice(2);
  for (const { id: findingId } of reviewed) {
    const body = { disposition: 'CONFIRMED' } as const;
    await api.post('/findings/{findingId}/review', { path: { findingId }, body });
  }
  return { first, second };
}

/**
 * Returns the open findings of an organization.
 * @throws Error when there are fewer than two
 */
async function openFindings(
  system: System,
  tenant: Tenant,
): Promise<[Schemas['Finding'], Schemas['Finding'], ...Schemas['Finding'][]]> {
  const query = { type: 'DUPLICATE_INVOICE', disposition: 'OPEN', limit: 10 } as const;
  const { data } = await apiOf(system, tenant).get('/findings', { query });
  const [one, two, ...others] = await Promise.all(data.items.map(({ id }) => findingOf(system, tenant, id)));
  if (one === undefined || two === undefined)
    throw new Error('Too few invoices: there are no two duplicates to review.');
  return [one, two, ...others];
}

async function findingOf(system: System, tenant: Tenant, findingId: string): Promise<Schemas['Finding']> {
  return (await apiOf(system, tenant).get('/findings/{findingId}', { path: { findingId } })).data;
}

/**
 * Makes the changes that follow the backup. They are repeated after the restore, and the documents must get the same
 * versions both times.
 */
async function act(
  system: System,
  tenant: Tenant,
  { finding, assigned }: { finding: Schemas['Finding']; assigned: Schemas['Finding'] },
): Promise<void> {
  const api = apiOf(system, tenant);
  const review = { disposition: 'CONFIRMED' } as const;
  await api.post('/findings/{findingId}/review', { path: { findingId: finding.id }, body: review });
  const assignment = { assignee_user_id: tenant.users.analyst };
  await api.patch('/findings/{findingId}/assignment', { path: { findingId: assigned.id }, body: assignment });
  await api.post('/invoices', { body: invoiceAt(1_000_000, 1), idempotencyKey: 'rehearsal-after-backup' });
}

/**
 * Counts the records that the changes of the rehearsal cause: the organization service writes audit entries and queues
 * mails.
 */
async function effectsOn(
  { mongodbUrl }: RunningOn,
  findingId: string,
): Promise<{ readonly auditLines: number; readonly mails: number }> {
  return onDatabase(mongodbUrl, 'organization', async (db) => ({
    auditLines: await db.collection('audit_events').countDocuments({ target: `finding:${findingId}` }),
    mails: await db.collection('notifications').countDocuments({ 'occasion.kind': 'FINDING_ASSIGNED' }),
  }));
}

/** Waits until no event is left to be published and no work is left to be finished. */
function settled({ mongodbUrl }: RunningOn): Promise<void> {
  return onDatabase(mongodbUrl, 'analysis', (analysis) =>
    onDatabase(mongodbUrl, 'scan', (scan) =>
      eventually(async () => requireEqual(await unfinishedWork({ analysis, scan }), [])),
    ),
  );
}

async function onDatabase<T>(
  url: string,
  databaseName: string,
  work: (db: MongoConnection['db']) => Promise<T>,
): Promise<T> {
  const { db, close } = await connectMongo({ url, databaseName, appName: 'rehearsal' });
  try {
    return await work(db);
  } finally {
    await close();
  }
}

async function replayAll(
  { mongodbUrl, system }: RunningOn,
  tenants: readonly Tenant[],
): Promise<{ stored: number; replayed: number; different: number }> {
  const channel = openTestChannel('analysis', system.addresses.analysis);
  const operator = client(OperatorServiceDefinition, channel);
  const context = { requestId: 'rehearsal', actor: { type: 'OPERATOR', id: 'rehearsal' } } as const;
  let replayed = 0;
  let different = 0;
  try {
    for (const { organizationId } of tenants) {
      let pageToken = '';
      do {
        const page = { organizationId, limit: REPLAY_PAGE, pageToken };
        const answer = await operator.replayAnalyses(page, { context });
        replayed += answer.replayed;
        different += answer.differentAnalysisIds.length;
        pageToken = answer.nextPageToken;
      } while (pageToken !== '');
    }
  } finally {
    channel.close();
  }
  const stored = await onDatabase(mongodbUrl, 'analysis', (db) =>
    db.collection('invoices').countDocuments({ analysis: { $exists: true } }),
  );
  return { stored, replayed, different };
}

const announcedByAct = [events.invoiceAnalyzed, events.findingReviewed, events.findingAssigned] as const;

interface Heard {
  readonly id: string;
  readonly name: string;
}

/**
 * Starts an event consumer outside the restored system. Its database is not lost, so it keeps the ids that it has seen.
 */
async function startListener(natsUrl: string): Promise<{ heard(): readonly Heard[]; stop(): Promise<void> }> {
  const logger = createLogger({ service: 'rehearsal', level: 'silent' });
  const bus = await connectTestNats({ url: natsUrl, name: 'rehearsal', logger });
  const heard: Heard[] = [];
  const deadLetters = {
    store: (): Promise<void> => Promise.resolve(),
    count: (): Promise<number> => Promise.resolve(0),
  };
  const listen = <T extends EventHeader>(type: EventType<T>): ReturnType<typeof subscribe> =>
    subscribe(
      { bus, deadLetters, isOutage: () => false, logger },
      { service: 'rehearsal', type, handle: async ({ eventId }) => void heard.push({ id: eventId, name: type.name }) },
    );
  const [analyzed, reviewed, assigned] = announcedByAct;
  const subscriptions = [await listen(analyzed), await listen(reviewed), await listen(assigned)];
  return {
    heard: () => heard,
    async stop() {
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
      await bus.close();
    },
  };
}

/**
 * Repeats a query of the restore rehearsal until its result is as expected. If that takes too long, it throws an error
 * with the current result.
 */
async function reached<T extends object>(ask: () => Promise<T>, wanted: T): Promise<T> {
  let found = await ask();
  try {
    return await eventually(async () => {
      found = await ask();
      requireEqual(found, wanted);
      return found;
    });
  } catch {
    return found;
  }
}

function requireEqual(found: unknown, wanted: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (is !== should) throw new Error(`${is} instead of ${should}`);
}
