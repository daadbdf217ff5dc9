// Runs `npm run rehearse:restore`, which shows that a system can be restored from its backup.
import { parseArgs } from 'node:util';
import { progress, seconds, step } from '../bench/progress.js';
import { endAfter, runProgram } from '../bench/run-program.js';
import { goodIn, table } from '../bench/table.js';
import { throughTheDriver, withMongodump } from './backup.js';
import { rehearseRestore } from './rehearsal.js';
import type { Comparison, Rehearsal } from './rehearsal.js';

/** Time limit of the restore rehearsal in minutes for the default sizes and smaller ones. */
const MINUTES_MAX = 15;
const INVOICES = 300;
const ROWS = 500;

const usage = `Rehearses a restore on servers of its own: fills a system, backs it up, goes on working, loses the databases,
restores them into empty ones, and compares: every document and index, every decision, and whether work after the
restore has its effects under event ids that no consumer knows.

  npm run rehearse:restore                        about a minute on a quiet machine
  npm run rehearse:restore -- --lose-broker       NATS loses its volume as well
  npm run rehearse:restore -- --mongodump         copies with mongodump and mongorestore, which must be on PATH, as a cluster does
  npm run rehearse:restore -- --invoices 2000     posted invoices (${INVOICES} unless said)
  npm run rehearse:restore -- --rows 5000         rows of the scan (${ROWS} unless said)

Ends with code 1 if anything differs, and after ${MINUTES_MAX} minutes at the latest, with larger sizes after as many times as long. The procedure for a cluster: docs/runbooks/backup-and-restore.md
`;

/** Maximum number of rows of one history scan in the restore rehearsal. */
const ROWS_MAX = 5_000;
/**
 * Minimum number of invoices of the restore rehearsal. With fewer invoices, it would have fewer than two duplicates.
 */
const INVOICES_MIN = 12;
const INVOICES_MAX = 100_000;

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'lose-broker': { type: 'boolean', default: false },
      mongodump: { type: 'boolean', default: false },
      invoices: { type: 'string', default: String(INVOICES) },
      rows: { type: 'string', default: String(ROWS) },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const invoices = numberOf('invoices', values.invoices, INVOICES_MIN, INVOICES_MAX);
  const rows = numberOf('rows', values.rows, 1, ROWS_MAX);
  endAfter(MINUTES_MAX * Math.max(1, invoices / INVOICES, rows / ROWS));
  const losesBroker = values['lose-broker'];
  const method = values.mongodump ? withMongodump : throughTheDriver;
  const rehearsal = await rehearseRestore({ invoices, rows, method, losesBroker, say: step, progress });
  const isGood = report(rehearsal);
  process.exitCode = isGood ? 0 : 1;
}

function numberOf(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new Error(`--${option} needs a whole number from ${min} to ${max}.`);
}

function report({ stages, comparisons }: Rehearsal): boolean {
  const good = goodIn(process.stdout.isTTY && !process.env['NO_COLOR']);
  const isEqual = ({ expected, found }: Comparison): boolean => expected === found;
  const compared = comparisons.map((comparison): string[] => {
    const { subject, expected, found } = comparison;
    return [subject, expected, good(found, isEqual(comparison))];
  });
  const faults = comparisons.filter((comparison) => !isEqual(comparison)).length;
  process.stdout.write(
    [
      '',
      table([['what was done', 'took'], ...stages.map(({ name, ms }) => [name, seconds(ms)])], 0),
      '',
      table([['what was compared', 'expected', 'found'], ...compared], 0),
      '',
      faults === 0
        ? 'Nothing differs: the system came back from its backup.'
        : `${faults} of ${comparisons.length} differ.`,
      '',
    ].join('\n'),
  );
  return faults === 0;
}
