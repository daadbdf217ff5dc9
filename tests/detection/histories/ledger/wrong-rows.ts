import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice } from '../../bill.js';
import type { Bill } from '../../bill.js';
import type { Random } from '../../random.js';
import type { Casting, Entry } from './journal.js';
import { amounts, centsOf, decimal, restated } from './journal.js';
import { accountOf, nearAccount, taxIdOf } from './supplier.js';

/** The fault of one test bill, and the findings that the fault must cause. */
export interface Wrong {
  readonly expected: readonly string[];
  /** Number of earlier bills that the supplier must have before the faulty bill. */
  readonly after?: number;
  readonly fits?: (entry: Entry, casting: Casting) => boolean;
  /** True if the test bill after the faulty one returns to the usual bank account. */
  readonly returns?: boolean;
  readonly make: (entry: Entry, tools: WrongTools) => Bill;
}

export interface WrongTools {
  readonly random: Random;
  readonly casting: Casting;
  readonly at: number;
  readonly others: readonly Casting[];
}

const hasAccount = ({ supplier }: Entry): boolean => supplier.iban !== undefined;
const hasTaxId = ({ supplier }: Entry): boolean => supplier.taxId !== undefined;
const isPlainPrice = ({ supplier }: Entry): boolean =>
  ['odd', 'metered', 'hours'].includes(supplier.trade.pricing.kind);

function scaled({ bill, rate, supplier }: Entry, factor: number): Bill {
  const net = centsOf(bill.invoice.net_amount ?? bill.invoice.gross_amount);
  return withInvoice(bill, amounts(Math.round(net * factor), rate, supplier.currency));
}

function amountsBefore({ casting, at }: WrongTools): number[] {
  return casting.entries
    .slice(0, at)
    .map(({ bill }) => centsOf(bill.invoice.net_amount ?? '0'))
    .filter((net) => net > 0)
    .sort((left, right) => left - right);
}

const middle = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0;

function withNet({ bill, rate, supplier }: Entry, net: number): Bill {
  return withInvoice(bill, amounts(net, rate, supplier.currency));
}

/** Returns a tax id with the same length, other digits and no letters, which is valid in no country. */
function brokenTaxId(id: string): string {
  const last = Number(id.slice(-1));
  return Number.isNaN(last)
    ? id.replace(/[0-9](?=[A-Z]*$)/, (digit) => String((Number(digit) + 1) % 10))
    : `${id.slice(0, -1)}${(last + 1) % 10}`;
}

/** Supplier names that do not resemble any name in the histories. */
const strangers = ['Quixley Wharf', 'Hojbjerg Zink', 'Uxbrow Jutta', 'Wyckham Pfund', 'Zbyk Ghuul'];

