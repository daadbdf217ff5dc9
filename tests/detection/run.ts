// Runs npm run bench:detection, which measures how well the engine distinguishes duplicates and anomalies from correct
// invoices.
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { step } from '../bench/progress.js';
import { endAfter, runProgram } from '../bench/run-program.js';
import type { AnalyzeOptions, Road } from './analyze.js';
import { histories, sets } from './histories/catalogue.js';
import type { SetName } from './histories/catalogue.js';
import { labelledHistory } from './history.js';
import { randomFrom } from './random.js';
import { f1, score, share } from './score.js';
import type { Rate, Score } from './score.js';

/** Time limit for the written histories and for each seed. */
const MINUTES_MAX = 20;

const usage = `Analyzes labelled histories and prints how many duplicates and anomalies were found.

  npm run bench:detection                      the generator (one fixed seed), and every written history, posted and as a scan
  npm run bench:detection -- --seeds 4,5       the generator with these seeds; "random" takes one by chance
  npm run bench:detection -- --history NAME    one written history; "all": each of them
  npm run bench:detection -- --set NAME        the written histories of one set alone: ${Object.keys(sets).join(' or ')}
  npm run bench:detection -- --as posts|scan   posted one by one, or all as rows of one scan
  npm run bench:detection -- --no-reviewer     nobody answers alerts; by default somebody answers those about clean
                                               bills of a written history that are posted, after three days
                                               (--reviewer: also in the generator's histories)
  npm run bench:detection -- --kinds           every kind, also those without errors
  npm run bench:detection -- --examples        with examples of missed and false findings

${Object.entries(sets)
  .map(([set, ofSet]) => `Written histories of the set ${set}: ${Object.keys(ofSet).join(', ')}`)
  .join('\n')}

Ends after ${MINUTES_MAX} minutes at the latest, with several seeds after as many times as long.
`;

const WRITTEN_SEED = 7;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    history: { type: 'string' },
    set: { type: 'string' },
    as: { type: 'string' },
    reviewer: { type: 'boolean' },
    kinds: { type: 'boolean', default: false },
    examples: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowNegative: true,
});
if (values.help) process.stdout.write(usage);
else await runProgram(main);

async function main(): Promise<void> {
  const road = roadOf(values.as);
  const seeds = (values.seeds ?? '1')
    .split(',')
    .map((seed) => (seed === 'random' ? 1 + Math.floor(Math.random() * 1_000_000) : Number(seed)));
  endAfter(MINUTES_MAX * seeds.length);
  const chosen = writtenNames();
  if (values.history === undefined && values.set === undefined) {
    for (const seed of seeds) await generated(seed, road ?? 'posts');
  }
  if (values.seeds !== undefined) return;
  for (const name of chosen) {
    for (const each of road === undefined ? (['posts', 'scan'] as const) : [road]) await written(name, each);
  }
}

function generated(seed: number, road: Road): Promise<void> {
  const hasReviewer = values.reviewer ?? false;
  return show(`seed ${seed}, ${road}`, () => labelledHistory({ seed }), { road, hasReviewer });
}

function written(name: string, road: Road): Promise<void> {
  const history = histories[name];
  if (history === undefined) throw new RangeError(`there is no history "${name}"; --help lists them`);
  const { write, companies, ratesPerEuro } = history;
  const hasReviewer = road === 'posts' && (values.reviewer ?? true);
  return show(`${name}, ${road}${hasReviewer ? ' with a reviewer' : ''}`, () => write(randomFrom(WRITTEN_SEED)), {
    road,
    hasReviewer,
    ...(companies && { companies }),
    ...(ratesPerEuro && { ratesPerEuro }),
  });
}

function writtenNames(): string[] {
  const { history = 'all', set } = values;
  if (history !== 'all') return [history];
  if (set === undefined) return Object.keys(histories);
  if (!isSetName(set)) throw new RangeError(`there is no set "${set}"; --help lists them`);
  return Object.keys(sets[set]);
}

