import type { Measured } from './cell.js';
import type { Idle } from './idle.js';
import type { KindOfRequest } from './request-kinds.js';
import { printScans } from './scans-report.js';
import type { ScansReport } from './scans.js';
import { goodIn, table, times } from './table.js';
import type { Good } from './table.js';
import type { Work } from './work.js';

/**
 * The compared systems: a minimal system that stores nothing (`ceiling`), a minimal system that runs only the necessary
 * database commands (`storage`), and the product with a small and with a large history.
 */
export const subjects = ['ceiling', 'storage', 'small', 'large'] as const;
export type Subject = (typeof subjects)[number];

/** Figures of all measured systems at one number of connections. */
export interface Row {
  readonly connections: number;
  readonly measured: Readonly<Record<Subject, Measured>>;
  /**
   * CPU time of the two processes of a system, divided by the CPU time of the two processes of the minimal system that
   * stores nothing (`ceiling`). The figure is the median of the ratios of all rounds.
   */
  readonly cpuRatio: Readonly<Record<Exclude<Subject, 'ceiling'>, number>>;
  /**
   * The p95 latency of posting an invoice to an organization with a large history, divided by that with a small
   * history. The figure is the median of the ratios of all rounds.
   */
  readonly p95Ratio: number;
}

/** Cost of the product's requests in the benchmark, compared with the simpler systems (ceilings). */
export interface LoadReport {
  readonly secondsPerCell: number;
  readonly rounds: number;
  readonly stored: Readonly<Record<'small' | 'large', number>>;
  /**
   * Number of invoices in the large benchmark organization at the end of the benchmark. It is higher than at the start,
   * because every measurement adds invoices.
   */
  readonly largeAtEnd: number;
  readonly rows: readonly Row[];
}

export interface Report {
  readonly at: string;
  readonly node: string;
  readonly processors: string;
  readonly stores: string;
  readonly bodyBytes: number;
  /** Result of the load test, which is one part of the benchmark. Undefined if only other parts were run. */
  readonly load: LoadReport | undefined;
  readonly work: readonly Work[] | undefined;
  readonly idle: Idle | undefined;
  readonly scans: ScansReport | undefined;
}

/** Targets of the benchmark of a request (docs/guides/benchmarks.md). */
export const aims = { cpuRatioMax: 3, p95RatioMax: 1.3, sequentialStepsMax: 4, analysisRpcsMax: 1 } as const;

const columns = ['connections', 'what', 'req/s', 'p50', 'p95', 'p99', 'gateway', 'analysis', 'both'];
const asideColumns = ['organization', 'database', 'broker', 'CPU : ceiling', 'p95 : small'];
const workColumns = [
  'stored',
  'plan',
  'candidates',
  'most',
  'commands',
  'median',
  'steps',
  'median',
  'most',
  'all commands under load',
];

const kindColumns = [
  'kind of request',
  'commands',
  'steps',
  'journal waits',
  'bytes written',
  'in total: commands',
  'journal waits',
  'bytes written',
];

/** Returns the report of the benchmark as text. */
export function print(report: Report, hasColours: boolean): string {
  const good = goodIn(hasColours);
  const dim = (text: string): string => (hasColours ? `\u001b[2m${text}\u001b[0m` : text);
  return [
    '',
    `An invoice is ${report.bodyBytes} bytes of JSON.`,
    dim(`Node ${report.node}, ${report.processors}; ${report.stores} Everything, the load too, on this machine.`),
    ...(report.load === undefined ? [] : ['', ...printLoad(report.load, good)]),
    ...(report.work === undefined ? [] : ['', ...printWork(report.work, good)]),
    ...(report.idle === undefined ? [] : ['', ...printIdle(report.idle)]),
    ...(report.scans === undefined ? [] : ['', ...printScans(report.scans, good)]),
    '',
  ].join('\n');
}

