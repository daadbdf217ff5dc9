import { addDays } from '@invoicecontrol/values/calendar-date';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { compareText } from '../facts/record-order.js';
import { ibanOf } from './ledger.js';

/** An invoice of a generated history. A copy bills an earlier invoice again. */
export interface SyntheticInvoice {
  readonly invoice: CanonicalInvoice;
  readonly isCopy: boolean;
}

type Random = () => number;

/** Numbering schemes of generated suppliers. Several of them make honest invoices resemble duplicates. */
const habits = ['plain', 'yearly', 'monthly', 'prices', 'instalments', 'credits', 'retainer'] as const;
type Habit = (typeof habits)[number] | 'contract';
/** Every 40th supplier of the generated history states a contract number as the invoice number. */
const CONTRACT_EVERY = 40;
const SUPPLIERS = 120;
/** Every third supplier of the generated history has purchase orders. */
const ORDERED_EVERY = 3;

type Mutation = (invoice: CanonicalInvoice, random: Random) => CanonicalInvoice;

/** Changes that the generator of test histories makes to a copy of an invoice, so that it differs from the original. */
const mutations: Readonly<Record<string, Mutation>> = {
  exact: (invoice) => invoice,
  prefix: (invoice) => ({ ...invoice, invoice_number: `INV ${invoice.invoice_number}` }),
  separators: (invoice) => ({ ...invoice, invoice_number: invoice.invoice_number.replace(/[-/]/g, ' ').toLowerCase() }),
  suffix: (invoice) => ({ ...invoice, invoice_number: `${invoice.invoice_number}A` }),
  copyWord: (invoice) => ({ ...invoice, invoice_number: `${invoice.invoice_number} COPY` }),
  misread: (invoice) => ({ ...invoice, invoice_number: invoice.invoice_number.replace('0', 'O').replace('1', 'I') }),
  typo: (invoice, random) => ({ ...invoice, invoice_number: withTypo(invoice.invoice_number, random) }),
  swappedDate: (invoice) => ({ ...invoice, issue_date: swapped(invoice.issue_date) }),
  nearDate: (invoice, random) => ({
    ...invoice,
    issue_date: addDays(invoice.issue_date, 1 + Math.floor(random() * 5)),
  }),
  swappedAmount: (invoice) => ({ ...invoice, gross_amount: withSwappedDigits(invoice.gross_amount) }),
  netForGross: (invoice) => ({ ...invoice, gross_amount: (Number(invoice.gross_amount) / 1.19).toFixed(2) }),
  slip: (invoice) => ({ ...invoice, gross_amount: (Number(invoice.gross_amount) * 10).toFixed(2) }),
  withoutTaxId: (invoice) => ({ ...invoice, supplier: { name: invoice.supplier.name } }),
  otherLegalForm: (invoice) => ({ ...invoice, supplier: { name: invoice.supplier.name.replace('GmbH', 'G.m.b.H.') } }),
};

/**
 * Number of days between the issue of the original invoice and the arrival of its copy, whatever date the copy states.
 */
const COPY_DELAY_DAYS = 6;

/**
 * Generates a repeatable history in order of arrival. About `copyShare` of the invoices are billed twice and the other
 * invoices are correct.
 */
export function syntheticHistory(seed: number, months: number, copyShare: number): SyntheticInvoice[] {
  const random = randomFrom(seed);
  const kinds = Object.values(mutations);
  const clean = Array.from({ length: SUPPLIERS }, (_, index) => supplierBills(index, months, random)).flat();
  const arrivals = clean.flatMap((invoice, index) => {
    const original = { day: invoice.issue_date, invoice, isCopy: false };
    const mutate = kinds[index % kinds.length];
    if (random() >= copyShare || invoice.gross_amount.startsWith('-') || mutate === undefined) return [original];
    return [
      original,
      { day: addDays(invoice.issue_date, COPY_DELAY_DAYS), invoice: mutate(invoice, random), isCopy: true },
    ];
  });
  return arrivals
    .sort((left, right) => compareText(left.day, right.day))
    .map(({ invoice, isCopy }) => ({ invoice, isCopy }));
}

