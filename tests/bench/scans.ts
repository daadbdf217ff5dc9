// Measures history scans: their duration for each size of the history, their effect on other tenants, and the memory
// that many concurrent scans use. The duration is compared with two minimum times (ceilings): for parsing the request
// and for inserting the rows, each without the services.
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { median, medianOf, settledCpuOf } from './cell.js';
import type { Watched } from './cell.js';
import type { Load, LoadProcess } from './load-process.js';
import { peakDuring, residentOf } from './memory.js';
import type { Resident } from './memory.js';
import { say, step } from './progress.js';
import { measureScanCeilings } from './scan-ceilings.js';
import type { ScanCeilings } from './scan-ceilings.js';
import { scanRows } from './scan-rows.js';
import { stagesOf } from './scan-stages.js';
import type { StagesMs } from './scan-stages.js';
import type { System } from './servers.js';
import type { NewTenant } from './tenants.js';

/** Number of rows in the largest history scan file that one request accepts. */
const ROWS = 5_000;
const SCANS_AT_ONCE = 5;
/**
 * Rate at which another tenant posts invoices during the benchmark of history scans, and the number of its stored
 * invoices.
 */
const STEADY_PER_SECOND = 20;
const STEADY_STORED = 1_000;
/**
 * Duration of the steady load, as a multiple of the duration of the other scan measurements. The load is longer,
 * because a p95 needs many requests.
 */
const STEADY_CELLS = 4;
const STEADY_WARM_UP_SECONDS = 2;
const WARM_UP_SCANS = 2;

/** Figures that were measured during one history scan. */
export interface MeasuredScan {
  /** Time until the caller of a history scan receives the response. */
  readonly totalMs: number;
  readonly stagesMs: StagesMs;
  /** CPU time that each process used for the history scan, in milliseconds. */
  readonly cpuMs: Readonly<Record<string, number>>;
}

/** Results of history scans in organizations with a certain number of invoices, as medians of the rounds. */
export interface ScanRow {
  readonly stored: number;
  readonly scan: MeasuredScan;
  readonly totalsMs: readonly number[];
  /**
   * Two ratios of the duration of a history scan. `ceilingRatio` compares it with the minimum time for parsing the
   * request and inserting the rows, and `emptyRatio` with the duration in an organization without invoices. Both are
   * medians of the ratios of all rounds.
   */
  readonly ceilingRatio: number;
  readonly emptyRatio: number;
  /** Ratio of the CPU time of all processes for a history scan to that with an empty history. */
  readonly cpuRatio: number;
}

export interface ScansReport {
  readonly rows: number;
  readonly bodyBytes: number;
  readonly rounds: number;
  readonly ceilings: ScanCeilings;
  readonly byHistory: readonly ScanRow[];
  readonly others: {
    readonly perSecond: number;
    readonly seconds: number;
    readonly quiet: Load;
    readonly during: Load;
    /** Number of history scans that ended during the load, in all rounds. */
    readonly scans: number;
    /**
     * Ratio of the p95 duration of another tenant's requests during history scans to that without scans, as the median
     * of all rounds.
     */
    readonly p95Ratio: number;
  };
  readonly memory: {
    readonly scans: number;
    readonly before: Resident;
    readonly peak: Resident;
    readonly after: Resident;
    /** Time until the first and until the last response, after all history scans were posted at the same time. */
    readonly firstMs: number;
    readonly lastMs: number;
  };
}

export interface ScansOptions {
  readonly rounds: number;
  readonly secondsPerCell: number;
  /** Numbers of stored invoices with which scans are measured. The first number is 0. */
  readonly histories: readonly number[];
}

export interface ScansDeps {
  readonly system: System;
  readonly storePids: Watched;
  readonly load: LoadProcess;
  readonly newTenant: NewTenant;
  /**
   * Database in which history scans are measured without the services. It is on the same server as the databases of the
   * services.
   */
  readonly ceilingDb: MongoConnection['db'];
}

