import { amount, billOf } from './bill.js';
import type { Bill, BillOptions } from './bill.js';
import { numbering, padded } from './numbering.js';
import type { CountryCode, Party } from './parties.js';
import type { Random } from './random.js';

/**
 * Function that creates all bills that a supplier with a certain habit sends during the history, with related bills of
 * other suppliers.
 */
export type Habit = (books: Books) => Bill[];

/** Values from which the bills of a supplier are generated. */
export interface Books {
  readonly party: Party;
  readonly random: Random;
  readonly months: readonly Month[];
  /** Creates another supplier for a habit, by default in the same country. */
  readonly another: (country?: CountryCode) => Party;
  /** The account of a factoring company that collects for many suppliers. */
  readonly factorIban: string;
  readonly nextNumber: (date: string) => string;
  /** Returns a random amount that is usual for the supplier of the test bills. */
  readonly amount: () => string;
  /** Returns a correct bill, by default of this supplier, with its next number and a usual amount. */
  readonly bill: (date: string, options?: Partial<Omit<BillOptions, 'date'>> & { readonly by?: Party }) => Bill;
}

export interface Month {
  readonly year: number;
  readonly monthOfYear: number;
  /** Returns the date of a day of the month, from 1 to 28, for a test bill. */
  readonly on: (day: number) => string;
}

const FIRST_YEAR = 2024;

/** Returns the months of a generated invoice history that starts in January. */
export function monthsOf(count: number): Month[] {
  return Array.from({ length: count }, (_, index) => {
    const year = FIRST_YEAR + Math.floor(index / 12);
    const monthOfYear = (index % 12) + 1;
    return { year, monthOfYear, on: (day) => `${year}-${padded(monthOfYear, 2)}-${padded(day, 2)}` };
  });
}

/** Creates the books of a supplier with its typical amount, payment terms and numbering. */
export function booksOf(
  party: Party,
  world: Pick<Books, 'random' | 'months' | 'factorIban'> & { readonly makeParty: Books['another'] },
): Books {
  const { random, months, factorIban, makeParty } = world;
  const typical = Math.exp(4.5 + random.next() * 3.5);
  const termsDays = random.pick([14, 21, 30, 30, 45, 60]);
  const nextNumber = numbering(random);
  const usual = (): string => amount(random, typical);
  return {
    party,
    random,
    months,
    factorIban,
    another: (country = party.country) => makeParty(country),
    nextNumber,
    amount: usual,
    bill: (date, { by = party, ...options } = {}) =>
      billOf(by, {
        termsDays,
        ...options,
        date,
        number: options.number ?? nextNumber(date),
        gross: options.gross ?? usual(),
      }),
  };
}

/** Returns random issue days of test bills in a month, in their order. */
export function daysIn(month: Month, count: number, random: Random): string[] {
  return Array.from({ length: count }, () => month.on(random.integer(1, 28))).sort();
}
