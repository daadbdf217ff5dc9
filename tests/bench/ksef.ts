// Runs `npm run bench:ksef`, which submits many invoices to KSeF at the same time, within the limits that KSeF
// declares.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ConnectionServiceDefinition, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { SubmissionServiceDefinition } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import { newSecrets } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { endChildren } from './children.js';
import { startDatabaseProxy } from './counting-proxy.js';
import type { DatabaseCommand } from './counting-proxy.js';
import { startNeighbours } from './ksef-neighbours.js';
import type { Neighbours } from './ksef-neighbours.js';
import { startNodeProcess } from './node-process.js';
import { machine, writeReport } from './one-core.js';
import { percentilesOf } from './percentiles.js';
import { progress, say, seconds, step } from './progress.js';
import { endAfter, logDirectory, onEnd, runProgram } from './run-program.js';
import { startStores } from './stores.js';
import { goodIn, table } from './table.js';
import { wholeNumber } from './whole-number.js';

/** Time limit of the KSeF benchmark in addition to the hours that one context must wait for KSeF. */
const MINUTES_MAX = 20;

const usage = `Submits invoices of several contexts (NIPs) at once, with the service in processes of its own and the simulator of KSeF, which
counts calls as KSeF does and answers 429 to one too many.

  npm run bench:ksef                          500 invoices of 5 contexts with 2 replicas; four minutes
  npm run bench:ksef -- --submissions 100 --contexts 1 --replicas 3
  npm run bench:ksef -- --contexts 1 --hour 36   one context, which waits for hours: here an hour has 36 seconds, a minute 0.6
  npm run bench:ksef -- --json FILE           the figures as JSON too
  npm run bench:ksef -- --keep                keeps the logs of all processes

Progress goes to standard error. Ends with code 1 if an aim was missed: each invoice registered once by one send, no answer 429, no
session left open. Ends after ${MINUTES_MAX} minutes at the latest, besides the hours that the limits of KSeF make it wait.
`;

const HOUR_SECONDS = 3_600;
/**
 * Number of sessions that KSeF opens in an hour for one context. This limit is the first that the benchmark reaches.
 */
const SESSIONS_AN_HOUR = 120;
const POLL_EACH_MS = 500;
const FIRST_NIP = 5_265_000_000;

interface Size {
  readonly submissions: number;
  readonly contexts: number;
  readonly replicas: number;
  readonly hourSeconds: number;
}

interface Filer {
  readonly nip: string;
  readonly organizationId: string;
  readonly connectionId: string;
}

interface LoggedRequest {
  readonly n: number;
  readonly operation: string | null;
  readonly status: number | null;
}

interface Measured {
  readonly runMs: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly waitsMs: readonly number[];
  readonly registered: number;
  readonly sendsMost: number;
  readonly openSessions: number;
  readonly plaintextTokens: number;
  readonly throttled: number;
  readonly calls: Readonly<Record<string, number>>;
  readonly commands: Readonly<Record<string, number>>;
}

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      submissions: { type: 'string', default: '500' },
      contexts: { type: 'string', default: '5' },
      replicas: { type: 'string', default: '2' },
      hour: { type: 'string', default: String(HOUR_SECONDS) },
      json: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const size = {
    submissions: wholeNumber('--submissions', values.submissions, 10_000),
    contexts: wholeNumber('--contexts', values.contexts, 100),
    replicas: wholeNumber('--replicas', values.replicas, 8),
    hourSeconds: wholeNumber('--hour', values.hour, HOUR_SECONDS),
  };
  const hours = Math.ceil(size.submissions / size.contexts / SESSIONS_AN_HOUR);
  endAfter(MINUTES_MAX + (hours * size.hourSeconds) / 60);
  const measured = await measure(size, await logDirectory('bench-ksef', values.keep));
  await writeReport(values, { ...machine(), size, measured });
  report(size, measured);
}

