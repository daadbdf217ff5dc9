import { shownText } from '../explanation/evidence.js';
import type { Candidate } from '../facts/invoice.js';
import { counted, listed } from '../explanation/phrases.js';
import type { Comparison, PairScore } from './pair.js';

/** Sentences that explain to a reviewer how two invoices relate in one field. */
const notes: Readonly<Record<string, string>> = {
  'base BASE': 'Every comparison of two invoices starts with this value.',
  'number IDENT': 'The two invoices have the same number.',
  'number FORMAT': 'The numbers of the two invoices differ only in prefix, separators or leading zeros.',
  'number OCR': 'The numbers of the two invoices differ only in letters and digits that look alike.',
  'number YEARLESS': 'The invoice numbers differ only in the year, which one of them leaves out or shortens.',
  'number REORDERED': 'The numbers of the two invoices have the same parts in another order.',
  'number PARTS': 'Both numbers are those of numbered parts of one invoice.',
  'number SUFFIX': 'One invoice number is the other with a suffix added.',
  'number EXTRA': 'One invoice number is the other with letters or a reference added.',
  'number PERIOD': 'Each number contains the year or month of its own date.',
  'number SEQ': 'The numbers of the two invoices follow each other in a series.',
  'number TYPO': 'The numbers of the two invoices differ in one character.',
  'number CONTAINS': 'One invoice number contains the other.',
  'number TYPO2': 'The numbers of the two invoices differ in two characters.',
  'number ROUNDED': 'One invoice number is the other as a spreadsheet rounds it.',
  'number CONTRACT': 'The supplier has used this invoice number before.',
  'number MISSING': 'One of the invoice numbers is only a word or a date.',
  'number DIFF': 'The numbers of the two invoices differ.',
  'amount EQ': 'The amounts of the two invoices are the same.',
  'amount ROUND': 'One amount is the other amount, rounded.',
  'amount TRANSP': 'Two neighbouring digits of the amount are swapped in one of the two invoices.',
  'amount NETGROSS': 'One amount is the other amount with VAT added.',
  'amount FX': 'The amounts are equivalent at the reference exchange rate of the issue date.',
  'amount SLIP': 'The amounts of the two invoices differ only in the place of the decimal point.',
  'amount NEAR': 'The amounts of the two invoices are nearly the same.',
  'amount DIGITS': 'The amounts have the same digits in different currencies.',
  'amount DIFF': 'The amounts of the two invoices differ.',
  'date SAME': 'The issue dates of the two invoices are the same.',
  'date SWAP': 'The issue dates are the same once day and month are swapped.',
  'date NEAR': 'The issue dates of the two invoices are a few days apart.',
  'date FAR': 'The issue dates of the two invoices are weeks apart.',
  'date OTHER': 'The issue dates of the two invoices are months apart.',
  'date YEAR': 'The issue dates are more than half a year apart.',
  'supplier TAX': 'Both invoices state the same tax id.',
  'supplier BANK': 'Both invoices state the same bank account.',
  'supplier NAME': 'Both invoices state the same supplier name.',
  'supplier SIMILAR': 'The supplier names on the two invoices are similar.',
  'supplier PART': 'The supplier name on one invoice contains the name on the other.',
  'supplier NONE': 'The two invoices are from different suppliers.',
  'supplier STRANGERS': 'Nothing else connects the two suppliers, and a number this short can be the same by chance.',
  'supplier COLLECTED':
    'One of the two suppliers collects the debts of other firms, and both bills state the same bank account.',
  'taxId DIFFERENT': 'The two tax ids differ by more than a typing error.',
  'taxId CONFLICT': 'The two tax ids are both valid and belong to different companies.',
  'order EQUAL': 'Both invoices state the same purchase order.',
  'order ONE_SUPPLY': 'Both invoices state the same purchase order, and no other bill of the supplier has this amount.',
  'order ONE_BILL':
    'Both invoices state the same purchase order, for which the supplier has sent no other bill, and no other bill has this amount.',
  'order DIFFERENT': 'The invoices state different purchase orders.',
  'rarity NEVER': 'No two other bills of the supplier have the same amount.',
  'rarity SELDOM': 'Hardly any two other bills of the supplier have the same amount.',
  'rarity ONCE_A_DAY': 'No two other bills of the supplier have the same amount and date.',
  'rarity LONG_NUMBER': 'Two bills hardly have such a long number and such an odd amount by chance.',
  'form ORDER': 'One of the invoice numbers is the number of a purchase order.',
  'form REMINDER': 'One of the two invoice numbers belongs to a reminder or a statement of account.',
  'form DOCUMENT':
    'One of the two invoice numbers belongs to another document, such as an order, a delivery note or a pro forma invoice.',
  'form UNLIKE_ALL': 'One of the two invoice numbers has a different format from all recent numbers of the supplier.',
  'form STEP':
    'The numbers of the two invoices are no further apart than is usual for the supplier, which sends several bills for the same amount.',
  'form FOREIGN': 'One of the two invoice numbers has a different format from the other numbers of the supplier.',
  'form HEIGHT': 'One of the two invoice numbers is out of the range that the supplier used at the time.',
  'form USED': 'Another bill of the supplier already has the number of this invoice.',
  'form OWN': 'Both invoice numbers have the usual format of the supplier, so they may belong to two separate bills.',
  'rhythm TWICE': 'Bills for this amount come at regular intervals, and one was already received for this interval.',
  'rhythm DUE': 'The dates of the two invoices are as far apart as those of monthly or quarterly bills.',
  'recurrence SAME_DAY': 'The supplier sent several bills for this amount on that day.',
  'recurrence RECURRING': 'Other invoices of the supplier have the same amount.',
  'credit CREDITED': 'The earlier invoice was credited between the dates of the two invoices.',
  'channel REGISTERED':
    'One of the two invoices came through KSeF, where a seller can use a number only once; the other states the same invoice.',
  'channel NAMED': 'One of the two invoices came through KSeF; the other shows its KSeF number or its QR code.',
  'document SAME_FILE': 'Both invoices were read from the same file.',
};

