import type { Decimal } from 'decimal.js';
import { decimalOf, ONE, roundCents, sumOf, ZERO } from '../decimal.js';
import { descendants, valueOf, type Element } from '../element.js';
import {
  isAustralian,
  isBelgian,
  isGln,
  isItalianTaxCode,
  isItalianVatNumber,
  isNorwegian,
  isSwedish,
} from '../identifiers.js';
import type { Group, InvoiceModel } from '../invoice-model.js';
import { compilePath } from '../path.js';
import { eachGroup, failure, groupsAt, mismatch, type Failure, type Rule, type RuleSet } from './rule.js';
import { UBL_AMOUNTS_BUT_TAX } from './ubl-amounts.js';

const BOTH: readonly RuleSet[] = ['PEPPOL', 'XRECHNUNG'];
const PEPPOL: readonly RuleSet[] = ['PEPPOL'];
const TOLERANCE = ONE.dividedBy(50);
/** Tolerance for amounts in Hungarian forint, which has no decimals in Peppol invoices. */
const TOLERANCE_HUF = ONE.dividedBy(2);

function rule(id: string, sets: readonly RuleSet[], test: Rule['test'], flag: Rule['flag'] = 'FATAL'): Rule {
  return { id, flag, sets, test };
}

/** A Peppol validation rule about the whole document, with at most one failure. */
function onDocument(id: string, sets: readonly RuleSet[], test: (model: InvoiceModel) => string | undefined): Rule {
  return rule(id, sets, (model) => {
    const message = test(model);
    return message === undefined ? [] : [failure(model.invoice.element, message)];
  });
}

const BILLING: ReadonlySet<string> = new Set([
  'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0',
  'urn:peppol:france:billing:regulated',
  'urn:peppol:france:billing:non-regulated',
]);
const WITH_RESPONSE = 'urn:peppol:bis:billing_with_response';
const CUSTOMIZATION = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0';
const SELF_BILLING = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0';
const INVOICE_TYPES = codes(
  '71 80 82 84 102 218 219 326 331 380 382 383 384 386 388 393 395 553 575 623 780 817 870 875 876 877',
);
const CREDIT_NOTE_TYPES = codes('381 396 81 83 532');
const SELF_BILLED_INVOICE_TYPES = codes('389 527');
const SELF_BILLED_CREDIT_NOTE_TYPES = codes('261');
/** Reason codes for a VAT exemption (Peppol), each of which belongs to one VAT category. */
const CATEGORY_OF_REASON: readonly (readonly [id: string, reason: string, category: string])[] = [
  ['PEPPOL-EN16931-P0104', 'VATEX-EU-G', 'G'],
  ['PEPPOL-EN16931-P0105', 'VATEX-EU-O', 'O'],
  ['PEPPOL-EN16931-P0106', 'VATEX-EU-IC', 'K'],
  ['PEPPOL-EN16931-P0107', 'VATEX-EU-AE', 'AE'],
  ['PEPPOL-EN16931-P0108', 'VATEX-EU-D', 'E'],
  ['PEPPOL-EN16931-P0109', 'VATEX-EU-F', 'E'],
  ['PEPPOL-EN16931-P0110', 'VATEX-EU-I', 'E'],
  ['PEPPOL-EN16931-P0111', 'VATEX-EU-J', 'E'],
];

