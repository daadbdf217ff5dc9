// npm run bench:detection: how well the engine distinguishes duplicates and anomalies from clean invoices.
import { parseArgs } from 'node:util';
import { labelledHistory } from './history.js';
import { score, share } from './score.js';
import type { Rate, Score } from './score.js';

const usage = `Analyzes generated, labelled histories and prints how many duplicates and anomalies were found.

  npm run bench:detection                    three fixed seeds and a random one
  npm run bench:detection -- --seeds 4,5     these seeds
  npm run bench:detection -- --kinds         every kind, also those without errors
  npm run bench:detection -- --examples      with examples of missed and false findings
`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    kinds: { type: 'boolean', default: false },
    examples: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else {
  const randomSeed = 1 + Math.floor(Math.random() * 1_000_000);
  const seeds = values.seeds?.split(',').map(Number) ?? [1, 2, 3, randomSeed];
  for (const seed of seeds) {
    const startedAt = performance.now();
    const result = score(labelledHistory({ seed }));
    report(seed, result, performance.now() - startedAt);
    if (values.examples) print(['', ...result.examples]);
  }
}

function report(seed: number, result: Score, tookMs: number): void {
  const perThousand = (1000 * share(result.falsePairs)).toFixed(2);
  print([
    '',
    `seed ${seed}: ${result.rows} invoices, ${result.copies} duplicates, ${(tookMs / 1000).toFixed(1)} s`,
    row('pair precision at MEDIUM and above', percent(result.mediumPairs), 'at least 98 %'),
    row('pair precision at HIGH and above', percent(result.highPairs), 'at least 99.5 %'),
    row('duplicates found', percent(result.recall), 'at least 97 %'),
    row('false pairs per 1000 clean invoices', perThousand, 'at most 0.5'),
    row('clean invoices not passed', percent(result.notPassed), 'at most 0.7 %'),
    row('clean invoices blocked', String(result.blocked.hits), '0'),
    '  duplicates found by mutation',
    ...worst(result.recallByMutation, (rate) => share(rate) < 1, 'every mutation in full'),
    '  false pairs by hard negative',
    ...worst(result.falseByHardNegative, (rate) => rate.hits > 0, 'none'),
    '  not passed by hard negative',
    ...worst(result.notPassedByHardNegative, (rate) => rate.hits > 0, 'none'),
    '  anomalies found',
    ...worst(result.anomalies, (rate) => share(rate) < 1, 'every anomaly in full'),
    '  what kept clean invoices from passing',
    ...[...result.alarms].map(([type, count]) => `    ${type}: ${count}`),
  ]);
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
  return `${(100 * share(rate)).toFixed(2)} %`;
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
