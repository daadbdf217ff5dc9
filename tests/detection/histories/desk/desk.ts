// Contains the notation in which the histories of the set `worldwide` are written: kinds of suppliers, the numbers of
// their bills, and the accounts department (desk) that receives the bills.
import { addDays } from '@invoicecontrol/values/calendar-date';
import type { Bill } from '../../bill.js';
import type { Random } from '../../random.js';
import { decimal, workday } from '../book/book.js';
import type { Pricing, Rhythm } from '../book/book.js';
import { filled } from '../book/pattern.js';
import { accountIn, formsOf, taxIdIn } from './lands.js';
import type { Land } from './lands.js';

/** A supplier of the test bills, as the accounts department of the customer knows it. */
export interface Vendor {
  readonly name: string;
  readonly land: Land;
  readonly taxId?: string;
  readonly iban?: string;
  readonly currency: string;
  readonly permille: number;
  readonly terms: number;
  /** Number under which the supplier lists the customer. */
  readonly account: string;
  readonly companyId: string;
  /** True if correct bills of the supplier repeat an amount. */
  readonly recurs: boolean;
  /** Returns the invoice number of the supplier's next bill. It must be called in the order of days. */
  readonly next: (date: string) => string;
}

/** A test bill with further data that the supplier's document states. */
export interface Paper {
  readonly bill: Bill;
  readonly vendor: Vendor;
  /** The document or measurement on which the bill is based: bill of lading, packing slip, or meter. */
  readonly note: string;
  /** Number that the supplier left out after this bill. A second bill for the same supply uses this number. */
  readonly skipped?: { readonly number: string; readonly date: string };
}

/**
 * Form of the numbers of a supplier. `{n6}` is the serial number with at least six digits, `{c}` its check digit,
 * `{yyyy}`, `{yy}`, `{mm}` and `{dd}` are the date, `{fy}` is a fiscal year that begins in April; `#` and `@` are a digit and a letter that the supplier keeps.
 */
export interface Numbers {
  readonly forms: readonly string[];
  readonly from?: readonly [number, number];
  /**
   * Minimum and maximum difference between two consecutive invoice numbers that the customer receives. The numbers in
   * between belong to bills for other customers of the supplier.
   */
  readonly step?: readonly [number, number];
  readonly restart?: 'year' | 'month' | 'fiscal year';
}

/** Suppliers of one trade in the test data. All of them number, price and send their bills alike. */
export interface Line {
  /** Texts that follow the first word of the supplier's name. `_` stands for that word if it does not come first. */
  readonly tails: readonly string[];
  readonly count: number;
  readonly land: Land;
  readonly numbers: Numbers;
  readonly rhythm: Rhythm;
  readonly price: Pricing;
  readonly terms?: readonly number[];
  readonly permille?: number;
  readonly currency?: string;
  /** Form of the purchase order number on the bills. `isKept` is true if one order covers many bills. */
  readonly order?: { readonly form: string; readonly isKept?: boolean };
  readonly recurs?: boolean;
}

export interface Charge {
  readonly date: string;
  /** Net amount of the bill in the smallest unit of the currency. */
  readonly net: number;
  readonly number?: string;
  readonly order?: string | undefined;
  readonly kind?: string;
  readonly companyId?: string;
  readonly iban?: string | undefined;
  readonly lag?: number;
  readonly note?: string;
  readonly skipped?: Paper['skipped'];
}

export interface Desk {
  readonly random: Random;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly companyIds: readonly string[];
  hire(line: Omit<Line, 'count' | 'rhythm' | 'price'>): Vendor;
  /** Returns a purchase order number that the customer has given to no other supplier. */
  order(form: string, date: string): string;
  receive(vendor: Vendor, charge: Charge): Paper;
}

export interface DeskOptions {
  readonly firstDay: string;
  readonly lastDay: string;
  /** Companies to which bills are addressed. A company that is listed more often gets more bills. */
  readonly companyIds: readonly string[];
  /** Words with which the names of suppliers begin, each used once. */
  readonly words: readonly string[];
  /** Form of the numbers under which suppliers list the customer. */
  readonly accounts: readonly string[];
  readonly notes: readonly string[];
  /** Changes the tax rate of a test bill by its date, as a law does. */
  readonly permilleOn?: (permille: number, date: string) => number;
}

