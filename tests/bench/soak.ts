// Runs `npm run bench:soak`, a long test under light load: it does everything that customers do, and checks that
// memory, open files, disk use and pending events do not grow.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ApiError, createClient } from '@invoicecontrol/client';
import type { NetworkError } from '@invoicecontrol/client';
import { startSimulators } from '@invoicecontrol/dev/simulators';
import type { Simulators } from '@invoicecontrol/dev/simulators';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { fa3Document } from '@invoicecontrol/simulators/ksef/fa3-document';
import { databaseName, startOrder } from '@invoicecontrol/topology/services';
import { newSecrets } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { startOtlpReceiver } from '../e2e/otlp-receiver.js';
import type { OtlpReceiver } from '../e2e/otlp-receiver.js';
import { openCompany } from './erp-companies.js';
import { cpuMsOf, residentBytesOf } from './node-process.js';
import { machine, writeReport } from './one-core.js';
import { progress, say, step } from './progress.js';
import { endAfter, logDirectory, onEnd, runProgram } from './run-program.js';
import { startSystem } from './servers.js';
import type { System } from './servers.js';
import { courseOf, isFlat } from './soak-course.js';
import type { Course, Reading } from './soak-course.js';
import { startSoakLoad } from './soak-load.js';
import type { Customer, Done, Taxpayer } from './soak-load.js';
import { startStores } from './stores.js';
import type { Stores } from './stores.js';
import { goodIn, table } from './table.js';
import { tenantMaker } from './tenants.js';
import { wholeNumber } from './whole-number.js';

const MINUTES = 60;
const MINUTES_MAX = 24 * 60;
/** Time limit for everything except the load of a soak test: starting the product, and finishing the remaining work. */
const OTHER_MINUTES_MAX = 15;

const usage = `Does everything that customers do, gently and for long, all services and stores in processes of their own: invoices, uploads, history
scans, reviews, webhooks, ERP runs, submissions to KSeF and its inbox, with telemetry on. Reads every half minute what must not grow.

  npm run bench:soak                      an hour
  npm run bench:soak -- --minutes 480     a night
  npm run bench:soak -- --json FILE       all readings as JSON too
  npm run bench:soak -- --keep            keeps the logs of all processes

Progress goes to standard error. Ends with code 1 if a figure was not flat, if a request failed, or if work was left at the end.
`;

/** Limits on the growth of each figure from the second to the last quarter of the soak. */
const ALLOWED = {
  /** Memory use differs between two garbage collections, so some growth is allowed. */
  memoryMb: { share: 0.1, constant: 16 },
  /** Connections are opened and closed all the time, so some growth of the number of open files is allowed. */
  descriptors: { share: 0.05, constant: 4 },
  /** MongoDB compacts its files late, so an invoice may temporarily use more disk space. */
  bytesPerInvoice: { share: 0.15, constant: 0 },
  pending: { share: 0, constant: 20 },
} as const;
const SAMPLE_EACH_MS = 30_000;
const DRAIN_MS_MAX = 300_000;
const DRAIN_LOOK_EACH_MS = 1_000;
const CUSTOMERS = 3;
const STORED = 2_000;
const BOOKS = { vendors: 100, bills: 500 } as const;
const NIP = '5265877635';
const TOKEN = `20260201-EC-0123456789-ABCDEF0123-1B|nip-${NIP}|${'0f'.repeat(32)}`;
const SUPPLIER_NIP = '9997123458';
const BUSY = /\b50[34]\b/;
const BYTES_PER_MB = 1024 * 1024;
/** Telemetry settings of the soak test. As in production, 5 % of the traces are exported. */
const TELEMETRY = {
  OTEL_METRIC_EXPORT_INTERVAL: '15000',
  OTEL_METRIC_EXPORT_TIMEOUT: '5000',
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.05',
} as const;

