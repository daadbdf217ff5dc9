import type { Measured } from './cell.js';
import type { RoundTrips } from './round-trips.js';

/** What is compared: nothing but the chain, the chain with bare storage, and the product with little and much history. */
export const subjects = ['ceiling', 'storage', 'small', 'large'] as const;
export type Subject = (typeof subjects)[number];

/** All figures at one number of connections. */
export interface Row {
  readonly connections: number;
  readonly measured: Readonly<Record<Subject, Measured>>;
  /** CPU of both processes over that of the ceiling's two; median of the rounds' own ratios. */
  readonly cpuRatio: Readonly<Record<Exclude<Subject, 'ceiling'>, number>>;
  /** p95 with much history over p95 with little; median of the rounds' own ratios. */
  readonly p95Ratio: number;
}

export interface Report {
  readonly at: string;
  readonly node: string;
  readonly processors: string;
  readonly stores: string;
  readonly secondsPerCell: number;
  readonly rounds: number;
  readonly bodyBytes: number;
  readonly stored: Readonly<Record<'small' | 'large', number>>;
  /** Stored in the large organization at the end: every measurement adds to it. */
  readonly largeAtEnd: number;
  readonly rows: readonly Row[];
  readonly roundTrips: RoundTrips;
}

/** What the project promises itself (docs/guides/benchmarks.md). */
export const aims = { cpuRatioMax: 3, p95RatioMax: 1.3, sequentialStepsMax: 4, analysisRpcsMax: 1 } as const;

const columns = ['connections', 'what', 'req/s', 'p50', 'p95', 'p99', 'gateway', 'analysis', 'both'];
const asideColumns = ['organization', 'database', 'broker', 'CPU : ceiling', 'p95 : small'];

/** The report for people. */
export function print(report: Report, hasColours: boolean): string {
  const good = (text: string, isGood: boolean): string =>
    hasColours ? `\u001b[${isGood ? 32 : 31}m${text}\u001b[0m` : `${text}${isGood ? '' : ' !'}`;
  const dim = (text: string): string => (hasColours ? `\u001b[2m${text}\u001b[0m` : text);
  const names: Record<Subject, string> = {
    ceiling: 'ceiling: Express + grpc-js alone',
    storage: 'ceiling with the bare database commands',
    small: `POST /v1/invoices, ${report.stored.small.toLocaleString('en')} stored`,
    large: `POST /v1/invoices, ${report.stored.large.toLocaleString('en')} stored`,
  };
  const lines = report.rows.flatMap(({ connections, measured, cpuRatio, p95Ratio }) =>
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
  const refused = report.rows.flatMap(({ connections, measured }) =>
    Object.entries(measured).flatMap(([subject, { refused: by }]) =>
      Object.entries(by).map(([status, count]) => `${count} x ${status} (${subject}, ${connections} connections)`),
    ),
  );
  const { roundTrips } = report;
  const { sequentialSteps } = roundTrips;
  return [
    '',
    `POST of an invoice of ${report.bodyBytes} bytes; ${report.rounds} rounds of ${report.secondsPerCell} s, medians.`,
    dim(`Node ${report.node}, ${report.processors}; ${report.stores}. Everything, the load too, on this machine.`),
    dim('Times in ms. CPU in ms per request: gateway and analysis are the product, for the ceiling its two processes.'),
    '',
    table([[...columns, ...asideColumns], ...lines]),
    '',
    `Aims: CPU at most ${aims.cpuRatioMax} x the ceiling; p95 with much history at most ${aims.p95RatioMax} x with little.`,
    `The large organization grew to ${report.largeAtEnd.toLocaleString('en')} invoices while it was measured.`,
    refused.length === 0 ? 'Every request was answered with 202.' : `Refused: ${refused.join(', ')}.`,
    '',
    'Round trips of one request without Idempotency-Key on a plan without limits, counted on the wire:',
    `  database, one after another   ${good(`${sequentialSteps.median} steps`, sequentialSteps.median <= aims.sequentialStepsMax)} (at most ${sequentialSteps.most})`,
    `  database, before the answer   ${listed(roundTrips.commandsBeforeAnswer)}`,
    `  database, all under load      ${listed(roundTrips.commandsUnderLoad)}`,
    `  calls between services        ${listed(roundTrips.rpcsUnderLoad)}`,
    '',
  ].join('\n');
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)} x`;
}

function shown(ms: number | undefined): string {
  return ms === undefined ? '-' : ms.toFixed(2);
}

/** `7.10 in all: invoices.find 1.00, ...`, most frequent first; what is rarer than once in a hundred is left out. */
function listed(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).filter(([, count]) => count >= 0.01);
  const total = entries.reduce((sum, [, count]) => sum + count, 0);
  const each = entries.toSorted(([, left], [, right]) => right - left).map(([name, n]) => `${name} ${n.toFixed(2)}`);
  return `${total.toFixed(2)} in all: ${each.join(', ')}`;
}

/** Columns as wide as their widest cell; text to the left, figures to the right. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => visibleLength(row[column] ?? ''))));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const padding = ' '.repeat((widths[column] ?? 0) - visibleLength(cell));
          return column === 1 ? cell + padding : padding + cell;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function visibleLength(text: string): number {
  return text.replaceAll(/\u001b\[\d+m/g, '').length;
}
