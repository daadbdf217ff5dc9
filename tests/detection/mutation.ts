import { addDays } from '@invoicecontrol/values/calendar-date';
import { cents, withGross, withInvoice } from './bill.js';
import type { Bill } from './bill.js';
import type { Party } from './parties.js';
import type { Random } from './random.js';

/** Function that duplicates an invoice as one bill. Returns undefined if the change is not possible for the bill. */
export type Change = (bill: Bill, party: Party, random: Random) => Bill | undefined;

/**
 * Function that duplicates an invoice as one or several bills. Returns undefined if the mutation is not possible for
 * the bill.
 */
export type Mutation = (bill: Bill, party: Party, random: Random) => Bill | readonly Bill[] | undefined;

/**
 * Returns a mutation that changes only the invoice number. The change is not possible if the number would stay the
 * same.
 */
export function renumbered(change: (number: string, random: Random, bill: Bill) => string | undefined): Change {
  return (bill, _, random) => {
    const number = change(bill.invoice.invoice_number, random, bill);
    return number === undefined || number === bill.invoice.invoice_number
      ? undefined
      : withInvoice(bill, { invoice_number: number });
  };
}

/** Returns a change of the gross amount in cents, with matching net and tax amounts. */
export function regrossed(change: (value: number, random: Random) => number | undefined): Change {
  return (bill, { vatPercent }, random) => {
    const value = change(grossCents(bill), random);
    return value === undefined || value <= 0 || value === grossCents(bill)
      ? undefined
      : withGross(bill, cents(value), vatPercent);
  };
}

export function grossCents(bill: Bill): number {
  return Math.round(Number(bill.invoice.gross_amount) * 100);
}

/** Returns the bill as if it was issued again: issue date, due date and arrival are `daysLater` later. */
export function writtenAgain(bill: Bill, daysLater: number): Bill {
  const { issue_date: date, due_date: due } = bill.invoice;
  return {
    ...withInvoice(bill, {
      issue_date: addDays(date, daysLater),
      ...(due === undefined ? {} : { due_date: addDays(due, daysLater) }),
    }),
    arrival: addDays(bill.arrival, daysLater),
  };
}

/** Returns a mutation of a bill that makes one random change from each of the two lists. */
export function both(first: readonly Change[], second: readonly Change[]): Change {
  return (bill, party, random) => {
    const once = random.pick(first)(bill, party, random);
    return once === undefined ? undefined : random.pick(second)(once, party, random);
  };
}

/**
 * Checks whether an invoice number is unlikely to recur on another bill of the same or the next year, because it
 * contains a year or a counter of four digits.
 */
export function isTelling(number: string): boolean {
  return /[1-9]\d{3}/.test(number);
}
