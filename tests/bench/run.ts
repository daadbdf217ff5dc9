// Runs `npm run bench`, which measures the cost of a request in comparison with the same chain of processes without the
// product.
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { newSecrets } from '@invoicecontrol/topology/start';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { measure, median, medianOf } from './cell.js';
import type { Measured, Watched } from './cell.js';
import { invoiceAt } from './invoices.js';
import { startLoadProcess } from './load-process.js';
import type { LoadProcess } from './load-process.js';
import { say, step } from './progress.js';
import { endAfter, logDirectory, runProgram } from './run-program.js';
import { print, subjects } from './report.js';
import type { LoadReport, Report, Row, Subject } from './report.js';
import { measureIdle } from './idle.js';
import type { Idle } from './idle.js';
import { measureScans } from './scans.js';
import type { ScansReport } from './scans.js';
import { startCeiling, startSystem, stopAll } from './servers.js';
import type { Ceiling, System } from './servers.js';
import { startStores } from './stores.js';
import type { Stores } from './stores.js';
import { tenantMaker } from './tenants.js';
import type { NewTenant } from './tenants.js';
import { measureWork } from './work.js';
import type { Customer, Work } from './work.js';
import { wholeNumber } from './whole-number.js';

/** Time limit of the benchmark for the default sizes or smaller ones. Larger sizes take proportionally longer. */
const MINUTES_MAX = 40;

const usage = `Measures what goes through gateway, organization, scan and analysis, each in a process of its own:

  load   POST /v1/invoices: throughput, latency and CPU next to the ceiling, a bare Express that makes one grpc-js call
  work   what one invoice asks of the database, and how many records it is compared with, by the size of the history;
         commands, steps, journal waits and bytes written of each kind of request
  idle   commands to the database and CPU time of one replica of each service that nobody uses
  scans  POST /v1/scans with 5000 rows: time next to two ceilings, by stage and by the size of the history; what
         another tenant notices; memory of five at once

How to read the figures: docs/guides/benchmarks.md

  npm run bench                       all, about fourteen minutes on a quiet machine
  npm run bench -- --only work        one part; npm run bench:scans is --only scans
  npm run bench -- --quick            as --seconds 1 --rounds 1 --history 2000, a minute for each part
  npm run bench -- --seconds 2        shorter measurements (3 unless said)
  npm run bench -- --rounds 1         fewer repetitions to take the median of (3 unless said)
  npm run bench -- --history 5000     fewer invoices in the large history (20000 unless said; work and scans also look at five times as many)
  npm run bench -- --json FILE        the figures as JSON too

Ends after ${MINUTES_MAX} minutes at the latest, with larger sizes after as many times as long.
`;

const parts = ['load', 'work', 'idle', 'scans'] as const;
type Part = (typeof parts)[number];

const SMALL_HISTORY = 1_000;
const UNLIMITED_PLAN = 'ENTERPRISE';
/** The plan of the benchmarked organization allows 5,000 analyses in a month, more than are posted. */
const LIMITED_PLAN = 'SCALE';
const thorough = { seconds: 3, rounds: 3, history: 20_000 } as const;
const quick = { seconds: 1, rounds: 1, history: 2_000 } as const;
/**
 * Size of the largest benchmark history as a multiple of the large one. Only the measurements of work and of scans use
 * the largest history.
 */
const LARGEST = 5;
const CONNECTIONS = [1, 16, 64] as const;
const WARM_UP = { connections: 16, seconds: 2 } as const;

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      history: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  if (process.platform !== 'linux') throw new Error('The time of processes is read from /proc: run this on Linux.');
  const usual = values.quick ? quick : thorough;
  const options: BenchmarkOptions = {
    parts: partsOf(values.only),
    secondsPerCell: wholeNumber('--seconds', values.seconds ?? String(usual.seconds), 60),
    rounds: wholeNumber('--rounds', values.rounds ?? String(usual.rounds), 20),
    history: wholeNumber('--history', values.history ?? String(usual.history), 200_000),
  };
  const timesAsLong = Math.max(
    1,
    options.history / thorough.history,
    (options.rounds * options.secondsPerCell) / (thorough.rounds * thorough.seconds),
  );
  endAfter(MINUTES_MAX * timesAsLong);
  const report = await measureAll(options);
  process.stdout.write(print(report, process.stdout.isTTY && process.env['NO_COLOR'] === undefined));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
}