export async function measureScans(options: ScansOptions, deps: ScansDeps): Promise<ScansReport> {
  const { system, ceilingDb, newTenant } = deps;
  const { gateway, scan, analysis, organization } = system;
  const watched: Watched = {
    gateway: gateway.pid,
    scan: scan.pid,
    analysis: analysis.pid,
    organization: organization.pid,
    ...deps.storePids,
  };
  // Every history scan file is imported once, because a second import would skip all rows.
  let files = 0;
  const newFile = (storedCount: number): string => JSON.stringify({ rows: scanRows((files += 1), ROWS, storedCount) });
  const scanning: Scanning = { ...deps, watched, newFile };

  step(`warming up with ${WARM_UP_SCANS} scans`);
  for (let scans = 0; scans < WARM_UP_SCANS; scans++) {
    await measureScanCeilings(ceilingDb, newFile(0));
    await measureScan(scanning, await newTenant(0), 0);
  }
  // The minimum times for parsing and inserting (ceilings) are measured while the database is small, before the
  // histories are stored.
  const others = await measureOthers(options, scanning);
  const memory = await measureMemory(scanning);
  return {
    rows: ROWS,
    bodyBytes: Buffer.byteLength(newFile(0)),
    rounds: options.rounds,
    ...(await measureTimes(options, scanning)),
    others,
    memory,
  };
}

interface Scanning extends ScansDeps {
  readonly watched: Watched;
  readonly newFile: (storedCount: number) => string;
}

/** Measures history scans, and their minimum times (ceilings), for each size of the history in turn. */
async function measureTimes(
  { rounds, histories }: ScansOptions,
  scanning: Scanning,
): Promise<Pick<ScansReport, 'ceilings' | 'byHistory'>> {
  const { ceilingDb, newTenant, newFile } = scanning;
  const tenants = new Map<number, Tenant>();
  for (const stored of histories) if (stored > 0) tenants.set(stored, await newTenant(stored));
  const measured: { ceilings: ScanCeilings; scans: MeasuredScan[] }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const ceilings = await measureScanCeilings(ceilingDb, newFile(0));
    const scans: MeasuredScan[] = [];
    for (const stored of histories) {
      step(`round ${round} of ${rounds}, ${stored} stored`);
      // Organizations with a history get a different scan file each time. A measurement without a history needs a new
      // organization each time.
      scans.push(await measureScan(scanning, tenants.get(stored) ?? (await newTenant(0)), stored));
    }
    measured.push({ ceilings, scans });
    const took = scans.map(({ totalMs }, at) => `${histories[at]} stored ${totalMs.toFixed(0)}`);
    say(`round ${round} of ${rounds}, ms: ceilings ${sumOf({ ...ceilings }).toFixed(0)}, ${took.join(', ')}`);
  }
  return {
    ceilings: mediansOfCeilings(measured.map(({ ceilings }) => ceilings)),
    byHistory: histories.map((stored, at) => {
      const own = measured.flatMap(({ ceilings, scans }) => {
        const [scan, empty] = [scans[at], scans[0]];
        return scan === undefined || empty === undefined ? [] : [{ scan, ceilings, empty }];
      });
      return {
        stored,
        scan: {
          totalMs: median(own.map(({ scan }) => scan.totalMs)),
          stagesMs: medians(own.map(({ scan }) => scan.stagesMs)),
          cpuMs: medians(own.map(({ scan }) => scan.cpuMs)),
        },
        totalsMs: own.map(({ scan }) => scan.totalMs),
        ceilingRatio: median(own.map(({ scan, ceilings }) => scan.totalMs / sumOf({ ...ceilings }))),
        emptyRatio: median(own.map(({ scan, empty }) => scan.totalMs / empty.totalMs)),
        cpuRatio: median(own.map(({ scan, empty }) => sumOf(scan.cpuMs) / sumOf(empty.cpuMs))),
      };
    }),
  };
}

async function measureScan(scanning: Scanning, tenant: Tenant, storedCount: number): Promise<MeasuredScan> {
  const { system, watched, newFile } = scanning;
  const body = newFile(storedCount);
  const before = await settledCpuOf(watched);
  const { totalMs, requestId, scanId } = await postScan(system, tenant, body);
  const after = await settledCpuOf(watched);
  const cpuMs = Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]));
  return { totalMs, cpuMs, stagesMs: await stagesOf(system, requestId, scanId) };
}

let requests = 0;

