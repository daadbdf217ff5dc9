// Runs `npm run bench:start`, which measures the time until `npm start` serves requests: without stored data, again
// with stored data, and in comparison with only loading the program.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { npmStart, untilReady } from '../e2e/npm-start.js';
import { median } from './cell.js';
import { step } from './progress.js';
import { closingAfter, endAfter, onEnd, runProgram } from './run-program.js';
import { goodIn, table, times } from './table.js';

/** Time limit in minutes for each round of the benchmark that starts the product. */
const MINUTES_MAX = 5;

const usage = `Measures npm start, without its set-up, in processes of its own with a database and a broker of its own.

  npm run bench:start                 about two minutes
  npm run bench:start -- --rounds 1   starts to take the median of (3 unless said)

Ends after ${MINUTES_MAX} minutes for each round at the latest.
`;

/**
 * Target for the duration of a start of the product with the data of an earlier start, on a machine without other work.
 */
const AGAIN_MS_MAX = 10_000;

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '3' }, help: { type: 'boolean', default: false } },
  });
  const rounds = Number(values.rounds);
  if (values.help) return void process.stdout.write(usage);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds is "${values.rounds}"; it must be 1 or more.`);
  endAfter(MINUTES_MAX * rounds);
  const all: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    step(`round ${round} of ${rounds}`);
    all.push(await closingAfter(measureRound));
  }
  const of = (pick: (round: Round) => number): number => median(all.map(pick));
  const [loading, first, again] = [of((one) => one.loadingMs), of((one) => one.firstMs), of((one) => one.againMs)];
  const good = goodIn(process.stdout.isTTY);
  const row = (name: string, ms: number, isGood = true): string[] => [
    name,
    good(`${(ms / 1_000).toFixed(1)} s`, isGood),
    times(ms / loading),
  ];
  const rows = [
    ['npm start', 'until ready', 'of loading'],
    row('loading the program (--help)', loading),
    row('first start, with its demonstration', first),
    row(`again, with what is stored (aim ${AGAIN_MS_MAX / 1_000} s)`, again, again <= AGAIN_MS_MAX),
  ];
  process.stdout.write(`${table(rows, 0)}\n`);
}

interface Round {
  readonly loadingMs: number;
  readonly firstMs: number;
  readonly againMs: number;
}

async function measureRound(): Promise<Round> {
  const dataDir = await mkdtemp(join(tmpdir(), 'invoice-control-bench-start-'));
  onEnd(() => rm(dataDir, { recursive: true, force: true }));
  return {
    loadingMs: await msOf(() => npmStart(dataDir, ['--help']).ended),
    firstMs: await closingAfter(() => startMs(dataDir)),
    againMs: await closingAfter(() => startMs(dataDir)),
  };
}

function startMs(dataDir: string): Promise<number> {
  return msOf(() => {
    const started = npmStart(dataDir);
    onEnd(() => {
      started.signal('SIGTERM');
      return started.ended;
    });
    const ended = started.ended.then(() => Promise.reject(new Error(`npm start ended:\n${started.output()}`)));
    return Promise.race([untilReady(started, dataDir), ended]);
  });
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await work();
  return performance.now() - begunAt;
}
