// Runs `npm run bench:erp`, which measures the first synchronisation of many records, and a synchronisation without
// changes.
import { fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ApiError } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';
import { createTenant } from '@invoicecontrol/dev/tenant';
import { newSecrets } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { erpNames } from './erp-books.js';
import type { BooksSize, ErpName } from './erp-books.js';
import { messageFrom, ownChild } from './children.js';
import { apiOf, openCompany } from './erp-companies.js';
import type { Company, LoggedRequest } from './erp-companies.js';
import type { PagingOrder } from './erp-paging.js';
import { peakDuring, residentOf } from './memory.js';
import { cpuMsOf } from './node-process.js';
import { machine, writeReport } from './one-core.js';
import { progress, say, seconds, step } from './progress.js';
import { closingAfter, endAfter, logDirectory, runProgram } from './run-program.js';
import { startSystem } from './servers.js';
import { startStores } from './stores.js';
import type { Stores } from './stores.js';
import { goodIn, table } from './table.js';
import type { Good } from './table.js';
import { wholeNumber } from './whole-number.js';

/** Time limit for the benchmark of one ERP, in minutes. */
const MINUTES_MAX = 30;

const usage = `Synchronises the books of a company from each simulated ERP, all services and the ERPs in processes of their own.

  npm run bench:erp                      50,000 vendors and 200,000 bills from each; twenty minutes
  npm run bench:erp -- --quick           2,000 vendors and 8,000 bills
  npm run bench:erp -- --only odoo,xero  some of ${erpNames.join(', ')}
  npm run bench:erp -- --vendors 5000 --bills 20000
  npm run bench:erp -- --json FILE       the figures as JSON too
  npm run bench:erp -- --keep            keeps the logs of all processes

Progress goes to standard error. Ends with code 1 if an aim was missed, and after ${MINUTES_MAX} minutes for each ERP at the latest.
`;

const AIMS = {
  /**
   * Minimum number of imported ERP rows per second, as a share of the rows per second of a client that only reads the
   * pages of the ERP.
   */
  pagingShare: 0.5,
  /** Maximum memory of the erp-sync process in addition to what it used before the synchronisation. */
  memoryMb: 150,
  /** Maximum number of calls to the ERP of an hourly synchronisation that finds no change. */
  callsUnchanged: 10,
} as const;
const FULL: BooksSize = { vendors: 50_000, bills: 200_000 };
const QUICK: BooksSize = { vendors: 2_000, bills: 8_000 };
const POLL_EACH_MS = 250;
const HOUR_SECONDS = 3_600;
/**
 * Number of bills in one insert command when the benchmark writes bills directly into the database. The erp-sync
 * service writes the same number of bills for one page.
 */
const INSERT_DOCUMENTS = 250;
/**
 * Maximum number of bills that the benchmark inserts directly into the database. The rate of inserts is stable before
 * that number.
 */
const BARE_DOCUMENTS_MAX = 50_000;
const BYTES_PER_MB = 1024 * 1024;

type Run = Schemas['ErpConnection']['recentRuns'][number];