/** Values of all watched figures at one time of a soak test. */
interface Sample {
  readonly minute: number;
  readonly residentMb: Readonly<Record<string, number>>;
  readonly heapMb: Readonly<Record<string, number>>;
  readonly descriptors: Readonly<Record<string, number>>;
  /** CPU time since the start in seconds, by process. */
  readonly cpuSeconds: Readonly<Record<string, number>>;
  /** Number of documents with events that are not published to the broker yet, by service. */
  readonly pending: Readonly<Record<string, number>>;
  /** Disk space in MB that the data and the indexes use, by service. */
  readonly diskMb: Readonly<Record<string, number>>;
  readonly invoices: number;
  readonly deadLetters: number;
}

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: String(MINUTES) },
      json: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const minutes = wholeNumber('--minutes', values.minutes, MINUTES_MAX);
  endAfter(minutes + OTHER_MINUTES_MAX);
  // All readings so far are written to the file after each new reading, so that they are not lost if a long soak test
  // is interrupted.
  const keep = (samples: readonly Sample[]): Promise<void> => writeReport(values, { ...machine(), minutes, samples });
  const soaked = await soak(minutes, await logDirectory('bench-soak', values.keep), keep);
  await writeReport(values, { ...machine(), minutes, ...soaked });
  report(minutes, soaked);
}

interface Soaked {
  readonly samples: readonly Sample[];
  readonly done: Readonly<Record<string, Done>>;
  /** Number of requests with an Idempotency-Key that clients repeated, by the error of the previous attempt. */
  readonly repeated: Readonly<Record<string, number>>;
  readonly arrived: number;
  readonly unverified: number;
  /** Work that was still unfinished some minutes after the end of the load. */
  readonly left: Left;
}

interface Left {
  readonly pending: number;
  readonly deadLetters: number;
  readonly undelivered: number;
  readonly undecided: number;
  readonly unfinishedSubmissions: number;
}

type Collection = ReturnType<MongoConnection['db']['collection']>;
type Databases = Readonly<Record<string, MongoConnection['db']>>;

