import type { InvoiceNumber } from '@invoicecontrol/engine/facts/invoice';
import { digitCount, isLabel, readInvoiceNumber } from '@invoicecontrol/engine/normalisation/invoice-number';
import { readSplitPayment } from '@invoicecontrol/payment-files/split-payment';
import { isKsefNumber } from '@invoicecontrol/values/ksef-number';
import { compactOf, readPrintedIban } from '@invoicecontrol/values/printed-account';
import type { PaymentLine } from './payment-line.js';

/** Number that a payment states, in the forms that are compared. */
export interface StatedNumber {
  readonly text: string;
  readonly number: InvoiceNumber;
  /** True if the payment states the number in a field for a document, and not only in the remittance text. */
  readonly isExplicit: boolean;
}

/** References of a payment to the invoices that it pays. */
export interface LineReferences {
  readonly ksefNumbers: readonly string[];
  /**
   * Collective identifiers in a payment for several KSeF invoices of one seller. The invoices behind such an identifier
   * are not known.
   */
  readonly collectiveNumbers: readonly string[];
  readonly numbers: readonly StatedNumber[];
  /** True if the payment names a bill, whether or not a bill with that number is known. */
  readonly isNumbered: boolean;
}

/**
 * Maximum number of invoice numbers that are looked up for one payment. Numbers from fields for documents come first.
 */
const NUMBERS_PER_LINE_MAX = 64;
/** Maximum number of adjacent words in the text of a payment that are read as one number, as in `FV 12 2025`. */
const WORDS_PER_NUMBER_MAX = 3;
/** Maximum number of words of the remittance text that are read. The text of a payment has 140 characters. */
const WORDS_MAX = 64;
/** Reference that states that a payment has no reference of its own (ISO 20022). */
const NOT_PROVIDED = 'NOTPROVIDED';
const KSEF_NUMBERS = /\d{10}-\d{8}-[0-9A-F]{12}-[0-9A-F]{2}/g;
/** Form of a collective KSeF identifier: the date and a marker `IZ` in place of the technical part. */
const COLLECTIVE_NUMBERS = /\b\d{8}-IZ-[0-9A-F]{10}-[0-9A-F]{10}-[0-9A-F]{2}\b/g;
/**
 * A date in the text of a payment, as people write it. In a date that begins with the year, month and day have two
 * digits each, so `2024-02-1` is an invoice number and not a date.
 */
const DATE = /^(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})|\d{4}[./-]\d{2}[./-]\d{2})$/;
/** Month or year for which a payment is made, as in `Miete 11/2026`. */
const PERIOD = /^(?:(?:0?[1-9]|1[0-2])[./-])?(?:19|20)\d{2}$/;
/**
 * Minimum number of digits of a word in the text of a payment that names a bill rather than, for example, a quantity.
 */
const NUMBER_DIGITS_MIN = 3;
const LETTERS_FIRST = /^\p{L}+[-/.]?\d/u;
/** Creditor reference of ISO 11649: `RF`, two check digits and the reference of the creditor. */
const ISO_REFERENCE = /^RF\d{2}([0-9A-Z]{1,21})$/;
/** Reads the invoice numbers, KSeF numbers and references that a payment states. */
export function referencesOf(line: PaymentLine): LineReferences {
  const texts = [
    ...line.documents.map(({ number }) => number),
    ...(line.creditorReference === undefined ? [] : [line.creditorReference]),
    ...line.texts,
    ...(line.endToEndId === undefined ? [] : [line.endToEndId]),
  ];
  const ksefNumbers = distinct(texts.flatMap((text) => text.match(KSEF_NUMBERS) ?? []).filter(isKsefNumber));
  const collectiveNumbers = distinct(texts.flatMap((text) => text.match(COLLECTIVE_NUMBERS) ?? []));
  const stated = [
    ...explicitTexts(line).map((text) => ({ text, isExplicit: true })),
    ...line.texts.flatMap(numberTexts).map((text) => ({ text, isExplicit: false })),
    ...numberTexts(line.endToEndId ?? '').map((text) => ({ text, isExplicit: false })),
  ];
  const numbers = new Map<string, StatedNumber>();
  for (const { text, isExplicit } of stated) {
    if (numbers.size === NUMBERS_PER_LINE_MAX) break;
    const number = readInvoiceNumber(text);
    if (number.o1 !== '' && !numbers.has(number.f1)) numbers.set(number.f1, { text, number, isExplicit });
  }
  const isNumbered =
    ksefNumbers.length > 0 ||
    collectiveNumbers.length > 0 ||
    stated.some(({ isExplicit }) => isExplicit) ||
    [...line.texts, line.endToEndId ?? ''].some(namesBill);
  return { ksefNumbers, collectiveNumbers, numbers: [...numbers.values()], isNumbered };
}

