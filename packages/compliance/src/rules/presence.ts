import { valueOf } from '../element.js';
import type { Group, InvoiceModel } from '../invoice-model.js';
import { eachGroup, failure, groupsAt, type Failure, type Rule } from './rule.js';

/**
 * Requirement of a validation rule for an XML element. EXISTS: the element must be present, even if empty. TEXT: the
 * element must have text. TEXT_IN_CII: UBL requires the element and CII requires text, as in the official rules.
 */
type Kind = 'EXISTS' | 'TEXT' | 'TEXT_IN_CII';
type PresenceRow = readonly [id: string, path: readonly string[], term: string, kind: Kind, what: string];

const rows: readonly PresenceRow[] = [
  ['BR-01', [], 'BT-24', 'TEXT', 'the specification identifier (BT-24)'],
  ['BR-02', [], 'BT-1', 'TEXT', 'the invoice number (BT-1)'],
  ['BR-03', [], 'BT-2', 'TEXT', 'the issue date (BT-2)'],
  ['BR-04', [], 'BT-3', 'TEXT', 'the type code of the invoice (BT-3)'],
  ['BR-05', [], 'BT-5', 'TEXT', 'the currency code of the invoice (BT-5)'],
  ['BR-06', [], 'BT-27', 'TEXT', 'the legal name of the seller (BT-27)'],
  ['BR-07', [], 'BT-44', 'TEXT', 'the legal name of the buyer (BT-44)'],
  ['BR-08', [], 'BG-5', 'EXISTS', 'the postal address of the seller (BG-5)'],
  ['BR-10', [], 'BG-8', 'EXISTS', 'the postal address of the buyer (BG-8)'],
  ['BR-12', ['BG-22'], 'BT-106', 'EXISTS', 'the sum of the net amounts of all lines (BT-106)'],
  ['BR-13', ['BG-22'], 'BT-109', 'EXISTS', 'the total amount without VAT (BT-109)'],
  ['BR-14', ['BG-22'], 'BT-112', 'EXISTS', 'the total amount with VAT (BT-112)'],
  ['BR-15', ['BG-22'], 'BT-115', 'EXISTS', 'the amount due for payment (BT-115)'],
  ['BR-16', [], 'BG-25', 'EXISTS', 'at least one invoice line (BG-25)'],
  ['BR-18', ['BG-11'], 'BT-62', 'TEXT', 'the name of the tax representative (BT-62)'],
  ['BR-19', ['BG-11'], 'BG-12', 'EXISTS', 'the postal address of the tax representative (BG-12)'],
  ['BR-21', ['BG-25'], 'BT-126', 'TEXT', 'the identifier of the line (BT-126)'],
  ['BR-22', ['BG-25'], 'BT-129', 'EXISTS', 'the invoiced quantity of the line (BT-129)'],
  ['BR-24', ['BG-25'], 'BT-131', 'EXISTS', 'the net amount of the line (BT-131)'],
  ['BR-25', ['BG-25'], 'BT-153', 'TEXT', 'the name of the item (BT-153)'],
  ['BR-26', ['BG-25'], 'BT-146', 'EXISTS', 'the net price of the item (BT-146)'],
  ['BR-31', ['BG-20'], 'BT-92', 'EXISTS', 'the amount of the document level allowance (BT-92)'],
  ['BR-32', ['BG-20'], 'category', 'EXISTS', 'the VAT category of the document level allowance (BT-95)'],
  ['BR-36', ['BG-21'], 'BT-99', 'EXISTS', 'the amount of the document level charge (BT-99)'],
  ['BR-37', ['BG-21'], 'category', 'EXISTS', 'the VAT category of the document level charge (BT-102)'],
  ['BR-41', ['BG-25', 'BG-27'], 'BT-136', 'EXISTS', 'the amount of the line allowance (BT-136)'],
  ['BR-43', ['BG-25', 'BG-28'], 'BT-141', 'EXISTS', 'the amount of the line charge (BT-141)'],
  ['BR-45', ['BG-23'], 'BT-116', 'EXISTS', 'the taxable amount of the VAT category (BT-116)'],
  ['BR-46', ['BG-23'], 'BT-117', 'EXISTS', 'the tax amount of the VAT category (BT-117)'],
  ['BR-49', ['BG-16'], 'BT-81', 'EXISTS', 'the type code of the payment means (BT-81)'],
  ['BR-52', ['BG-24'], 'BT-122', 'TEXT', 'the reference of the supporting document (BT-122)'],
  ['BR-55', ['BG-3'], 'BT-25', 'TEXT_IN_CII', 'the number of the preceding invoice (BT-25)'],
  ['BR-56', ['BG-11'], 'BT-63', 'TEXT_IN_CII', 'the VAT identifier of the tax representative (BT-63)'],
  ['BR-57', ['BG-15'], 'BT-80', 'TEXT_IN_CII', 'the country code of the delivery address (BT-80)'],
  ['BR-CO-04', ['BG-25'], 'BT-151', 'EXISTS', 'the VAT category of the line (BT-151)'],
];