async function soak(
  minutes: number,
  logDir: string,
  keep: (samples: readonly Sample[]) => Promise<void>,
): Promise<Soaked> {
  step('starting the stores, the simulators and the services');
  const directory = await mkdtemp(join(tmpdir(), 'invoice-control-soak-'));
  onEnd(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  const simulators = await startSimulators({ webhooks: true, directory, env: {}, odooPort: undefined });
  onEnd(() => simulators.stop());
  const telemetry = await startOtlpReceiver();
  onEnd(() => telemetry.close());
  const stores = await startStores();
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const system = await startSystem({
    ...stores,
    secrets,
    identities,
    logDir,
    name: 'soak',
    // The webhooks service calls receivers on loopback only outside production.
    env: { ...simulators.env, ...telemetry.env, ...TELEMETRY, ERP_OAUTH_CONFIRM: 'false', NODE_ENV: 'test' },
  });
  const databases: Databases = Object.fromEntries(
    await Promise.all(
      startOrder
        .filter((service) => service !== 'gateway')
        .map(async (service) => [service, await stores.openDatabase(databaseName(service))] as const),
    ),
  );
  const analysis = databases['analysis'];
  if (analysis === undefined) throw new Error('The soak has no database of the analysis service.');
  const newTenant = tenantMaker(system, identities, analysis);
  const customers: Customer[] = [];
  const repeated: Record<string, number> = {};
  for (let number = 0; number < CUSTOMERS; number += 1) {
    customers.push(await newCustomer(system, simulators, () => newTenant(STORED), repeated));
  }
  const [first] = customers;
  if (first === undefined) throw new Error('The soak has no customer.');
  const taxpayer = await connectTaxpayer(first, simulators);

  step(`the load runs for ${minutes} minutes`);
  const samples: Sample[] = [];
  const outboxes = await outboxesIn(databases);
  const watch = watcher(system, stores, databases, outboxes, telemetry);
  const beganMs = performance.now();
  const load = startSoakLoad(`http://${system.gateway.address}`, customers, taxpayer);
  for (let number = 1; number * SAMPLE_EACH_MS <= minutes * 60_000; number += 1) {
    await delay(Math.max(0, beganMs + number * SAMPLE_EACH_MS - performance.now()));
    try {
      const sample = await watch((performance.now() - beganMs) / 60_000);
      samples.push(sample);
      await keep(samples);
      progress(lineOf(sample));
    } catch (error) {
      // On an overloaded machine, the database may not respond in time. The soak test then continues without this
      // reading.
      say(`a reading is missing: ${String(error)}`);
    }
  }
  step('the load ends');
  await load.stop();
  step('waiting until the work that is left has ended');
  const left = await drained(databases, outboxes);
  const { webhookReceiver } = simulators;
  return {
    samples,
    done: load.done,
    repeated,
    arrived: webhookReceiver?.deliveries.length ?? 0,
    unverified: webhookReceiver?.deliveries.filter(({ isVerified }) => !isVerified).length ?? 0,
    left,
  };
}

async function newCustomer(
  system: System,
  { urls, webhookReceiver }: Simulators,
  newTenant: () => Promise<Customer['tenant']>,
  repeated: Record<string, number>,
): Promise<Customer> {
  const tenant = await newTenant();
  const api = createClient({
    baseUrl: `http://${system.gateway.address}/v1`,
    apiKey: tenant.keys.owner,
    onRetry: ({ error }) => void (repeated[causeOf(error)] = (repeated[causeOf(error)] ?? 0) + 1),
  });
  if (webhookReceiver === undefined) throw new Error('The soak needs a second loopback address for its receiver.');
  const path = `/${tenant.organizationId}`;
  const { data } = await api.post('/webhooks', {
    body: { url: `${webhookReceiver.url}${path}`, events: ['invoice.analysis.completed', 'finding.created'] },
  });
  webhookReceiver.setSecrets(path, [data.secret]);
  const company = await openCompany('businessCentral', urls['businessCentral'] ?? '', BOOKS);
  const connectionId = await company.connect(api, (target) => fetch(`http://${system.gateway.address}${target}`));
  return { tenant, api, storedCount: STORED, erp: { company, connectionId } };
}

function causeOf(error: ApiError | NetworkError): string {
  return error instanceof ApiError ? String(error.status) : 'no response';
}

async function connectTaxpayer(customer: Customer, { urls }: Simulators): Promise<Taxpayer> {
  const control = async (method: string, path: string, body: object): Promise<void> => {
    const url = `${urls['ksef'] ?? ''}/test/control/${path}`;
    const response = await fetch(url, { method, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
  await control('PUT', `contexts/${NIP}`, { tokens: [{ token: TOKEN }] });
  const { api } = customer;
  const body = { environment: 'TEST', context_nip: NIP, ksef_token: TOKEN } as const;
  const path = { connectionId: (await api.post('/ksef-connections', { body })).data.id };
  await api.post('/ksef-connections/{connectionId}/test', { path });
  await api.patch('/ksef-connections/{connectionId}', { path, body: { inbox: { enabled: true } } });
  return {
    nip: NIP,
    connectionId: path.connectionId,
    customer,
    async issue(number) {
      const day = (daysFromNow: number): string =>
        new Date(Date.now() + daysFromNow * 86_400_000).toISOString().slice(0, 10);
      const xml = fa3Document({
        number,
        seller: SUPPLIER_NIP,
        sellerName: 'Hurtownia Stali Grodno sp. z o.o.',
        buyer: NIP,
        buyerName: 'Wisła Narzędzia sp. z o.o.',
        issueDate: day(-1),
        transfer: { account: '27114020040000300201355387', dueDate: day(29) },
      });
      await control('POST', 'invoices', { buyerNip: NIP, xml });
    },
  };
}

/** Returns a function that reads all figures that the soak test watches. */
function watcher(
  system: System,
  { pids }: Stores,
  databases: Databases,
  outboxes: Outboxes,
  telemetry: OtlpReceiver,
): (minute: number) => Promise<Sample> {
  const processes: readonly (readonly [string, number])[] = [
    ...Object.values(system).map(({ name, pid }) => [name.replace('soak-', ''), pid] as const),
    ...Object.entries(pids).flatMap(([name, pid]) => (pid === undefined ? [] : [[name, pid] as const])),
  ];
  const ofProcesses = async (read: (pid: number) => Promise<number>): Promise<Record<string, number>> =>
    Object.fromEntries(await Promise.all(processes.map(async ([name, pid]) => [name, await read(pid)] as const)));
  return async (minute) => {
    const points = telemetry.points();
    const of = (metric: string): Record<string, number> => {
      const values: Record<string, number> = {};
      for (const { name, service, value } of points) {
        if (name === metric) values[service] = (values[service] ?? 0) + value;
      }
      return values;
    };
    return {
      minute,
      residentMb: await ofProcesses(async (pid) => (await residentBytesOf(pid)) / BYTES_PER_MB),
      heapMb: Object.fromEntries(
        Object.entries(of('v8js.memory.heap.used')).map(([service, bytes]) => [service, bytes / BYTES_PER_MB]),
      ),
      descriptors: await ofProcesses(async (pid) => (await readdir(`/proc/${pid}/fd`)).length),
      cpuSeconds: await ofProcesses(async (pid) => (await cpuMsOf(pid)) / 1_000),
      pending: await pendingIn(outboxes),
      diskMb: await ofDatabases(databases, async (db) => {
        const { storageSize, indexSize } = await db.stats();
        return (Number(storageSize) + Number(indexSize)) / BYTES_PER_MB;
      }),
      invoices: (await databases['analysis']?.collection('invoices').estimatedDocumentCount()) ?? 0,
      deadLetters: sumOf(of('invoicecontrol.dead_letters')),
    };
  };
}

async function ofDatabases(
  databases: Databases,
  read: (db: MongoConnection['db']) => Promise<number>,
): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const [service, db] of Object.entries(databases)) values[service] = await read(db);
  return values;
}

/** Database collections that contain an outbox, by service. */
type Outboxes = Readonly<Record<string, readonly Collection[]>>;

async function outboxesIn(databases: Databases): Promise<Outboxes> {
  const outboxes: Record<string, Collection[]> = {};
  for (const [service, db] of Object.entries(databases)) {
    const own: Collection[] = (outboxes[service] = []);
    for (const { name } of await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()) {
      const collection = db.collection(name);
      const isOutbox = (await collection.indexes()).some(({ key }) => 'outboxPending' in key);
      if (isOutbox) own.push(collection);
    }
  }
  return outboxes;
}

/** Counts the documents with events that are not published to the broker yet, by service. */
async function pendingIn(outboxes: Outboxes): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [service, collections] of Object.entries(outboxes)) {
    counts[service] = 0;
    for (const collection of collections) counts[service] += await collection.countDocuments({ outboxPending: true });
  }
  return counts;
}

