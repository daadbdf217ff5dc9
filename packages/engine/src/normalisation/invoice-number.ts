import { JOINING_WORDS, ORDINAL_IN_DIGITS, REMINDER_ORDINALS, REMINDER_WORDS } from '../data/reminder-words.js';
import type { InvoiceNumber } from '../facts/invoice.js';
import { numberAsShown } from './look-alike-letters.js';
import { plainText } from './text.js';

/**
 * Maximum length of an invoice number. Longer strings are not invoice numbers, and comparing them takes quadratic time.
 */
const NUMBER_LENGTH_MAX = 200;
const PARTS_MAX = 32;
const SIGNATURE_LENGTH_MAX = 40;

const LABELS: ReadonlySet<string> = new Set(
  (
    'INVOICE INV FAKTURA FV FVS FAK FA FAC FACT FACTURE FACTURA FATTURA FT FRA RECHNUNG RE RG RNR RECH FACTUUR BILL ' +
    'RECHNUNGSNR RECHNUNGSNUMMER BELEG BELEGNR ' +
    'NO NR NUM NUMBER DOC ' +
    // The degree sign in the French or Italian label of an invoice number represents a raised o.
    'NDEG ' +
    // A receipt or a statement may state the number of its invoice after a word such as RECEIPT or STATEMENT.
    'STATEMENT QUITTUNG RECEIPT KVITTERING KVITTO RICEVUTA'
  ).split(' '),
);
/**
 * Labels that follow another label, as in `Fattura n. 12` and `Faktura VAT nr 12`. Without another label before them,
 * these letters name a series.
 */
const SECOND_LABELS: ReadonlySet<string> = new Set(['N', 'VAT']);
/**
 * Matches a label of an invoice number directly in front of digits, even if the first digit was read as a letter:
 * `RE0373`, `REO373`.
 */
const GLUED_LABEL = new RegExp(
  `^(?:${[...LABELS].toSorted((a, b) => b.length - a.length).join('|')})(?=[0-9]|[OQIL][0-9])`,
);

/** Words after the number of a bill that replaces an earlier bill, in the languages of the suppliers. */
const REVISION_WORDS: ReadonlySet<string> = new Set(
  (
    'REV REVISED REVISION CORR CORRECTED CORRECTION AMENDED R V ' +
    'KORR KORREKTUR KORRIGIERT BERICHTIGT BERICHTIGUNG ' +
    'RECT RECTIF RECTIFIEE RECTIFICATIVE RECTIFICATIF CORRIGE CORRIGEE RECTIFICATIVA RECTIFICADA CORREGIDA ' +
    'RETTIFICA RETTIFICATA CORRETTA RETIFICADA CORRIGIDA CORECTATA ' +
    'KOR KOREKTA SKORYGOWANA POPRAWIONA GECORRIGEERD CORRECTIE HERZIEN RATTAD KORRIGERAD RETTET OPRAVA OPRAVENA JAVITOTT'
  ).split(' '),
);
const COPY_WORDS: ReadonlySet<string> = new Set([
  ...'COPY COPIA KOPIA KOPIE ZWEITSCHRIFT DUP DUPL DUPLICATE DUPLIKAT DUPLICATA'.split(' '),
  ...[...REVISION_WORDS].filter((word) => word !== 'V'),
]);
/** Matches a word in an invoice number that is followed by a count, such as `REV2`. */
const COUNTED_WORD = /^([A-Z]{2,})[1-9]$/;
/** Matches digits that are only a year and a month, or a date, in either order. */
const BARE_PERIOD =
  /^20[0-9]{2}(?:0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])?$|^(?:[0-2][0-9]|3[01])?(?:0[1-9]|1[0-2])20[0-9]{2}$/;
interface SeparatedMark {
  readonly mark: RegExp;
  /** Minimum number of digits that must remain. */
  readonly digitsMin: number;
  /** Matches digits behind which the mark is not removed. */
  readonly notBehind?: RegExp;
}

/**
 * Marks that are removed from the end of an invoice number, each with the minimum number of digits that must remain.
 * More digits must remain for a mark of one digit, because such a digit may also be the counter of the number.
 */
const SEPARATED_MARKS: readonly SeparatedMark[] = [
  // The mark in the number of a first or second reminder is M1 or M2, and P1 in Scandinavia.
  { mark: /^[VRMP][0-9]$|^0[0-9]$|^[A-Z]$|^I{2,3}$|^IV$/, digitsMin: 3 },
  { mark: /^[0-9]$/, digitsMin: 4 },
  // The mark of a store or a cost centre is S4 or CC12. Behind a year and a month, it may be the counter of the number.
  { mark: /^[A-Z]{1,3}[0-9]{1,2}$/, digitsMin: 4, notBehind: BARE_PERIOD },
];
const GLUED_MARK = /^(.*[0-9])(?:COPY|KOPIE|DUPL?|REV|[RV][0-9])$/;
/**
 * Matches the number of a part and the number of all parts at the end of an invoice number, such as `1/2` or `2 von 3`,
 * after a space, a dash or a bracket.
 */
