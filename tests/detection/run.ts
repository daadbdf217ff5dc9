// Runs npm run bench:detection, which measures how well the engine distinguishes duplicates and anomalies from correct
// invoices.
import { readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ENGINE_VERSION } from '@invoicecontrol/engine/run-engine';
import { step } from '../bench/progress.js';
import { endAfter, runProgram } from '../bench/run-program.js';
import type { AnalyzeOptions, Road } from './analyze.js';
import { histories, sets } from './histories/catalogue.js';
import type { SetName } from './histories/catalogue.js';
import { labelledHistory } from './history.js';
import { randomFrom } from './random.js';
import { interval, withFigures } from './page.js';
import { f1, score, share, total } from './score.js';
import type { Rate, Score } from './score.js';
import { summaryOf } from './summary.js';
import type { Figure, Summary } from './summary.js';

/** Time limit of the detection measurement in minutes for the written histories and for each seed. */
const MINUTES_MAX = 20;

const usage = `Analyzes labelled histories and prints how many duplicates and anomalies were found.

  npm run bench:detection                      the generator (one fixed seed), and every written history, posted and as a scan
  npm run bench:detection -- --seeds 4,5       the generator with these seeds; "random" takes one by chance
  npm run bench:detection -- --history NAME    one written history; "all": each of them
  npm run bench:detection -- --set NAME        the written histories of one set alone: ${Object.keys(sets).join(' or ')}
  npm run bench:detection -- --as posts|scan   posted one by one, or all as rows of one scan
  npm run bench:detection -- --write --set NAME  writes the figures of the set to docs/how-well-it-works.md
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

const roads = ['posts', 'scan'] as const;

const PAGE = fileURLToPath(new URL('../../../docs/how-well-it-works.md', import.meta.url));

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    history: { type: 'string' },
    set: { type: 'string' },
    write: { type: 'boolean', default: false },
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
  if (values.write && (values.set === undefined || (values.history ?? values.as ?? values.seeds) !== undefined)) {
    throw new RangeError('--write measures a whole set: name it with --set, and leave --history, --as and --seeds out');
  }
  const chosen = chosenSets();
  if (values.history === undefined && values.set === undefined) {
    for (const seed of seeds) await generated(seed, road ?? 'posts');
  }
  if (values.seeds !== undefined) return;
  for (const { set, names } of chosen) {
    const scores = { posts: [] as Score[], scan: [] as Score[] };
    for (const name of names) {
      for (const each of road === undefined ? roads : [road]) scores[each].push(await written(name, each));
    }
    for (const each of roads) if (scores[each].length > 1) reportSet(`${set}, ${each}`, summaryOf(scores[each]));
    if (values.write) writePage(set, summaryOf(scores.posts), summaryOf(scores.scan));
  }
}

function writePage(set: SetName, posts: Summary, scan: Summary): void {
  const date = new Date().toISOString().slice(0, 10);
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(PAGE, withFigures(page, { set, posts, scan, date, engineVersion: ENGINE_VERSION }));
  print(['', `wrote the figures of ${set} to ${PAGE}`]);
}

function generated(seed: number, road: Road): Promise<Score> {
  const hasReviewer = values.reviewer ?? false;
  return show(`seed ${seed}, ${road}`, () => labelledHistory({ seed }), { road, hasReviewer });
}

function written(name: string, road: Road): Promise<Score> {
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

interface ChosenSet {
  readonly set: SetName;
  readonly names: readonly string[];
}

function chosenSets(): ChosenSet[] {
  const { history = 'all', set } = values;
  if (set !== undefined && !isSetName(set)) throw new RangeError(`there is no set "${set}"; --help lists them`);
  const chosen = Object.keys(sets)
    .filter(isSetName)
    .filter((each) => set === undefined || set === each)
    .map((each) => ({
      set: each,
      names: Object.keys(sets[each]).filter((name) => history === 'all' || name === history),
    }))
    .filter(({ names }) => names.length > 0);
  if (chosen.length === 0) throw new RangeError(`there is no history "${history}"; --help lists them`);
  return chosen;
}

function isSetName(name: string): name is SetName {
  return Object.hasOwn(sets, name);
}

function roadOf(as: string | undefined): Road | undefined {
  if (as === undefined || as === 'posts' || as === 'scan') return as;
  throw new RangeError(`--as is "posts" or "scan", not "${as}"`);
}

async function show(
  title: string,
  billsOf: () => Parameters<typeof score>[0],
  options: AnalyzeOptions,
): Promise<Score> {
  step(title);
  // Signals and the time limit of the detection measurement are checked between two histories.
  await turn();
  const bills = billsOf();
  const startedAt = performance.now();
  const result = score(bills, options);
  report(title, result, { isScan: options.road === 'scan', tookMs: performance.now() - startedAt });
  if (values.examples) print(['', ...result.examples]);
  return result;
}

function report(title: string, result: Score, { isScan, tookMs }: { isScan: boolean; tookMs: number }): void {
  const perThousand = (1000 * share(result.falsePairs)).toFixed(2);
  print([
    '',
    `${title}: ${result.rows} invoices, ${result.copies} duplicates, ${(tookMs / 1000).toFixed(1)} s`,
    row('F1 of pairs at MEDIUM and above', f1(result).toFixed(3), 'at least .970'),
    row('  without numbers only reported as reused', f1({ ...result, recall: result.pairRecall }).toFixed(3), ''),
    row('pair precision at MEDIUM and above', percent(result.mediumPairs), 'at least 98 %'),
    row('pair precision at HIGH and above', percent(result.highPairs), 'at least 99.5 %'),
    row('duplicates found', percent(result.recall), 'at least 97 %'),
    row('  with a related number', percent(result.relatedRecall), 'at least 99.5 %'),
    row('  with an unrelated number', percent(result.unrelatedRecall), 'at least 80 %'),
    row('false pairs per 1000 clean invoices', perThousand, 'at most 0.2'),
    row('clean invoices not passed', percent(result.notPassed), isScan ? 'at most 0.7 %' : 'at most 1.5 %'),
    row('  of those that resemble nothing', percent(result.plainNotPassed), 'at most 0.7 %'),
    row('clean invoices blocked', String(result.blocked.hits), '0'),
    row('anomalies found', percent(total(result.anomalies.values())), '100 %'),
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

/** Prints the detection figures of all customers of a set together, each with its 95 % interval. */
function reportSet(title: string, summary: Summary): void {
  const shareText = (figure: Figure): string => interval(figure, (value) => `${(100 * value).toFixed(2)} %`);
  const thousandText = (figure: Figure): string => interval(figure, (value) => (1000 * value).toFixed(2));
  print([
    '',
    `${title}: ${summary.customers} customers, ${summary.rows} invoices, ${summary.copies} duplicates, with 95 % intervals`,
    wide(
      'F1 of pairs at MEDIUM and above',
      interval(summary.f1, (value) => value.toFixed(3)),
    ),
    wide(
      '  without numbers only reported as reused',
      interval(summary.f1OfPairs, (value) => value.toFixed(3)),
    ),
    wide('pair precision at MEDIUM and above', shareText(summary.precision)),
    wide('duplicates found', shareText(summary.recall)),
    wide('  with a related number', shareText(summary.relatedRecall)),
    wide('  with an unrelated number', shareText(summary.unrelatedRecall)),
    wide('false pairs per 1000 clean invoices', thousandText(summary.falsePairs)),
    wide('clean invoices not passed', shareText(summary.notPassed)),
    wide('clean invoices blocked', shareText(summary.blocked)),
    wide('anomalies found', shareText(summary.anomalies)),
    '  right findings of MEDIUM and above by their confidence',
    ...[...summary.rightByConfidence].map(([band, figure]) =>
      wide(`  ${band}`, `${shareText(figure)} of ${figure.cases}`),
    ),
    '  findings that kept clean invoices from passing',
    ...[...summary.stoppedBy].map(([type, count]) => wide(`  ${type}`, String(count))),
    '  duplicates missed by mutation',
    ...[...summary.missedCopies].map(([name, { hits, of }]) => wide(`  ${name}`, `${of - hits} of ${of}`)),
    '  anomalies missed',
    ...[...summary.missedAnomalies].map(([name, { hits, of }]) => wide(`  ${name}`, `${of - hits} of ${of}`)),
  ]);
}

function wide(name: string, value: string): string {
  return `  ${name.padEnd(56)} ${value}`;
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
