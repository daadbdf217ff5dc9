// Runs `npm run bench:engine`, which measures how many invoices one core analyzes from facts in memory, and what their
// normalisation costs.
import { runEngine } from '@invoicecontrol/engine/run-engine';
import { decide } from '@invoicecontrol/engine/scoring/decision';
import { packFacts } from '@invoicecontrol/analysis/packed-facts';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import { inMemoryHistory } from '@invoicecontrol/engine/testing/in-memory-history';
import { lookupKeys, matchPartOf } from '@invoicecontrol/engine/normalisation/match-keys';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import { originalsOf } from '@invoicecontrol/engine/matching/pair-score';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { labelledHistory } from '../detection/history.js';
import { ownCompanies } from '../detection/analyze.js';
import { setImmediate as turn } from 'node:timers/promises';
import { median } from './cell.js';
import { invoiceAt } from './invoices.js';
import { machine, readOptions, writeReport } from './one-core.js';
import { step } from './progress.js';
import { endAfter, runProgram } from './run-program.js';

/** Time limit in minutes of the engine benchmark with the default duration or a shorter one. */
const MINUTES_MAX = 10;
const SECONDS = 2;

const usage = `Measures the decision engine alone, on one core, without database and network.

  npm run bench:engine                    about a minute
  npm run bench:engine -- --seconds 1     per measurement (${SECONDS} by default)
  npm run bench:engine -- --json FILE     the figures as JSON too

Ends after ${MINUTES_MAX} minutes at the latest, with more seconds after as many times as long.
`;

/** Number of invoices in the history (`HISTORY`) with which each of the measured invoices (`MEASURED`) is compared. */
const HISTORY = 4_000;
const MEASURED = 2_000;
/** Seed of the labelled history (tests/detection) that contains similar invoices. */
const LOOKALIKE_SEED = 1;
const ROUNDS = 5;
/**
 * CPU time for which each part of the engine benchmark runs before it is measured. The compiler optimises the code in
 * that time, as it does in a service that runs for days.
 */
const WARM_UP_MS = 4_000;
/** Minimum number of invoices that the engine must analyze per second. */
const ENGINE_PER_SECOND_MIN = 20_000;

await runProgram(main);

async function main(): Promise<void> {
  const options = readOptions(usage, String(SECONDS));
  if (options === undefined) return;
  const { seconds } = options;

  endAfter(MINUTES_MAX * Math.max(1, seconds / SECONDS));
  step(`building histories of at least ${HISTORY} invoices and the facts of ${MEASURED} more for each`);
  const made = factsAmongStrangers();
  const populations = [
    { name: 'the engine, bills that resemble no other', facts: made.map(asRead) },
    { name: 'the engine, bills among look-alikes', facts: factsAmongLookalikes().map(asRead) },
  ];
  const origins = made.map(({ invoice: { invoiceId, companyId, source, receivedAtMs } }, index) => ({
    invoice: invoiceAt(HISTORY + index, HISTORY),
    origin: { invoiceId, companyId, source, receivedAtMs },
  }));

  const read = (index: number): unknown => {
    const { invoice, origin } = at(origins, index);
    const normalised = normaliseInvoice(invoice, origin);
    return [matchPartOf(normalised), lookupKeys(normalised)];
  };
  const pack = (index: number): unknown => packFacts(at(made, index));
  const parts = [
    { name: 'ceiling: normalising and hashing the match keys', work: read },
    ...populations.map(({ name, facts }) => ({
      name,
      work: (index: number): unknown => decide(runEngine(at(facts, index), defaultPolicy), defaultPolicy),
    })),
    { name: 'serialising and compressing the facts', work: pack },
  ];
  const measure = async (forMs: number): Promise<number[]> => {
    const rates: number[] = [];
    for (const { work } of parts) {
      // Signals and the time limit of the benchmark are checked between two measurements.
      await turn();
      rates.push(ratePerCore(work, forMs));
    }
    return rates;
  };
  step('warming up');
  await measure(WARM_UP_MS);
  const rounds: number[][] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    step(`round ${round} of ${ROUNDS}`);
    rounds.push(await measure((seconds * 1_000) / ROUNDS));
  }
  const rows = parts.map(({ name }, part) => ({
    name,
    invoicesPerSecond: median(rounds.map((rates) => rates[part] ?? Number.NaN)),
  }));
  const report = {
    ...machine(),
    populations: populations.map(({ name, facts }) => ({ name, ...meansOf(facts) })),
    rows,
  };
  const lines = rows.map(
    ({ name, invoicesPerSecond: rate }) =>
      `${name.padEnd(50)} ${Math.round(rate).toLocaleString('en').padStart(9)}/s  ${(1e6 / rate).toFixed(1).padStart(7)} µs`,
  );
  const means = report.populations.map(
    ({ name, candidates, pairs, amounts, findings }) =>
      `${name.padEnd(50)} ${candidates.toFixed(2)} candidates, ${pairs.toFixed(2)} pairs compared, ` +
      `${amounts.toFixed(1)} earlier amounts, ${findings.toFixed(2)} findings`,
  );
  process.stdout.write(
    `\nInvoices per second of CPU time on one core, medians of ${ROUNDS} rounds; Node ${report.node}, ${report.processor}\n` +
      `\n${lines.join('\n')}\n\nPer invoice, in the mean:\n${means.join('\n')}\n\n` +
      `Aim: the engine analyzes at least ${ENGINE_PER_SECOND_MIN.toLocaleString('en')} invoices per second and core.\n`,
  );
  await writeReport(options, report);
}

