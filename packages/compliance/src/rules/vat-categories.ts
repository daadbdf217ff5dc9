import type { Decimal } from 'decimal.js';
import { decimalOf, roundCents, sumOf, ZERO } from '../decimal.js';
import type { Group, InvoiceModel } from '../invoice-model.js';
import { isClose, taxOf } from './arithmetic.js';
import { isVat } from './presence.js';
import { failure, groupsAt, mismatch, type Failure, type Rule } from './rule.js';

/**
 * The differences between the VAT categories of e-invoices. Each of the ten kinds of rules is a function that all VAT
 * categories use.
 */
interface Category {
  /** Middle part of the ids of validation rules for a VAT category, such as `IC` in `BR-IC-05`. */
  readonly prefix: string;
  readonly code: string;
  readonly name: string;
  /** VAT categories with POSITIVE and NOT_NEGATIVE rates have one VAT breakdown for each rate. */
  readonly rate: 'POSITIVE' | 'NOT_NEGATIVE' | 'ZERO' | 'NONE';
  readonly reason: 'FORBIDDEN' | 'NEEDED';
  readonly identifiers: 'SELLER' | 'SELLER_VAT' | 'SELLER_VAT_AND_BUYER_VAT' | 'SELLER_AND_BUYER' | 'NO_VAT_IDS';
}

const categories: readonly Category[] = [
  { prefix: 'S', code: 'S', name: 'standard rate (S)', rate: 'POSITIVE', reason: 'FORBIDDEN', identifiers: 'SELLER' },
  { prefix: 'Z', code: 'Z', name: 'zero rated (Z)', rate: 'ZERO', reason: 'FORBIDDEN', identifiers: 'SELLER' },
  { prefix: 'E', code: 'E', name: 'exempt (E)', rate: 'ZERO', reason: 'NEEDED', identifiers: 'SELLER' },
  {
    prefix: 'AE',
    code: 'AE',
    name: 'reverse charge (AE)',
    rate: 'ZERO',
    reason: 'NEEDED',
    identifiers: 'SELLER_AND_BUYER',
  },
  {
    prefix: 'IC',
    code: 'K',
    name: 'intra-community supply (K)',
    rate: 'ZERO',
    reason: 'NEEDED',
    identifiers: 'SELLER_VAT_AND_BUYER_VAT',
  },
  {
    prefix: 'G',
    code: 'G',
    name: 'export outside the EU (G)',
    rate: 'ZERO',
    reason: 'NEEDED',
    identifiers: 'SELLER_VAT',
  },
  { prefix: 'O', code: 'O', name: 'not subject to VAT (O)', rate: 'NONE', reason: 'NEEDED', identifiers: 'NO_VAT_IDS' },
  {
    prefix: 'AF',
    code: 'L',
    name: 'Canary Islands tax (L)',
    rate: 'NOT_NEGATIVE',
    reason: 'FORBIDDEN',
    identifiers: 'SELLER',
  },
  {
    prefix: 'AG',
    code: 'M',
    name: 'tax of Ceuta and Melilla (M)',
    rate: 'NOT_NEGATIVE',
    reason: 'FORBIDDEN',
    identifiers: 'SELLER',
  },
];

/** The three kinds of elements that have a VAT category, with the numbers of the rules about them. */
const places = [
  { path: ['BG-25', 'BG-30'], category: 'BT-151', rate: 'BT-152', identifiers: '02', rates: '05', what: 'line' },
  {
    path: ['BG-20'],
    category: 'category',
    rate: 'rate',
    identifiers: '03',
    rates: '06',
    what: 'document level allowance',
  },
  {
    path: ['BG-21'],
    category: 'category',
    rate: 'rate',
    identifiers: '04',
    rates: '07',
    what: 'document level charge',
  },
] as const;
type Place = (typeof places)[number];

function custom(id: string, test: Rule['test']): Rule {
  return { id, flag: 'FATAL', sets: ['EN16931'], test };
}

/** Returns the groups of an e-invoice that have the given VAT category with the tax scheme VAT. */
function carriers(place: Place, invoice: Group, code: string): readonly Group[] {
  return groupsAt(invoice, place.path).filter(
    (group) => group.value(place.category) === code && (place.what !== 'line' || isVat(group)),
  );
}