function printLoad({ rows, stored, rounds, secondsPerCell, largeAtEnd }: LoadReport, good: Good): string[] {
  const names: Record<Subject, string> = {
    ceiling: 'ceiling: Express + grpc-js alone',
    storage: 'ceiling with the bare database commands',
    small: `POST /v1/invoices, ${stored.small.toLocaleString('en')} stored`,
    large: `POST /v1/invoices, ${stored.large.toLocaleString('en')} stored`,
  };
  const lines = rows.flatMap(({ connections, measured, cpuRatio, p95Ratio }) =>
    subjects.map((subject) => {
      const { cpuMs, ...load } = measured[subject];
      const both = (cpuMs['gateway'] ?? Number.NaN) + (cpuMs['analysis'] ?? Number.NaN);
      const ratio = subject === 'ceiling' ? undefined : cpuRatio[subject];
      return [
        subject === 'ceiling' ? String(connections) : '',
        names[subject],
        load.requestsPerSecond.toFixed(0),
        ...[load.p50Ms, load.p95Ms, load.p99Ms].map((ms) => ms.toFixed(1)),
        ...[cpuMs['gateway'], cpuMs['analysis'], both].map(shown),
        ...[cpuMs['organization'], cpuMs['database'], cpuMs['broker']].map(shown),
        ratio === undefined ? '' : subject === 'storage' ? times(ratio) : good(times(ratio), ratio <= aims.cpuRatioMax),
        subject === 'large' ? good(times(p95Ratio), p95Ratio <= aims.p95RatioMax) : '',
      ];
    }),
  );
  const refused = rows.flatMap(({ connections, measured }) =>
    Object.entries(measured).flatMap(([subject, { refused: by }]) =>
      Object.entries(by).map(([status, count]) => `${count} x ${status} (${subject}, ${connections} connections)`),
    ),
  );
  return [
    `Load: ${rounds} rounds of ${secondsPerCell} s, medians. Times in ms. CPU in ms per request: gateway and analysis are the`,
    'product, for the ceiling its two processes.',
    '',
    table([[...columns, ...asideColumns], ...lines], columns.indexOf('what')),
    '',
    `Aims: CPU at most ${aims.cpuRatioMax} x the ceiling; p95 with much history at most ${aims.p95RatioMax} x with little.`,
    `The large organization grew to ${largeAtEnd.toLocaleString('en')} invoices while it was measured.`,
    refused.length === 0 ? 'Every request was answered with 202.' : `Refused: ${refused.join(', ')}.`,
  ];
}

function printWork(work: readonly Work[], good: Good): string[] {
  const lines = work.map(({ stored, plan, candidates, commands, steps, commandsUnderLoad }) => [
    stored.toLocaleString('en'),
    plan,
    `${candidates.mean.toFixed(2)} (${candidates.invoices})`,
    String(candidates.most),
    ...[commands.mean, commands.median].map((count) => count.toFixed(1)),
    steps.mean.toFixed(1),
    good(String(steps.median), steps.median <= aims.sequentialStepsMax),
    String(steps.most),
    Object.values(commandsUnderLoad)
      .reduce((sum, count) => sum + count, 0)
      .toFixed(1),
  ]);
  // Details are shown for two of the measured organizations: the first one, whose plan is limited, and the last one,
  // which is the largest without limits.
  const detailed = [...new Set([work[0], work.at(-1)])].filter((one) => one !== undefined);
  return [
    'Work per invoice, without Idempotency-Key, counted on the wire. SCALE limits the analyses of a month, and ENTERPRISE does',
    'not. Candidates are the records that the invoice was compared with, on average of so many invoices. Commands are those',
    'to the database that the answer waits for; steps those of them that wait for one another.',
    '',
    table([workColumns, ...lines]),
    '',
    'Kinds of requests, each one at a time: the commands that the response waits for, the steps of them that wait for one',
    'another, the steps that wait for the journal, and the bytes of writing commands as they are sent; then all commands,',
    'including those after the response.',
    ...detailed.flatMap((one) => [
      '',
      `With ${one.stored.toLocaleString('en')} stored and the plan ${one.plan}:`,
      `  database, before the answer   ${listed(one.commandsByName)}`,
      `  bytes written by these       ${listed(one.bytesByName, 0)}`,
      `  database, all under load      ${listed(one.commandsUnderLoad)}`,
      `  calls between services        ${listed(one.rpcsUnderLoad)}`,
      '',
      table([kindColumns, ...one.kinds.map(kindLine)], 0),
    ]),
  ];
}

function printIdle({ commands, commandsByName, cpuMs }: Idle): string[] {
  return [
    'One replica of each service without any request, per second; without what the driver sends to watch its servers:',
    `  database commands             ${listed(commands)}`,
    `  by name                       ${listed(commandsByName)}`,
    `  CPU time in ms                ${listed(cpuMs)}`,
  ];
}

function kindLine({ name, before, inTotal }: KindOfRequest): string[] {
  const bytes = (count: number): string => Math.round(count).toLocaleString('en');
  return [
    name,
    ...[before.commands, before.steps, before.journalWaits].map((count) => count.toFixed(1)),
    bytes(before.writtenBytes),
    ...[inTotal.commands, inTotal.journalWaits].map((count) => count.toFixed(1)),
    bytes(inTotal.writtenBytes),
  ];
}

function shown(ms: number | undefined): string {
  return ms === undefined ? '-' : ms.toFixed(2);
}

/**
 * Lists the counts of database commands, most frequent first, for example `7.10 in all: invoices.find 1.00, ...`.
 * Commands that occur less often than once in a hundred requests are left out.
 */
function listed(counts: Readonly<Record<string, number>>, digits = 2): string {
  const entries = Object.entries(counts).filter(([, count]) => count >= 0.01);
  const total = entries.reduce((sum, [, count]) => sum + count, 0);
  const each = entries
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, n]) => `${name} ${n.toFixed(digits)}`);
  return `${total.toFixed(digits)} in all: ${each.join(', ')}`;
}
