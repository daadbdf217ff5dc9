import { addDays, isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { withInvoice } from './bill.js';
import type { Bill } from './bill.js';
import type { Change } from './mutation.js';
import { isTelling, writtenAgain } from './mutation.js';

/** Mutations that misread the issue date, or replace it by another day. */
export const dateMutations = {
  'day and month swapped': (bill) => {
    const { issue_date: date } = bill.invoice;
    return dated(bill, `${date.slice(0, 4)}-${date.slice(8)}-${date.slice(5, 7)}`);
  },
  'dated some days later': (bill, _, random) => dated(bill, addDays(bill.invoice.issue_date, random.integer(1, 5))),
  'dated a month later': (bill, _, random) => dated(bill, addDays(bill.invoice.issue_date, random.integer(20, 45))),
  'due date for the issue date': (bill) => dated(bill, bill.invoice.due_date ?? ''),
  'dated some days earlier': (bill, _, random) => dated(bill, addDays(bill.invoice.issue_date, -random.integer(1, 5))),
  'a year too early': (bill) => {
    const { invoice_number: number, issue_date: date } = bill.invoice;
    if (!isTelling(number)) return undefined;
    return dated(bill, `${Number(date.slice(0, 4)) - 1}${date.slice(4)}`);
  },
  'billed again after two to four months': (bill, _, random) => {
    const again = writtenAgain(bill, random.integer(60, 120));
    // If the invoice number is short and the copy is dated in the next year, the copy cannot be distinguished from a
    // correct bill with the same number.
    const isNextYear = again.invoice.issue_date.slice(0, 4) !== bill.invoice.issue_date.slice(0, 4);
    return isNextYear && !isTelling(bill.invoice.invoice_number) ? undefined : again;
  },
  'billed again after half a year or more, year in the number': (bill, _, random) =>
    bill.invoice.invoice_number.includes(bill.invoice.issue_date.slice(0, 4))
      ? writtenAgain(bill, random.integer(150, 400))
      : undefined,
} as const satisfies Record<string, Change>;

function dated(bill: Bill, date: string): Bill | undefined {
  return isCalendarDate(date) && date !== bill.invoice.issue_date ? withInvoice(bill, { issue_date: date }) : undefined;
}
