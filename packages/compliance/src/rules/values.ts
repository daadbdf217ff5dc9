import { decimalOf, ZERO } from '../decimal.js';
import { valueOf, type Element } from '../element.js';
import type { Group, InvoiceModel } from '../invoice-model.js';
import { countries } from '../codes.js';
import { eachGroup, failure, groupsAt, mismatch, type Failure, type Rule } from './rule.js';

const CARD_NUMBER_LENGTH_MAX = 10;

/** Country prefixes of VAT identifiers. Greece may be written EL; 1A is Kosovo and XI is Northern Ireland. */
const VAT_PREFIXES: ReadonlySet<string> = new Set([...countries, 'EL']);

function custom(id: string, test: Rule['test'], flag: Rule['flag'] = 'FATAL'): Rule {
  return { id, flag, sets: ['EN16931'], test };
}

function notNegative(id: string, term: string, what: string, isNeeded: boolean): Rule {
  return eachGroup(id, ['BG-25'], (line) => {
    const price = line.first(term);
    if (price === undefined && !isNeeded) return undefined;
    const amount = decimalOf(price);
    if (amount !== undefined && amount.gte(ZERO)) return undefined;
    return mismatch(
      price ?? line.element,
      `State ${what} (${term}) as zero or more. To deduct an amount, use a negative quantity.`,
      undefined,
      amount,
    );
  });
}

function periodInOrder(id: string, path: readonly string[], start: string, end: string, what: string): Rule {
  return eachGroup(id, path, (period) => {
    if (!period.has('startGroup') || !period.has('endGroup')) return undefined;
    const first = period.value(start);
    const last = period.value(end);
    if (first !== '' && last !== '' && last >= first) return undefined;
    return failure(period.element, `Let ${what} end (${end}) on or after the day it starts (${start}).`);
  });
}

