import { getCountrySpecifications } from 'ibantools';
import { readPrintedIban } from '@invoicecontrol/values/printed-account';
import { repairIban } from './misread.js';

/** A text in a document that looks like an IBAN. */
export interface IbanMatch {
  /** The IBAN that was found in the document, without spaces and in upper case. */
  readonly value: string;
  readonly raw: string;
  readonly start: number;
  readonly end: number;
  readonly isValid: boolean;
}

const specifications = getCountrySpecifications();
const IBAN_START = /(?<![\p{L}\d])([A-Z]{2})[ .-]?(\d{2})(?=[ .-]?[A-Z0-9])/giu;
/** Pattern for the beginning of an IBAN, including letters and digits that OCR confuses. */
const MISREAD_START = /(?<![\p{L}\d])([A-Z]{2})[ .-]?([\dOQDILBSZG]{2})(?=[ .-]?[A-Z0-9])/giu;
/** A Polish bank account number without its country code. */
const NRB = /(?<![\d\p{L}])(?<!\d )\d{2}(?:[ -]?\d{4}){6}(?! ?\d)/gu;

/**
 * Finds all IBANs in a text, including those with wrong check digits, and Polish bank account numbers of 26 digits
 * (documents reference, 10.2).
 * @param isOcr true to correct letters that OCR confused with digits, if the check digits then match
 */
export function findIbans(text: string, isOcr = false): IbanMatch[] {
  const found: IbanMatch[] = [];
  for (const match of text.matchAll(isOcr ? MISREAD_START : IBAN_START)) {
    const country = (match[1] ?? '').toUpperCase();
    const length = specifications[country]?.chars;
    if (length === undefined || length === null) continue;
    const end = endOfLetters(text, match.index, length);
    if (end === undefined) continue;
    const raw = text.slice(match.index, end);
    // A text with both capital and small letters is not an IBAN. It consists of words, such as those that follow a tax
    // id.
    if (/[a-z]/.test(raw) && /[A-Z]/.test(raw)) continue;
    const printed = raw.replace(/[ .-]/g, '').toUpperCase();
    const repaired = isOcr ? repairIban(printed) : printed;
    const value = readPrintedIban(repaired).kind === 'IBAN' ? repaired : printed;
    if (!/^[A-Z]{2}\d{2}/.test(value) || (value.match(/\d/g) ?? []).length < 8) continue;
    found.push({ value, raw, start: match.index, end, isValid: readPrintedIban(value).kind === 'IBAN' });
  }
  for (const match of text.matchAll(NRB)) {
    const start = match.index;
    const end = start + match[0].length;
    const value = `PL${match[0].replace(/[ -]/g, '')}`;
    if (readPrintedIban(value).kind !== 'IBAN' || found.some((other) => other.start < end && start < other.end))
      continue;
    found.push({ value, raw: match[0], start, end, isValid: true });
  }
  return found;
}

/**
 * Returns the offset in a text after the given number of letters and digits, or undefined if the text has more or
 * fewer.
 */
function endOfLetters(text: string, start: number, count: number): number | undefined {
  let seen = 0;
  let gap = 0;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (/[A-Za-z0-9]/.test(character)) {
      seen += 1;
      gap = 0;
      if (seen === count) return /[A-Za-z0-9]/.test(text.charAt(index + 1)) ? undefined : index + 1;
    } else if (/[ .-]/.test(character) && gap < 2) {
      gap += 1;
    } else {
      return undefined;
    }
  }
  return undefined;
}
