import { addDays, swapDayAndMonth } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../../bill.js';
import type { Bill } from '../../bill.js';
import type { Random } from '../../random.js';
import { centsOf, decimal, workday } from './book.js';
import type { Book, Entry } from './book.js';
import { filled } from './pattern.js';
import { ibanOf } from './trader.js';
import { shuffled } from './trades.js';

/**
 * Makes copies of a test bill, or splits it into parts. Returns undefined if this kind of copy is not possible for the
 * bill. If the result has `original`, it replaces the copied bill.
 */
export type CopyKind = (entry: Entry, random: Random) => Again | undefined;

interface Again {
  readonly original?: Bill;
  readonly copies: readonly Bill[];
}

const numberOf = ({ bill }: Entry): string => bill.invoice.invoice_number;

/** Returns a kind of copy of test bills in which only the invoice number is changed. */
function renumbered(
  change: (entry: Entry, random: Random) => string | undefined,
  delay: readonly [number, number] = [2, 25],
): CopyKind {
  return (entry, random) => {
    const number = change(entry, random);
    if (number === undefined || number === numberOf(entry)) return undefined;
    return { copies: [later(withInvoice(entry.bill, { invoice_number: number }), delay, random)] };
  };
}

/** Returns a kind of copy of test bills in which a field other than the invoice number is changed. */
function changed(
  change: (bill: Bill, random: Random, entry: Entry) => Bill | undefined,
  delay: readonly [number, number] = [1, 30],
): CopyKind {
  return (entry, random) => {
    const copy = change(entry.bill, random, entry);
    return copy && { copies: [later(copy, delay, random)] };
  };
}

function later(bill: Bill, [min, max]: readonly [number, number], random: Random): Bill {
  return { ...bill, arrival: workday(addDays(bill.arrival, random.integer(min, max))) };
}

function replaceOne(
  text: string,
  pattern: RegExp,
  replace: (found: string) => string,
  random: Random,
): string | undefined {
  const places = [...text.matchAll(pattern)];
  if (places.length === 0) return undefined;
  const { index, 0: found } = random.pick(places);
  return text.slice(0, index) + replace(found) + text.slice(index + found.length);
}

/** Returns the last sequence of digits in an invoice number that has at least the given length. */
function serialOf(number: string, digitsMin: number): { readonly start: number; readonly serial: string } | undefined {
  const run = [...number.matchAll(/\d+/g)].filter(({ 0: digits }) => digits.length >= digitsMin).at(-1);
  return run && { start: run.index, serial: run[0] };
}

function withSerial(
  number: string,
  digitsMin: number,
  change: (serial: string) => string | undefined,
): string | undefined {
  const found = serialOf(number, digitsMin);
  const serial = found && change(found.serial);
  if (found === undefined || serial === undefined || serial === found.serial) return undefined;
  return number.slice(0, found.start) + serial + number.slice(found.start + found.serial.length);
}

const lookAlike: Readonly<Record<string, string>> = { 0: 'O', 1: 'I', 5: 'S', 8: 'B', 2: 'Z' };

function misreadLetter(number: string, random: Random): string | undefined {
  return replaceOne(number, /[01582]/g, (digit) => lookAlike[digit] ?? digit, random);
}

function missingDigit(number: string, random: Random): string | undefined {
  return withSerial(number, 5, (serial) => {
    const place = random.integer(1, serial.length - 2);
    return serial.slice(0, place) + serial.slice(place + 1);
  });
}

function swappedDigits(number: string, random: Random): string | undefined {
  return withSerial(number, 4, (serial) => {
    const place = random.integer(0, serial.length - 2);
    return serial.slice(0, place) + serial.charAt(place + 1) + serial.charAt(place) + serial.slice(place + 2);
  });
}

function wrongDigit(number: string, random: Random): string | undefined {
  return withSerial(number, 5, (serial) => {
    const place = random.integer(0, serial.length - 3);
    return (
      serial.slice(0, place) +
      String((Number(serial.charAt(place)) + random.integer(1, 9)) % 10) +
      serial.slice(place + 1)
    );
  });
}

function withGrossCents(bill: Bill, cents: number): Bill | undefined {
  if (cents === centsOf(bill.invoice.gross_amount)) return undefined;
  const { net_amount: _net, tax_amount: _tax, ...invoice } = bill.invoice;
  return { ...bill, invoice: { ...invoice, gross_amount: decimal(cents) } };
}

function swappedAmount(bill: Bill, random: Random): Bill | undefined {
  const digits = String(centsOf(bill.invoice.gross_amount));
  const place = random.integer(0, Math.max(0, digits.length - 3));
  const swapped = digits.slice(0, place) + digits.charAt(place + 1) + digits.charAt(place) + digits.slice(place + 2);
  return swapped.startsWith('0') ? undefined : withGrossCents(bill, Number(swapped));
}

