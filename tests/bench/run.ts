// `npm run bench`: what a request costs, beside what it would cost with nothing of ours in the way.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startInfrastructure } from '@invoicecontrol/dev/infrastructure';
import { newSecrets } from '@invoicecontrol/dev/system';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { measure, median, medianOf, storePids } from './cell.js';
import type { Measured, Watched } from './cell.js';
import { invoiceAt } from './invoices.js';
import { startLoadProcess } from './load-process.js';
import { print, subjects } from './report.js';
import type { Report, Row, Subject } from './report.js';
import { countRoundTrips } from './round-trips.js';
import { seed } from './seed.js';
import { startCeiling, startSystem, stopAll } from './servers.js';
import type { Ceiling } from './servers.js';

const usage = `Measures POST /v1/invoices through gateway, organization and analysis, each in a process of its own, beside
the ceiling: a bare Express that makes one grpc-js call. How to read the figures: docs/guides/benchmarks.md

  npm run bench                       about four minutes on a quiet machine
  npm run bench -- --seconds 2        shorter measurements (3 unless said)
  npm run bench -- --rounds 1         fewer repetitions to take the median of (3 unless said)
  npm run bench -- --history 5000     fewer invoices in the large history (20000 unless said)
  npm run bench -- --json FILE        the figures as JSON too
`;

const SMALL_HISTORY = 1_000;
const CONNECTIONS = [1, 16, 64] as const;
const WARM_UP = { connections: 16, seconds: 2 } as const;

await main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      history: { type: 'string', default: '20000' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  if (process.platform !== 'linux') throw new Error('The time of processes is read from /proc: run this on Linux.');
  const seconds = wholeNumber('--seconds', values.seconds, 60);
  const rounds = wholeNumber('--rounds', values.rounds, 20);
  const history = wholeNumber('--history', values.history, 1_000_000);
  const report = await benchmark({ secondsPerCell: seconds, rounds, history });
  process.stdout.write(print(report, process.stdout.isTTY && process.env['NO_COLOR'] === undefined));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
}

interface BenchmarkOptions {
  readonly secondsPerCell: number;
  readonly rounds: number;
  /** Invoices in the large history. */
  readonly history: number;
}

/** Starts everything, measures, and stops what was started, in the reverse order, also when it is interrupted. */
async function benchmark(options: BenchmarkOptions): Promise<Report> {
  const closing: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).toReversed()) await step();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().finally(() => process.exit(1)));
  }
  try {
    return await measureAll(options, closing);
  } finally {
    await close();
  }
}

