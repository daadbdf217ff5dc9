import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** The parts of a text of a payment that may name the bills that it pays. */
export interface RemittanceNumbers {
  /** Texts that may be numbers of invoices, in the order of the text and each once. */
  readonly invoiceNumbers: readonly string[];
  readonly splitPayment?: SplitPayment;
}

/** The title of a Polish split payment: `/VAT/23,00/IDC/1234567890/INV/FV 12-2026/TXT/...`. */
export interface SplitPayment {
  readonly vat: DecimalAmount;
  /** Tax id of the seller (IDC). */
  readonly taxId: string;
  readonly invoiceNumber: string;
  readonly text: string;
}

const TEXT_LENGTH_MAX = 1_000;
const NUMBERS_MAX = 100;
const NUMBER_LENGTH_MAX = 60;

/** Words that stand before the number of a bill in the languages of the suppliers. */
const LABEL =
  /^(?:INVOICES?|INV|BILL|RECHNUNG(?:EN|S?NUMMER|S?NR)?|RECH|RNR|RG|RE|FAKTUR[AY]?|FAK|FV|FVS|FA|FACTUUR|FACTURES?|FACT|FACTURAS?|FATTURA|FATT|FT|FRA|FAKTURANR|FAKTURANUMMER|BELEG|BELEGNR|REF|CREDIT|CN|GUTSCHRIFT|GS|KOREKTA|KFV?|AVOIR|CREDITNOTA|NOTA)[.:#]?$/i;
/** Words between a label and its number. */
const ABBREVIATION = /^(?:NO|NR|NUM|NUMBER|NUMMER|NUMER|N|VAT|NOTE|N°|Nº|№|#)[.:]?$/i;
const DATE = /^(?:[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{2}|[0-9]{4})|[0-9]{4}-[0-9]{2}-[0-9]{2})$/;
const AMOUNT = /^[0-9]{1,3}(?:[.,']?[0-9]{3}){0,4}[.,][0-9]{2}$/;
const IBAN = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/;

/**
 * Returns what may be numbers of invoices in a text: every word with a digit, and the words after a label joined to one
 * number. Dates, amounts and IBANs are left out. Whether a number is one of a bill is decided by the bills that exist.
 */
export function numbersOfRemittance(text: string): RemittanceNumbers {
  const bounded = text.slice(0, TEXT_LENGTH_MAX);
  const splitPayment = readSplitPayment(bounded);
  if (splitPayment !== undefined) {
    const numbers = [splitPayment.invoiceNumber, ...wordsOf(splitPayment.invoiceNumber), ...wordsOf(splitPayment.text)];
    return { invoiceNumbers: unique(numbers), splitPayment };
  }
  return { invoiceNumbers: unique(wordsOf(bounded)) };
}

/** Reads the title of a split payment. The bank prints line breaks into it, and the number itself may have slashes. */
function readSplitPayment(text: string): SplitPayment | undefined {
  const vat = markOf(text, 'VAT', 0);
  const taxId = markOf(text, 'IDC', vat?.end ?? 0);
  const invoice = markOf(text, 'INV', taxId?.end ?? 0);
  if (vat === undefined || taxId === undefined || invoice === undefined) return undefined;
  const free = markOf(text, 'TXT', invoice.end);
  const amount = text.slice(vat.end, taxId.start).replace(/\s/g, '').replace(',', '.');
  const number = joinLines(text.slice(invoice.end, free?.start));
  if (!isDecimalAmount(amount) || number === '') return undefined;
  return {
    vat: amount,
    taxId: text.slice(taxId.end, invoice.start).replace(/\s/g, ''),
    invoiceNumber: number,
    text: free === undefined ? '' : joinLines(text.slice(free.end)),
  };
}

function markOf(
  text: string,
  name: string,
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  const mark = `/${name}/`;
  const start = text.toUpperCase().indexOf(mark, from);
  return start < 0 ? undefined : { start, end: start + mark.length };
}

function joinLines(text: string): string {
  return text.replace(/[\r\n]+/g, '').trim();
}

/** Returns the words that may be numbers, and before them the words of a label with the number behind them. */
function wordsOf(text: string): string[] {
  const words = text
    .split(/[\s;|+]+/)
    .flatMap(splitAtCommas)
    .map(withoutPunctuation)
    .filter((word) => word !== '');
  const found: string[] = [];
  words.forEach((word, index) => {
    if (!isNumber(word)) return;
    const before = words[index - 1];
    const joined = before !== undefined && isPrefix(before) ? `${before} ${word}` : undefined;
    if (joined !== undefined) found.push(joined);
    found.push(word);
    // A number that is printed with spaces: `RE 2026 0041`, `2026 / 0041`.
    const next = words[index + 1];
    if (next !== undefined && isNumber(next)) found.push(`${word} ${next}`);
  });
  return found;
}

/** Divides numbers that are listed with commas. A comma within an amount is its decimal sign. */
function splitAtCommas(word: string): readonly string[] {
  return AMOUNT.test(withoutPunctuation(word)) ? [] : word.split(',');
}

/** Letters before a number are part of it, such as `FV 12/2026` and `AB 1042`, unless they only say that it is one. */
function isPrefix(word: string): boolean {
  return /^\p{L}{1,4}$/u.test(word) && !ABBREVIATION.test(word) && !LABEL.test(word);
}

function isNumber(word: string): boolean {
  return /[0-9]/.test(word) && word.length <= NUMBER_LENGTH_MAX && !DATE.test(word) && !IBAN.test(word.toUpperCase());
}

/** Removes punctuation at the ends, and a label that is written to its number with a colon: `Inv:1042`. */
function withoutPunctuation(word: string): string {
  const colon = word.indexOf(':');
  const behind = colon > 0 && LABEL.test(word.slice(0, colon + 1)) ? word.slice(colon + 1) : word;
  const first = behind.search(/[\p{L}\p{N}]/u);
  let end = behind.length;
  while (end > first && !/[\p{L}\p{N})]/u.test(behind.charAt(end - 1))) end -= 1;
  return first < 0 ? '' : behind.slice(first, end);
}

function unique(numbers: readonly string[]): readonly string[] {
  return [...new Set(numbers.filter((number) => number.length <= NUMBER_LENGTH_MAX))].slice(0, NUMBERS_MAX);
}