interface Measured {
  readonly erp: ErpName;
  readonly rows: number;
  /** Time from the first call of an ERP import to its end, including the search for duplicates. */
  readonly runMs: number;
  /** Time until the last row of the ERP import was stored, in milliseconds. */
  readonly pagesMs: number;
  readonly pagingMs: number;
  /**
   * Number of bills per second when the benchmark inserts the same bills directly into a database with the same
   * indexes.
   */
  readonly bareInsertsPerSecond: number;
  readonly pages: number;
  /** CPU time of the ERP import per 1,000 rows in milliseconds, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
  readonly aboveIdleMb: Readonly<Record<string, number>>;
  readonly callsUnchanged: number;
}

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      vendors: { type: 'string' },
      bills: { type: 'string' },
      json: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const usual = values.quick ? QUICK : FULL;
  const size = {
    vendors: wholeNumber('--vendors', values.vendors ?? String(usual.vendors), FULL.bills),
    bills: wholeNumber('--bills', values.bills ?? String(usual.bills), FULL.bills),
  };
  const erps = erpsOf(values.only);
  endAfter(MINUTES_MAX * erps.length);
  const logDir = await logDirectory('bench-erp', values.keep);
  const measured: Measured[] = [];
  for (const erp of erps) measured.push(await closingAfter(() => measureErp(erp, size, logDir)));
  await writeReport(values, { ...machine(), size, measured });
  report(size, measured);
}

function erpsOf(only: string | undefined): readonly ErpName[] {
  if (only === undefined) return erpNames;
  const names = only.split(',');
  const unknown = names.find((name) => !erpNames.some((erp) => erp === name));
  if (unknown !== undefined) throw new Error(`--only has "${unknown}"; it takes some of ${erpNames.join(', ')}.`);
  return erpNames.filter((erp) => names.includes(erp));
}

/** Measures the import from one ERP. The import from each ERP begins with empty databases and new processes. */
async function measureErp(erp: ErpName, size: BooksSize, logDir: string): Promise<Measured> {
  step(`${erp}: books with ${size.vendors} vendors and ${size.bills} bills`);
  const simulators = await startSimulators();
  const company = await openCompany(erp, simulators.urls[erp], size);
  const stores = await startStores();
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const system = await startSystem({
    ...stores,
    secrets,
    identities,
    logDir,
    name: erp,
    env: { ...simulators.env, ERP_OAUTH_CONFIRM: 'false' },
  });
  const tenant = await createTenant(system.organization.address, identities, `Bench ${erp}`);
  const api = apiOf(system.gateway.address, tenant.keys.owner);
  const callApi = (path: string): Promise<Response> =>
    fetch(`http://${system.gateway.address}${path}`, { redirect: 'manual' });

  const services = { 'erp-sync': system['erp-sync'].pid, analysis: system.analysis.pid };
  const watched = { ...services, ERP: simulators.pid, MongoDB: stores.pids.database };
  const idle = await residentOf(services);
  const cpuBefore = await cpuOf(watched);
  step(`${erp}: first run`);
  const { peak, result } = await peakDuring(services, async () => {
    const connectionId = await company.connect(api, callApi);
    return { connectionId, ...(await endOfRun(api, connectionId, 1)) };
  });
  const { connectionId, run, pagesMs } = result;
  const cpuAfter = await cpuOf(watched);
  const rows = rowsOf(run);
  say(`${erp}: ${rows} rows in ${seconds(runMsOf(run))}`);

  step(`${erp}: its pages bare`);
  const requests = await company.requestsAfter(0);
  const pages = requests.filter((request) => isPage(erp, request));
  const pagingMs = await pageBare(company, pages);
  say(`${erp}: the same ${pages.length} pages bare in ${(pagingMs / 1_000).toFixed(1)} s`);

  step(`${erp}: a run without changes`);
  await company.advanceClock(HOUR_SECONDS);
  const before = (await company.requestsAfter(0)).at(-1)?.n ?? 0;
  await api.post('/erp-connections/{connectionId}/sync', { path: { connectionId } });
  const { run: unchanged } = await endOfRun(api, connectionId, 2);
  if (rowsOf(unchanged) > 0) throw new Error(`${erp}: the run without changes read ${rowsOf(unchanged)} rows.`);
  const callsUnchanged = (await company.requestsAfter(before)).length;
  // The inserts directly into the database are measured last, because they make the database larger.
  const bareInsertsPerSecond = await insertBare(stores, tenant.organizationId);
  return {
    erp,
    rows,
    runMs: runMsOf(run),
    pagesMs,
    pagingMs,
    bareInsertsPerSecond,
    pages: pages.length,
    cpuMs: Object.fromEntries(
      Object.entries(cpuAfter).map(([name, ms]) => [name, ((ms - (cpuBefore[name] ?? 0)) / rows) * 1_000]),
    ),
    aboveIdleMb: Object.fromEntries(
      Object.entries(peak).map(([name, bytes]) => [name, (bytes - (idle[name] ?? 0)) / BYTES_PER_MB]),
    ),
    callsUnchanged,
  };
}

interface Simulators {
  readonly urls: Readonly<Record<ErpName, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number | undefined;
}

async function startSimulators(): Promise<Simulators> {
  const child = ownChild(fork(program('erp-simulators.js')));
  const started = await messageFrom<Pick<Simulators, 'urls' | 'env'>>(child);
  return { ...started, pid: child.pid };
}

async function cpuOf(watched: Readonly<Record<string, number | undefined>>): Promise<Record<string, number>> {
  const known = Object.entries(watched).flatMap(([name, pid]) => (pid === undefined ? [] : [[name, pid] as const]));
  return Object.fromEntries(await Promise.all(known.map(async ([name, pid]) => [name, await cpuMsOf(pid)] as const)));
}

/**
 * Waits until the given number of ERP synchronisations has ended. Returns the newest synchronisation, and the time
 * until the first synchronisation had stored its last row.
 */
async function endOfRun(api: Client, connectionId: string, count: number): Promise<{ run: Run; pagesMs: number }> {
  let stored = { rows: 0, atMs: 0 };
  for (;;) {
    const recentRuns = await recentRunsOf(api, connectionId);
    const [run] = recentRuns;
    if (run !== undefined && recentRuns.length >= count) {
      const rows = rowsOf(run);
      if (rows > stored.rows) stored = { rows, atMs: Date.now() - Date.parse(run.startedAt) };
      progress(`${rows} rows`);
      if (run.status === 'SUCCEEDED') return { run, pagesMs: stored.atMs };
      if (run.status !== 'RUNNING') throw new Error(`The run ended ${run.status}: ${JSON.stringify(run.errors)}`);
    }
    await delay(POLL_EACH_MS);
  }
}

/** Returns an empty list of ERP imports while the database does not answer. */
async function recentRunsOf(api: Client, connectionId: string): Promise<readonly Run[]> {
  try {
    return (await api.get('/erp-connections/{connectionId}', { path: { connectionId } })).data.recentRuns;
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return [];
    throw error;
  }
}

function rowsOf({ streams }: Run): number {
  return Object.values(streams).reduce((sum, stream) => sum + stream.fetched, 0);
}

function runMsOf({ startedAt, finishedAt }: Run): number {
  return Date.parse(finishedAt ?? '') - Date.parse(startedAt);
}

/** Tells whether a call to an ERP requested data rather than tokens or consents. */
function isPage(erp: ErpName, { path }: LoggedRequest): boolean {
  const data: Readonly<Record<ErpName, RegExp>> = {
    businessCentral: /\/api\//,
    odoo: /\/json\/2\/.*\/search_read$/,
    quickBooks: /^\/v3\/.*\/query$/,
    xero: /^\/api\.xro\//,
  };
  return data[erp].test(path);
}

function pageBare({ url }: Company, pages: readonly LoggedRequest[]): Promise<number> {
  const child = ownChild(fork(program('erp-paging.js')));
  const order: PagingOrder = {
    origin: url,
    pages: pages.map(({ method, path, query, headers, body }) => {
      const search = new URLSearchParams(query).toString();
      return { method, path: `${encodeURI(path)}${search === '' ? '' : `?${search}`}`, headers, body };
    }),
  };
  child.send(order);
  return messageFrom(child);
}

/**
 * Copies stored bills with insert commands only, into a collection with the same indexes.
 * @returns documents per second
 */
async function insertBare(stores: Stores, organizationId: string): Promise<number> {
  const bills = (await stores.openDatabase('analysis')).collection<{ _id: string; organizationId: string }>('invoices');
  const copies = (await stores.openDatabase('ceiling')).collection<{ _id: string }>('invoices');
  const indexes = await bills.indexes();
  await copies.createIndexes(indexes.filter(({ name }) => name !== '_id_').map(({ v: _, ...index }) => index));
  let inserted = 0;
  let tookMs = 0;
  let batch: { _id: string }[] = [];
  const insert = async (): Promise<void> => {
    if (batch.length === 0) return;
    const beganMs = performance.now();
    await copies.insertMany(batch, { ordered: false });
    tookMs += performance.now() - beganMs;
    inserted += batch.length;
    batch = [];
  };
  for await (const document of bills.find(
    { organizationId },
    { batchSize: INSERT_DOCUMENTS, limit: BARE_DOCUMENTS_MAX },
  )) {
    batch.push(document);
    if (batch.length === INSERT_DOCUMENTS) await insert();
  }
  await insert();
  return (inserted / tookMs) * 1_000;
}

function report({ vendors, bills }: BooksSize, measured: readonly Measured[]): void {
  const good = goodIn(process.stdout.isTTY);
  const judge: Good = (text, isGood) => {
    if (!isGood) process.exitCode = 1;
    return good(text, isGood);
  };
  const mb = (above: number | undefined = 0): string => judge(above.toFixed(0), above <= AIMS.memoryMb);
  const rows = measured.map((one) => {
    const perSecond = (one.rows / one.runMs) * 1_000;
    const pagingPerSecond = (one.rows / one.pagingMs) * 1_000;
    const share = perSecond / pagingPerSecond;
    return [
      one.erp,
      String(one.rows),
      (one.runMs / 1_000).toFixed(1),
      perSecond.toFixed(0),
      ((one.rows / one.pagesMs) * 1_000).toFixed(0),
      pagingPerSecond.toFixed(0),
      judge(`${(share * 100).toFixed(1)} %`, share >= AIMS.pagingShare),
      one.bareInsertsPerSecond.toFixed(0),
      `${((one.rows / one.pagesMs / one.bareInsertsPerSecond) * 100_000).toFixed(1)} %`,
      mb(one.aboveIdleMb['erp-sync']),
      mb(one.aboveIdleMb['analysis']),
      judge(String(one.callsUnchanged), one.callsUnchanged <= AIMS.callsUnchanged),
    ];
  });
  const head = [
    'ERP',
    'rows',
    'first run, s',
    'rows/s',
    'until stored',
    'paging rows/s',
    'share',
    'inserts/s',
    'stored : inserts',
  ];
  const memory = ['erp-sync MB', 'analysis MB', 'calls unchanged'];
  const processes = Object.keys(measured[0]?.cpuMs ?? {});
  const cpu = measured.map(({ erp, cpuMs }) => [erp, ...processes.map((name) => (cpuMs[name] ?? 0).toFixed(0))]);
  process.stdout.write(
    `\nSynchronising ${vendors} vendors and ${bills} bills\n\n${table([[...head, ...memory], ...rows], 0)}\n` +
      `\nCPU milliseconds for 1,000 rows\n\n${table([['ERP', ...processes], ...cpu], 0)}\n` +
      `\nAims: half of the bare paging, at most ${AIMS.memoryMb} MB above idle, at most ${AIMS.callsUnchanged} calls.\n`,
  );
}

/** Returns the path of a compiled program of the benchmark, in `tests/dist/bench`. */
function program(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