/**
 * Returns the facts of invoices with a history, as the service would load them. The bills are those of `npm run bench`.
 * Their numbers and amounts all differ.
 */
function factsAmongStrangers(): Facts[] {
  const history = inMemoryHistory();
  const asOf = new Date().toISOString().slice(0, 10);
  for (let index = 0; index < HISTORY; index++) history.record(history.factsOf(invoiceAt(index, HISTORY), { asOf }));
  return Array.from({ length: MEASURED }, (_, index) => {
    const facts = history.factsOf(invoiceAt(HISTORY + index, HISTORY), { asOf });
    history.record(facts);
    return facts;
  });
}

/**
 * Returns the facts for checking bills of a labelled history. The history contains many similar bills (retainers, price
 * lists, instalments, neighbouring numbers), so each check has many candidates to compare. Only correct bills are
 * measured: copies and anomalies stay in the history as candidates, because they are far more frequent in it than in
 * the data of any customer.
 */
function factsAmongLookalikes(): Facts[] {
  const history = inMemoryHistory();
  const measured: Facts[] = [];
  for (const [index, bill] of labelledHistory({ seed: LOOKALIKE_SEED }).entries()) {
    const facts = history.factsOf(bill.invoice, {
      asOf: bill.arrival,
      origin: { companyId: bill.companyId, receivedAtMs: Date.parse(bill.arrival) + index },
      companies: ownCompanies,
    });
    history.record(facts);
    if (index >= HISTORY && bill.mutation === undefined && bill.anomaly === undefined) measured.push(facts);
  }
  return measured.slice(0, MEASURED);
}

/**
 * Returns the facts of an invoice as they are read from storage. Facts that were built in memory share most of their
 * objects with one another.
 */
function asRead(facts: Facts): Facts {
  return JSON.parse(JSON.stringify(facts)) as Facts;
}

function meansOf(facts: readonly Facts[]) {
  const mean = (valueOf: (fact: Facts) => number): number =>
    facts.reduce((sum, fact) => sum + valueOf(fact), 0) / facts.length;
  return {
    candidates: mean(({ candidates }) => candidates.length),
    pairs: mean((fact) => originalsOf(fact).length),
    amounts: mean(({ supplier, invoice }) => supplier.profile.amounts[invoice.currency]?.length ?? 0),
    findings: mean((fact) => runEngine(fact, defaultPolicy).length),
  };
}

/**
 * Returns how many invoices the engine analyzes per second of CPU time. Unlike elapsed time, it does not depend on
 * other work on the machine.
 */
function ratePerCore(work: (index: number) => unknown, forMs: number): number {
  const before = process.cpuUsage();
  let done = 0;
  for (;;) {
    for (let batch = 0; batch < 200; batch++) work(done++ % MEASURED);
    const { user, system } = process.cpuUsage(before);
    if (user + system >= forMs * 1_000) return (done / (user + system)) * 1e6;
  }
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`no item ${index}`);
  return item;
}
