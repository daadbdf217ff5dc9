import { shownText } from '../explanation/evidence.js';
import type { Candidate } from '../facts/invoice.js';
import { counted, listed } from '../explanation/phrases.js';
import type { Comparison, PairScore } from './pair.js';

/** What each relation means, as a sentence for a reviewer. */
const notes: Readonly<Record<string, string>> = {
  'base BASE': 'Every comparison begins with this value.',
  'number IDENT': 'The invoice numbers are identical.',
  'number FORMAT': 'The invoice numbers differ only in prefix, separators or leading zeros.',
  'number OCR': 'The invoice numbers are equal once letters and digits that look alike are exchanged.',
  'number YEARLESS': 'The invoice numbers are equal but for the year, which one of them leaves out or shortens.',
  'number REORDERED': 'The invoice numbers have the same parts in another order.',
  'number PARTS': 'Both numbers are numbered parts of one invoice.',
  'number SUFFIX': 'One number is the other with a suffix added.',
  'number EXTRA': 'One number is the other with letters or a reference added.',
  'number PERIOD': 'The numbers carry the year or month of their own dates.',
  'number SEQ': 'The numbers follow each other in a series.',
  'number TYPO': 'The invoice numbers differ in one character.',
  'number CONTAINS': 'One number contains the other.',
  'number TYPO2': 'The invoice numbers differ in two characters.',
  'number CONTRACT': 'The supplier has used this number before.',
  'number MISSING': 'One of the invoice numbers is only a word or a date.',
  'number DIFF': 'The invoice numbers differ.',
  'amount EQ': 'The amounts are equal.',
  'amount ROUND': 'One amount is the other rounded.',
  'amount TRANSP': 'Two neighbouring digits of the amount are swapped.',
  'amount NETGROSS': 'One amount is the other with value added tax.',
  'amount FX': 'The amounts are worth the same at the reference rate of the issue date.',
  'amount SLIP': 'The amounts differ by a moved decimal point.',
  'amount NEAR': 'The amounts are nearly equal.',
  'amount DIGITS': 'The amounts have the same digits in different currencies.',
  'amount DIFF': 'The amounts differ.',
  'date SAME': 'The issue dates are equal.',
  'date SWAP': 'The issue dates are equal with day and month exchanged.',
  'date NEAR': 'The issue dates are a few days apart.',
  'date FAR': 'The issue dates are weeks apart.',
  'date OTHER': 'The issue dates are months apart.',
  'date YEAR': 'The issue dates are more than half a year apart.',
  'supplier TAX': 'Both name the same tax id.',
  'supplier BANK': 'Both name the same bank account.',
  'supplier NAME': 'Both name the same supplier.',
  'supplier SIMILAR': 'The supplier names are similar.',
  'supplier NONE': 'The suppliers differ.',
  'supplier STRANGERS': 'Nothing else connects the two suppliers, and so short a number can be equal by chance.',
  'taxId DIFFERENT': 'The two tax ids differ in more than a typing error.',
  'taxId CONFLICT': 'The two tax ids are both valid and belong to different companies.',
  'order EQUAL': 'Both name the same purchase order.',
  'order DIFFERENT': 'They name different purchase orders.',
  'rarity NEVER': 'No two other bills of the supplier have the same amount.',
  'rarity SELDOM': 'Hardly any two other bills of the supplier have the same amount.',
  'rarity ONCE_A_DAY': 'No two other bills of the supplier have the same amount and date.',
  'form ORDER': 'One of the invoice numbers is that of a purchase order.',
  'form DOCUMENT':
    'One of the numbers names another document, such as an order, a delivery note or a pro forma invoice.',
  'form UNLIKE_ALL': 'One of the numbers is written unlike all recent numbers of the supplier.',
  'form STEP':
    'The numbers are no further apart than is usual for the supplier, which sends several bills of the same amount.',
  'form FOREIGN': 'One of the numbers is not written like the other numbers of the supplier.',
  'form HEIGHT': 'One of the numbers does not fit between the numbers that the supplier used at the time.',
  'form USED': 'Another bill of the supplier already has the number of this invoice.',
  'form OWN': 'Both numbers are written like those of the supplier, so they may be two separate bills.',
  'rhythm TWICE': 'Bills of this amount come at equal intervals, and one has already come for this one.',
  'rhythm DUE': 'The dates are as far apart as those of monthly or quarterly bills.',
  'recurrence SAME_DAY': 'The supplier sent several bills of this amount on that day.',
  'recurrence RECURRING': 'Other invoices of the supplier have the same amount.',
  'credit CREDITED': 'The earlier invoice was credited in between.',
  'document SAME_FILE': 'Both were read from the same file.',
};