const numberPhrases: Readonly<Record<PairScore['number'], string>> = {
  IDENT: 'with the same number',
  FORMAT: 'with the number written differently',
  OCR: 'with look-alike letters and digits exchanged',
  YEARLESS: 'with the year in the number left out or shortened',
  REORDERED: 'with the parts of the number in another order',
  PARTS: 'as another part',
  SUFFIX: 'with a suffix added',
  EXTRA: 'with letters or a reference added',
  PERIOD: 'for another period',
  SEQ: 'with a neighbouring number',
  TYPO: 'with one character of the number changed',
  CONTAINS: 'with part of the number missing',
  TYPO2: 'with two characters of the number changed',
  ROUNDED: 'with the number rounded by a spreadsheet',
  CONTRACT: 'with a number that the supplier has used before',
  MISSING: 'without a usable number',
  DIFF: 'under another number',
};

const amountPhrases: Readonly<Record<string, string>> = {
  ROUND: 'amount rounded',
  TRANSP: 'two digits of the amount swapped',
  NETGROSS: 'net amount against gross amount',
  FX: 'equivalent amount in another currency',
  SLIP: 'decimal point of the amount moved',
  NEAR: 'nearly the same amount',
  DIGITS: 'same digits in another currency',
  DIFF: 'different amount',
};

/** Returns the sentence for people about one compared field of two invoices. */
export function noteOf(field: Comparison['field'], relation: string): string {
  return notes[`${field} ${relation}`] ?? '';
}

/** Verb in the summary of a finding about two bills that have only the invoice number in common. */
export const SAME_NUMBER_VERB = 'has the same number as';

/**
 * Returns the summary of a finding about a pair of invoices: `INV-1042A looks like INV-1042 (2025-03-10, EUR 1,200.00)
 * with a suffix added; same amount, date and tax id.`
 */
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
    ...(pair.supplier === 'PART' ? ['one supplier name contains the other'] : []),
    ...(pair.supplier === 'NONE' ? ['different supplier'] : []),
  ];
  const isOfKsef = pair.comparisons.some(({ field }) => field === 'channel');
  const origin = isOfKsef && other.source === 'KSEF' ? ' from KSeF' : '';
  const which = `${shownText(other.invoiceNumber)}${origin} (${other.issueDate}, ${otherAmount})`;
  // If the verb of the finding's summary already states that the invoice numbers are equal, the summary does not repeat
  // it.
  const written = pair.number === 'FORMAT' ? ', written differently' : '';
  const how = verb === SAME_NUMBER_VERB ? written : ` ${numberPhrases[pair.number]}`;
  const own = isOfKsef && invoice.source === 'KSEF' ? ' from KSeF' : '';
  return `${shownText(invoice.invoiceNumber)}${own} ${verb} ${which}${how}; ${reasons.join(', ')}.`;
}