function sumOf(values: Readonly<Record<string, number>>): number {
  return Object.values(values).reduce((sum, one) => sum + one, 0);
}

/** Waits until all work is finished, for five minutes at most. Returns the work that is then unfinished. */
async function drained(databases: Databases, outboxes: Outboxes): Promise<Left> {
  const count = (service: string, collection: string, filter: object): Promise<number> =>
    databases[service]?.collection(collection).countDocuments(filter) ?? Promise.resolve(0);
  const deadline = performance.now() + DRAIN_MS_MAX;
  for (;;) {
    const deadLetters = await ofDatabases(databases, (db) => db.collection('dead_letters').countDocuments({}));
    const left: Left = {
      pending: sumOf(await pendingIn(outboxes)),
      deadLetters: sumOf(deadLetters),
      undelivered: await count('webhooks', 'deliveries', { state: 'PENDING' }),
      // Bills from an ERP are only compared with other invoices. The service makes no decision about them, because they
      // were already approved in the ERP.
      undecided: await count('analysis', 'invoices', { status: { $ne: 'ANALYZED' }, source: { $ne: 'ERP' } }),
      unfinishedSubmissions: await count('ksef', 'submissions', { dueAt: { $exists: true } }),
    };
    if (Object.values(left).every((one) => one === 0) || performance.now() >= deadline) return left;
    progress(JSON.stringify(left));
    await delay(DRAIN_LOOK_EACH_MS);
  }
}

function lineOf({ minute, residentMb, pending, invoices, deadLetters }: Sample): string {
  return (
    `minute ${minute.toFixed(1)}: ${invoices} invoices, ${sumOf(residentMb).toFixed(0)} MB resident, ` +
    `${sumOf(pending)} pending, ${deadLetters} dead letters`
  );
}

