import { addDays, isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { withInvoice } from './bill.js';
import type { Bill } from './bill.js';
import type { Change } from './mutation.js';
import { writtenAgain } from './mutation.js';

/** The date misread, or that of another day. */
export const dateMutations = {
  'day and month swapped': (bill) => {
    const { issue_date: date } = bill.invoice;
    return dated(bill, `${date.slice(0, 4)}-${date.slice(8)}-${date.slice(5, 7)}`);
  },
  'dated some days later': (bill, _, random) => dated(bill, addDays(bill.invoice.issue_date, random.integer(1, 5))),
  'dated a month later': (bill, _, random) => dated(bill, addDays(bill.invoice.issue_date, random.integer(20, 45))),
  'due date for the issue date': (bill) => dated(bill, bill.invoice.due_date ?? ''),
  'billed again after two to four months': (bill, _, random) => {
    const again = writtenAgain(bill, random.integer(60, 120));
    // A short number may be another bill's in the next year.
    const isNextYear = again.invoice.issue_date.slice(0, 4) !== bill.invoice.issue_date.slice(0, 4);
    return isNextYear && !/\d{4}/.test(bill.invoice.invoice_number) ? undefined : again;
  },
} as const satisfies Record<string, Change>;

function dated(bill: Bill, date: string): Bill | undefined {
  return isCalendarDate(date) && date !== bill.invoice.issue_date ? withInvoice(bill, { issue_date: date }) : undefined;
}