/** Returns the tax ids of the creditor that a payment states, also in the title of a Polish split payment. */
export function taxIdsOf({ creditorTaxIds, texts }: PaymentLine): readonly string[] {
  return distinct([...creditorTaxIds, ...texts.flatMap((text) => readSplitPayment(text)?.taxId ?? [])]);
}

function explicitTexts({ documents, creditorReference, texts }: PaymentLine): string[] {
  const reference = creditorReference?.replace(/\s/g, '').toUpperCase();
  return [
    ...documents.map(({ number }) => number),
    ...texts.flatMap((text) => readSplitPayment(text)?.invoiceNumber ?? []),
    ...(reference === undefined ? [] : [ISO_REFERENCE.exec(reference)?.[1] ?? reference]),
  ].filter((text) => !isKsefNumber(text));
}

/**
 * Checks whether the text of a payment names a bill: by a word with several digits that is not a month or year, or by
 * digits behind letters or behind the label of an invoice number, as in `RE-7` and `Faktura 7`.
 */
function namesBill(text: string): boolean {
  const words = wordsOf(text);
  return words.some((word, index) => {
    if (PERIOD.test(word) || isOtherThanNumber(word)) return false;
    const digits = digitCount(word);
    if (digits >= NUMBER_DIGITS_MIN) return true;
    return digits > 0 && (LETTERS_FIRST.test(word) || isLabel(words[index - 1]?.toUpperCase() ?? ''));
  });
}

function wordsOf(text: string): readonly string[] {
  if (text.toUpperCase() === NOT_PROVIDED) return [];
  return text
    .replace(KSEF_NUMBERS, ' ')
    .replace(COLLECTIVE_NUMBERS, ' ')
    .split(/[\s,;|()[\]"]+/)
    .map(withoutMarksAround)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX);
}

/**
 * Returns the words of the text of a payment that may be invoice numbers, one by one and joined with their neighbours.
 */
function numberTexts(text: string): string[] {
  const words = wordsOf(text);
  const found: string[] = [];
  const dates: string[] = [];
  for (let length = 1; length <= WORDS_PER_NUMBER_MAX; length += 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const candidate = words.slice(from, from + length);
      // Some suppliers number their bills by the day, so a date alone in the text of a payment is looked up. A date
      // alone never counts as the number of an unknown bill.
      if (length === 1 && DATE.test(candidate[0] ?? '')) dates.push(candidate[0] ?? '');
      if (candidate.some(isOtherThanNumber) || !/\d/.test(candidate.at(-1) ?? '')) continue;
      found.push(candidate.join(' '));
    }
  }
  return [...found, ...dates];
}

/**
 * Checks whether a word in the text of a payment is a date or an account, and therefore no part of an invoice number.
 */
function isOtherThanNumber(word: string): boolean {
  return DATE.test(word) || (compactOf(word).length > 14 && readPrintedIban(word).kind === 'IBAN');
}

/** Characters in the text of a payment that stand around an invoice number without belonging to it. */
const MARKS: ReadonlySet<string> = new Set('.:/-');

function withoutMarksAround(word: string): string {
  let [from, to] = [0, word.length];
  while (from < to && MARKS.has(word.charAt(from))) from += 1;
  while (to > from && MARKS.has(word.charAt(to - 1))) to -= 1;
  return word.slice(from, to);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
