// Runs `npm run bench:telemetry`, which measures what telemetry costs a request.
import { parseArgs } from 'node:util';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { newSecrets } from '@invoicecontrol/topology/start';
import { startOtlpReceiver } from '../e2e/otlp-receiver.js';
import { measure, median } from './cell.js';
import type { Measured } from './cell.js';
import { startLoadProcess } from './load-process.js';
import { machine, writeReport } from './one-core.js';
import { say, step } from './progress.js';
import { endAfter, logDirectory, onEnd, runProgram } from './run-program.js';
import { startSystem } from './servers.js';
import type { System } from './servers.js';
import { startStores } from './stores.js';
import { goodIn, table, times } from './table.js';
import { tenantMaker } from './tenants.js';
import { wholeNumber } from './whole-number.js';

const usage = `Posts invoices in turn to a product without telemetry and to one that exports its metrics and 5 % of its traces, at the same
rate, over the same stores, and compares the CPU time of gateway and analysis.

  npm run bench:telemetry                     five rounds of a minute for each; twelve minutes
  npm run bench:telemetry -- --rounds 4       fewer rounds
  npm run bench:telemetry -- --rate 10        invoices a second (20 unless said)
  npm run bench:telemetry -- --json FILE      the figures as JSON too

Progress goes to standard error. Ends with code 1 if the aim was missed.
`;

/** Maximum CPU time of a request with telemetry, as a multiple of the time without it. */
const AIM = 1.05;
const STORED = 2_000;
const SECONDS_PER_ROUND = 60;
const WARM_UP_SECONDS = 20;
const ROUNDS_MAX = 100;
const MINUTES_MAX = 60;

const kinds = ['off', 'on'] as const;
type Kind = (typeof kinds)[number];

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      rate: { type: 'string', default: '20' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const rounds = wholeNumber('--rounds', values.rounds, ROUNDS_MAX);
  const rate = wholeNumber('--rate', values.rate, 1_000);
  endAfter(MINUTES_MAX);
  const measured = await measureBoth(rounds, rate);
  await writeReport(values, { ...machine(), rounds, rate, measured });
  report(measured, rate);
}

async function measureBoth(rounds: number, ratePerSecond: number): Promise<Readonly<Record<Kind, Measured[]>>> {
  step('starting the stores and two products');
  const logDir = await logDirectory('bench-telemetry');
  const receiver = await startOtlpReceiver();
  onEnd(() => receiver.close());
  const stores = await startStores();
  const load = startLoadProcess();
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const telemetry = {
    ...receiver.env,
    // As in production, metrics are exported once a minute, so each process exports them once in each round.
    OTEL_METRIC_EXPORT_INTERVAL: String(SECONDS_PER_ROUND * 1_000),
    OTEL_METRIC_EXPORT_TIMEOUT: '5000',
    OTEL_BSP_SCHEDULE_DELAY: '5000',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.05',
  };
  const start = async (kind: Kind): Promise<{ system: System; tenant: Tenant; next: number }> => {
    const databasePrefix = `${stores.databasePrefix}${kind}_`;
    const env = kind === 'on' ? telemetry : {};
    const system = await startSystem({ ...stores, databasePrefix, secrets, identities, logDir, name: kind, env });
    const db = await stores.openDatabase(`${kind}_analysis`);
    const newTenant = tenantMaker(system, identities, db);
    return { system, tenant: await newTenant(STORED), next: STORED };
  };
  const products = { off: await start('off'), on: await start('on') };
  const round = async (kind: Kind, seconds: number): Promise<Measured> => {
    const product = products[kind];
    const { gateway, analysis } = product.system;
    const url = `http://${gateway.address}/v1/invoices`;
    const order = { url, key: product.tenant.keys.owner, connections: 1, ratePerSecond, seconds, storedCount: STORED };
    const one = await measure(
      load,
      { ...order, firstIndex: product.next },
      { gateway: gateway.pid, analysis: analysis.pid },
    );
    product.next += one.posted;
    return one;
  };
  step('warming up');
  for (const kind of kinds) await round(kind, WARM_UP_SECONDS);
  const measured: Record<Kind, Measured[]> = { off: [], on: [] };
  for (let number = 1; number <= rounds; number += 1) {
    step(`round ${number} of ${rounds}`);
    // In every second round, the two measurements are made in reverse order, so that other work on the machine affects
    // both equally.
    for (const kind of number % 2 === 0 ? kinds : kinds.toReversed()) {
      measured[kind].push(await round(kind, SECONDS_PER_ROUND));
    }
    const ratio = ratioOf(measured.on.at(-1), measured.off.at(-1));
    say(`CPU of a request with telemetry: ${times(ratio)}`);
  }
  return measured;
}

function cpuOf(round: Measured | undefined): number {
  return (round?.cpuMs['gateway'] ?? Number.NaN) + (round?.cpuMs['analysis'] ?? Number.NaN);
}

function ratioOf(on: Measured | undefined, off: Measured | undefined): number {
  return cpuOf(on) / cpuOf(off);
}

function report({ off, on }: Readonly<Record<Kind, readonly Measured[]>>, rate: number): void {
  const ratios = on.map((round, index) => ratioOf(round, off[index]));
  const ratio = median(ratios);
  const isGood = ratio <= AIM;
  if (!isGood) process.exitCode = 1;
  const good = goodIn(process.stdout.isTTY);
  const row = (name: string, rounds: readonly Measured[]): string[] => [
    name,
    median(rounds.map(cpuOf)).toFixed(2),
    median(rounds.map(({ p50Ms }) => p50Ms)).toFixed(0),
    median(rounds.map(({ p95Ms }) => p95Ms)).toFixed(0),
  ];
  process.stdout.write(
    `\nPOST /v1/invoices at ${rate} a second, ${on.length} rounds each, medians\n\n` +
      `${table([['telemetry', 'CPU ms of gateway and analysis', 'p50 ms', 'p95 ms'], row('off', off), row('metrics and 5 % of the traces', on)], 0)}\n\n` +
      `CPU with telemetry, median of the pairs of rounds: ${good(times(ratio), isGood)} (aim ${times(AIM)}; ` +
      `${times(Math.min(...ratios))} to ${times(Math.max(...ratios))})\n`,
  );
}