const PART_OF = /[ (-]([1-9][0-9]?) ?(?:\/|OF|VON|VAN|DE|DI|SUR|Z) ?([0-9]{1,2})\)?$/;
const PARTS_OF_ONE_MAX = 12;
/** Words before the number of a part of an invoice, as in `Teil 1` and `cz. 2`, or of a store or a cost centre. */
const PART_WORDS: ReadonlySet<string> = new Set(
  (
    'PART TEIL CZ CZESC RATA PARTE PARTIE DEEL ' +
    'STORE SHOP SITE BRANCH FILIALE FIL KST KOSTENSTELLE MAGASIN AGENCE SKLEP MPK TIENDA LOJA NEGOZIO FILIAL BUTIK'
  ).split(' '),
);
const GLUED_LETTER = /^(.*[0-9])[A-Z]$/;
const BARE_YEAR = /^(?:19|20)[0-9]{2}$/;

const MISREAD: Readonly<Record<string, string>> = { O: '0', Q: '0', I: '1', L: '1', Z: '2', S: '5', G: '6', B: '8' };

/** Reads an invoice number. A string without letters and digits gives empty forms, which match no invoice number. */
export function readInvoiceNumber(printed: string): InvoiceNumber {
  const text = plainText(numberAsShown(printed).slice(0, NUMBER_LENGTH_MAX)).slice(0, NUMBER_LENGTH_MAX);
  const parts = withoutLabels(text.split(/[^A-Z0-9]+/).filter((part) => part !== '')).slice(0, PARTS_MAX);
  const f1 = joined(parts);
  const f2 = joinedRuns(parts);
  const baseParts = withoutPartOf(text, parts) ?? withoutTrailingMark(parts);
  const base =
    baseParts === undefined
      ? {}
      : { base: joined(baseParts), b1: foldedWhole(joined(baseParts)), b2: foldedRuns(joinedRuns(baseParts)) };
  return {
    raw0: text.replace(/[^A-Z0-9]/g, ''),
    f1,
    f2,
    o1: foldedWhole(f1),
    o2: foldedRuns(f2),
    ...base,
    runs: parts.flatMap((part) => part.match(/[A-Z]+|[0-9]+/g) ?? []),
    signature: signatureOf(text),
  };
}

/** Replaces letters in an invoice number that OCR confuses with digits by the digits that they resemble. */
function foldMisread(text: string): string {
  return text.replace(/[OQILZSGB]/g, (letter) => MISREAD[letter] ?? letter);
}

/** Drops leading zeros of an invoice number, including zeros that were misread as letters. */
function foldedWhole(f1: string): string {
  return withoutLeadingZeros(foldMisread(f1));
}

function foldedRuns(f2: string): string {
  return foldMisread(f2).replace(/[0-9]+/g, withoutLeadingZeros);
}

/** Returns the digits of an invoice number without leading zeros. `000` becomes `0`. */
export function withoutLeadingZeros(text: string): string {
  return text.startsWith('0') ? text.replace(/^0+(?=.)/, '') : text;
}

function withoutLabels(stated: readonly string[]): string[] {
  const parts = withoutReminder(stated);
  let first = 0;
  while (first < parts.length - 1 && isLabelAt(parts[first] ?? '', first)) first += 1;
  const [head, ...tail] = parts.slice(first);
  return head === undefined ? [] : [head.replace(GLUED_LABEL, ''), ...tail];
}

/**
 * Removes the words of a payment reminder before the number of its invoice, with an ordinal before or after them:
 * `2. Mahnung RE-20418`, `Reminder 2 for 20418`.
 */
function withoutReminder(parts: readonly string[]): readonly string[] {
  const word = parts.findIndex((part) => REMINDER_WORDS.has(part));
  if (word < 0 || word > ORDINALS_MAX || !parts.slice(0, word).every(isOrdinalAt)) return parts;
  let rest = parts.slice(word + 1);
  for (;;) {
    const [first = '', ...others] = rest;
    const isNumbered = isOrdinal(first) && namesBill(others);
    if (!isNumbered && !JOINING_WORDS.has(first) && !REMINDER_WORDS.has(first)) break;
    rest = others;
  }
  return rest.length > 0 ? rest : parts;
}

/** Checks whether a part is an ordinal or, in Swedish, the letter behind the digit of one: `2:a`. */
function isOrdinalAt(part: string, index: number, parts: readonly string[]): boolean {
  const isEnding = (part === 'A' || part === 'E') && /^[1-4]$/.test(parts[index - 1] ?? '');
  return isOrdinal(part) || isEnding;
}

