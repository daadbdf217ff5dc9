import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../../bill.js';
import type { Bill } from '../../bill.js';
import { centsOf, decimal } from '../book/book.js';
import { at, inAnyOrder } from './again.js';
import type { Desk, Paper, Vendor } from './desk.js';
import { accountIn, accountNear, mistyped, taxIdIn } from './lands.js';

interface Fault {
  /** Types of findings, of which the planted fault must raise at least one. */
  readonly expected: readonly string[];
  /**
   * True if the faulty test bill must be the last bill of its supplier, because later bills would raise findings too.
   */
  readonly isLast?: boolean;
  readonly make: (paper: Paper, scene: Scene) => Bill | undefined;
}

interface Scene {
  readonly desk: Desk;
  /** Earlier bills of the supplier of the faulty bill, oldest first. */
  readonly before: readonly Paper[];
  /** An earlier test bill that another supplier sent to the same company. */
  readonly stranger: Paper | undefined;
}

const highest = (before: readonly Paper[]): number =>
  Math.max(...before.map(({ bill }) => centsOf(bill.invoice.gross_amount)));

export const faults = {
  'account at a foreign bank': {
    expected: ['BANK_ACCOUNT_CHANGED'],
    isLast: true,
    make: ({ bill, vendor }, { desk: { random } }) => {
      const iban = accountIn('LT', random);
      return vendor.iban === undefined || iban === undefined
        ? undefined
        : withSupplier(bill, { bank_account: { iban } });
    },
  },
  'account with one digit changed': {
    expected: ['BANK_ACCOUNT_NEAR_MATCH', 'BANK_ACCOUNT_CHANGED'],
    isLast: true,
    make: ({ bill, vendor }, { desk: { random } }) => {
      const iban = vendor.iban && accountNear(vendor.iban, random);
      return iban === undefined ? undefined : withSupplier(bill, { bank_account: { iban } });
    },
  },
  'account of another supplier': {
    expected: ['BANK_ACCOUNT_SHARED', 'BANK_ACCOUNT_CHANGED'],
    isLast: true,
    make: ({ bill, vendor }, { stranger }) => {
      const iban = stranger?.vendor.iban;
      return vendor.iban === undefined || iban === undefined
        ? undefined
        : withSupplier(bill, { bank_account: { iban } });
    },
  },
  'account that no bank has': {
    expected: ['BANK_ACCOUNT_INVALID'],
    make: ({ bill, vendor: { iban } }) =>
      iban === undefined
        ? undefined
        : withSupplier(bill, { bank_account: { iban: `${iban.slice(0, -1)}${(Number(iban.at(-1)) + 6) % 10}` } }),
  },
  'tax id mistyped': {
    expected: ['SUPPLIER_TAX_ID_INVALID'],
    make: ({ bill, vendor: { taxId, land } }) => {
      const wrong = taxId === undefined ? undefined : mistyped(taxId, land);
      return wrong === undefined ? undefined : withSupplier(bill, { tax_id: wrong });
    },
  },
  'another tax id under the known name': {
    expected: ['SUPPLIER_TAX_ID_CHANGED', 'SUPPLIER_LOOKALIKE_NAME'],
    isLast: true,
    make: ({ bill, vendor: { taxId, land } }, { desk: { random } }) =>
      taxId === undefined ? undefined : withSupplier(bill, { tax_id: taxIdIn(land, random) }),
  },
  'a stranger under the known tax id': {
    expected: ['SUPPLIER_NAME_MISMATCH'],
    make: ({ bill, vendor }) =>
      vendor.taxId === undefined ? undefined : withSupplier(bill, { name: 'Qorvath Myzel Ubiquist' }),
  },
  'forty times the highest amount': {
    expected: ['AMOUNT_OUTLIER', 'AMOUNT_MAGNITUDE_SHIFT', 'RECURRING_AMOUNT_CHANGED'],
    make: ({ bill }, { before }) => at(bill, 40 * highest(before) + 3_700),
  },
  'two digits too many in the amount': {
    expected: ['AMOUNT_OUTLIER', 'AMOUNT_MAGNITUDE_SHIFT', 'RECURRING_AMOUNT_CHANGED'],
    make: ({ bill }, { before }) => {
      const gross = centsOf(bill.invoice.gross_amount);
      return 3 * gross < highest(before) || gross < 20_000 ? undefined : at(bill, 100 * gross);
    },
  },
  'total that is no sum': {
    expected: ['TAX_ARITHMETIC_MISMATCH'],
    make: ({ bill, vendor }) =>
      vendor.permille === 0 || centsOf(bill.invoice.gross_amount) < 40_000
        ? undefined
        : withInvoice(bill, { gross_amount: decimal(Math.round(centsOf(bill.invoice.gross_amount) / 100) * 109) }),
  },
  'due before its date': {
    expected: ['DUE_DATE_BEFORE_ISSUE'],
    make: ({ bill }) => withInvoice(bill, { due_date: addDays(bill.invoice.issue_date, -14) }),
  },
  'payable at once': {
    expected: ['PAYMENT_TERMS_CHANGED'],
    make: ({ bill, vendor }) =>
      vendor.terms < 30 ? undefined : withInvoice(bill, { due_date: addDays(bill.invoice.issue_date, 1) }),
  },
  'dated next month': {
    expected: ['ISSUE_DATE_FUTURE'],
    make: ({ bill }) => {
      const date = addDays(bill.arrival, 27);
      return withInvoice(bill, { issue_date: date, due_date: addDays(date, 30) });
    },
  },
  'a currency it never billed in': {
    expected: ['CURRENCY_CHANGED', 'CURRENCY_UNUSUAL_FOR_COUNTRY'],
    make: ({ bill }) => withInvoice(bill, { currency: bill.invoice.currency === 'USD' ? 'GBP' : 'USD' }),
  },
  'addressed to somebody else': {
    expected: ['BUYER_MISMATCH'],
    make: ({ bill, vendor }, { desk: { random } }) =>
      withInvoice(bill, { buyer: { name: 'Zephyrine Upholstery', tax_id: taxIdIn(vendor.land, random) } }),
  },
  'order of another supplier': {
    expected: ['PO_SUPPLIER_MISMATCH'],
    make: ({ bill }, { stranger }) => {
      const order = stranger?.bill.invoice.purchase_order_ref;
      return order === undefined || bill.invoice.purchase_order_ref === undefined
        ? undefined
        : withInvoice(bill, { purchase_order_ref: order });
    },
  },
  'nothing is due': {
    expected: ['AMOUNT_ZERO'],
    make: ({ bill }) => withInvoice(bill, { net_amount: '0.00', tax_amount: '0.00', gross_amount: '0.00' }),
  },
  'number of an earlier bill': {
    expected: ['INVOICE_NUMBER_REUSED', 'SUSPECTED_DUPLICATE'],
    make: ({ bill, vendor }, { before }) => {
      const earlier = before.at(-3)?.bill.invoice;
      const isUsable =
        earlier !== undefined &&
        !vendor.recurs &&
        earlier.invoice_number.replace(/\D/g, '').length >= 6 &&
        earlier.issue_date.slice(0, 4) === bill.invoice.issue_date.slice(0, 4) &&
        Math.abs(centsOf(earlier.gross_amount) / centsOf(bill.invoice.gross_amount) - 1) > 0.2;
      return isUsable ? withInvoice(bill, { invoice_number: earlier.invoice_number }) : undefined;
    },
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** Number of bills that a supplier has sent before one of them is faulty. */
const KNOWN_AFTER = 15;

/** Gives each named fault to test bills of some suppliers, at most one fault to each supplier. */
export function withFaults(desk: Desk, papers: readonly Paper[], names: readonly FaultName[], ofEach: number): Paper[] {
  const { random } = desk;
  const own = new Map<Vendor, Paper[]>();
  for (const paper of papers) {
    if (paper.bill.hardNegative === undefined) own.set(paper.vendor, [...(own.get(paper.vendor) ?? []), paper]);
  }
  const free = inAnyOrder(
    [...own.values()].filter(({ length }) => length > KNOWN_AFTER),
    random,
  );
  const taken = new Set<readonly Paper[]>();
  const changed = new Map<Paper, Paper>();
  for (const name of names) {
    const fault: Fault = faults[name];
    let made = 0;
    for (const ofVendor of free) {
      if (made === ofEach) break;
      if (taken.has(ofVendor)) continue;
      const place = fault.isLast === true ? ofVendor.length - 1 : random.integer(KNOWN_AFTER, ofVendor.length - 1);
      const paper = ofVendor[place];
      if (paper === undefined) continue;
      const stranger = papers.find(
        ({ bill, vendor }) =>
          vendor !== paper.vendor &&
          bill.companyId === paper.bill.companyId &&
          bill.hardNegative === undefined &&
          bill.invoice.purchase_order_ref !== undefined &&
          bill.arrival < addDays(paper.bill.arrival, -10) &&
          bill.arrival > addDays(paper.bill.arrival, -80),
      );
      const bill = fault.make(paper, { desk, before: ofVendor.slice(0, place), stranger });
      if (bill === undefined) continue;
      taken.add(ofVendor);
      const { skipped: _skipped, ...rest } = paper;
      changed.set(paper, { ...rest, bill: { ...bill, anomaly: { name, expected: fault.expected } } });
      made += 1;
    }
  }
  return papers.map((paper) => changed.get(paper) ?? paper);
}