/**
 * Rules that an e-invoice must state a reason for each allowance and charge, as text or as a code. The official rules
 * contain each of these rules twice, under two ids.
 */
const reasons: readonly (readonly [
  ids: readonly string[],
  path: readonly string[],
  terms: readonly string[],
  what: string,
])[] = [
  [['BR-33', 'BR-CO-21'], ['BG-20'], ['BT-97', 'BT-98'], 'the document level allowance'],
  [['BR-38', 'BR-CO-22'], ['BG-21'], ['BT-104', 'BT-105'], 'the document level charge'],
  [['BR-42', 'BR-CO-23'], ['BG-25', 'BG-27'], ['BT-139', 'BT-140'], 'the line allowance'],
  [['BR-44', 'BR-CO-24'], ['BG-25', 'BG-28'], ['BT-144', 'BT-145'], 'the line charge'],
];

function present(row: PresenceRow): Rule {
  const [id, path, term, kind, what] = row;
  return eachGroup(id, path, (group, model) => {
    const text = kind === 'TEXT' || (kind === 'TEXT_IN_CII' && model.syntax === 'CII');
    if (text ? group.all(term).some((element) => valueOf(element) !== '') : group.has(term)) return undefined;
    return failure(group.first(term) ?? group.element, `Add ${what}.`);
  });
}

/**
 * Declares the rule that the address of a party states its country. In UBL, only an address that is present must state
 * a country, and in CII, the party must always state one.
 */
function countryOfAddress(id: string, path: readonly string[], term: string, what: string): Rule {
  const message = `Add the country code of ${what} (${term}).`;
  return custom(id, ({ invoice, syntax }) => {
    if (syntax === 'CII') return invoice.value(term) === '' ? [failure(invoice.element, message)] : [];
    return groupsAt(invoice, path)
      .filter((address) => address.value(term) === '')
      .map((address) => failure(address.element, message));
  });
}

/**
 * Declares the rule that an identifier on an e-invoice states its scheme in an attribute. In UBL, each identifier is
 * checked, and in CII, each group must have an identifier with the attribute.
 */
function schemeOf(
  id: string,
  path: readonly string[],
  term: string,
  attribute: string,
  what: string,
  ciiGroup: string = term,
): Rule {
  const message = `Add the attribute ${attribute} to ${what} (${term}).`;
  return custom(id, ({ invoice, syntax }) =>
    groupsAt(invoice, path).flatMap((group) => {
      if (syntax === 'UBL') {
        return group
          .all(term)
          .filter((element) => !element.attributes.has(attribute))
          .map((element) => failure(element, message));
      }
      const at = group.first(ciiGroup);
      const scheme = group.first(term)?.attributes.get(attribute) ?? '';
      return at === undefined || scheme.trim() !== '' ? [] : [failure(group.first(term) ?? at, message)];
    }),
  );
}

function* quantityUnit({ invoice }: InvoiceModel): Iterable<Failure> {
  for (const line of invoice.groups('BG-25')) {
    if (line.all('BT-129').some((quantity) => quantity.attributes.has('unitCode'))) continue;
    yield failure(line.first('BT-129') ?? line.element, 'Add the unit code of the invoiced quantity (BT-130).');
  }
}

function isSameParty(payee: Group, seller: Group): boolean {
  const same = (left: string, right: string): boolean => {
    const names = new Set(seller.all(right).map((element) => element.text));
    return payee.all(left).some((element) => names.has(element.text));
  };
  return same('BT-59', 'tradingName') || same('BT-60', 'BT-29');
}

function* payee({ invoice }: InvoiceModel): Iterable<Failure> {
  const [seller] = invoice.groups('BG-4');
  for (const group of invoice.groups('BG-10')) {
    if (!group.has('BT-59')) yield failure(group.element, 'Add the name of the payee (BT-59).');
    else if (seller !== undefined && isSameParty(group, seller)) {
      yield failure(
        group.element,
        'Remove the payee (BG-10), because it is the seller. Name a payee only if another party is paid.',
      );
    }
  }
}

function* vatCategoryOfBreakdown({ invoice }: InvoiceModel): Iterable<Failure> {
  for (const group of invoice.groups('BG-23')) {
    if (isVat(group) && group.has('BT-118')) continue;
    yield failure(group.element, 'Add the VAT category code (BT-118) with the tax scheme VAT to this VAT breakdown.');
  }
}

function* vatRateOfBreakdown({ invoice }: InvoiceModel): Iterable<Failure> {
  for (const group of invoice.groups('BG-23')) {
    if (isVat(group) && (group.has('BT-119') || group.value('BT-118') === 'O')) continue;
    yield failure(group.element, 'Add the VAT rate (BT-119); only category O has no rate.');
  }
}