async function measure(size: Size, logDir: string): Promise<Measured> {
  step('starting MongoDB, NATS and the replicas');
  const windowFactor = size.hourSeconds / HOUR_SECONDS;
  const simulator = await startKsefSimulator({ limitWindowFactor: windowFactor });
  onEnd(() => simulator.stop());
  const control = async <T>(target: string, body?: object): Promise<T> => {
    const [method = '', path = ''] = target.split(' ');
    const url = `${simulator.url}/test/control/${path}`;
    const response = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${target}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const { mongodbUrl, natsUrl, openDatabase } = await startStores();
  const identities = await identitiesForTests();
  const neighbours = await startNeighbours();
  onEnd(() => neighbours.stop());
  const db = await openDatabase('ksef');
  const commands: DatabaseCommand[] = [];
  const addresses: string[] = [];
  const secrets = newSecrets();
  for (let replica = 1; replica <= size.replicas; replica++) {
    const url = new URL(mongodbUrl);
    const proxy = await startDatabaseProxy(url.host, `ksef-${replica}`, commands);
    onEnd(() => proxy.close());
    url.host = proxy.address;
    url.searchParams.set('directConnection', 'true');
    const env = {
      ...process.env,
      NODE_ENV: 'production',
      GRPC_PORT: '0',
      HEALTH_PORT: '0',
      TLS_DIR: join(identities, 'ksef'),
      MONGODB_URL: url.href,
      NATS_URL: natsUrl,
      DATABASE_NAME: db.databaseName,
      ORGANIZATION_ADDRESS: neighbours.addresses.organization,
      ANALYSIS_ADDRESS: neighbours.addresses.analysis,
      DOCUMENTS_ADDRESS: neighbours.addresses.documents,
      SECRETBOX_KEYS: secrets['SECRETBOX_KEYS'],
      KSEF_TEST_URL: `${simulator.url}/test/v2`,
      KSEF_WAIT_FACTOR: String(Math.max(windowFactor, 0.05)),
      BENCH_WINDOW_FACTOR: String(windowFactor),
    };
    const running = await startNodeProcess(`ksef-${replica}`, program('ksef-replica.js'), env, logDir);
    addresses.push(running.address);
  }
  // The child processes of the benchmark end before their proxies close.
  onEnd(endChildren);
  const filers = await connect(addresses, size, control);
  say(`${size.contexts} contexts connected with ${size.replicas} replicas`);
  const lastBefore = (await control<{ items: readonly LoggedRequest[] }>('GET requests')).items.at(-1)?.n ?? 0;
  const commandsBefore = commands.length;
  const beganMs = performance.now();
  step('submitting');
  await submitAll(addresses, filers, neighbours, size);
  say(`${size.submissions} submissions queued`);
  step('waiting until all submissions have ended');
  const requests = await awaitEnd(db, size, (n) => control(`GET requests?after=${n}`), lastBefore);
  const runMs = performance.now() - beganMs;
  return { runMs, ...(await figures(db, requests, control)), commands: counted(commands.slice(commandsBefore)) };
}

/** Creates one client for each replica of the ksef service. */
function clientsOf(addresses: readonly string[]) {
  const channels = addresses.map((address) => openTestChannel('ksef', address));
  const call = { context: systemContext('bench'), timeoutMs: 60_000 };
  return {
    call,
    connections: channels.map((channel) => client(ConnectionServiceDefinition, channel)),
    submissions: channels.map((channel) => client(SubmissionServiceDefinition, channel)),
    close: () => channels.forEach((channel) => channel.close()),
  };
}

async function connect(
  addresses: readonly string[],
  { contexts }: Size,
  control: (target: string, body: object) => Promise<unknown>,
): Promise<readonly Filer[]> {
  const { connections, call, close } = clientsOf(addresses);
  try {
    return await Promise.all(
      Array.from({ length: contexts }, async (_, index): Promise<Filer> => {
        const nip = String(FIRST_NIP + index);
        const ksefToken = `20260201-EC-0123456789-ABCDEF0123-1B|nip-${nip}|${'0f'.repeat(32)}`;
        await control(`PUT contexts/${nip}`, { tokens: [{ token: ksefToken }] });
        const organizationId = randomUUID();
        const ksef = picked(connections, index);
        const saved = await ksef.saveConnection(
          { organizationId, companyId: undefined, environment: Environment.TEST, contextNip: nip, ksefToken },
          call,
        );
        const connectionId = saved.connection?.connectionId ?? '';
        await ksef.testConnection({ organizationId, connectionId }, call);
        return { nip, organizationId, connectionId };
      }),
    );
  } finally {
    close();
  }
}

async function submitAll(
  addresses: readonly string[],
  filers: readonly Filer[],
  neighbours: Neighbours,
  size: Size,
): Promise<void> {
  const { submissions, call, close } = clientsOf(addresses);
  try {
    await Promise.all(
      Array.from({ length: size.submissions }, async (_, index) => {
        const { nip, organizationId, connectionId } = picked(filers, index);
        const invoiceId = neighbours.newInvoice(nip, `FV/${index}`);
        const ksef = picked(submissions, Math.floor(index / filers.length));
        await ksef.createSubmission({ organizationId, connectionId, invoiceId }, call);
      }),
    );
  } finally {
    close();
  }
}

/**
 * Reads the request log of the simulated KSeF while requests arrive, because the simulator keeps only the last
 * requests.
 */
async function awaitEnd(
  db: MongoConnection['db'],
  { submissions }: Size,
  requestsAfter: (n: number) => Promise<{ readonly items: readonly LoggedRequest[] }>,
  after: number,
): Promise<readonly LoggedRequest[]> {
  const collection = db.collection('submissions');
  const requests: LoggedRequest[] = [];
  for (;;) {
    const unfinished = await collection.countDocuments({ dueAt: { $exists: true } });
    // Requests to KSeF that have no response yet are read again.
    const { items } = await requestsAfter(requests.at(-1)?.n ?? after);
    const open = items.findIndex(({ status }) => status === null);
    requests.push(...(open === -1 || unfinished === 0 ? items : items.slice(0, open)));
    progress(`${unfinished} of ${submissions} submissions left, ${requests.length} calls`);
    if (unfinished === 0) return requests;
    await delay(POLL_EACH_MS);
  }
}

async function figures(
  db: MongoConnection['db'],
  requests: readonly LoggedRequest[],
  control: <T>(target: string) => Promise<T>,
): Promise<Omit<Measured, 'runMs' | 'commands'>> {
  interface Stored {
    readonly status: string;
    readonly createdAt: Date;
    readonly progress: { readonly completedAt: Date };
  }
  const stored = await db.collection<Stored>('submissions').find({}).toArray();
  const counters = await control<{
    readonly sends: Readonly<Record<string, number>>;
    readonly registered: readonly { readonly invoiceHash: string }[];
    readonly sessions: { readonly open: number };
    readonly plaintextTokens: number;
  }>('GET counters');
  return {
    statuses: tally(stored.map(({ status }) => status)),
    waitsMs: stored
      .map(({ createdAt, progress: { completedAt } }) => completedAt.getTime() - createdAt.getTime())
      .sort((one, other) => one - other),
    registered: new Set(counters.registered.map(({ invoiceHash }) => invoiceHash)).size,
    sendsMost: Math.max(...Object.values(counters.sends)),
    openSessions: counters.sessions.open,
    plaintextTokens: counters.plaintextTokens,
    throttled: requests.filter(({ status }) => status === 429).length,
    calls: tally(requests.map(({ operation }) => operation ?? 'other')),
  };
}

function counted(commands: readonly DatabaseCommand[]): Readonly<Record<string, number>> {
  return tally(commands.map(({ name }) => name));
}

function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, one], [, other]) => other - one));
}