function report(minutes: number, { samples, done, repeated, arrived, unverified, left }: Soaked): void {
  const good = goodIn(process.stdout.isTTY);
  const judge = (text: string, isGood: boolean): string => {
    if (!isGood) process.exitCode = 1;
    return good(text, isGood);
  };
  const readings = (valueOf: (sample: Sample) => number | undefined): Reading[] =>
    samples.flatMap((sample) => {
      const value = valueOf(sample);
      return value === undefined ? [] : [{ minute: sample.minute, value }];
    });
  const courseIn = (valueOf: (sample: Sample) => number | undefined): Course => courseOf(readings(valueOf), minutes);
  const cells = (course: Course, allowed: Parameters<typeof isFlat>[1], decimals = 0): string[] => [
    course.before.toFixed(decimals),
    judge(course.after.toFixed(decimals), isFlat(course, allowed)),
    course.most.toFixed(decimals),
    course.perHour.toFixed(1),
  ];
  const names = Object.keys(samples[0]?.residentMb ?? {});
  const processes = names.map((name) => {
    const cpu = readings(({ cpuSeconds }) => cpuSeconds[name]);
    const used = (cpu.at(-1)?.value ?? 0) - (cpu[0]?.value ?? 0);
    const spanned = ((cpu.at(-1)?.minute ?? 0) - (cpu[0]?.minute ?? 0)) * 60;
    const hasHeap = samples.some(({ heapMb }) => heapMb[name] !== undefined);
    return [
      name,
      ...cells(
        courseIn(({ residentMb }) => residentMb[name]),
        ALLOWED.memoryMb,
      ),
      ...(hasHeap
        ? cells(
            courseIn(({ heapMb }) => heapMb[name]),
            ALLOWED.memoryMb,
          )
        : ['-', '-', '-', '-']),
      ...cells(
        courseIn(({ descriptors }) => descriptors[name]),
        ALLOWED.descriptors,
      ).slice(0, 3),
      `${((used / spanned) * 100).toFixed(1)} %`,
    ];
  });
  const head = [
    'process',
    'resident MB',
    'last quarter',
    'most',
    'an hour',
    'heap MB',
    'last quarter',
    'most',
    'an hour',
  ];
  const more = ['files open', 'last quarter', 'most', 'a core'];
  const services = Object.keys(samples[0]?.diskMb ?? {});
  const stored = services.map((service) => {
    const pending = courseIn(({ pending: of }) => of[service]);
    const disk = courseIn(({ diskMb }) => diskMb[service]);
    return [
      service,
      pending.before.toFixed(0),
      judge(pending.after.toFixed(0), isFlat(pending, ALLOWED.pending)),
      pending.most.toFixed(0),
      disk.before.toFixed(1),
      disk.after.toFixed(1),
      disk.perHour.toFixed(1),
    ];
  });
  const perInvoice = courseIn(({ diskMb, invoices }) => {
    return (sumOf(diskMb) * 1024) / invoices;
  });
  const activities = Object.entries(done).map(([name, { ok, failed }]) => {
    const outcomes = Object.entries(failed).map(([how, count]) => `${count} x ${how}`);
    // On a busy machine, the API may refuse a request with 503 or 504. The client does not repeat every request, so
    // these failures are accepted.
    const isBusy = Object.keys(failed).every((how) => BUSY.test(how));
    return [name, String(ok), judge(outcomes.join(', ') || 'none', isBusy)];
  });
  const leftOver = Object.entries(left).map(([what, count]) => judge(`${what} ${count}`, count === 0));
  process.stdout.write(
    `\nA soak of ${minutes} minutes; the second quarter of it beside the last one\n\n` +
      `${table([[...head, ...more], ...processes], 0)}\n\n` +
      `${table([['service', 'outbox', 'last quarter', 'most', 'disk MB', 'last quarter', 'an hour'], ...stored], 0)}\n\n` +
      `Disk for a stored invoice of all databases together, kB: ${cells(perInvoice, ALLOWED.bytesPerInvoice, 1).slice(0, 2).join(' -> ')}, ` +
      `${samples.at(-1)?.invoices ?? 0} invoices\n\n` +
      `${table([['activity', 'done', 'failed'], ...activities], 0)}\n\n` +
      `Requests that clients repeated: ${
        Object.entries(repeated)
          .map(([cause, count]) => `${count} after ${cause}`)
          .join(', ') || 'none'
      }\n` +
      `Webhook requests that arrived: ${arrived}, not verified: ${judge(String(unverified), unverified === 0)}\n` +
      `Left at the end: ${leftOver.join(', ')}\n`,
  );
}
