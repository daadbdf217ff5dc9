import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../../bill.js';
import type { Bill } from '../../bill.js';
import type { Random } from '../../random.js';
import { centsOf, decimal } from './book.js';
import type { Book, Entry } from './book.js';
import { ibanBeside, ibanOf, taxIdOf, wrongTaxId } from './trader.js';
import { shuffled } from './trades.js';

interface Planting {
  readonly random: Random;
  /** An earlier test bill of another supplier, from which a planted fault is made. */
  readonly other: Entry;
  /** Earlier bills of the supplier whose bill gets the planted fault, oldest first. */
  readonly before: readonly Entry[];
}

interface PlantedKind {
  /** Types of findings, at least one of which the planted fault must raise. */
  readonly expected: readonly string[];
  readonly isLast?: boolean;
  readonly plant: (entry: Entry, planting: Planting) => Bill | undefined;
}

function withAccount(bill: Bill, iban: string | undefined): Bill | undefined {
  return iban === undefined ? undefined : withSupplier(bill, { bank_account: { iban } });
}

function withCents(
  bill: Bill,
  { net, tax, gross }: { readonly net: number; readonly tax: number; readonly gross: number },
): Bill {
  return withInvoice(bill, { net_amount: decimal(net), tax_amount: decimal(tax), gross_amount: decimal(gross) });
}

function times(bill: Bill, factor: number): Bill {
  const net = Math.round(centsOf(bill.invoice.net_amount ?? '0') * factor);
  const tax = Math.round(centsOf(bill.invoice.tax_amount ?? '0') * factor);
  return withCents(bill, { net, tax, gross: net + tax });
}

/** Returns the highest amount of the supplier's earlier test bills. */
function highest(before: readonly Entry[]): number {
  return Math.max(...before.map(({ bill }) => centsOf(bill.invoice.gross_amount)));
}