async function postScan(
  { gateway }: System,
  { keys }: Tenant,
  body: string,
): Promise<{ totalMs: number; requestId: string; scanId: string }> {
  const requestId = `bench-scan-${(requests += 1)}`;
  const begunMs = performance.now();
  const response = await fetch(`http://${gateway.address}/v1/scans`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${keys.owner}`,
      'X-Request-Id': requestId,
    },
    body,
  });
  const answer = await response.text();
  const totalMs = performance.now() - begunMs;
  if (response.status !== 201) throw new Error(`POST /v1/scans was answered with ${response.status}: ${answer}`);
  const { id: scanId } = JSON.parse(answer) as { id: string };
  return { totalMs, requestId, scanId };
}

/**
 * Measures another tenant that posts invoices at a steady rate, alternately without scans and during a sequence of
 * history scans.
 */
async function measureOthers(
  { rounds, secondsPerCell }: ScansOptions,
  { system, load, newTenant, newFile }: Scanning,
): Promise<ScansReport['others']> {
  const seconds = secondsPerCell * STEADY_CELLS;
  const other = await newTenant(STEADY_STORED);
  let nextIndex = STEADY_STORED;
  const post = async (lastingSeconds: number): Promise<Load> => {
    const seen = await load.run({
      url: `http://${system.gateway.address}/v1/invoices`,
      key: other.keys.owner,
      connections: 1,
      ratePerSecond: STEADY_PER_SECOND,
      seconds: lastingSeconds,
      firstIndex: nextIndex,
      storedCount: STEADY_STORED,
    });
    nextIndex += seen.posted;
    return seen;
  };
  await post(STEADY_WARM_UP_SECONDS);
  const measured: { quiet: Load; during: Load }[] = [];
  let scans = 0;
  for (let round = 1; round <= rounds; round++) {
    step(`steady load, round ${round} of ${rounds}`);
    const quiet = await post(seconds);
    let isPosting = true;
    const scanning = (async () => {
      for (; isPosting; scans++) await postScan(system, await newTenant(0), newFile(0));
    })();
    const during = await post(seconds);
    isPosting = false;
    await scanning;
    measured.push({ quiet, during });
    say(
      `steady load, round ${round} of ${rounds}, p95 in ms: quiet ${ms(quiet.p95Ms)}, during scans ${ms(during.p95Ms)}`,
    );
  }
  return {
    perSecond: STEADY_PER_SECOND,
    seconds,
    quiet: medianLoad(measured.map(({ quiet }) => quiet)),
    during: medianLoad(measured.map(({ during }) => during)),
    scans,
    p95Ratio: median(measured.map(({ quiet, during }) => during.p95Ms / quiet.p95Ms)),
  };
}

/** Measures the memory while several organizations post a history scan at the same moment. */
async function measureMemory({ system, watched, newTenant, newFile }: Scanning): Promise<ScansReport['memory']> {
  step(`memory: ${SCANS_AT_ONCE} scans at once`);
  const orders: { tenant: Tenant; body: string }[] = [];
  for (let scans = 0; scans < SCANS_AT_ONCE; scans++) orders.push({ tenant: await newTenant(0), body: newFile(0) });
  await settledCpuOf(watched);
  const before = await residentOf(watched);
  const { peak, result } = await peakDuring(watched, () =>
    Promise.all(orders.map(({ tenant, body }) => postScan(system, tenant, body))),
  );
  await settledCpuOf(watched);
  const totalsMs = result.map(({ totalMs }) => totalMs);
  return {
    scans: SCANS_AT_ONCE,
    before,
    peak,
    after: await residentOf(watched),
    firstMs: Math.min(...totalsMs),
    lastMs: Math.max(...totalsMs),
  };
}

function medianLoad(loads: readonly Load[]): Load {
  const { cpuMs: _none, ...load } = medianOf(loads.map((seen) => ({ ...seen, cpuMs: {} })));
  return load;
}

function sumOf(msByPart: Readonly<Record<string, number>>): number {
  return Object.values(msByPart).reduce((sum, part) => sum + part, 0);
}

function mediansOfCeilings(rounds: readonly ScanCeilings[]): ScanCeilings {
  return {
    parse: median(rounds.map(({ parse }) => parse)),
    validate: median(rounds.map(({ validate }) => validate)),
    insert: median(rounds.map(({ insert }) => insert)),
  };
}

/** Computes the median of each named benchmark figure over the rounds that have it. */
function medians(rounds: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(rounds.flatMap((round) => Object.keys(round)));
  return Object.fromEntries(
    [...names].map((name) => [name, median(rounds.flatMap((round) => round[name] ?? []))] as const),
  );
}

function ms(duration: number): string {
  return duration.toFixed(0);
}