interface BenchmarkOptions {
  readonly parts: readonly Part[];
  readonly secondsPerCell: number;
  readonly rounds: number;
  /** Number of stored invoices in the large history of the benchmark. */
  readonly history: number;
}

async function measureAll(options: BenchmarkOptions): Promise<Report> {
  step('starting MongoDB, NATS and the services');
  const logDir = await logDirectory('bench');
  const stores = await startStores();
  const { mongodbUrl, natsUrl, databasePrefix, about } = stores;
  const db = await stores.openDatabase('analysis');
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const load = startLoadProcess();
  const system = await startSystem({
    mongodbUrl,
    natsUrl,
    databasePrefix,
    secrets,
    identities,
    logDir,
    name: 'measured',
  });
  const newTenant = tenantMaker(system, identities, db);

  const { parts: wanted, history } = options;
  const loaded = wanted.includes('load')
    ? await measureLoad(options, { system, load, stores, logDir, newTenant })
    : undefined;
  let scans: ScansReport | undefined;
  if (wanted.includes('scans')) {
    const ceilingDb = await stores.openDatabase('ceiling');
    const histories = [0, history, history * LARGEST];
    scans = await measureScans(
      { ...options, histories },
      { system, storePids: stores.pids, load, newTenant, ceilingDb },
    );
  }
  let work: Work[] | undefined;
  if (wanted.includes('work')) {
    const customers: Customer[] = [];
    for (const [stored, plan] of [
      [SMALL_HISTORY, LIMITED_PLAN],
      ...[SMALL_HISTORY, history, history * LARGEST].map((count) => [count, UNLIMITED_PLAN] as const),
    ] as const) {
      const { organizationId, keys } = await newTenant(stored, plan);
      customers.push({ organizationId, key: keys.owner, stored, plan });
    }
    await stopAll(Object.values(system));
    step('counting commands and candidates');
    work = await measureWork({ mongodbUrl, natsUrl, databasePrefix, secrets, identities, db, customers, load, logDir });
  }
  let idle: Idle | undefined;
  if (wanted.includes('idle')) {
    await stopAll(Object.values(system));
    idle = await measureIdle({ mongodbUrl, natsUrl, databasePrefix, secrets, identities, logDir, name: 'idle' });
  }
  return {
    at: new Date().toISOString(),
    node: process.version,
    processors: `${availableParallelism()} x ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
    stores: about,
    bodyBytes: Buffer.byteLength(JSON.stringify(invoiceAt(1, 1))),
    load: loaded,
    work,
    idle,
    scans,
  };
}

interface Deps {
  readonly system: System;
  readonly load: LoadProcess;
  readonly stores: Stores;
  readonly logDir: string;
  readonly newTenant: NewTenant;
}

/** Measures the cost of posting invoices to the simpler systems (ceilings) and to the product in turn. */
async function measureLoad(
  { secondsPerCell, rounds, history }: BenchmarkOptions,
  { system, load, stores, logDir, newTenant }: Deps,
): Promise<LoadReport> {
  const ceiling = await startCeiling(logDir, 'ceiling');
  const storage = await startCeiling(logDir, 'storage', stores);
  const large = await newTenant(history);
  let nextOfLarge = history;

  const onCeiling = (measured: Ceiling, connections: number, seconds: number): Promise<Measured> => {
    const url = `http://${measured.gateway.address}/invoices`;
    const order = { url, key: 'none', connections, seconds, firstIndex: 0, storedCount: 1 };
    const watched: Watched = {
      gateway: measured.gateway.pid,
      analysis: measured.service.pid,
      database: stores.pids.database,
    };
    return measure(load, order, watched);
  };
  const systemUrl = `http://${system.gateway.address}/v1/invoices`;
  const watchedSystem: Watched = {
    gateway: system.gateway.pid,
    analysis: system.analysis.pid,
    organization: system.organization.pid,
    ...stores.pids,
  };
  const onSystem = (tenant: Tenant, connections: number, seconds: number, firstIndex: number, storedCount: number) => {
    const order = { url: systemUrl, key: tenant.keys.owner, connections, seconds, firstIndex, storedCount };
    return measure(load, order, watchedSystem);
  };
  const onSmall = async (connections: number, seconds: number): Promise<Measured> =>
    // Each measurement uses a new organization, because the measured requests add invoices to it.
    onSystem(await newTenant(SMALL_HISTORY), connections, seconds, SMALL_HISTORY, SMALL_HISTORY);
  const onLarge = async (connections: number, seconds: number): Promise<Measured> => {
    const measured = await onSystem(large, connections, seconds, nextOfLarge, history);
    nextOfLarge += measured.posted;
    return measured;
  };

  step('warming up');
  await onCeiling(ceiling, WARM_UP.connections, WARM_UP.seconds);
  await onCeiling(storage, WARM_UP.connections, WARM_UP.seconds);
  await onSmall(WARM_UP.connections, WARM_UP.seconds);
  const measured = CONNECTIONS.map((connections) => ({ connections, rounds: [] as Record<Subject, Measured>[] }));
  for (let round = 1; round <= rounds; round++) {
    for (const { connections, rounds: done } of measured) {
      step(`round ${round} of ${rounds}, ${connections} connections`);
      // All compared systems are measured within seconds, so that other work on the machine affects each of them.
      const of = {
        ceiling: await onCeiling(ceiling, connections, secondsPerCell),
        storage: await onCeiling(storage, connections, secondsPerCell),
        small: await onSmall(connections, secondsPerCell),
        large: await onLarge(connections, secondsPerCell),
      };
      done.push(of);
      const rates = subjects.map((subject) => `${subject} ${of[subject].requestsPerSecond.toFixed(0)}`);
      say(`requests/s: ${rates.join(', ')}`);
    }
  }
  await stopAll([...Object.values(ceiling), ...Object.values(storage)]);
  return {
    secondsPerCell,
    rounds,
    stored: { small: SMALL_HISTORY, large: history },
    largeAtEnd: nextOfLarge,
    rows: measured.map(({ connections, rounds: all }) => rowOf(connections, all)),
  };
}

function rowOf(connections: number, rounds: readonly Record<Subject, Measured>[]): Row {
  const both = ({ cpuMs }: Measured): number => (cpuMs['gateway'] ?? Number.NaN) + (cpuMs['analysis'] ?? Number.NaN);
  const cpuRatio = (subject: Subject): number =>
    median(rounds.map((round) => both(round[subject]) / both(round.ceiling)));
  const of = (subject: Subject): Measured => medianOf(rounds.map((round) => round[subject]));
  return {
    connections,
    measured: {
      ceiling: of('ceiling'),
      storage: of('storage'),
      small: of('small'),
      large: of('large'),
    },
    cpuRatio: { storage: cpuRatio('storage'), small: cpuRatio('small'), large: cpuRatio('large') },
    p95Ratio: median(rounds.map(({ small, large }) => large.p95Ms / small.p95Ms)),
  };
}

function partsOf(only: string | undefined): readonly Part[] {
  if (only === undefined) return parts;
  const part = parts.find((name) => name === only);
  if (part === undefined) throw new Error(`--only is "${only}"; it must be one of ${parts.join(', ')}.`);
  return [part];
}