export function openDesk(random: Random, options: DeskOptions): Desk {
  const { firstDay, lastDay, companyIds, notes, permilleOn = (permille) => permille } = options;
  const words = [...options.words];
  const orders = new Set<string>();
  let claims = 0;
  return {
    random,
    firstDay,
    lastDay,
    companyIds,
    order(form, date) {
      for (;;) {
        const order = written(filled(form, random), date, orders.size);
        if (orders.has(order)) continue;
        orders.add(order);
        return order;
      }
    },
    hire({ tails, land, numbers, terms = [30], permille, currency, recurs = false }) {
      const [word] = words.splice(random.integer(0, words.length - 1), 1);
      if (word === undefined) throw new RangeError('more words for suppliers are needed');
      const forms = formsOf(land);
      const tail = random.pick(tails);
      const iban = accountIn(land, random);
      const hasTaxId = random.chance(forms.taxIdShare);
      return {
        name: tail.includes('_') ? tail.replace('_', word) : `${word} ${tail}`,
        land,
        ...(hasTaxId && { taxId: taxIdIn(land, random) }),
        ...(iban !== undefined && { iban }),
        currency: currency ?? forms.currency,
        permille: permille ?? forms.permille,
        terms: random.pick(terms),
        account: filled(random.pick(options.accounts), random),
        companyId: random.pick(companyIds),
        recurs,
        next: numbering(numbers, random),
      };
    },
    receive(vendor, charge) {
      const { date, net, order, kind } = charge;
      const unit = vendor.currency === 'JPY' ? 100 : 1;
      const tax = Math.round((net * permilleOn(vendor.permille, date)) / 1000);
      const iban = 'iban' in charge ? charge.iban : vendor.iban;
      claims += 1;
      return {
        vendor,
        note: charge.note ?? filled(random.pick(notes), random),
        ...(charge.skipped && { skipped: charge.skipped }),
        bill: {
          invoice: {
            supplier: {
              name: vendor.name,
              ...(vendor.taxId !== undefined && { tax_id: vendor.taxId }),
              ...(iban !== undefined && { bank_account: { iban } }),
            },
            invoice_number: charge.number ?? vendor.next(date),
            issue_date: date,
            due_date: addDays(date, vendor.terms),
            currency: vendor.currency,
            net_amount: decimal(net * unit),
            tax_amount: decimal(tax * unit),
            gross_amount: decimal((net + tax) * unit),
            ...(order !== undefined && { purchase_order_ref: order }),
          },
          arrival: workday(addDays(date, charge.lag ?? random.pick([0, 1, 1, 2, 3, 3, 4, 6, 8]))),
          companyId: charge.companyId ?? vendor.companyId,
          claim: `desk-${claims}`,
          ...(kind !== undefined && { hardNegative: kind }),
        },
      };
    },
  };
}

/** Share of the bills after which the supplier leaves out an invoice number. */
const SKIPPED_SHARE = 0.12;
/** Average number of bills that one long-running purchase order covers. */
const BILLS_OF_AN_ORDER = 9;

/** Adds all test bills of these kinds of suppliers to the history. */
export function billLines(desk: Desk, lines: readonly Line[]): Paper[] {
  return lines.flatMap((line) => Array.from({ length: line.count }, () => billLine(desk, line)).flat());
}

function billLine(desk: Desk, line: Line): Paper[] {
  const { random } = desk;
  const vendor = desk.hire(line);
  const price = line.price(random);
  const days = line.rhythm(desk);
  let order: string | undefined;
  return days.map((date, index) => {
    const isOver = line.order?.isKept !== true || random.chance(1 / BILLS_OF_AN_ORDER);
    if (line.order !== undefined && (order === undefined || isOver)) {
      order = desk.order(line.order.form, date);
    }
    const number = vendor.next(date);
    const again = workday(addDays(date, random.integer(1, 9)));
    const hasSkipped = again < (days[index + 1] ?? desk.lastDay) && random.chance(SKIPPED_SHARE);
    return desk.receive(vendor, {
      date,
      number,
      net: price(date),
      order,
      ...(hasSkipped && { skipped: { number: vendor.next(again), date: again } }),
    });
  });
}

const periods: Readonly<Record<NonNullable<Numbers['restart']>, (date: string) => string>> = {
  year: (date) => date.slice(0, 4),
  month: (date) => date.slice(0, 7),
  'fiscal year': fiscalYear,
};

/**
 * Returns the years of a fiscal year from April to March as the numbers of test bills state them, for example `24-25`.
 */
export function fiscalYear(date: string): string {
  const year = Number(date.slice(2, 4)) - (date.slice(5, 7) < '04' ? 1 : 0);
  return `${year}-${year + 1}`;
}

/** Returns a function that yields the invoice numbers of one supplier, one after the other. */
function numbering({ forms, from = [1, 3_000], step = [1, 12], restart }: Numbers, random: Random) {
  const form = filled(random.pick(forms), random);
  let serial = random.integer(...from);
  let period: string | undefined;
  return (date: string): string => {
    const current = restart === undefined ? '' : periods[restart](date);
    if (period !== undefined && period !== current) serial = 0;
    period = current;
    serial += random.integer(...step);
    return written(form, date, serial);
  };
}

function written(form: string, date: string, serial: number): string {
  const [year = '', month = '', day = ''] = date.split('-');
  const dated: Readonly<Record<string, string>> = {
    yyyy: year,
    yy: year.slice(2),
    mm: month,
    dd: day,
    fy: fiscalYear(date),
  };
  return form
    .replace(/\{n(\d*)\}/, (_place, width: string) => String(serial).padStart(Number(width || 1), '0'))
    .replace(/\{c\}/, () => checkDigit(String(serial)))
    .replace(/\{(yyyy|yy|mm|dd|fy)\}/g, (_place, part: string) => dated[part] ?? '');
}

/** Returns the check digit of Luhn, which carriers and payment references append. */
export function checkDigit(digits: string): string {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}