function codes(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

function isSelfBilling({ invoice }: InvoiceModel): boolean {
  return invoice.value('BT-24').startsWith(SELF_BILLING);
}

function isBilling({ invoice }: InvoiceModel): boolean {
  return BILLING.has(invoice.value('BT-23')) || invoice.value('BT-23') === WITH_RESPONSE;
}

function isGermanOnly({ invoice }: InvoiceModel): boolean {
  return [invoice.value('BT-40'), invoice.value('BT-55')].every((country) => country.toUpperCase() === 'DE');
}

function* emptyElements({ root, syntax }: InvoiceModel): Iterable<Failure> {
  for (const element of descendants(root)) {
    if (element.children.length > 0 || valueOf(element) !== '') continue;
    // The delivery group may be empty, because the CII schema requires it even in an invoice without delivery details.
    if (syntax === 'CII' && element.name === 'ram:ApplicableHeaderTradeDelivery') continue;
    yield failure(element, 'Give this element a value or remove it; empty elements are not allowed.');
  }
}

function* accountingCurrency({ invoice }: InvoiceModel): Iterable<Failure> {
  const currency = invoice.first('BT-6');
  if (currency === undefined || valueOf(currency) !== invoice.value('BT-5')) return;
  yield failure(currency, 'Remove the VAT accounting currency (BT-6), because it is the same as the invoice currency.');
}

function electronicAddress(id: string, code: string, term: string, who: string): Rule {
  return eachGroup(
    id,
    [code],
    (party) =>
      party.has(term) ? undefined : failure(party.element, `Add the electronic address of the ${who} (${term}).`),
    BOTH,
  );
}

function tolerance(invoice: Group, set: RuleSet): Decimal {
  return set === 'XRECHNUNG' && invoice.value('BT-5') === 'HUF' ? TOLERANCE_HUF : TOLERANCE;
}

/**
 * Declares the rule that an allowance or charge is the stated percentage of its base (R040). The Peppol rules R041 and
 * R042 check that the base and the percentage exist.
 */
function percentageOfBase(set: RuleSet): Rule {
  return eachGroup(
    'PEPPOL-EN16931-R040',
    ['allowancesAndCharges'],
    (group, { invoice }) => {
      const base = decimalOf(group.first('base'));
      const percentage = decimalOf(group.first('percentage'));
      if (base === undefined || percentage === undefined) return undefined;
      const expected = base.times(percentage).dividedBy(100);
      const actual = group.has('amount') ? decimalOf(group.first('amount')) : ZERO;
      if (actual !== undefined && actual.minus(expected).abs().lte(tolerance(invoice, set))) return undefined;
      return mismatch(
        group.first('amount') ?? group.element,
        'Set the amount of the allowance or charge to its base amount times its percentage.',
        expected,
        actual,
      );
    },
    [set],
  );
}

function indicator(id: string, sets: readonly RuleSet[], only: InvoiceModel['syntax'], path: readonly string[]): Rule {
  return eachGroup(
    id,
    path,
    (group, { syntax }) => {
      const isKnown = ['true', 'false'].includes(group.value('indicator'));
      const isSkipped = syntax === 'UBL' && group.has('base') !== group.has('percentage');
      if (syntax !== only || isKnown || isSkipped) return undefined;
      return failure(
        group.first('indicator') ?? group.element,
        "Set the charge indicator to 'true' for a charge or to 'false' for an allowance.",
      );
    },
    sets,
  );
}

function* priceIsNoCharge({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  for (const group of groupsAt(invoice, ['BG-25', 'priceAllowance'])) {
    if (syntax === 'CII' && !group.has('BT-147')) continue;
    if (group.value('indicator') === 'false') continue;
    yield failure(
      group.element,
      "Set the charge indicator of the price to 'false': a price can have allowances but no charges.",
    );
  }
}

function* netPrice({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  for (const line of invoice.groups('BG-25')) {
    for (const group of line.groups('priceAllowance')) {
      if (!group.has('BT-148')) continue;
      const gross = decimalOf(group.first('BT-148'));
      const discount = decimalOf(group.first('BT-147')) ?? (syntax === 'CII' ? ZERO : undefined);
      const expected = gross === undefined || discount === undefined ? undefined : gross.minus(discount);
      const actual = decimalOf(line.first('BT-146'));
      if (expected !== undefined && actual?.eq(expected) === true) continue;
      yield mismatch(
        line.first('BT-146') ?? group.element,
        'Set the net price (BT-146) to the gross price (BT-148) minus the discount (BT-147).',
        expected,
        actual,
      );
    }
  }
}

function currencies({ invoice, root, syntax }: InvoiceModel): readonly Failure[] {
  if (syntax === 'CII') return [];
  const currency = invoice.first('BT-5')?.text;
  return amounts(root).flatMap((amount) =>
    currency !== undefined && amount.attributes.get('currencyID') === currency
      ? []
      : [
          failure(
            amount,
            `Set the attribute currencyID of this amount to the invoice currency, ${currency ?? 'which is missing'}.`,
          ),
        ],
  );
}

/** Paths of all amounts except the total VAT in the accounting currency (BT-111). */
const amounts = compilePath(
  `${UBL_AMOUNTS_BUT_TAX} | //cac:TaxTotal[cac:TaxSubtotal]/cbc:TaxAmount | //cac:TaxSubtotal/cbc:TaxAmount`,
);

function taxTotals({ invoice, syntax }: InvoiceModel): string | undefined {
  const count =
    syntax === 'UBL'
      ? invoice.groups('taxTotal').filter((total) => total.has('BG-23')).length
      : inCurrency(invoice, 'BT-5').length;
  if (count === 1 || (syntax === 'CII' && count === 0)) return undefined;
  return `State exactly one total VAT amount with a VAT breakdown; the invoice states ${count}.`;
}

function accountingTotals({ invoice, syntax }: InvoiceModel): string | undefined {
  const expected = invoice.has('BT-6') ? 1 : 0;
  const count =
    syntax === 'UBL'
      ? invoice.groups('taxTotal').filter((total) => !total.has('BG-23')).length
      : invoice.all('taxTotals').filter((amount) => {
          const currency = amount.attributes.get('currencyID');
          return currency !== undefined && currency !== invoice.value('BT-5');
        }).length;
  if (count === expected) return undefined;
  return expected === 1
    ? 'State one total VAT amount in the VAT accounting currency (BT-111), without a breakdown.'
    : 'Remove total VAT amounts without a breakdown, because the invoice has no VAT accounting currency (BT-6).';
}

function sameSign({ invoice, syntax }: InvoiceModel): string | undefined {
  const inBase = inCurrency(invoice, 'BT-5');
  if (!invoice.has('BT-6') || (syntax === 'CII' && inBase.length === 0)) return undefined;
  const inAccounting = inCurrency(invoice, 'BT-6');
  const both = (test: (amount: Decimal) => boolean): boolean =>
    [inBase, inAccounting].every((side) => side.some((amount) => test(decimalOf(amount) ?? ONE.dividedBy(0))));
  const negative = syntax === 'UBL' ? (amount: Decimal) => amount.lte(ZERO) : (amount: Decimal) => amount.lt(ZERO);
  if (
    both((amount) => amount.isFinite() && amount.gte(ZERO)) ||
    both((amount) => amount.isFinite() && negative(amount))
  ) {
    return undefined;
  }
  return 'Give the total VAT amounts in both currencies (BT-110, BT-111) the same sign.';
}

function inCurrency(invoice: Group, term: string): readonly Element[] {
  const currency = invoice.value(term);
  return currency === ''
    ? []
    : invoice.all('taxTotals').filter((amount) => amount.attributes.get('currencyID') === currency);
}

function linePeriod(id: string, term: string, bound: string, isInside: (day: string, limit: string) => boolean): Rule {
  return rule(id, BOTH, ({ invoice }) => {
    const limit = invoice.value(bound);
    if (limit === '') return [];
    return invoice
      .groups('BG-25')
      .flatMap((line) => line.all(term))
      .filter((day) => !isInside(valueOf(day), limit))
      .map((day) => failure(day, `Keep the period of the line within the invoicing period, whose limit is ${limit}.`));
  });
}

function lineAmount(set: RuleSet, flag: Rule['flag']): Rule {
  return eachGroup(
    'PEPPOL-EN16931-R120',
    ['BG-25'],
    (line, { invoice }) => {
      const quantity = line.has('BT-129') ? decimalOf(line.first('BT-129')) : ONE;
      const price = line.has('BT-146') ? decimalOf(line.first('BT-146')) : ZERO;
      const base = decimalOf(line.first('BT-149'));
      const actual = line.has('BT-131') ? decimalOf(line.first('BT-131')) : ZERO;
      if (quantity === undefined || price === undefined || actual === undefined) return undefined;
      const total = (code: string, term: string): Decimal =>
        roundCents(sumOf(line.groups(code).map((group) => group.first(term))));
      const expected = quantity
        .times(price.dividedBy(base === undefined || base.eq(ZERO) ? ONE : base))
        .plus(total('BG-28', 'BT-141'))
        .minus(total('BG-27', 'BT-136'));
      if (actual.minus(expected).abs().lte(tolerance(invoice, set))) return undefined;
      return mismatch(
        line.first('BT-131') ?? line.element,
        'Set the net amount of the line (BT-131) to the quantity times the price divided by the base quantity, plus charges, minus allowances.',
        expected.toDecimalPlaces(6),
        actual,
      );
    },
    [set],
    flag,
  );
}

function* baseQuantity({ invoice }: InvoiceModel): Iterable<Failure> {
  for (const path of [
    ['BG-25', 'netPrice'],
    ['BG-25', 'grossPrice'],
  ]) {
    for (const price of groupsAt(invoice, path)) {
      const quantity = price.first('BT-149');
      if (quantity === undefined) continue;
      const amount = decimalOf(quantity);
      if (amount?.gt(ZERO) === true) continue;
      yield mismatch(
        quantity,
        'Set the base quantity of the price (BT-149) to a number above zero.',
        undefined,
        amount,
      );
    }
  }
}

function* baseUnit({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  for (const line of invoice.groups('BG-25')) {
    const unit = line.first('BT-129')?.attributes.get('unitCode');
    if (syntax === 'UBL' && !line.has('BT-129')) continue;
    for (const quantity of [...line.groups('netPrice'), ...line.groups('grossPrice')].flatMap((price) =>
      price.all('BT-149'),
    )) {
      const baseUnitCode = quantity.attributes.get('unitCode');
      if (baseUnitCode === undefined || baseUnitCode === unit) continue;
      yield failure(
        quantity,
        `Use the unit of the invoiced quantity, ${unit ?? 'which is missing'}, for the base quantity (BT-150) too.`,
      );
    }
  }
}

function* onlyInvoicedObjects({ invoice }: InvoiceModel): Iterable<Failure> {
  for (const line of invoice.groups('BG-25')) {
    if (!line.has('BT-128') || line.all('objectTypes').some((type) => valueOf(type) === '130')) continue;
    yield failure(
      line.first('BT-128') ?? line.element,
      'Give the document reference of the line the type code 130, invoiced object.',
    );
  }
}

function* directDebit({ invoice }: InvoiceModel): Iterable<Failure> {
  for (const means of invoice.groups('BG-16')) {
    if (!['49', '59'].includes(means.value('BT-81')) || means.has('mandateId')) continue;
    yield failure(
      means.element,
      `Add the mandate reference (BT-89): payment means ${means.value('BT-81')} is a direct debit.`,
    );
  }
}

function typeCode(id: string, term: string, normal: ReadonlySet<string>, selfBilled: ReadonlySet<string>): Rule {
  return rule(id, PEPPOL, (model) => {
    const allowed = isSelfBilling(model) ? selfBilled : normal;
    if (!isBilling(model)) return [];
    return model.invoice
      .all(term)
      .filter((code) => !allowed.has(valueOf(code)))
      .map((code) => failure(code, `Use one of these type codes (BT-3): ${[...allowed].join(', ')}.`));
  });
}

const ubldates = compilePath(
  ['IssueDate', 'DueDate', 'TaxPointDate', 'StartDate', 'EndDate', 'ActualDeliveryDate']
    .map((name) => `//cbc:${name}`)
    .join(' | '),
);

function isDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

interface IdentifierRow {
  readonly id: string;
  readonly scheme: string;
  readonly flag: Rule['flag'];
  readonly isValid: (value: string) => boolean;
  readonly what: string;
  /** True for Peppol identifier schemes such as 9907 that are used only in electronic addresses. */
  readonly endpointOnly?: true;
}

function matching(pattern: RegExp): (value: string) => boolean {
  return (value) => pattern.test(value);
}

const identifierRows: readonly IdentifierRow[] = [
  { id: 'PEPPOL-COMMON-R040', scheme: '0088', flag: 'FATAL', isValid: isGln, what: 'a GLN with a correct check digit' },
  {
    id: 'PEPPOL-COMMON-R041',
    scheme: '0192',
    flag: 'FATAL',
    isValid: isNorwegian,
    what: 'a Norwegian organisation number: nine digits with a correct check digit',
  },
  {
    id: 'PEPPOL-COMMON-R042',
    scheme: '0184',
    flag: 'FATAL',
    isValid: matching(/^(DK)?[0-9]{8}$/),
    what: 'a Danish CVR number: eight digits, with or without DK',
  },
  {
    id: 'PEPPOL-COMMON-R043',
    scheme: '0208',
    flag: 'FATAL',
    isValid: isBelgian,
    what: 'a Belgian enterprise number: ten digits with correct check digits',
  },
  {
    id: 'PEPPOL-COMMON-R044',
    scheme: '0201',
    flag: 'WARNING',
    isValid: matching(/^[A-Za-z0-9]{6}$/),
    what: 'an Italian office code of six letters and digits',
  },
  { id: 'PEPPOL-COMMON-R045', scheme: '0210', flag: 'WARNING', isValid: isItalianTaxCode, what: 'an Italian tax code' },
  {
    id: 'PEPPOL-COMMON-R046',
    scheme: '9907',
    flag: 'WARNING',
    isValid: isItalianTaxCode,
    what: 'an Italian tax code',
    endpointOnly: true,
  },
  {
    id: 'PEPPOL-COMMON-R047',
    scheme: '0211',
    flag: 'WARNING',
    isValid: isItalianVatNumber,
    what: 'an Italian VAT number: IT and eleven digits with a correct check digit',
  },
  {
    id: 'PEPPOL-COMMON-R049',
    scheme: '0007',
    flag: 'FATAL',
    isValid: isSwedish,
    what: 'a Swedish organisation number: ten digits with a correct check digit',
  },
  {
    id: 'PEPPOL-COMMON-R050',
    scheme: '0151',
    flag: 'FATAL',
    isValid: isAustralian,
    what: 'an Australian Business Number: eleven digits with correct check digits',
  },
  {
    id: 'PEPPOL-COMMON-R052',
    scheme: '0096',
    flag: 'FATAL',
    isValid: matching(/^[0-9]{10}$/),
    what: 'a Danish P number of ten digits',
  },
  {
    id: 'PEPPOL-COMMON-R053',
    scheme: '0198',
    flag: 'FATAL',
    isValid: matching(/^DK[0-9]{8}$/),
    what: 'a Danish SE number: DK and eight digits',
  },
  {
    id: 'PEPPOL-COMMON-R054',
    scheme: '0106',
    flag: 'WARNING',
    isValid: matching(/^[0-9]{8}$/),
    what: 'a Dutch KvK number of eight digits',
  },
  {
    id: 'PEPPOL-COMMON-R055',
    scheme: '0190',
    flag: 'WARNING',
    isValid: matching(/^[0-9]{20}$/),
    what: 'a Dutch OIN of twenty digits',
  },
  {
    id: 'PEPPOL-COMMON-R056-1',
    scheme: '9944',
    flag: 'WARNING',
    isValid: matching(/^NL[0-9]{9}B[0-9]{2}$/),
    what: 'a Dutch VAT number such as NL123456789B01',
  },
  {
    id: 'PEPPOL-COMMON-R057',
    scheme: '0217',
    flag: 'WARNING',
    isValid: matching(/^[0-9]{12}$/),
    what: 'a Dutch establishment number of twelve digits',
  },
];

function identifier({ id, scheme, flag, isValid, what, endpointOnly }: IdentifierRow): Rule {
  const schemed = (name: string): string => `//${name}[@schemeID='${scheme}']`;
  const ubl = [schemed('cbc:EndpointID')];
  const cii = [schemed('ram:URIID')];
  if (endpointOnly === undefined) {
    ubl.push(`//cac:PartyIdentification/cbc:ID[@schemeID='${scheme}']`, schemed('cbc:CompanyID'));
    cii.push(schemed('ram:ID'), schemed('ram:GlobalID'));
  }
  const paths = { UBL: compilePath(ubl.join(' | ')), CII: compilePath(cii.join(' | ')) };
  return rule(
    id,
    PEPPOL,
    ({ root, syntax }) =>
      paths[syntax](root)
        .filter((element) => !isValid(valueOf(element)))
        .map((element) => failure(element, `The scheme ${scheme} requires ${what}.`)),
    flag,
  );
}

/**
 * Rules of Peppol BIS Billing 3.0. The rules that are marked BOTH also belong to XRechnung (documents reference,
 * section 9.2).
 */
export const peppolRules: readonly Rule[] = [
  onDocument('PEPPOL-EN16931-R001', BOTH, ({ invoice }) =>
    invoice.has('BT-23') ? undefined : 'Add the business process (BT-23).',
  ),
  onDocument('PEPPOL-EN16931-R002', PEPPOL, (model) =>
    model.invoice.all('BT-22').length <= 1 || isGermanOnly(model)
      ? undefined
      : 'Merge all notes (BT-22) into one note for the whole invoice.',
  ),
  onDocument('PEPPOL-EN16931-R003', PEPPOL, ({ invoice }) =>
    invoice.has('BT-10') || invoice.has('BT-13')
      ? undefined
      : 'Add the buyer reference (BT-10) or the purchase order reference (BT-13).',
  ),
  onDocument('PEPPOL-EN16931-R004', PEPPOL, ({ invoice }) => {
    const customization = invoice.value('BT-24');
    const isRight = [CUSTOMIZATION, SELF_BILLING].some((known) => customization.startsWith(known));
    return isRight && !customization.includes('::')
      ? undefined
      : `Set the specification identifier (BT-24) to ${CUSTOMIZATION}.`;
  }),
  rule('PEPPOL-EN16931-R005', BOTH, accountingCurrency),
  onDocument('PEPPOL-EN16931-R007', PEPPOL, (model) =>
    isBilling(model) ? undefined : 'Set the business process (BT-23) to urn:fdc:peppol.eu:2017:poacc:billing:01:1.0.',
  ),
  rule('PEPPOL-EN16931-R008', BOTH, emptyElements),
  electronicAddress('PEPPOL-EN16931-R010', 'BG-7', 'BT-49', 'buyer'),
  electronicAddress('PEPPOL-EN16931-R020', 'BG-4', 'BT-34', 'seller'),
  percentageOfBase('PEPPOL'),
  percentageOfBase('XRECHNUNG'),
  eachGroup(
    'PEPPOL-EN16931-R041',
    ['allowancesAndCharges'],
    (group) =>
      group.has('percentage') && !group.has('base')
        ? failure(group.element, 'Add the base amount that the percentage of this allowance or charge refers to.')
        : undefined,
    BOTH,
  ),
  eachGroup(
    'PEPPOL-EN16931-R042',
    ['allowancesAndCharges'],
    (group) =>
      group.has('base') && !group.has('percentage')
        ? failure(group.element, 'Add the percentage to the base amount of this allowance or charge.')
        : undefined,
    BOTH,
  ),
  indicator('PEPPOL-EN16931-R043', BOTH, 'UBL', ['allowancesAndCharges']),
  indicator('PEPPOL-EN16931-R043-1', ['XRECHNUNG'], 'CII', ['allowancesAndCharges']),
  rule('PEPPOL-EN16931-R044', BOTH, priceIsNoCharge),
  rule('PEPPOL-EN16931-R046', BOTH, netPrice),
  rule('PEPPOL-EN16931-R051', PEPPOL, currencies),
  onDocument('PEPPOL-EN16931-R053', BOTH, taxTotals),
  onDocument('PEPPOL-EN16931-R054', BOTH, accountingTotals),
  onDocument('PEPPOL-EN16931-R055', BOTH, sameSign),
  rule('PEPPOL-EN16931-R061', BOTH, directDebit),
  onDocument('PEPPOL-EN16931-R080', PEPPOL, (model) =>
    (model.syntax === 'CII' || model.root.name === 'CreditNote') && model.invoice.all('projectReferences').length > 1
      ? 'State only one project reference (document type 50) for the whole invoice.'
      : undefined,
  ),
  eachGroup(
    'PEPPOL-EN16931-R100',
    ['BG-25'],
    (line) =>
      line.all('invoicedObjects').length > 1
        ? failure(line.element, 'State only one invoiced object (BT-128) for each line.')
        : undefined,
    PEPPOL,
  ),
  rule('PEPPOL-EN16931-R101', BOTH, onlyInvoicedObjects),
  linePeriod('PEPPOL-EN16931-R110', 'BT-134', 'periodStart', (day, limit) => day >= limit),
  linePeriod('PEPPOL-EN16931-R111', 'BT-135', 'periodEnd', (day, limit) => day <= limit),
  lineAmount('PEPPOL', 'FATAL'),
  lineAmount('XRECHNUNG', 'WARNING'),
  rule('PEPPOL-EN16931-R121', BOTH, baseQuantity),
  rule('PEPPOL-EN16931-R130', BOTH, baseUnit),
  typeCode('PEPPOL-EN16931-P0100', 'invoiceTypeCode', INVOICE_TYPES, SELF_BILLED_INVOICE_TYPES),
  typeCode('PEPPOL-EN16931-P0101', 'creditNoteTypeCode', CREDIT_NOTE_TYPES, SELF_BILLED_CREDIT_NOTE_TYPES),
  rule('PEPPOL-EN16931-P0112', PEPPOL, (model) =>
    isGermanOnly(model) || isSelfBilling(model)
      ? []
      : model.invoice
          .all('invoiceTypeCode')
          .filter((code) => ['326', '384'].includes(valueOf(code)))
          .map((code) =>
            failure(code, 'Use the type codes 326 and 384 (BT-3) only between a German seller and buyer.'),
          ),
  ),
  ...CATEGORY_OF_REASON.map(([id, reason, category]) =>
    rule(id, PEPPOL, ({ invoice }) =>
      invoice
        .groups('BG-23')
        .filter((group) => group.value('BT-121').toUpperCase() === reason && group.value('BT-118') !== category)
        .map((group) =>
          failure(group.element, `Use the VAT category ${category} (BT-118) with the exemption reason ${reason}.`),
        ),
    ),
  ),
  rule('PEPPOL-EN16931-F001', PEPPOL, ({ root, syntax }) =>
    syntax === 'CII'
      ? []
      : ubldates(root)
          .filter((date) => !isDate(date.text))
          .map((date) => failure(date, 'Write the date as YYYY-MM-DD.')),
  ),
  ...identifierRows.map(identifier),
  rule(
    'PEPPOL-COMMON-R056-2',
    PEPPOL,
    ({ invoice }) =>
      invoice
        .all('vatIds')
        .filter((id) => valueOf(id).startsWith('NL') && !/^NL[0-9]{9}B[0-9]{2}$/.test(valueOf(id)))
        .map((id) => failure(id, 'Write a Dutch VAT number as NL123456789B01.')),
    'WARNING',
  ),
];