/**
 * Returns the VAT breakdowns of a VAT category. In the syntax CII, breakdowns of the categories S and Z count
 * regardless of their tax scheme.
 */
function breakdowns({ invoice, syntax }: InvoiceModel, code: string): readonly Group[] {
  const anyScheme = syntax === 'CII' && (code === 'S' || code === 'Z');
  return invoice.groups('BG-23').filter((group) => group.value('BT-118') === code && (anyScheme || isVat(group)));
}

/**
 * Rule -01 of a VAT category: the VAT breakdown lists the VAT category if, and only if, a line, allowance or charge has
 * it. Categories with rates may be listed several times, and other categories once. The official rules for UBL and for
 * CII differ in details, which this function follows.
 */
function* isBrokenDown(category: Category, { invoice, syntax }: InvoiceModel): Iterable<Failure> {
  const { code, name } = category;
  const anyScheme = syntax === 'CII' || code === 'S';
  const isOf = (group: Group, term: string, scheme: boolean): boolean =>
    group.value(term) === code && (anyScheme || scheme || isVat(group));
  const lines = groupsAt(invoice, ['BG-25', 'BG-30']).filter((group) => isOf(group, 'BT-151', false)).length;
  const level = anyScheme ? 'anyCategory' : 'category';
  const levels = ['BG-20', 'BG-21']
    .flatMap((path) => invoice.groups(path))
    .filter((group) => isOf(group, level, true)).length;
  const found = invoice.groups('BG-23').filter((group) => isOf(group, 'BT-118', false));
  const [first, second] = found;
  const isListed = first !== undefined;
  const missing = `Add a VAT breakdown (BG-23) for category ${name}, which lines, allowances or charges use.`;
  const unused = `Remove this VAT breakdown: no line, allowance or charge has the category ${name}.`;
  if (hasRates(category)) {
    // In CII, the official rule about the VAT breakdown of a category with rates adds the number of VAT breakdowns to
    // the number of elements that use the category.
    const lacks = (users: number): boolean => users > 0 && (syntax === 'CII' ? users + found.length < 2 : !isListed);
    if (lacks(lines) || lacks(levels)) yield failure(invoice.element, missing);
    else if (isListed && syntax === 'UBL' && lines + levels === 0) yield failure(first.element, unused);
    return;
  }
  const isUsed = lines + levels > 0;
  if (!isListed) {
    // In CII, the official rule does not report a missing VAT breakdown of category O.
    if (isUsed && !(syntax === 'CII' && code === 'O')) yield failure(invoice.element, missing);
  } else if (second !== undefined)
    yield failure(second.element, `Merge the VAT breakdowns of category ${name} into one.`);
  else if (!isUsed && syntax === 'CII') yield failure(first.element, unused);
}

function hasRates(category: Category): boolean {
  return category.rate === 'POSITIVE' || category.rate === 'NOT_NEGATIVE';
}

/** Rules -02, -03 and -04 of a VAT category state which parties of the e-invoice must be identified. */
function* isIdentified(category: Category, place: Place, { invoice }: InvoiceModel): Iterable<Failure> {
  if (carriers(place, invoice, category.code).length === 0) return;
  const has = (code: string, term: string): boolean => invoice.groups(code).some((group) => group.has(term));
  const sellerVat = has('BG-4', 'BT-31') || has('BG-11', 'BT-63');
  const seller = sellerVat || has('BG-4', 'BT-32');
  const at = invoice.groups('BG-4')[0]?.element ?? invoice.element;
  const uses = `a ${place.what} of category ${category.name}`;
  const ofSeller = 'the VAT identifier of the seller (BT-31) or of its tax representative (BT-63)';
  switch (category.identifiers) {
    case 'SELLER':
      if (!seller)
        yield failure(at, `Add ${ofSeller}, or the tax number of the seller (BT-32): the invoice has ${uses}.`);
      break;
    case 'SELLER_VAT':
      if (!sellerVat) yield failure(at, `Add ${ofSeller}: the invoice has ${uses}.`);
      break;
    case 'SELLER_VAT_AND_BUYER_VAT':
      if (!sellerVat || !has('BG-7', 'BT-48')) {
        yield failure(at, `Add ${ofSeller} and the VAT identifier of the buyer (BT-48): the invoice has ${uses}.`);
      }
      break;
    case 'SELLER_AND_BUYER':
      if (!seller || !(has('BG-7', 'BT-48') || has('BG-7', 'BT-47'))) {
        yield failure(
          at,
          `Add ${ofSeller}, or its tax number (BT-32), and the VAT identifier (BT-48) or legal registration (BT-47) of the buyer: the invoice has ${uses}.`,
        );
      }
      break;
    case 'NO_VAT_IDS':
      if (sellerVat || has('BG-7', 'BT-48')) {
        yield failure(
          at,
          `Remove the VAT identifiers of seller, tax representative and buyer (BT-31, BT-63, BT-48): the invoice has ${uses}.`,
        );
      }
      break;
  }
}