function spelledOtherwise(name: string, random: Random): string {
  return random.pick([
    (text: string) => text.toUpperCase(),
    (text: string) => text.split(' ').slice(0, -1).join(' '),
    (text: string) => text.normalize('NFD').replace(/\p{M}/gu, ''),
    (text: string) => text.replace(/(\p{L})\1/u, '$1'),
  ])(name);
}

function withoutTaxId(bill: Bill): Bill {
  return withSupplier(bill, { tax_id: undefined });
}

/** Kinds of copied test bills that every accounts department knows. A history uses those that occur in its trades. */
export const copyKinds = {
  'entered twice': changed((bill) => bill, [0, 12]),
  'sent again with a reminder': changed((bill) => bill, [25, 60]),
  'number printed otherwise': renumbered(({ bill }, random) => {
    const number = bill.invoice.invoice_number;
    return random.pick([
      number.replace(/[-/. ]/g, ''),
      number.replace(/[-/.]/g, ' '),
      `Nr. ${number}`,
      number.toLowerCase(),
    ]);
  }),
  'reminder word before the number': renumbered(
    (entry, random) => `${random.pick(['Reminder', 'Rappel'])} ${numberOf(entry)}`,
    [20, 50],
  ),
  'letter read for a digit': renumbered((entry, random) => misreadLetter(numberOf(entry), random)),
  'copy mark behind the number': renumbered(
    (entry, random) => `${numberOf(entry)}${random.pick([' COPY', '-A', ' REV', ' DUPL'])}`,
  ),
  'prefix letters lost': renumbered((entry) => {
    const rest = numberOf(entry).replace(/^[A-Z]{1,4}[-/ ]?/, '');
    return /\d{4}/.test(rest) ? rest : undefined;
  }),
  'digit missing': renumbered((entry, random) => missingDigit(numberOf(entry), random)),
  'digit doubled': renumbered((entry, random) =>
    withSerial(numberOf(entry), 4, (serial) => {
      const place = random.integer(0, serial.length - 1);
      return serial.slice(0, place) + serial.charAt(place) + serial.slice(place);
    }),
  ),
  'digits swapped': renumbered((entry, random) => swappedDigits(numberOf(entry), random)),
  'wrong digit': renumbered((entry, random) => wrongDigit(numberOf(entry), random)),
  'number cut short': renumbered((entry) => {
    const number = numberOf(entry);
    return number.replace(/\D/g, '').length < 8 ? undefined : number.slice(-6);
  }),
  'day and month swapped': changed((bill) => {
    const date = swapDayAndMonth(bill.invoice.issue_date);
    return date === undefined || date === bill.invoice.issue_date || date > bill.arrival
      ? undefined
      : withInvoice(bill, { issue_date: date });
  }),
  'day of receipt typed as the date': changed((bill, random) => {
    const date = addDays(bill.arrival, random.integer(1, 14));
    return { ...withInvoice(bill, { issue_date: date }), arrival: date };
  }),
  'digits of the amount swapped': changed(swappedAmount),
  'net for gross': changed((bill) =>
    withGrossCents(bill, centsOf(bill.invoice.net_amount ?? bill.invoice.gross_amount)),
  ),
  'supplier spelled otherwise, no tax id': changed((bill, random) =>
    withSupplier(withoutTaxId(bill), { name: spelledOtherwise(bill.invoice.supplier.name, random) }),
  ),
  'without tax id and account': changed((bill) => withSupplier(withoutTaxId(bill), { bank_account: undefined })),
  'number and date with a slip each': changed((bill, random) => {
    const number = swappedDigits(bill.invoice.invoice_number, random);
    return number === undefined
      ? undefined
      : withInvoice(bill, {
          invoice_number: number,
          issue_date: addDays(bill.invoice.issue_date, random.integer(1, 4)),
        });
  }),
  'number misread, amount with a slip': changed((bill, random) => {
    const number = misreadLetter(bill.invoice.invoice_number, random);
    return number === undefined ? undefined : swappedAmount(withInvoice(bill, { invoice_number: number }), random);
  }),
  'split into two parts': (entry, random) => {
    const { bill, trader } = entry;
    const whole = centsOf(bill.invoice.gross_amount);
    const first = Math.round(whole * (0.3 + 0.4 * random.next()));
    const parts = [first, whole - first].flatMap((cents, part) => {
      const net = Math.round((cents * 100) / (100 + trader.vatPercent));
      const half = withInvoice(bill, {
        invoice_number: `${bill.invoice.invoice_number}-${part + 1}`,
        gross_amount: decimal(cents),
        net_amount: decimal(net),
        tax_amount: decimal(cents - net),
      });
      return cents < 2_000 ? [] : [later(half, [2 + part, 12], random)];
    });
    return parts.length === 2 ? { copies: parts } : undefined;
  },
  'unrelated: order typed as the number': (entry, random) => {
    const order = entry.bill.invoice.purchase_order_ref;
    if (order === undefined) return undefined;
    const copy = withInvoice(entry.bill, { invoice_number: order });
    if (random.chance(0.5)) return { copies: [later(copy, [1, 20], random)] };
    const { purchase_order_ref: _order, ...invoice } = copy.invoice;
    return { copies: [later({ ...copy, invoice }, [1, 20], random)] };
  },
  'unrelated: number and order swapped': (entry, random) => {
    const order = entry.bill.invoice.purchase_order_ref;
    if (order === undefined) return undefined;
    return {
      copies: [
        later(withInvoice(entry.bill, { invoice_number: order, purchase_order_ref: numberOf(entry) }), [1, 20], random),
      ],
    };
  },
  'unrelated: delivery note typed as the number': renumbered(({ deliveryNote }, random) =>
    random.pick([deliveryNote, `LS ${deliveryNote}`, `DN-${deliveryNote}`]),
  ),
  'unrelated: customer number typed as the number': renumbered(({ trader }) => trader.customerNumber),
  'unrelated: date typed as the number': renumbered(({ bill }) =>
    bill.invoice.issue_date.split('-').toReversed().join('.'),
  ),
  'unrelated: reminder with a number of its own': renumbered((_, random) => filled('M######', random), [20, 55]),
  'unrelated: pro forma, then invoice': ({ bill }, random) => {
    const before = addDays(bill.invoice.issue_date, -random.integer(3, 15));
    const proForma = withInvoice(bill, {
      invoice_number: filled('PF-####', random),
      issue_date: before,
      due_date: bill.invoice.issue_date,
    });
    return { original: { ...proForma, arrival: workday(before) }, copies: [bill] };
  },
  'unrelated: self-billing, then the invoice of the supplier': ({ bill }, random) => {
    const selfBill = withInvoice(bill, { invoice_number: filled('SB26#####', random) });
    return { original: { ...selfBill, arrival: bill.invoice.issue_date }, copies: [later(bill, [1, 10], random)] };
  },
  'unrelated: billed again under the next number': (entry, random) => {
    if (entry.spare === undefined) return undefined;
    const { number, date } = entry.spare;
    const copy = withInvoice(entry.bill, {
      invoice_number: number,
      issue_date: date,
      due_date: addDays(date, entry.trader.termsDays),
    });
    return { copies: [{ ...copy, arrival: workday(addDays(date, random.integer(0, 6))) }] };
  },
  'unrelated: sent again by a factor': ({ bill, trader }, random) => {
    const copy = withSupplier(withInvoice(bill, { invoice_number: filled('8#######', random) }), {
      bank_account: { iban: ibanOf(trader.country, random) },
    });
    return { copies: [later(copy, [3, 25], random)] };
  },
} as const satisfies Record<string, CopyKind>;

