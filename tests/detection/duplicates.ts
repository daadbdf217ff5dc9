import { addDays, isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { cents, companies, withGross, withInvoice, withSupplier } from './bill.js';
import type { Bill } from './bill.js';
import { validTaxId } from './parties.js';
import type { Party } from './parties.js';
import { inUkForm } from './population.js';
import type { Random } from './random.js';

/** How an invoice comes a second time. Undefined where the way does not fit the bill. */
type Mutation = (bill: Bill, party: Party, random: Random) => Bill | readonly Bill[] | undefined;

const renumbered =
  (change: (number: string) => string | undefined): Mutation =>
  (bill) => {
    const number = change(bill.invoice.invoice_number);
    return number === undefined || number === bill.invoice.invoice_number
      ? undefined
      : withInvoice(bill, { invoice_number: number });
  };
const dated = (bill: Bill, date: string): Bill | undefined =>
  isCalendarDate(date) ? withInvoice(bill, { issue_date: date }) : undefined;
const grossCents = (bill: Bill): number => Math.round(Number(bill.invoice.gross_amount) * 100);
const regrossed =
  (change: (value: number) => number): Mutation =>
  (bill, { vatPercent }) =>
    withGross(bill, cents(change(grossCents(bill))), vatPercent);

/** About thirty-five ways of making a duplicate. */
export const mutations: Readonly<Record<string, Mutation>> = {
  'exact copy': (bill) => bill,
  'label before the number': renumbered((number) => (/^\d/.test(number) ? `Invoice No. ${number}` : undefined)),
  'other separators': renumbered((number) => number.replaceAll(/[-/]/g, ' ')),
  'no separators': renumbered((number) => number.replaceAll(/[-/]/g, '')),
  'lower case': renumbered((number) => number.toLowerCase()),
  'leading zeros lost': renumbered((number) => number.replace(/(?<![0-9])0+(?=\d)/, '')),
  'leading zeros added': renumbered((number) => number.replace(/\d+/, (run) => `00${run}`)),
  'letter appended': renumbered((number) => (/\d$/.test(number) ? `${number}A` : undefined)),
  'word COPY appended': renumbered((number) => `${number} COPY`),
  'digit appended after a slash': renumbered((number) => (/\d{4}$/.test(number) ? `${number}/2` : undefined)),
  'digit in brackets': renumbered((number) => (/\d{4}$/.test(number) ? `${number} (2)` : undefined)),
  'letter R for revised': renumbered((number) => (/\d$/.test(number) ? `${number}-R` : undefined)),
  'version appended': renumbered((number) => (/\d$/.test(number) ? `${number} V2` : undefined)),
  'O for 0': renumbered((number) => number.replace('0', 'O')),
  'I for 1': renumbered((number) => number.replace('1', 'I')),
  'B for 8': renumbered((number) => number.replace('8', 'B')),
  'S for 5': renumbered((number) => number.replace('5', 'S')),
  'wrong first digit': renumbered((number) => firstDigitChanged(number)),
  'digit left out': renumbered((number) => (longRun(number) ? number.replace(/(\d{2})\d(\d{2})/, '$1$2') : undefined)),
  'digit doubled': renumbered((number) =>
    longRun(number) ? number.replace(/(\d{2})(\d)(\d{2})/, '$1$2$2$3') : undefined,
  ),
  'digits swapped': renumbered((number) => digitsSwapped(number)),
  'day and month swapped': (bill) => {
    const { issue_date: date } = bill.invoice;
    const swapped = `${date.slice(0, 4)}-${date.slice(8)}-${date.slice(5, 7)}`;
    return swapped === date ? undefined : dated(bill, swapped);
  },
  'dated some days later': (bill, _, random) => dated(bill, addDays(bill.invoice.issue_date, random.integer(1, 5))),
  'dated a month later': (bill, _, random) => dated(bill, addDays(bill.invoice.issue_date, random.integer(20, 45))),
  'digits of the amount swapped': (bill, { vatPercent }) => {
    const swapped = bill.invoice.gross_amount.replace(/^(\d)(\d)/, '$2$1');
    return swapped === bill.invoice.gross_amount || swapped.startsWith('0')
      ? undefined
      : withGross(bill, swapped, vatPercent);
  },
  'net for gross': (bill, { vatPercent }) => withGross(bill, bill.invoice.net_amount ?? '0', vatPercent),
  'amount rounded': (bill, { vatPercent }) =>
    withGross(bill, cents(Math.round(grossCents(bill) / 100) * 100), vatPercent),
  'decimal slip': regrossed((value) => value * 10),
  'a cent off': regrossed((value) => value + 1),
  'tax id left out': (bill) => withSupplier(bill, { tax_id: undefined }),
  'account left out': (bill) => withSupplier(bill, { bank_account: undefined }),
  'legal form left out, no tax id': (bill) =>
    withSupplier(bill, { tax_id: undefined, name: bill.invoice.supplier.name.split(' ').slice(0, 3).join(' ') }),
  'umlauts written out, no tax id': (bill) =>
    /[äöüÄÖÜß]/.test(bill.invoice.supplier.name)
      ? withSupplier(bill, { tax_id: undefined, name: spelledOut(bill.invoice.supplier.name) })
      : undefined,
  'misspelled name, no tax id': (bill) =>
    withSupplier(bill, { tax_id: undefined, name: bill.invoice.supplier.name.replace(/^(..)(.)/, '$1$2$2') }),
  'under another supplier record with the same account': (bill, party, random) =>
    withSupplier(bill, {
      tax_id: validTaxId(party.country, random),
      name: `${party.name.split(' ')[0] ?? ''} Services`,
    }),
  'to another company': (bill) => ({ ...bill, companyId: companies.second }),
  'UK account in its other form': (bill, { country }) => (country === 'GB' ? inUkForm(bill) : undefined),
  'split in two parts': (bill, { vatPercent }) => {
    if (!/\d{4}$/.test(bill.invoice.invoice_number)) return undefined;
    const total = grossCents(bill);
    const first = Math.floor(total * 0.4);
    return [first, total - first].map((part, index) =>
      withGross(
        withInvoice(bill, { invoice_number: `${bill.invoice.invoice_number}/${index + 1}` }),
        cents(part),
        vatPercent,
      ),
    );
  },
  'suffix and other date': (bill, _, random) =>
    /\d$/.test(bill.invoice.invoice_number)
      ? withInvoice(bill, {
          invoice_number: `${bill.invoice.invoice_number}B`,
          issue_date: addDays(bill.invoice.issue_date, random.integer(1, 4)),
        })
      : undefined,
  'misread digit and other date': (bill, _, random) =>
    bill.invoice.invoice_number.includes('0')
      ? withInvoice(bill, {
          invoice_number: bill.invoice.invoice_number.replace('0', 'O'),
          issue_date: addDays(bill.invoice.issue_date, random.integer(1, 4)),
        })
      : undefined,
};

/** The bill again by the named way, arriving later; part of the same claim. Empty where the way does not fit. */
export function duplicatesOf(bill: Bill, mutation: string, party: Party, random: Random): Bill[] {
  const made = mutations[mutation]?.(bill, party, random);
  if (made === undefined) return [];
  const arrival = addDays(bill.arrival, random.integer(6, 40));
  return [made].flat().map((copy) => ({ ...copy, arrival, mutation }));
}

function longRun(number: string): boolean {
  return /\d{5}/.test(number);
}

function firstDigitChanged(number: string): string | undefined {
  // In the last digits an error looks like a neighbouring number: the known limit of every such rule.
  return longRun(number) ? number.replace(/[1-9](?=\d{4})/, (digit) => String((Number(digit) % 9) + 1)) : undefined;
}

function digitsSwapped(number: string): string | undefined {
  return longRun(number) ? number.replace(/(\d)(\d)(?=\d{3})/, '$2$1') : undefined;
}

function spelledOut(name: string): string {
  const letters: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ß: 'ss' };
  return name.replaceAll(/[äöüÄÖÜß]/g, (letter) => letters[letter] ?? letter);
}