/** Rules -05, -06 and -07 of a VAT category check the VAT rate that belongs to the category. */
function* hasRate(category: Category, place: Place, { invoice, syntax }: InvoiceModel): Iterable<Failure> {
  for (const group of carriers(place, invoice, category.code)) {
    const rate = decimalOf(group.first(place.rate));
    // CII requires a rate above zero for the tax of the Canary Islands (IGIC).
    const kind = syntax === 'CII' && category.code === 'L' ? 'POSITIVE' : category.rate;
    if (kind === 'NONE' ? !group.has(place.rate) : rate !== undefined && isAllowedRate(kind, rate)) continue;
    yield mismatch(
      group.first(place.rate) ?? group.element,
      `${RATE_ADVICE[kind]}, because the ${place.what} has the category ${category.name}.`,
      kind === 'ZERO' ? ZERO : undefined,
      rate,
    );
  }
}

function isAllowedRate(kind: Category['rate'], rate: Decimal): boolean {
  if (kind === 'POSITIVE') return rate.gt(ZERO);
  return kind === 'ZERO' ? rate.eq(ZERO) : rate.gte(ZERO);
}

const RATE_ADVICE: Readonly<Record<Category['rate'], string>> = {
  POSITIVE: 'Set the VAT rate to a number above zero',
  NOT_NEGATIVE: 'Set the VAT rate to zero or more',
  ZERO: 'Set the VAT rate to 0',
  NONE: 'Remove the VAT rate',
};

/** Rule -08 of a VAT category: the taxable amount is the sum of the lines, charges and allowances of the category. */
function* isTaxableAmount(category: Category, model: InvoiceModel): Iterable<Failure> {
  const { invoice, syntax } = model;
  const perRate = hasRates(category);
  for (const group of breakdowns(model, category.code)) {
    const rate = decimalOf(group.first('BT-119'));
    if (perRate && rate === undefined) continue;
    const isOf = (carrier: Group): boolean =>
      carrier.all('anyCategory').some((code) => code.text.trim() === category.code) &&
      (!perRate ||
        carrier.all('anyRate').some((element) => rate !== undefined && decimalOf(element)?.eq(rate) === true));
    const lines = invoice.groups('BG-25').filter(isOf);
    const allowances = invoice.groups('BG-20').filter(isOf);
    const charges = invoice.groups('BG-21').filter(isOf);
    const expected = roundedSum(syntax, lines, 'BT-131')
      .plus(roundedSum(syntax, charges, 'BT-99'))
      .minus(roundedSum(syntax, allowances, 'BT-92'));
    const actual = decimalOf(group.first('BT-116'));
    if (
      actual !== undefined &&
      isSameBase(category, syntax, actual, expected, invoice, lines.length + allowances.length + charges.length)
    ) {
      continue;
    }
    yield mismatch(
      group.first('BT-116') ?? group.element,
      `Make the taxable amount (BT-116) of category ${category.name}${perRate ? ` at ${rate?.toFixed() ?? ''} %` : ''} the sum of its lines and charges minus its allowances.`,
      expected,
      actual,
    );
  }
}

