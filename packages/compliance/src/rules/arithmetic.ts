import type { Decimal } from 'decimal.js';
import { decimalOf, ONE, roundCents, roundUnits, sumOf, ZERO } from '../decimal.js';
import type { Group, InvoiceModel } from '../invoice-model.js';
import { eachGroup, failure, mismatch, type Failure, type Rule } from './rule.js';
import { isVat } from './presence.js';

function custom(id: string, test: Rule['test']): Rule {
  return { id, flag: 'FATAL', sets: ['EN16931'], test };
}

function sumOfLines(totals: Group, { invoice }: InvoiceModel): Failure | undefined {
  const expected = roundCents(sumOf(invoice.groups('BG-25').map((line) => line.first('BT-131'))));
  return unequal(totals, 'BT-106', expected, 'the sum of the net amounts of all lines');
}

/**
 * Declares the rule about the total of the allowances (BT-107) or of the charges (BT-108) of an e-invoice. The total
 * may be absent if the invoice has none of them.
 */
function sumOfLevel(id: string, code: string, amount: string, total: string, what: string): Rule {
  return eachGroup(id, ['BG-22'], (totals, { invoice }) => {
    const groups = invoice.groups(code);
    if (!totals.has(total) && groups.length === 0) return undefined;
    return unequal(totals, total, roundCents(sumOf(groups.map((group) => group.first(amount)))), what);
  });
}

function totalWithoutVat(totals: Group): Failure | undefined {
  const lines = decimalOf(totals.first('BT-106'));
  const allowances = optional(totals, 'BT-107');
  const charges = optional(totals, 'BT-108');
  const expected =
    lines === undefined || allowances === undefined || charges === undefined
      ? undefined
      : adjusted(totals, ['BT-107', 'BT-108'], lines.minus(allowances).plus(charges));
  return unequal(totals, 'BT-109', expected, 'lines minus allowances plus charges (BT-106 - BT-107 + BT-108)');
}