function* taxPoint({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  if (!invoice.has('BT-7') || !invoice.has('BT-8')) return;
  // In the syntax CII, the official rule checks each VAT breakdown, so an invoice without a breakdown passes.
  if (syntax === 'CII' && invoice.groups('BG-23').length === 0) return;
  yield failure(
    invoice.first('BT-8') ?? invoice.element,
    'State either the tax point date (BT-7) or its code (BT-8), not both.',
  );
}

function* vatPrefix({ invoice, syntax }: InvoiceModel): Iterable<Failure> {
  for (const id of invoice.all('vatIds')) {
    const prefix = id.text.slice(0, 2);
    if (VAT_PREFIXES.has(prefix) || (syntax === 'UBL' && id.text === '')) continue;
    yield failure(
      id,
      'Begin the VAT identifier with the code of the country that issued it, such as DE (EL for Greece).',
    );
  }
}

function* documentPeriod({ invoice }: InvoiceModel): Iterable<Failure> {
  for (const period of invoice.groups('BG-14')) {
    if (period.has('startGroup') || period.has('endGroup') || period.has('dateCode')) continue;
    yield failure(
      period.element,
      'Give the invoicing period (BG-14) a start date (BT-73), an end date (BT-74) or both.',
    );
  }
}

function* cardNumber({ invoice }: InvoiceModel): Iterable<Failure> {
  for (const card of groupsAt(invoice, ['BG-16', 'BG-18'])) {
    const number = card.first('BT-87');
    if (number === undefined || valueOf(number).length <= CARD_NUMBER_LENGTH_MAX) continue;
    yield failure(number, 'Show at most the first six and last four digits of the card number (BT-87).');
  }
}

/** Business terms with amounts, which may have at most two decimals. Prices and quantities may have more. */
const decimals: readonly (readonly [id: string, path: readonly string[], term: string, what: string])[] = [
  ['BR-DEC-01', ['BG-20'], 'BT-92', 'the document level allowance'],
  ['BR-DEC-02', ['BG-20'], 'BT-93', 'the base amount of the document level allowance'],
  ['BR-DEC-05', ['BG-21'], 'BT-99', 'the document level charge'],
  ['BR-DEC-06', ['BG-21'], 'BT-100', 'the base amount of the document level charge'],
  ['BR-DEC-09', ['BG-22'], 'BT-106', 'the sum of the net amounts of all lines'],
  ['BR-DEC-10', ['BG-22'], 'BT-107', 'the sum of allowances'],
  ['BR-DEC-11', ['BG-22'], 'BT-108', 'the sum of charges'],
  ['BR-DEC-12', ['BG-22'], 'BT-109', 'the total amount without VAT'],
  ['BR-DEC-14', ['BG-22'], 'BT-112', 'the total amount with VAT'],
  ['BR-DEC-16', ['BG-22'], 'BT-113', 'the paid amount'],
  ['BR-DEC-17', ['BG-22'], 'BT-114', 'the rounding amount'],
  ['BR-DEC-18', ['BG-22'], 'BT-115', 'the amount due for payment'],
  ['BR-DEC-19', ['BG-23'], 'BT-116', 'the taxable amount of the VAT category'],
  ['BR-DEC-20', ['BG-23'], 'BT-117', 'the tax amount of the VAT category'],
  ['BR-DEC-23', ['BG-25'], 'BT-131', 'the net amount of the line'],
  ['BR-DEC-24', ['BG-25', 'BG-27'], 'BT-136', 'the line allowance'],
  ['BR-DEC-25', ['BG-25', 'BG-27'], 'BT-137', 'the base amount of the line allowance'],
  ['BR-DEC-27', ['BG-25', 'BG-28'], 'BT-141', 'the line charge'],
  ['BR-DEC-28', ['BG-25', 'BG-28'], 'BT-142', 'the base amount of the line charge'],
];

function hasTwoDecimals(amount: Element | undefined): boolean {
  const dot = amount?.text.indexOf('.') ?? -1;
  return amount === undefined || dot < 0 || amount.text.length - dot - 1 <= 2;
}

function twoDecimals(amount: Element | undefined, term: string, what: string): Failure | undefined {
  if (amount === undefined || hasTwoDecimals(amount)) return undefined;
  return failure(amount, `Write ${what} (${term}) with at most two decimals.`);
}

/**
 * Declares the rule that a total VAT amount has at most two decimals. The currency of the amount distinguishes BT-110
 * from BT-111.
 */
function taxTotalDecimals(id: string, currency: string, term: string, what: string): Rule {
  return custom(id, ({ invoice }) => {
    const code = invoice.value(currency);
    if (code === '') return [];
    return invoice
      .all('taxTotals')
      .filter((amount) => amount.attributes.get('currencyID') === code)
      .flatMap((amount) => twoDecimals(amount, term, what) ?? []);
  });
}

/** Rules about single values (documents reference, section 9.2, Value). */
export const valueRules: readonly Rule[] = [
  notNegative('BR-27', 'BT-146', 'the net price of the item', true),
  notNegative('BR-28', 'BT-148', 'the gross price of the item', false),
  periodInOrder('BR-29', ['BG-14'], 'BT-73', 'BT-74', 'the invoicing period'),
  periodInOrder('BR-30', ['BG-25', 'BG-26'], 'BT-134', 'BT-135', 'the period of the line'),
  custom('BR-51', cardNumber, 'WARNING'),
  custom('BR-CO-03', taxPoint),
  custom('BR-CO-09', vatPrefix),
  custom('BR-CO-19', documentPeriod),
  eachGroup('BR-CO-20', ['BG-25', 'BG-26'], (period) =>
    period.has('startGroup') || period.has('endGroup')
      ? undefined
      : failure(
          period.element,
          'Add a start date (BT-134), an end date (BT-135) or both to the period of the invoice line.',
        ),
  ),
  ...decimals.map(([id, path, term, what]) =>
    eachGroup(id, path, (group: Group) => twoDecimals(group.first(term), term, what)),
  ),
  taxTotalDecimals('BR-DEC-13', 'BT-5', 'BT-110', 'the total VAT amount'),
  taxTotalDecimals('BR-DEC-15', 'BT-6', 'BT-111', 'the total VAT amount in the accounting currency'),
];