export const plantedKinds = {
  'account at a bank of another country': {
    expected: ['BANK_ACCOUNT_CHANGED'],
    isLast: true,
    plant: ({ bill }, { random }) => withAccount(bill, ibanOf('LT', random)),
  },
  'another account of the same country, sooner due': {
    expected: ['BANK_ACCOUNT_CHANGED'],
    isLast: true,
    plant: ({ bill, trader }, { random }) =>
      withAccount(withInvoice(bill, { due_date: addDays(bill.invoice.issue_date, 2) }), ibanOf(trader.country, random)),
  },
  'account with digits changed': {
    expected: ['BANK_ACCOUNT_NEAR_MATCH', 'BANK_ACCOUNT_CHANGED'],
    isLast: true,
    plant: ({ bill }, { random }) =>
      withAccount(bill, ibanBeside(bill.invoice.supplier.bank_account?.iban ?? '', random)),
  },
  'account of another supplier': {
    expected: ['BANK_ACCOUNT_SHARED', 'BANK_ACCOUNT_CHANGED'],
    isLast: true,
    plant: ({ bill }, { other }) => withAccount(bill, other.trader.iban),
  },
  'account with wrong check digits': {
    expected: ['BANK_ACCOUNT_INVALID'],
    isLast: true,
    plant: ({ bill }) => {
      const iban = bill.invoice.supplier.bank_account?.iban ?? '';
      const last = (Number(iban.slice(-1)) + 1) % 10;
      return withAccount(bill, Number.isNaN(last) ? undefined : iban.slice(0, -1) + last);
    },
  },
  'impostor with a like name': {
    expected: ['SUPPLIER_LOOKALIKE_NAME'],
    isLast: true,
    plant: ({ bill, trader }, { random }) => {
      const [family = '', ...rest] = trader.name.split(' ');
      if (family.length < 6) return undefined;
      const place = random.integer(2, family.length - 2);
      const like = family.slice(0, place) + family.charAt(place) + family.slice(place);
      return withSupplier(bill, {
        name: [like, ...rest].join(' '),
        tax_id: taxIdOf(trader.country, random),
        bank_account: { iban: ibanOf(trader.country, random) },
      });
    },
  },
  'another valid tax id': {
    expected: ['SUPPLIER_TAX_ID_CHANGED', 'SUPPLIER_LOOKALIKE_NAME'],
    isLast: true,
    plant: ({ bill, trader }, { random }) =>
      trader.taxId === undefined
        ? undefined
        : withSupplier(bill, {
            tax_id: taxIdOf(trader.country, random),
            bank_account: { iban: ibanOf(trader.country, random) },
          }),
  },
  'tax id with a wrong check digit': {
    expected: ['SUPPLIER_TAX_ID_INVALID'],
    plant: ({ bill, trader }, { random }) =>
      trader.taxId === undefined ? undefined : withSupplier(bill, { tax_id: wrongTaxId(trader.taxId, random) }),
  },
  'name of somebody else': {
    expected: ['SUPPLIER_NAME_MISMATCH'],
    plant: ({ bill, trader }) =>
      trader.taxId === undefined ? undefined : withSupplier(bill, { name: 'Quixby Zoomarket Ventures' }),
  },
  'sixty times the usual amount': {
    expected: ['AMOUNT_OUTLIER', 'AMOUNT_MAGNITUDE_SHIFT', 'RECURRING_AMOUNT_CHANGED'],
    plant: ({ bill }, { before }) => {
      const factor = Math.ceil((60 * highest(before)) / centsOf(bill.invoice.gross_amount));
      return Number.isFinite(factor) ? times(bill, factor + 0.37) : undefined;
    },
  },
  'decimal point slipped': {
    expected: ['AMOUNT_MAGNITUDE_SHIFT', 'AMOUNT_OUTLIER', 'RECURRING_AMOUNT_CHANGED'],
    plant: ({ bill }, { before }) => {
      const amounts = before.map((entry) => centsOf(entry.bill.invoice.gross_amount));
      const isAlike = Math.max(...amounts) <= 2 * Math.min(...amounts);
      return isAlike && centsOf(bill.invoice.gross_amount) > 40_000 ? times(bill, 100) : undefined;
    },
  },
  'totals that do not add up': {
    expected: ['TAX_ARITHMETIC_MISMATCH'],
    plant: ({ bill }) =>
      withInvoice(bill, { gross_amount: decimal(Math.round(centsOf(bill.invoice.gross_amount) * 1.07) + 500) }),
  },
  'more tax than any rate': {
    expected: ['TAX_RATE_IMPLAUSIBLE'],
    plant: ({ bill, trader }) => {
      if (trader.taxId === undefined || trader.vatPercent === 0) return undefined;
      const net = centsOf(bill.invoice.net_amount ?? '0');
      const tax = Math.round(net * 0.34);
      return withCents(bill, { net, tax, gross: net + tax });
    },
  },
  'dated weeks ahead': {
    expected: ['ISSUE_DATE_FUTURE'],
    plant: ({ bill }, { random }) => {
      const ahead = addDays(bill.arrival, random.integer(12, 40));
      return withInvoice(bill, { issue_date: ahead, due_date: addDays(ahead, 30) });
    },
  },
  'due before it was issued': {
    expected: ['DUE_DATE_BEFORE_ISSUE'],
    plant: ({ bill }) => withInvoice(bill, { due_date: addDays(bill.invoice.issue_date, -9) }),
  },
  'another currency': {
    expected: ['CURRENCY_CHANGED'],
    plant: ({ bill }) => withInvoice(bill, { currency: bill.invoice.currency === 'USD' ? 'CHF' : 'USD' }),
  },
  'addressed to another party': {
    expected: ['BUYER_MISMATCH'],
    plant: ({ bill, trader }, { random }) =>
      withInvoice(bill, { buyer: { name: 'Vandermolen Trading', tax_id: taxIdOf(trader.country, random) } }),
  },
  'order of another supplier': {
    expected: ['PO_SUPPLIER_MISMATCH'],
    plant: ({ bill }, { other }) => {
      const order = other.bill.invoice.purchase_order_ref;
      const isUsable =
        order !== undefined && other.bill.companyId === bill.companyId && other.bill.arrival < bill.arrival;
      return isUsable ? withInvoice(bill, { purchase_order_ref: order }) : undefined;
    },
  },
  'contract price up by half': {
    expected: ['RECURRING_AMOUNT_CHANGED'],
    plant: ({ bill }, { before }) => {
      const last = before.slice(-7).map((entry) => entry.bill.invoice.gross_amount);
      const isFixed = last.every((amount) => amount === bill.invoice.gross_amount);
      const days = before.slice(-7).map((entry) => Number(entry.bill.invoice.issue_date.slice(5, 7)));
      const isMonthly = days.every((month, index) => index === 0 || (month - (days[index - 1] ?? 0) + 12) % 12 === 1);
      return isFixed && isMonthly ? times(bill, 1.5) : undefined;
    },
  },
  'due within two days': {
    expected: ['PAYMENT_TERMS_CHANGED'],
    plant: ({ bill, trader }) =>
      trader.termsDays >= 20 ? withInvoice(bill, { due_date: addDays(bill.invoice.issue_date, 2) }) : undefined,
  },
  'nothing to pay': {
    expected: ['AMOUNT_ZERO'],
    plant: ({ bill }) => withCents(bill, { net: 0, tax: 0, gross: 0 }),
  },
} as const satisfies Record<string, PlantedKind>;

export type PlantedName = keyof typeof plantedKinds;

const BEFORE_MIN = 16;

/**
 * Replaces at most one test bill of each established supplier by a faulty one. All kinds of faults occur about equally
 * often.
 */
export function withPlanted(
  book: Book,
  entries: readonly Entry[],
  names: readonly PlantedName[],
  count: number,
): Entry[] {
  const { random } = book;
  const byTrader = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (entry.bill.hardNegative === undefined)
      byTrader.set(entry.trader.name, [...(byTrader.get(entry.trader.name) ?? []), entry]);
  }
  const made = new Map(names.map((name) => [name, 0]));
  const replaced = new Map<Entry, Entry>();
  const established = shuffled(
    [...byTrader.values()].filter(({ length }) => length > BEFORE_MIN),
    random,
  );
  for (const [index, own] of established.entries()) {
    if (replaced.size === count) break;
    const others = established[(index + 1) % established.length] ?? own;
    for (const [name, times] of [...made].sort(([, left], [, right]) => left - right)) {
      const kind: PlantedKind = plantedKinds[name];
      const place = kind.isLast ? own.length - 1 : random.integer(BEFORE_MIN, own.length - 1);
      const entry = own[place];
      const other = others[random.integer(0, Math.min(9, others.length - 1))];
      if (entry === undefined || other === undefined) continue;
      const bill = kind.plant(entry, { random, other, before: own.slice(0, place) });
      if (bill === undefined) continue;
      made.set(name, times + 1);
      const { spare: _spare, ...rest } = entry;
      replaced.set(entry, { ...rest, bill: { ...bill, anomaly: { name, expected: kind.expected } } });
      break;
    }
  }
  return entries.map((entry) => replaced.get(entry) ?? entry);
}