function isSetName(name: string): name is SetName {
  return Object.hasOwn(sets, name);
}

function roadOf(as: string | undefined): Road | undefined {
  if (as === undefined || as === 'posts' || as === 'scan') return as;
  throw new RangeError(`--as is "posts" or "scan", not "${as}"`);
}

async function show(title: string, billsOf: () => Parameters<typeof score>[0], options: AnalyzeOptions): Promise<void> {
  step(title);
  // Signals and the time limit are checked between two histories.
  await turn();
  const bills = billsOf();
  const startedAt = performance.now();
  const result = score(bills, options);
  report(title, result, { isScan: options.road === 'scan', tookMs: performance.now() - startedAt });
  if (values.examples) print(['', ...result.examples]);
}

function report(title: string, result: Score, { isScan, tookMs }: { isScan: boolean; tookMs: number }): void {
  const perThousand = (1000 * share(result.falsePairs)).toFixed(2);
  print([
    '',
    `${title}: ${result.rows} invoices, ${result.copies} duplicates, ${(tookMs / 1000).toFixed(1)} s`,
    row('F1 of pairs at MEDIUM and above', f1(result).toFixed(3), 'at least .970'),
    row('pair precision at MEDIUM and above', percent(result.mediumPairs), 'at least 98 %'),
    row('pair precision at HIGH and above', percent(result.highPairs), 'at least 99.5 %'),
    row('duplicates found', percent(result.recall), 'at least 97 %'),
    row('  with a related number', percent(result.relatedRecall), 'at least 99.5 %'),
    row('  with an unrelated number', percent(result.unrelatedRecall), 'at least 80 %'),
    row('false pairs per 1000 clean invoices', perThousand, 'at most 0.2'),
    row('clean invoices not passed', percent(result.notPassed), isScan ? 'at most 0.7 %' : 'at most 1.5 %'),
    row('  of those that resemble nothing', percent(result.plainNotPassed), 'at most 0.7 %'),
    row('clean invoices blocked', String(result.blocked.hits), '0'),
    row('anomalies found', percent(total(result.anomalies)), '100 %'),
    '  duplicates found by mutation',
    ...worst(result.recallByMutation, (rate) => share(rate) < 1, 'every mutation in full'),
    '  false pairs by hard negative',
    ...worst(result.falseByHardNegative, (rate) => rate.hits > 0, 'none'),
    '  not passed by hard negative',
    ...worst(result.notPassedByHardNegative, (rate) => rate.hits > 0, 'none'),
    '  anomalies found',
    ...worst(result.anomalies, (rate) => share(rate) < 1, 'every anomaly in full'),
    '  what kept clean invoices that resemble nothing from passing',
    ...[...result.alarms].map(([type, count]) => `    ${type}: ${count}`),
    '  what kept hard negatives from passing',
    ...[...result.hardNegativeAlarms].map(([type, count]) => `    ${type}: ${count}`),
  ]);
}

function total(rates: ReadonlyMap<string, Rate>): Rate {
  const all = [...rates.values()];
  return { hits: all.reduce((sum, { hits }) => sum + hits, 0), of: all.reduce((sum, rate) => sum + rate.of, 0) };
}

function worst(rates: ReadonlyMap<string, Rate>, isShown: (rate: Rate) => boolean, otherwise: string): string[] {
  const shown = [...rates].filter(([, rate]) => values.kinds || isShown(rate));
  return shown.length === 0
    ? [`    ${otherwise}`]
    : shown.map(([name, rate]) => row(`  ${name}`, `${rate.hits} of ${rate.of}`, ''));
}

function row(name: string, value: string, aim: string): string {
  return `  ${name.padEnd(56)} ${value.padStart(12)}   ${aim}`.trimEnd();
}

function percent(rate: Rate): string {
  return rate.of === 0 ? '-' : `${(100 * share(rate)).toFixed(2)} %`;
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