function isOrdinal(part: string): boolean {
  return REMINDER_ORDINALS.has(part) || ORDINAL_IN_DIGITS.test(part);
}

/** Maximum number of words before the word of a reminder, as in `2nd payment reminder`. */
const ORDINALS_MAX = 2;

/**
 * Checks whether parts of an invoice number are the number of a bill and not only the year after the number of a
 * payment reminder.
 */
function namesBill(parts: readonly string[]): boolean {
  const text = parts.join('');
  return digitCount(text) >= 3 && !BARE_YEAR.test(text);
}

function isLabelAt(part: string, index: number): boolean {
  return isLabel(part) || (SECOND_LABELS.has(part) && index > 0);
}

/** Checks whether a group of letters is only a label of the invoice number. */
export function isLabel(part: string): boolean {
  return LABELS.has(part);
}

function joined(parts: readonly string[]): string {
  return withoutLeadingZeros(parts.join(''));
}

function joinedRuns(parts: readonly string[]): string {
  let text = '';
  let previousIsDigits = false;
  for (const part of parts) {
    const isDigits = /^[0-9]+$/.test(part);
    text += (previousIsDigits && isDigits ? '.' : '') + part.replace(/[0-9]+/g, withoutLeadingZeros);
    previousIsDigits = isDigits;
  }
  return text;
}

/**
 * Removes a part mark from an invoice number, such as `1/2` in `4711 1/2`. Undefined if there is none, or if too little
 * would remain.
 */
function withoutPartOf(text: string, parts: readonly string[]): string[] | undefined {
  const [, part = '', of = ''] = PART_OF.exec(text.trimEnd()) ?? [];
  if (of === '' || Number(part) > Number(of) || Number(of) < 2 || Number(of) > PARTS_OF_ONE_MAX) {
    return undefined;
  }
  const rest = parts.slice(0, parts.at(-2) === part && parts.at(-1) === of ? -2 : -3);
  const restText = rest.join('');
  return digitCount(restText) >= 3 && !BARE_YEAR.test(restText) ? rest : undefined;
}

/**
 * Removes one trailing element of an invoice number that marks a copy, a part or a version. Undefined if there is none.
 */
function withoutTrailingMark(parts: readonly string[]): string[] | undefined {
  const last = parts.at(-1);
  if (last === undefined) return undefined;
  const rest = parts.slice(0, -1);
  if (rest.length > 0) {
    if (COPY_WORDS.has(last) || COPY_WORDS.has(COUNTED_WORD.exec(last)?.[1] ?? '')) return rest;
    // The mark at the end of an invoice number may be a word with a count, such as `rev. 1`, `copy 2` and `Teil 1`.
    const word = rest.at(-1) ?? '';
    const isCounted = COPY_WORDS.has(word) || PART_WORDS.has(word);
    const countForm = PART_WORDS.has(word) ? /^[0-9]{1,4}$/ : /^[0-9]$/;
    if (rest.length > 1 && isCounted && countForm.test(last)) return rest.slice(0, -1);
    const restText = rest.join('');
    const mark = SEPARATED_MARKS.find((form) => form.mark.test(last));
    const isPeriod = BARE_YEAR.test(restText) || mark?.notBehind?.test(digitsOf(restText)) === true;
    if (mark !== undefined && digitCount(restText) >= mark.digitsMin && !isPeriod) return rest;
  }
  const glued = GLUED_MARK.exec(last) ?? (digitCount(parts.join('')) >= 3 ? GLUED_LETTER.exec(last) : null);
  return glued?.[1] === undefined ? undefined : [...rest, glued[1]];
}

/**
 * Checks whether a number ends with the mark of a bill that replaces an earlier one: `2001-REV`, `2001-R1`, `2001 V2`.
 */
export function isRevision({ base, runs }: InvoiceNumber): boolean {
  const [word = '', last = ''] = runs.slice(-2);
  return base !== undefined && (REVISION_WORDS.has(last) || (/^[0-9]$/.test(last) && REVISION_WORDS.has(word)));
}

/** Checks whether an invoice number ends with the mark of a payment reminder, as in `20418/M1`. */
export function isReminderMark({ base, runs }: InvoiceNumber): boolean {
  const [word = '', last = ''] = runs.slice(-2);
  return base !== undefined && (word === 'M' || word === 'P') && /^[0-9]$/.test(last);
}

export function digitCount(text: string): number {
  return digitsOf(text).length;
}

/** Returns the digits of a text without everything in between. */
export function digitsOf(text: string): string {
  return text.replace(/[^0-9]/g, '');
}

function signatureOf(text: string): string {
  return text
    .replace(/[0-9]+/g, '9')
    .replace(/[A-Z]+/g, 'A')
    .slice(0, SIGNATURE_LENGTH_MAX);
}