const numberPhrases: Readonly<Record<PairScore['number'], string>> = {
  IDENT: 'with the same number',
  FORMAT: 'written differently',
  OCR: 'with letters and digits that look alike exchanged',
  YEARLESS: 'with the year of the number left out or shortened',
  REORDERED: 'with the parts of the number in another order',
  PARTS: 'as another part',
  SUFFIX: 'with a suffix added',
  EXTRA: 'with letters or a reference added',
  PERIOD: 'of another period',
  SEQ: 'with a neighbouring number',
  TYPO: 'with one character changed',
  CONTAINS: 'with a part of the number missing',
  TYPO2: 'with two characters changed',
  CONTRACT: 'with a number that the supplier has used before',
  MISSING: 'without its number',
  DIFF: 'under another number',
};

const amountPhrases: Readonly<Record<string, string>> = {
  ROUND: 'amount rounded',
  TRANSP: 'two digits of the amount swapped',
  NETGROSS: 'net against gross amount',
  FX: 'equal value in another currency',
  SLIP: 'decimal point of the amount moved',
  NEAR: 'nearly equal amount',
  DIGITS: 'same digits in another currency',
  DIFF: 'another amount',
};

/** The sentence for one compared field. */
export function noteOf(field: Comparison['field'], relation: string): string {
  return notes[`${field} ${relation}`] ?? '';
}

/** What is said of two bills of which only the number is the same. */
export const SAME_NUMBER_VERB = 'carries the number of';

/** `INV-1042A looks like INV-1042 (2025-03-10, EUR 1200.00) with a suffix added; same amount, date and tax id.` */
export function pairSummary(invoice: Candidate, pair: PairScore, verb: string, otherAmount: string): string {
  const { other } = pair;
  const days = Math.abs(invoice.issueDay - other.issueDay);
  const same = [
    ...(pair.amount === 'EQ' ? ['amount'] : []),
    ...(pair.date === 'SAME' ? ['date'] : []),
    ...(pair.supplier === 'TAX' ? ['tax id'] : []),
    ...(pair.supplier === 'BANK' ? ['bank account'] : []),
    ...(pair.supplier === 'NAME' ? ['supplier name'] : []),
  ];
  const reasons = [
    ...(same.length > 0 ? [`same ${listed(same)}`] : []),
    ...(pair.amount === 'EQ' ? [] : [amountPhrases[pair.amount] ?? '']),
    ...(pair.date === 'SAME' ? [] : [pair.date === 'SWAP' ? 'day and month swapped' : `${counted(days, 'day')} apart`]),
    ...(pair.supplier === 'SIMILAR' ? ['similar supplier name'] : []),
    ...(pair.supplier === 'NONE' ? ['another supplier'] : []),
  ];
  const which = `${shownText(other.invoiceNumber)} (${other.issueDate}, ${otherAmount})`;
  // The verb says already that the numbers are the same.
  const isSaid = verb === SAME_NUMBER_VERB && pair.number !== 'FORMAT';
  const how = isSaid ? '' : ` ${numberPhrases[pair.number]}`;
  return `${shownText(invoice.invoiceNumber)} ${verb} ${which}${how}; ${reasons.join(', ')}.`;
}