/**
 * Checks whether the taxable amount of a VAT breakdown equals the expected sum. In UBL, it may differ by less than one
 * unit if the VAT category has rates, and not at all otherwise. In CII, it may differ only if the category has no rates
 * and is not O. UBL also requires a line, charge or allowance that the amount can come from.
 */
function isSameBase(
  category: Category,
  syntax: InvoiceModel['syntax'],
  actual: Decimal,
  expected: Decimal,
  invoice: Group,
  sources: number,
): boolean {
  const perRate = hasRates(category);
  if (syntax === 'CII') {
    return perRate || category.code === 'O' ? actual.eq(expected) : isClose(actual, expected, false);
  }
  if (category.code === 'S' ? sources === 0 : invoice.groups('BG-25').length === 0) return false;
  return perRate ? isClose(actual, expected, false) : actual.eq(expected);
}

function roundedSum(syntax: InvoiceModel['syntax'], groups: readonly Group[], term: string): Decimal {
  const sum = sumOf(groups.map((group) => group.first(term)));
  return syntax === 'CII' ? roundCents(sum) : sum;
}

/** Rule -09 of a VAT category: the tax amount follows from the rate of the breakdown, or there is no tax. */
function* isTaxAmount(category: Category, model: InvoiceModel): Iterable<Failure> {
  const perRate = hasRates(category);
  // The official CII rules check the VAT categories L and M only by BR-CO-17.
  if (model.syntax === 'CII' && category.rate === 'NOT_NEGATIVE') return;
  for (const group of breakdowns(model, category.code)) {
    const actual = decimalOf(group.first('BT-117'));
    const base = decimalOf(group.first('BT-116'));
    const rate = decimalOf(group.first('BT-119'));
    const expected = perRate ? (base === undefined || rate === undefined ? undefined : taxOf(base, rate)) : ZERO;
    const isRight =
      actual !== undefined &&
      expected !== undefined &&
      (perRate ? isClose(actual.abs(), expected.abs(), false) : actual.eq(ZERO));
    if (isRight) continue;
    yield mismatch(
      group.first('BT-117') ?? group.element,
      perRate
        ? `Set the tax amount (BT-117) of category ${category.name} to the taxable amount (BT-116) times the rate (BT-119).`
        : `Set the tax amount (BT-117) of category ${category.name} to zero.`,
      expected,
      actual,
    );
  }
}

/**
 * Rule -10 of a VAT category: a breakdown without VAT requires an exemption reason, and a breakdown with VAT must not
 * have one.
 */
function* hasReason(category: Category, model: InvoiceModel): Iterable<Failure> {
  for (const group of breakdowns(model, category.code)) {
    const isGiven = group.has('BT-120') || group.has('BT-121');
    if (isGiven === (category.reason === 'NEEDED')) continue;
    yield failure(
      group.first('BT-120') ?? group.first('BT-121') ?? group.element,
      category.reason === 'NEEDED'
        ? `Add the reason why no VAT is charged in words (BT-120) or as a code (BT-121): category ${category.name} requires it.`
        : `Remove the exemption reason (BT-120, BT-121): category ${category.name} has none.`,
    );
  }
}

function* deliveryDate(model: InvoiceModel): Iterable<Failure> {
  const { invoice } = model;
  for (const group of breakdowns(model, 'K')) {
    const hasPeriod = invoice.groups('BG-14').some((period) => period.has('anything'));
    if (invoice.value('BT-72') !== '' || hasPeriod) continue;
    yield failure(
      group.element,
      'Add the delivery date (BT-72) or the invoicing period (BG-14) of the intra-community supply.',
    );
    return;
  }
}

function* deliveryCountry(model: InvoiceModel): Iterable<Failure> {
  const { invoice, syntax } = model;
  const [group] = breakdowns(model, 'K');
  const isGiven = syntax === 'CII' ? invoice.has('BT-80') : invoice.value('BT-80').length > 1;
  if (group === undefined || isGiven) return;
  yield failure(group.element, 'Add the country to which the intra-community supply is delivered (BT-80).');
}