function* breakdown({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  if (invoice.groups('BG-23').length > 0) return;
  // In the syntax CII, the official rule checks each invoice line, so an invoice without lines passes.
  if (syntax === 'CII' && invoice.groups('BG-25').length === 0) return;
  yield failure(invoice.element, 'Add at least one VAT breakdown (BG-23).');
}

function* accountingTotal({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  const currency = invoice.value('BT-6');
  if (currency === '') return;
  if (!invoice.all('taxTotals').some((amount) => amount.attributes.get('currencyID') === currency)) {
    yield failure(invoice.element, `Add the total VAT amount in ${currency}, the VAT accounting currency (BT-111).`);
  } else if (syntax === 'CII' && currency === invoice.value('BT-5')) {
    yield failure(
      invoice.first('BT-6') ?? invoice.element,
      `Remove the VAT accounting currency (BT-6), because it is the same as the invoice currency, ${currency}.`,
    );
  }
}

function* creditTransferAccount({ invoice }: InvoiceModel): Iterable<Failure> {
  for (const means of creditTransfers(invoice)) {
    for (const account of means.groups('BG-17')) {
      if (account.value('BT-84') !== '') continue;
      yield failure(account.element, 'Add the account to which the buyer pays, such as an IBAN (BT-84).');
    }
  }
}

function* creditTransferHasAccount({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  for (const means of creditTransfers(invoice)) {
    // In the syntax CII, the official rule requires a payment account only if the invoice states a part of it.
    if (means.has('BT-84') || (syntax === 'CII' && !means.has('BG-17'))) continue;
    yield failure(
      means.element,
      `Add the account to which the buyer pays (BT-84); payment means ${means.value('BT-81')} is a credit transfer.`,
    );
  }
}

function creditTransfers(invoice: Group): readonly Group[] {
  return invoice.groups('BG-16').filter((means) => ['30', '58'].includes(means.value('BT-81')));
}

function* itemAttributes({ invoice }: InvoiceModel): Iterable<Failure> {
  for (const group of groupsAt(invoice, ['BG-25', 'BG-32'])) {
    if (!group.has('BT-160') || !group.has('BT-161')) {
      yield failure(group.element, 'Give the item attribute both a name (BT-160) and a value (BT-161).');
    }
  }
}

function* sellerIdentifier({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  const [seller] = invoice.groups('BG-4');
  const at = invoice.first('sellerParty');
  if (at === undefined) return;
  const identified =
    seller !== undefined &&
    (seller.has('BT-30') ||
      seller.has('BT-31') ||
      seller.all('BT-29').some((id) => syntax === 'CII' || id.attributes.get('schemeID') !== 'SEPA'));
  if (identified) return;
  yield failure(
    at,
    'Add an identifier of the seller: its VAT identifier (BT-31), legal registration (BT-30) or another one (BT-29).',
  );
}

/** Checks whether the tax of a breakdown or of an invoice line has the tax scheme VAT. */
export function isVat(group: Group): boolean {
  return group.value('taxScheme').toUpperCase() === 'VAT';
}

function custom(id: string, test: Rule['test']): Rule {
  return { id, flag: 'FATAL', sets: ['EN16931'], test };
}

/** Validation rules that require an element of an e-invoice (documents reference, section 9.2, Presence). */
export const presenceRules: readonly Rule[] = [
  ...rows.map(present),
  ...reasons.flatMap(([ids, path, terms, what]) =>
    ids.map((id) =>
      eachGroup(id, path, (group) =>
        terms.some((term) => group.has(term))
          ? undefined
          : failure(group.element, `Add the reason for ${what} in words (${terms[0]}) or as a code (${terms[1]}).`),
      ),
    ),
  ),
  countryOfAddress('BR-09', ['BG-4', 'BG-5'], 'BT-40', 'the seller'),
  countryOfAddress('BR-11', ['BG-7', 'BG-8'], 'BT-55', 'the buyer'),
  {
    id: 'BR-20',
    flag: 'FATAL',
    sets: ['EN16931'],
    test: ({ invoice, syntax }) =>
      invoice.groups('BG-11').flatMap((group) => {
        if (syntax === 'UBL' && !group.has('BG-12')) return [];
        return group.value('BT-69') === ''
          ? [failure(group.first('BG-12') ?? group.element, 'Add the country code of the tax representative (BT-69).')]
          : [];
      }),
  },
  custom('BR-17', payee),
  custom('BR-23', quantityUnit),
  custom('BR-47', vatCategoryOfBreakdown),
  custom('BR-48', vatRateOfBreakdown),
  custom('BR-50', creditTransferAccount),
  custom('BR-53', accountingTotal),
  custom('BR-54', itemAttributes),
  custom('BR-61', creditTransferHasAccount),
  schemeOf('BR-62', ['BG-4'], 'BT-34', 'schemeID', 'the electronic address of the seller', 'endpointGroup'),
  schemeOf('BR-63', ['BG-7'], 'BT-49', 'schemeID', 'the electronic address of the buyer', 'endpointGroup'),
  schemeOf('BR-64', ['BG-25'], 'BT-157', 'schemeID', 'the standard identifier of the item'),
  schemeOf('BR-65', ['BG-25'], 'BT-158', 'listID', 'the classification of the item'),
  custom('BR-CO-18', breakdown),
  custom('BR-CO-26', sellerIdentifier),
];
