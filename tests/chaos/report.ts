import { table } from '../bench/table.js';
import { counts, meanings } from './audit.js';
import { inSeconds } from './chaos.js';
import type { ChaosReport, OutageRow } from './chaos.js';

const SENTENCES_MAX = 20;

/** Checks whether every guarantee of a chaos run was kept. */
export function isKept({ breaches, ended }: ChaosReport): boolean {
  return breaches.length === 0 && ended.length === 0;
}

export function printReport(report: ChaosReport): string {
  const { seed, rounds, replicas, durationMs, breaches, ended, recoveries } = report;
  const rows = recoveries.map(({ fault, rounds: times, started, read, write }) => [
    fault,
    String(times),
    ...[started, read, write].flatMap(({ medianMs, p95Ms, maxMs }) => [medianMs, p95Ms, maxMs].map(inSeconds)),
  ]);
  const further = breaches.length - SENTENCES_MAX;
  return [
    `seed ${seed}, ${rounds} rounds, ${replicas} of each service, ${inSeconds(durationMs)}`,
    `sent      ${list(report.sent)}`,
    `answered  ${list(report.answers)}`,
    `stored    ${list(report.stored)}`,
    `after the load: no work left after ${inSeconds(report.quietAfterMs)}, usage right after ${inSeconds(report.countersRightAfterMs)}`,
    '',
    ...counts.map((count) => line(count, report.counts[count], meanings[count])),
    line('ended', ended.length, 'processes that ended though nobody killed them'),
    '',
    'recovery after the last fault of a round was lifted:',
    table([['fault', 'rounds', 'started', 'p95', 'most', 'read', 'p95', 'most', 'write', 'p95', 'most'], ...rows], 0),
    ...report.outages.flatMap(outageLines),
    `claims that lapsed a minute before and were not taken up: after ${report.lapsedClaims.filter((count) => count > 0).length} of the rounds, ${Math.max(0, ...report.lapsedClaims)} at most`,
    'memory (MB) and descriptors of the processes, medians of the first and the last fifth of the rounds, and the most:',
    table(
      [
        ['process', 'starts', 'memory', 'last', 'most', 'descriptors', 'last', 'most'],
        ...report.growth.map(({ process, starts, residentMb, descriptors }) => [
          process,
          String(starts),
          ...[residentMb, descriptors].flatMap(({ first, last, most }) => [first, last, most].map(String)),
        ]),
      ],
      0,
    ),
    ...(breaches.length + ended.length === 0 ? [] : ['']),
    ...breaches.slice(0, SENTENCES_MAX).map(({ count, sentence }) => `${count}: ${sentence}`),
    ...(further > 0 ? [`and ${further} more`] : []),
    ...ended.map((output) => `ended: ${output}`),
    '',
  ].join('\n');
}

function outageLines({ beganAtMs, returnedAtMs, answers, deliveries, drainedAfterMs }: OutageRow): string[] {
  return [
    `broker gone for ${inSeconds(returnedAtMs - beganAtMs)}: answers ${list(answers)}`,
    `  ${deliveries} deliveries of that time to endpoints that always answer, the last ${inSeconds(drainedAfterMs)} after the return`,
    '',
  ];
}

function line(name: string, count: number, meaning: string): string {
  return `${name.padEnd(11)} ${String(count).padStart(6)}   ${meaning}`;
}

function list(figures: Readonly<Record<string, number>>): string {
  return Object.entries(figures)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(', ');
}