/** Rules O-11 to O-14: an e-invoice that is not subject to VAT (category O) must not have other VAT categories. */
function standsAlone(id: string, what: string, others: (model: InvoiceModel) => readonly Group[]): Rule {
  return custom(id, (model) => {
    if (breakdowns(model, 'O').length === 0) return [];
    const [other] = others(model);
    return other === undefined
      ? []
      : [
          failure(
            other.element,
            `Move this ${what} to another invoice: its category is not O, and an invoice that is not subject to VAT may have no other category.`,
          ),
        ];
  });
}

function otherBreakdowns({ invoice }: InvoiceModel): readonly Group[] {
  return invoice
    .groups('BG-23')
    .filter((group) => group.has('BT-118') && group.value('BT-118') !== 'O' && isVat(group));
}

function otherLines({ invoice }: InvoiceModel): readonly Group[] {
  return groupsAt(invoice, ['BG-25', 'BG-30']).filter(
    (group) => group.has('BT-151') && group.value('BT-151') !== 'O' && isVat(group),
  );
}

function otherLevels(code: string): (model: InvoiceModel) => readonly Group[] {
  return ({ invoice }) =>
    invoice.groups(code).filter((group) => group.has('category') && group.value('category') !== 'O');
}

/**
 * Returns a function that lists the elements of both kinds for CII, and only those of the first kind for UBL. The CII
 * rules check invoice lines together with the VAT breakdown, and allowances together with charges.
 */
function both(
  left: (model: InvoiceModel) => readonly Group[],
  right: (model: InvoiceModel) => readonly Group[],
): (model: InvoiceModel) => readonly Group[] {
  return (model) => (model.syntax === 'CII' ? [...left(model), ...right(model)] : left(model));
}

function carriesCategory(invoice: Group, code: string): readonly Group[] {
  return [
    ...invoice.groups('BG-23').filter((group) => group.value('BT-118') === code),
    ...places.flatMap((place) => groupsAt(invoice, place.path).filter((group) => group.value(place.category) === code)),
  ];
}

function* splitPaymentCountry({ invoice }: InvoiceModel): Iterable<Failure> {
  const [first] = carriesCategory(invoice, 'B');
  const foreign = invoice.all('countries').some((country) => country.text !== 'IT');
  if (first === undefined || !foreign) return;
  yield failure(first.element, 'Use the category split payment (B) only in invoices within Italy.');
}

function* splitPaymentAlone({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  const [first] = carriesCategory(invoice, 'B');
  const standard = carriesCategory(invoice, 'S').filter(
    (group) => syntax === 'CII' || !invoice.groups('BG-23').includes(group),
  );
  if (first === undefined || standard.length === 0) return;
  yield failure(first.element, 'Do not use the categories split payment (B) and standard rate (S) in one invoice.');
}

/** All rules about VAT categories (documents reference, section 9.2). */
export const vatCategoryRules: readonly Rule[] = [
  ...categories.flatMap((category): readonly Rule[] => {
    const id = (number: string): string => `BR-${category.prefix}-${number}`;
    return [
      custom(id('01'), (model) => isBrokenDown(category, model)),
      ...places.map((place) => custom(id(place.identifiers), (model) => isIdentified(category, place, model))),
      ...places.map((place) => custom(id(place.rates), (model) => hasRate(category, place, model))),
      custom(id('08'), (model) => isTaxableAmount(category, model)),
      custom(id('09'), (model) => isTaxAmount(category, model)),
      custom(id('10'), (model) => hasReason(category, model)),
    ];
  }),
  custom('BR-IC-11', deliveryDate),
  custom('BR-IC-12', deliveryCountry),
  standsAlone('BR-O-11', 'VAT breakdown', both(otherBreakdowns, otherLines)),
  standsAlone('BR-O-12', 'line', both(otherLines, otherBreakdowns)),
  standsAlone('BR-O-13', 'allowance', both(otherLevels('BG-20'), otherLevels('BG-21'))),
  standsAlone('BR-O-14', 'charge', both(otherLevels('BG-21'), otherLevels('BG-20'))),
  custom('BR-B-01', splitPaymentCountry),
  custom('BR-B-02', splitPaymentAlone),
];
