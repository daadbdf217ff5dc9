import type { ScansReport } from './scans.js';
import { table, times } from './table.js';
import type { Good } from './table.js';

/** Targets of the benchmark of history scans (docs/guides/benchmarks.md). */
const aims = { ceilingRatioMax: 2.5, largeRatioMax: 1.3, othersP95RatioMax: 2 } as const;

export function printScans(report: ScansReport, good: Good): string[] {
  const { rows, bodyBytes, rounds } = report;
  return [
    `Scans: POST /v1/scans with ${shown(rows)} rows, ${shown(bodyBytes / 1024)} KiB of JSON, ${rounds} rounds, medians.`,
    '',
    ...printTimes(report, good),
    '',
    ...printStages(report),
    '',
    ...printOthers(report, good),
    '',
    ...printMemory(report),
  ];
}

function printTimes({ ceilings, byHistory }: ScansReport, good: Good): string[] {
  const { parse, validate, insert } = ceilings;
  const processes = Object.keys(byHistory[0]?.scan.cpuMs ?? {});
  const lines = byHistory.map(({ stored, scan, totalsMs, ceilingRatio, emptyRatio, cpuRatio }, at) => [
    `${shown(stored)} stored`,
    shown(scan.totalMs),
    `${shown(Math.min(...totalsMs))} to ${shown(Math.max(...totalsMs))}`,
    good(times(ceilingRatio), ceilingRatio <= aims.ceilingRatioMax),
    at === 0 ? '' : good(times(emptyRatio), emptyRatio <= aims.largeRatioMax),
    at === 0 ? '' : times(cpuRatio),
    ...processes.map((name) => shown(scan.cpuMs[name])),
  ]);
  return [
    table([['', 'ms', 'of', ': ceilings', ': empty', 'CPU : empty', ...processes], ...lines], 0),
    '',
    `Ceilings in ms: ${shown(parse + validate + insert)}; of the body alone parsing ${shown(parse)} and validating ${shown(validate)}, of the rows alone`,
    `inserting them once ${shown(insert)}. The last columns are CPU in ms of each process for one scan.`,
    `Aims: at most ${aims.ceilingRatioMax} x the ceilings; with the largest history at most ${aims.largeRatioMax} x with none.`,
  ];
}

function printStages({ byHistory }: ScansReport): string[] {
  const names = new Set(byHistory.flatMap(({ scan }) => Object.keys(scan.stagesMs)));
  const lines = [...names].map((name) => [name, ...byHistory.map(({ scan }) => shown(scan.stagesMs[name]))]);
  return [
    'Stages in ms, by stored invoices, as the services log them. Calls are what they add between two services. In analysis,',
    'most of the looking up happens during read; judge and store are parts of decide, and overlap.',
    '',
    table([['', ...byHistory.map(({ stored }) => shown(stored))], ...lines], 0),
  ];
}

function printOthers({ others }: ScansReport, good: Good): string[] {
  const { perSecond, seconds, quiet, during, scans, p95Ratio } = others;
  const line = (name: string, load: typeof quiet): string[] => [
    name,
    ...[load.p50Ms, load.p95Ms, load.p99Ms].map((ms) => ms.toFixed(1)),
    String(load.answered),
    Object.entries(load.refused)
      .map(([status, count]) => `${count} x ${status}`)
      .join(', '),
  ];
  return [
    `Another tenant, ${perSecond} invoices a second for ${seconds} s, whether or not they are answered; times in ms:`,
    '',
    table(
      [
        ['', 'p50', 'p95', 'p99', 'answered', 'refused', 'p95 : quiet'],
        line('nothing else', quiet),
        [
          ...line(`one scan after another, ${scans} in all`, during),
          good(times(p95Ratio), p95Ratio <= aims.othersP95RatioMax),
        ],
      ],
      0,
    ),
    '',
    `Aim: p95 at most ${aims.othersP95RatioMax} x that with nothing else.`,
  ];
}

function printMemory({ memory, rows }: ScansReport): string[] {
  const { before, peak, after, scans, firstMs, lastMs } = memory;
  const mebibytes = (bytes: number | undefined): string => shown(bytes === undefined ? undefined : bytes / 1024 ** 2);
  return [
    `Resident memory in MiB, ${scans} organizations with a scan of ${shown(rows)} rows each at once; answered after ${shown(firstMs)} to ${shown(lastMs)} ms:`,
    '',
    table(
      [
        ['', 'before', 'peak', 'after'],
        ...Object.keys(before).map((name) => [
          name,
          ...[before, peak, after].map((figures) => mebibytes(figures[name])),
        ]),
      ],
      0,
    ),
    '',
    'Bounds: analysis works at 2 scans at once and keeps 8 waiting, scan holds 50,000 rows, waiting ones included; beyond',
    'that 503.',
  ];
}

function shown(figure: number | undefined): string {
  return figure === undefined || Number.isNaN(figure) ? '-' : Math.round(figure).toLocaleString('en');
}