export const wrongs: Readonly<Record<string, Wrong>> = {
  'other account of the same country': {
    expected: ['BANK_ACCOUNT_CHANGED'],
    fits: hasAccount,
    returns: true,
    make: ({ bill, supplier }, { random }) =>
      restated(bill, { bank_account: { iban: accountOf(supplier.country, random) } }),
  },
  'account that differs in a digit': {
    expected: ['BANK_ACCOUNT_NEAR_MATCH', 'BANK_ACCOUNT_CHANGED'],
    fits: hasAccount,
    returns: true,
    make: ({ bill, supplier }, { random }) =>
      restated(bill, { bank_account: { iban: nearAccount(supplier.iban ?? '', random) } }),
  },
  'account in another country, terms shortened': {
    expected: ['BANK_ACCOUNT_CHANGED'],
    fits: hasAccount,
    returns: true,
    make: ({ bill, supplier }, { random }) => ({
      ...withInvoice(
        restated(bill, { bank_account: { iban: accountOf(supplier.country === 'LT' ? 'EE' : 'LT', random) } }),
        {
          due_date: addDays(bill.invoice.issue_date, 3),
        },
      ),
    }),
  },
  'account of another supplier': {
    expected: ['BANK_ACCOUNT_SHARED', 'BANK_ACCOUNT_CHANGED'],
    fits: hasAccount,
    returns: true,
    make: ({ bill, supplier }, { random, others }) => {
      const strangers = others.filter(
        (other) => other.supplier.iban !== undefined && other.supplier !== supplier && other.entries.length > 20,
      );
      return restated(bill, { bank_account: { iban: random.pick(strangers).supplier.iban ?? '' } });
    },
  },
  'account with wrong check digits': {
    expected: ['BANK_ACCOUNT_INVALID'],
    fits: hasAccount,
    make: ({ bill, supplier }) => {
      const iban = supplier.iban ?? '';
      const digit = (Number(iban.slice(-3, -2)) + 3) % 10;
      return restated(bill, { bank_account: { iban: `${iban.slice(0, -3)}${digit}${iban.slice(-2)}` } });
    },
  },
  'tax id with a wrong check digit': {
    expected: ['SUPPLIER_TAX_ID_INVALID'],
    fits: hasTaxId,
    make: ({ bill, supplier }) => restated(bill, { tax_id: brokenTaxId(supplier.taxId ?? '') }),
  },
  'other tax id under the known name and account': {
    expected: ['SUPPLIER_TAX_ID_CHANGED'],
    fits: (entry) => hasTaxId(entry) && entry.supplier.core.length >= 6,
    make: ({ bill, supplier }, { random }) => restated(bill, { tax_id: taxIdOf(supplier.country, random) }),
  },
  'known tax id under a foreign name': {
    expected: ['SUPPLIER_NAME_MISMATCH'],
    fits: hasTaxId,
    make: ({ bill }, { at }) => restated(bill, { name: strangers[at % strangers.length] ?? '' }),
  },
  'name one letter off with a new account': {
    expected: ['SUPPLIER_LOOKALIKE_NAME'],
    fits: (entry) => hasTaxId(entry) && (entry.supplier.core.split(' ')[0]?.length ?? 0) >= 7,
    make: ({ bill, supplier }, { random }) => {
      const name = supplier.name.replace(supplier.core, `${supplier.core.slice(0, 4)}${supplier.core.slice(3)}`);
      const iban = accountOf(supplier.country, random);
      return restated(bill, { name, tax_id: taxIdOf(supplier.country, random), bank_account: { iban } });
    },
  },
  'ten times the usual fee': {
    expected: ['AMOUNT_MAGNITUDE_SHIFT', 'AMOUNT_OUTLIER', 'RECURRING_AMOUNT_CHANGED'],
    fits: ({ isRecurring, bill }) => isRecurring && centsOf(bill.invoice.gross_amount) > 10_000,
    make: (entry) => scaled(entry, 10),
  },
  'thirty times the usual amount': {
    expected: ['AMOUNT_OUTLIER', 'AMOUNT_MAGNITUDE_SHIFT'],
    after: 14,
    fits: isPlainPrice,
    make: (entry, tools) => withNet(entry, middle(amountsBefore(tools)) * 30 + 1_700),
  },
  'fee raised by two fifths': {
    expected: ['RECURRING_AMOUNT_CHANGED'],
    after: 9,
    fits: ({ isRecurring, supplier, bill }, casting) =>
      isRecurring && supplier.trade.rhythm.kind === 'monthly' && isSteady(casting, bill),
    make: (entry, tools) => withNet(entry, Math.round(middle(amountsBefore(tools).slice(-3)) * 1.4)),
  },
  'totals that do not add up': {
    expected: ['TAX_ARITHMETIC_MISMATCH'],
    fits: ({ rate, bill }) => rate > 0 && centsOf(bill.invoice.gross_amount) > 20_000,
    make: ({ bill }) =>
      withInvoice(bill, {
        gross_amount: decimal(Math.round((centsOf(bill.invoice.gross_amount) * 1.08) / 100) * 100 + 300),
      }),
  },
  'tax above every legal rate': {
    expected: ['TAX_RATE_IMPLAUSIBLE'],
    fits: (entry) => entry.rate > 0 && hasTaxId(entry) && centsOf(entry.bill.invoice.gross_amount) > 5_000,
    make: ({ bill, supplier }) =>
      withInvoice(bill, amounts(centsOf(bill.invoice.net_amount ?? '0'), 340, supplier.currency)),
  },
  'tax charged without tax id': {
    expected: ['TAX_WITHOUT_REGISTRATION', 'SUPPLIER_TAX_ID_MISSING'],
    fits: (entry) =>
      entry.rate > 0 &&
      hasTaxId(entry) &&
      hasAccount(entry) &&
      centsOf(entry.bill.invoice.gross_amount) > 60_000 &&
      entry.supplier.currency === 'EUR',
    make: ({ bill }) => {
      const { tax_id: _left, ...supplier } = bill.invoice.supplier;
      return withInvoice(bill, { supplier });
    },
  },
  'due before the day of issue': {
    expected: ['DUE_DATE_BEFORE_ISSUE'],
    make: ({ bill }) => withInvoice(bill, { due_date: addDays(bill.invoice.issue_date, -6) }),
  },
  'terms cut to two days': {
    expected: ['PAYMENT_TERMS_CHANGED'],
    fits: ({ supplier }) => supplier.terms >= 30,
    make: ({ bill }) => withInvoice(bill, { due_date: addDays(bill.invoice.issue_date, 2) }),
  },
  'issued in the future': {
    expected: ['ISSUE_DATE_FUTURE'],
    make: ({ bill }) => ({ ...bill, arrival: addDays(bill.invoice.issue_date, -25) }),
  },
  'issued two years ago': {
    expected: ['ISSUE_DATE_STALE'],
    make: ({ bill }) =>
      withInvoice(bill, {
        issue_date: addDays(bill.invoice.issue_date, -2 * 365),
        due_date: addDays(bill.invoice.issue_date, -700),
      }),
  },
  'currency that the supplier never used': {
    expected: ['CURRENCY_CHANGED', 'CURRENCY_UNUSUAL_FOR_COUNTRY'],
    make: ({ bill }) => withInvoice(bill, { currency: bill.invoice.currency === 'EUR' ? 'USD' : 'GBP' }),
  },
  'addressed to a stranger': {
    expected: ['BUYER_MISMATCH'],
    make: ({ bill }) => withInvoice(bill, { buyer: { name: 'Ostermoor Handels GmbH', tax_id: 'DE136695976' } }),
  },
  'order of another supplier': {
    expected: ['PO_SUPPLIER_MISMATCH'],
    fits: ({ supplier, bill }) => supplier.trade.orders === 'always' && bill.invoice.purchase_order_ref !== undefined,
    make: ({ bill, supplier }, { random, others }) => {
      const orders = others
        .filter((other) => other.supplier !== supplier)
        .flatMap(({ entries }) => entries)
        .filter(
          (each) =>
            each.bill.arrival < bill.arrival &&
            each.bill.invoice.issue_date < bill.invoice.issue_date &&
            each.bill.companyId === bill.companyId,
        )
        .flatMap((each) =>
          each.supplier.trade.orders === 'always' ? (each.bill.invoice.purchase_order_ref ?? []) : [],
        );
      return withInvoice(bill, { purchase_order_ref: random.pick(orders) });
    },
  },
  'order missing where there always is one': {
    expected: ['PO_MISSING'],
    after: 14,
    fits: ({ supplier }) => supplier.trade.orders === 'always',
    make: ({ bill }) => {
      const { purchase_order_ref: _left, ...invoice } = bill.invoice;
      return { ...bill, invoice };
    },
  },
  'nothing to pay': {
    expected: ['AMOUNT_ZERO'],
    make: ({ bill }) => withInvoice(bill, { net_amount: '0.00', tax_amount: '0.00', gross_amount: '0.00' }),
  },
  'number of another make': {
    expected: ['INVOICE_NUMBER_FORMAT_CHANGED'],
    after: 14,
    fits: (_entry, { supplier, entries }) => isOfOneMake(supplier.trade.numbering.length, entries),
    make: ({ bill }, { random }) =>
      withInvoice(bill, { invoice_number: `XQ.${random.integer(11, 99)}.ZT-${random.integer(1, 9)}K` }),
  },
  'tax id of an own company': {
    expected: ['SUPPLIER_IS_OWN_COMPANY'],
    fits: ({ supplier }) => supplier.country === supplier.company.country,
    make: ({ bill, supplier }) => restated(bill, { tax_id: supplier.company.taxId }),
  },
};

/** Checks whether the six preceding test bills of the supplier have the same amount. */
function isSteady({ entries }: Casting, bill: Bill): boolean {
  const at = entries.findIndex((entry) => entry.bill === bill);
  const before = entries.slice(Math.max(0, at - 7), at).map((entry) => entry.bill.invoice.gross_amount);
  return before.length >= 7 && new Set(before).size === 1;
}

/** Checks whether all invoice numbers of a supplier have the same pattern of letters, digits and separators. */
function isOfOneMake(_numberings: number, entries: readonly Entry[]): boolean {
  const makes = new Set(
    entries.map(({ bill }) => bill.invoice.invoice_number.replace(/[0-9]+/g, '9').replace(/[A-Z]+/g, 'A')),
  );
  return makes.size === 1;
}