async function measureAll(
  { secondsPerCell, rounds, history }: BenchmarkOptions,
  closing: (() => unknown)[],
): Promise<Report> {
  say('starting MongoDB, NATS, the ceiling and the services');
  const logDir = await mkdtemp(join(tmpdir(), 'invoice-control-bench-'));
  closing.push(() => rm(logDir, { recursive: true, force: true }));
  const infrastructure = await startInfrastructure({ log: say });
  closing.push(() => infrastructure.stop());
  const { mongodbUrl, natsUrl, source } = infrastructure;
  const secrets = newSecrets();
  const load = startLoadProcess();
  closing.push(() => load.stop());
  const ceiling = await startCeiling(logDir, 'ceiling');
  const storage = await startCeiling(logDir, 'storage', mongodbUrl);
  const system = await startSystem({ natsUrl, secrets, logDir, name: 'measured', mongodbUrlFor: () => mongodbUrl });
  const stopMeasured = (): Promise<void> =>
    stopAll([...Object.values(system), ...Object.values(ceiling), ...Object.values(storage)]);
  closing.push(stopMeasured);

  let tenants = 0;
  const newTenant = async (storedCount: number): Promise<Tenant> => {
    const tenant = await createTenant(system.organization.address, secrets.operatorToken, `Bench ${(tenants += 1)}`);
    await seed(system.analysis.address, tenant.organizationId, storedCount, (done) =>
      progress(`storing ${storedCount} invoices: ${done}`),
    );
    return tenant;
  };
  say(`storing ${history} invoices`);
  const large = await newTenant(history);
  let nextOfLarge = history;

  const stores = await storePids();
  const onCeiling = ({ gateway, service }: Ceiling, connections: number, seconds: number): Promise<Measured> => {
    const url = `http://${gateway.address}/invoices`;
    const order = { url, key: 'none', connections, seconds, firstIndex: 0, storedCount: 1 };
    const watched: Watched = { gateway: gateway.pid, analysis: service.pid, database: stores.database };
    return measure(load, order, watched);
  };
  const systemUrl = `http://${system.gateway.address}/v1/invoices`;
  const watchedSystem: Watched = {
    gateway: system.gateway.pid,
    analysis: system.analysis.pid,
    organization: system.organization.pid,
    ...stores,
  };
  const onSystem = (tenant: Tenant, connections: number, seconds: number, firstIndex: number, storedCount: number) => {
    const order = { url: systemUrl, key: tenant.keys.owner, connections, seconds, firstIndex, storedCount };
    return measure(load, order, watchedSystem);
  };
  const onSmall = async (connections: number, seconds: number): Promise<Measured> =>
    // A new organization each time, since every measurement adds to the one it is made in.
    onSystem(await newTenant(SMALL_HISTORY), connections, seconds, SMALL_HISTORY, SMALL_HISTORY);
  const onLarge = async (connections: number, seconds: number): Promise<Measured> => {
    const measured = await onSystem(large, connections, seconds, nextOfLarge, history);
    nextOfLarge += measured.posted;
    return measured;
  };

  say('warming up');
  await onCeiling(ceiling, WARM_UP.connections, WARM_UP.seconds);
  await onCeiling(storage, WARM_UP.connections, WARM_UP.seconds);
  await onSmall(WARM_UP.connections, WARM_UP.seconds);
  const measured = CONNECTIONS.map((connections) => ({ connections, rounds: [] as Record<Subject, Measured>[] }));
  for (let round = 1; round <= rounds; round++) {
    for (const { connections, rounds: done } of measured) {
      progress(`round ${round} of ${rounds}, ${connections} connections`);
      // One after the other within seconds, so that what else the machine does meets all of them.
      const of = {
        ceiling: await onCeiling(ceiling, connections, secondsPerCell),
        storage: await onCeiling(storage, connections, secondsPerCell),
        small: await onSmall(connections, secondsPerCell),
        large: await onLarge(connections, secondsPerCell),
      };
      done.push(of);
      const rates = subjects.map((subject) => `${subject} ${of[subject].requestsPerSecond.toFixed(0)}`);
      say(`round ${round} of ${rounds}, ${connections} connections, requests/s: ${rates.join(', ')}`);
    }
  }

  say('counting round trips');
  await stopMeasured();
  const roundTrips = await countRoundTrips({
    mongodbUrl,
    natsUrl,
    secrets,
    key: large.keys.owner,
    firstIndex: nextOfLarge,
    storedCount: history,
    load,
    logDir,
  });
  return {
    at: new Date().toISOString(),
    node: process.version,
    processors: `${availableParallelism()} x ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
    stores: `MongoDB: ${source.mongodb}, NATS: ${source.nats}`,
    secondsPerCell,
    rounds,
    bodyBytes: Buffer.byteLength(JSON.stringify(invoiceAt(1, 1))),
    stored: { small: SMALL_HISTORY, large: history },
    largeAtEnd: nextOfLarge,
    rows: measured.map(({ connections, rounds: all }) => rowOf(connections, all)),
    roundTrips,
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

function wholeNumber(option: string, text: string, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new Error(`${option} is "${text}"; it must be a whole number from 1 to ${max}.`);
}

/** Progress goes to standard error, the report alone to standard output. */
function say(line: string): void {
  const elapsed = `${Math.round(performance.now() / 1_000)} s`.padStart(6);
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${elapsed}  ${line}\n`);
}

/** A line that the next one replaces; nothing where nobody looks on. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K        ${line}`);
}