/** Checks one total VAT amount for each TaxTotal in UBL, and the total in the invoice currency in CII. */
function* totalVat({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  const message = 'Set the total VAT amount (BT-110) to the sum of the tax amounts of all VAT categories (BT-117).';
  if (syntax === 'CII') {
    const expected = roundCents(sumOf(invoice.groups('BG-23').map((group) => group.first('BT-117'))));
    for (const total of invoice.all('taxTotals')) {
      if (total.attributes.get('currencyID') !== invoice.value('BT-5')) continue;
      const actual = decimalOf(total);
      if (actual === undefined || !actual.eq(expected)) yield mismatch(total, message, expected, actual);
    }
    return;
  }
  for (const total of invoice.groups('taxTotal')) {
    if (!total.has('BG-23')) continue;
    const expected = roundCents(sumOf(total.all('BT-117')));
    const actual = decimalOf(total.first('BT-110'));
    if (actual === undefined || !actual.eq(expected)) {
      yield mismatch(total.first('BT-110') ?? total.element, message, expected, actual);
    }
  }
}

function* totalWithVat({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  const currency = invoice.value('BT-5');
  if (currency === '') return;
  const [totals] = invoice.groups('BG-22');
  const at = totals?.first('BT-112') ?? totals?.element ?? invoice.element;
  const net = decimalOf(totals?.first('BT-109'));
  const gross = decimalOf(totals?.first('BT-112'));
  // CII allows an invoice without VAT to omit the total VAT amount.
  if (syntax === 'CII' && net !== undefined && gross?.eq(net) === true) return;
  const taxes = invoice.all('taxTotals').filter((amount) => amount.attributes.get('currencyID') === currency);
  if (taxes.length !== 1) {
    yield failure(
      at,
      `State the total VAT amount (BT-110) in the invoice currency, ${currency}, exactly once; the invoice states it ${taxes.length} times.`,
    );
    return;
  }
  const tax = decimalOf(taxes[0]);
  const expected = net === undefined || tax === undefined ? undefined : roundCents(net.plus(tax));
  if (expected !== undefined && gross?.eq(expected) === true) return;
  yield mismatch(
    at,
    'Set the total amount with VAT (BT-112) to the total without VAT (BT-109) plus the total VAT amount (BT-110).',
    expected,
    gross,
  );
}

function amountDue(totals: Group, { syntax }: InvoiceModel): Failure | undefined {
  const gross = decimalOf(totals.first('BT-112'));
  const paid = optional(totals, 'BT-113');
  const rounding = optional(totals, 'BT-114');
  const due = decimalOf(totals.first('BT-115'));
  const exact =
    gross === undefined || paid === undefined || rounding === undefined ? undefined : gross.minus(paid).plus(rounding);
  if (exact !== undefined && due !== undefined) {
    const round = syntax === 'UBL' && (totals.has('BT-113') || totals.has('BT-114'));
    if (round ? roundCents(due.minus(rounding ?? ZERO)).eq(roundCents(exact.minus(rounding ?? ZERO))) : due.eq(exact)) {
      return undefined;
    }
  }
  return mismatch(
    totals.first('BT-115') ?? totals.element,
    'Set the amount due (BT-115) to the total with VAT (BT-112) minus the paid amount (BT-113) plus the rounding amount (BT-114).',
    exact,
    due,
  );
}

function categoryTax(group: Group, { syntax }: InvoiceModel): Failure | undefined {
  const tax = decimalOf(group.first('BT-117'));
  const rate = isVat(group) ? decimalOf(group.first('BT-119')) : undefined;
  const base = decimalOf(group.first('BT-116'));
  const isFree = rate === undefined || roundUnits(rate).eq(ZERO);
  const expected = isFree || base === undefined ? (isFree ? ZERO : undefined) : taxOf(base, rate);
  const isRight =
    tax !== undefined &&
    expected !== undefined &&
    (isFree ? roundUnits(tax).eq(ZERO) : isClose(tax.abs(), expected.abs(), syntax === 'CII'));
  if (isRight) return undefined;
  return mismatch(
    group.first('BT-117') ?? group.element,
    'Set the tax amount (BT-117) to the taxable amount (BT-116) times the VAT rate (BT-119), rounded to two decimals.',
    expected,
    tax,
  );
}

/** Returns the tax on an amount at a rate in percent, rounded to cents, with the sign of the amount. */
export function taxOf(base: Decimal, rate: Decimal): Decimal {
  const tax = roundCents(base.abs().times(rate).dividedBy(100));
  return base.isNegative() ? tax.negated() : tax;
}

/**
 * Checks whether two amounts of an e-invoice differ by less than 1.00. With `includesOne`, a difference of exactly 1.00
 * is accepted too.
 */
export function isClose(left: Decimal, right: Decimal, includesOne: boolean): boolean {
  const distance = left.minus(right).abs();
  return includesOne ? distance.lte(ONE) : distance.lt(ONE);
}

/** Reads an optional amount of the invoice. Returns zero if it is absent, and undefined if it cannot be read. */
function optional(group: Group, term: string): Decimal | undefined {
  return group.has(term) ? decimalOf(group.first(term)) : ZERO;
}

/**
 * Rounds an expected amount if other amounts were added to it. The official validation rules of e-invoices do not round
 * an amount that is only copied.
 */
function adjusted(group: Group, terms: readonly string[], value: Decimal): Decimal {
  return terms.some((term) => group.has(term)) ? roundCents(value) : value;
}

function unequal(group: Group, term: string, expected: Decimal | undefined, what: string): Failure | undefined {
  const actual = decimalOf(group.first(term));
  if (actual !== undefined && expected !== undefined && actual.eq(expected)) return undefined;
  return mismatch(group.first(term) ?? group.element, `Set ${term} to ${what}.`, expected, actual);
}

/** Rules about the sums and products in the totals of an invoice (documents reference, section 9.2, Arithmetic). */
export const arithmeticRules: readonly Rule[] = [
  eachGroup('BR-CO-10', ['BG-22'], sumOfLines),
  sumOfLevel('BR-CO-11', 'BG-20', 'BT-92', 'BT-107', 'the sum of all document level allowances (BT-92)'),
  sumOfLevel('BR-CO-12', 'BG-21', 'BT-99', 'BT-108', 'the sum of all document level charges (BT-99)'),
  eachGroup('BR-CO-13', ['BG-22'], totalWithoutVat),
  custom('BR-CO-14', totalVat),
  custom('BR-CO-15', totalWithVat),
  eachGroup('BR-CO-16', ['BG-22'], amountDue),
  eachGroup('BR-CO-17', ['BG-23'], categoryTax),
];