function supplierBills(index: number, months: number, random: Random): CanonicalInvoice[] {
  const habit = index % CONTRACT_EVERY === 0 ? 'contract' : (habits[index % habits.length] ?? 'plain');
  const supplier = {
    name: `${word(random)} ${word(random)} GmbH`,
    tax_id: germanTaxId(20_000_000 + index * 654_321),
    bank_account: ibanOf('DE', `37040044${String(index * 7_919_081).padStart(10, '0')}`),
  };
  const isOrdered = index % ORDERED_EVERY === 0;
  const fixed = amount(random, 5000);
  const prices = Array.from({ length: 4 }, () => amount(random, 900));
  let counter = 1000 + Math.floor(random() * 8000);
  const bills: CanonicalInvoice[] = [];
  for (let month = 0; month < months; month += 1) {
    const perMonth = habit === 'contract' || habit === 'retainer' ? 1 : 2 + Math.floor(random() * 3);
    for (let bill = 0; bill < perMonth; bill += 1) {
      const day = habit === 'contract' ? 1 : 1 + Math.floor(random() * 27);
      const issue_date = `${2024 + Math.floor(month / 12)}-${two((month % 12) + 1)}-${two(day)}`;
      counter += 1 + Math.floor(random() * 9);
      const gross_amount =
        habit === 'contract' || habit === 'retainer'
          ? fixed
          : habit === 'prices'
            ? (prices[Math.floor(random() * 4)] ?? fixed)
            : amount(random, 5000);
      const base: CanonicalInvoice = {
        supplier,
        invoice_number: numberFor(habit, counter, bill, issue_date, index),
        ...issuedOn(issue_date),
        currency: 'EUR',
        ...taxed(gross_amount),
        ...(isOrdered ? { purchase_order_ref: `PO-${index}${counter}` } : {}),
      };
      bills.push(...billed(habit, base, random));
    }
  }
  return bills;
}

function billed(habit: Habit, invoice: CanonicalInvoice, random: Random): CanonicalInvoice[] {
  if (habit === 'instalments') {
    return [1, 2, 3].map((part) => ({
      ...invoice,
      invoice_number: `${invoice.invoice_number}/${part}`,
      ...issuedOn(addDays(invoice.issue_date, (part - 1) * 30)),
    }));
  }
  if (habit === 'credits' && random() < 0.3) {
    const credit = {
      ...invoice,
      invoice_number: `G${invoice.invoice_number}`,
      ...taxed(`-${invoice.gross_amount}`),
      ...issuedOn(addDays(invoice.issue_date, 3)),
    };
    const again = {
      ...invoice,
      invoice_number: invoice.invoice_number.replace(/^./, 'B'),
      ...issuedOn(addDays(invoice.issue_date, 4)),
    };
    return [invoice, credit, again];
  }
  return [invoice];
}

function numberFor(habit: Habit, counter: number, bill: number, issueDate: string, index: number): string {
  const [year = '', month = ''] = issueDate.split('-');
  if (habit === 'yearly') return `${year}-${String(counter % 10_000).padStart(4, '0')}`;
  if (habit === 'monthly') return `FV/${two(bill + 11)}/${month}/${year}`;
  if (habit === 'contract') return `C-${770_000 + index}`;
  return `A${String(counter).padStart(6, '0')}`;
}

function withTypo(number: string, random: Random): string {
  // The first digit of the invoice number is changed, because an error in the last digits looks like a neighbouring
  // number, which is a known limit of the engine.
  const place = number.search(/[1-9]/);
  const digit = 1 + ((Number(number.charAt(place)) + 3 + Math.floor(random() * 3)) % 9);
  return `${number.slice(0, place)}${digit}${number.slice(place + 1)}`;
}

function swapped(date: string): string {
  const day = date.slice(8);
  return Number(day) <= 12 ? `${date.slice(0, 4)}-${day}-${date.slice(5, 7)}` : date;
}

function withSwappedDigits(amount: string): string {
  return `${amount.charAt(0)}${amount.charAt(2)}${amount.charAt(1)}${amount.slice(3)}`;
}

/** Adds to a test invoice a due date 30 days after the issue date. */
function issuedOn(issue_date: string): Required<Pick<CanonicalInvoice, 'issue_date' | 'due_date'>> {
  return { issue_date, due_date: addDays(issue_date, 30) };
}

/** Adds the net and tax amounts that belong to a gross amount at a rate of 19 %. */
function taxed(gross_amount: string): Pick<CanonicalInvoice, 'gross_amount' | 'net_amount' | 'tax_amount'> {
  const cents = Math.round(Number(gross_amount) * 100);
  const net = Math.round(cents / 1.19);
  return { gross_amount, net_amount: (net / 100).toFixed(2), tax_amount: ((cents - net) / 100).toFixed(2) };
}

/** Appends the check digit of ISO 7064 (mod 11, 10) to a number. */
function germanTaxId(number: number): string {
  let product = 10;
  for (const digit of String(number)) {
    const sum = (Number(digit) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return `DE${number}${(11 - product) % 10}`;
}

function word(random: Random): string {
  const syllables = ['ba', 'ro', 'tek', 'li', 'mon', 'sta', 'ver', 'dun', 'kor', 'fel', 'zim', 'pau'];
  return Array.from({ length: 3 }, () => syllables[Math.floor(random() * syllables.length)]).join('');
}

function amount(random: Random, maximum: number): string {
  return (100 + random() * maximum).toFixed(2);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/**
 * Returns a generator of the Mulberry32 algorithm, which is small, repeatable and sufficient for generating invoices.
 */
function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