export type CopyName = keyof typeof copyKinds;

export interface CopyPlan {
  readonly book: Book;
  /** Kinds of copied test bills that occur only in this history of a customer, in addition to the kinds in `names`. */
  readonly own?: Readonly<Record<string, CopyKind>>;
  readonly names: readonly CopyName[];
  /** Share of the ordinary test bills that are copied. */
  readonly share: number;
}

/**
 * Copies a share of the ordinary test bills, by all kinds of copies about equally often. Returns all bills, including
 * the copies.
 */
export function withCopies(entries: readonly Entry[], { book, own = {}, names, share }: CopyPlan): Bill[] {
  const { random } = book;
  const kinds = new Map<string, CopyKind>([
    ...names.map((name) => [name, copyKinds[name]] as const),
    ...Object.entries(own),
  ]);
  const made = new Map([...kinds.keys()].map((name) => [name, 0]));
  const copiesMax = Math.round(entries.length * share);
  const replaced = new Map<Entry, readonly Bill[]>();
  const plain = entries.filter(({ bill }) => bill.hardNegative === undefined && bill.anomaly === undefined);
  for (const entry of shuffled(plain, random)) {
    if (replaced.size === copiesMax) break;
    const fewest = [...made].sort(([, left], [, right]) => left - right);
    for (const [name, count] of fewest) {
      const again = kinds.get(name)?.(entry, random);
      if (again === undefined) continue;
      made.set(name, count + 1);
      replaced.set(entry, [again.original ?? entry.bill, ...again.copies.map((copy) => ({ ...copy, mutation: name }))]);
      break;
    }
  }
  return entries.flatMap((entry) => replaced.get(entry) ?? [entry.bill]);
}
