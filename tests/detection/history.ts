import { compareText } from '@invoicecontrol/engine/facts/record-order';
import { anomalies } from './anomalies.js';
import type { Bill } from './bill.js';
import { duplicatesOf, mutations } from './duplicates.js';
import type { Party } from './parties.js';
import { population } from './population.js';
import { randomFrom } from './random.js';
import type { Random } from './random.js';

export interface HistoryOptions {
  readonly seed: number;
  readonly suppliers?: number;
  readonly months?: number;
}

/** Share of the ordinary bills that are duplicated. */
const COPY_SHARE = 0.2;
/** Number of bills that a supplier must have before an anomaly is added to one of its bills. */
const ESTABLISHED_BILLS = 16;

/**
 * Returns a labelled history in order of arrival. It contains correct bills, copies by every mutation, and added
 * anomalies.
 */
export function labelledHistory({ seed, suppliers = 260, months = 20 }: HistoryOptions): Bill[] {
  const random = randomFrom(seed);
  const { bills, plain } = population(random, suppliers, months);
  const parties = new Map(plain.map((party) => [party.taxId, party]));
  const planted = withAnomalies(bills, plain, random);
  const made = new Map(Object.keys(mutations).map((name) => [name, 0]));
  const copies = planted.flatMap((bill) => {
    const party = parties.get(bill.invoice.supplier.tax_id ?? '');
    const isPlain = party !== undefined && bill.hardNegative === undefined && bill.anomaly === undefined;
    if (!isPlain || !random.chance(COPY_SHARE)) return [];
    return rarestThatFits(bill, party, made, random);
  });
  return [...planted, ...copies].sort((left, right) => compareText(left.arrival, right.arrival));
}

/**
 * Duplicates a bill by the applicable mutation that was used least so far, so that all mutations are about equally
 * frequent.
 */
function rarestThatFits(bill: Bill, party: Party, made: Map<string, number>, random: Random): Bill[] {
  const rarestFirst = [...made].sort(([, left], [, right]) => left - right);
  for (const [name, count] of rarestFirst) {
    const copies = duplicatesOf(bill, name, party, random);
    if (copies.length === 0) continue;
    made.set(name, count + 1);
    return copies;
  }
  return [];
}

/** Replaces the last bill of established suppliers by a bill with an anomaly. All anomalies are used in turn. */
function withAnomalies(bills: readonly Bill[], plain: readonly Party[], random: Random): Bill[] {
  const kinds = Object.entries(anomalies);
  const replaced = new Map<Bill, Bill>();
  let turn = 0;
  for (const [index, party] of plain.entries()) {
    const own = bills
      .filter(({ invoice }) => invoice.supplier.tax_id === party.taxId)
      .sort((left, right) => compareText(left.arrival, right.arrival));
    const last = own.at(-1);
    const other = plain[(index + 1) % plain.length];
    const kind = kinds[turn % kinds.length];
    if (own.length < ESTABLISHED_BILLS || last === undefined || other === undefined || kind === undefined) continue;
    const [name, { expected, plant }] = kind;
    replaced.set(last, { ...plant(last, { party, other, random }), anomaly: { name, expected } });
    turn++;
  }
  return bills.map((bill) => replaced.get(bill) ?? bill);
}