function report(size: Size, measured: Measured): void {
  const { submissions, contexts, replicas, hourSeconds } = size;
  const { runMs, waitsMs, statuses, registered, sendsMost, openSessions, plaintextTokens, throttled } = measured;
  const good = goodIn(process.stdout.isTTY);
  const judge = (value: number, aim: number): string => {
    if (value !== aim) process.exitCode = 1;
    return good(String(value), value === aim);
  };
  const perSubmission = (counts: Readonly<Record<string, number>>): string =>
    (Object.values(counts).reduce((sum, count) => sum + count, 0) / submissions).toFixed(1);
  const rows = [
    ['accepted', judge(statuses['ACCEPTED'] ?? 0, submissions)],
    ['registered', judge(registered, submissions)],
    ['most sends of one invoice', judge(sendsMost, 1)],
    ['answers 429', judge(throttled, 0)],
    ['sessions left open', judge(openSessions, 0)],
    ['requests with a token in plain', judge(plaintextTokens, 0)],
    ['submissions a second', (submissions / (runMs / 1_000)).toFixed(2)],
    ['until the last had its confirmation', seconds(runMs)],
    ['wait until accepted, median', seconds(percentilesOf(waitsMs).p50Ms)],
    ['wait until accepted, longest', seconds(waitsMs.at(-1) ?? 0)],
    ['calls of KSeF for a submission', perSubmission(measured.calls)],
    ['commands of MongoDB for a submission', perSubmission(measured.commands)],
  ];
  const most = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .slice(0, 12)
      .map(([name, count]) => `${name} ${(count / submissions).toFixed(2)}`)
      .join(', ');
  process.stdout.write(
    `\n${submissions} submissions of ${contexts} contexts with ${replicas} replicas, an hour of ${hourSeconds} s\n\n` +
      `${table(rows, 0)}\n\nCalls for a submission: ${most(measured.calls)}\n` +
      `Commands for a submission: ${most(measured.commands)}\n`,
  );
}

function picked<T>(all: readonly T[], index: number): T {
  const one = all[index % all.length];
  if (one === undefined) throw new Error('there is none');
  return one;
}

/** Returns the path of a compiled program of the benchmark, in `tests/dist/bench`. */
function program(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
