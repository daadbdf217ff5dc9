import type { Bill } from './bill.js';
import { booksOf, daysIn, monthsOf } from './habit.js';
import type { Books, Habit } from './habit.js';
import { habitsOfAmounts } from './habits-of-amounts.js';
import { habitsOfNumbering } from './habits-of-numbering.js';
import { habitsOfParties } from './habits-of-parties.js';
import { partyMaker } from './parties.js';
import type { Party } from './parties.js';
import type { Random } from './random.js';

/** Correct bills that resemble duplicates or anomalies (hard negatives), by the habit of the supplier. */
export const hardNegatives: Readonly<Record<string, Habit>> = {
  ...habitsOfNumbering,
  ...habitsOfAmounts,
  ...habitsOfParties,
};

export interface Population {
  readonly bills: readonly Bill[];
  /** Suppliers without a special habit. Anomalies and duplicates are created from their bills. */
  readonly plain: readonly Party[];
}

const PLAIN_SHARE = 0.7;

/**
 * Returns a history of correct bills. Most suppliers bill in a plain way. Each of the others has one special habit, and
 * every habit has the same number of suppliers, at least one.
 */
export function population(random: Random, suppliers: number, monthsCount: number): Population {
  const makeParty = partyMaker(random);
  const world = { random, months: monthsOf(monthsCount), factorIban: makeParty('DE').iban, makeParty };
  const plain = Array.from({ length: Math.round(suppliers * PLAIN_SHARE) }, () => makeParty());
  const habits = Object.entries(hardNegatives);
  const ofEachHabit = Math.max(1, Math.round((suppliers - plain.length) / habits.length));
  const bills = plain.flatMap((party) => plainBills(booksOf(party, world)));
  for (const [hardNegative, habit] of habits)
    for (let count = 0; count < ofEachHabit; count++)
      bills.push(...habit(booksOf(makeParty(), world)).map((bill) => ({ ...bill, hardNegative })));
  return { bills, plain };
}

/** Returns the plain bills of a supplier, one to three a month. Some state an order number. */
function plainBills({ months, random, bill }: Books): Bill[] {
  return months.flatMap((month) =>
    daysIn(month, random.integer(1, 3), random).map((date) =>
      bill(date, random.chance(0.3) ? { order: `45${random.integer(10_000_000, 99_999_999)}` } : {}),
    ),
  );
}
