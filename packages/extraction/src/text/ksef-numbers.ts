import { readKsefNumber } from '@invoicecontrol/values/ksef-number';
import { foldKey } from './normalise.js';
import type { TextPage } from './layout.js';
import { withDigits } from './misread.js';

/**
 * Pattern of a KSeF number: four groups of characters. In a narrow column, the number continues on the next line after
 * a hyphen. Letters that OCR misread are corrected if the check digits then match.
 */
const PRINTED =
  /(?<![0-9A-Z-])([0-9A-Z]{10})\s{0,2}-\s{0,2}([0-9A-Z]{8})\s{0,2}-\s{0,2}([0-9A-Z]{12})\s{0,2}-\s{0,2}([0-9A-Z]{2})(?![0-9A-Z-])/g;
const HYPHENS = /[\u2010-\u2015\u2212]/g;
/** Letters that OCR reads in place of digits in hexadecimal numbers, with the digits that they stand for. */
const HEX_BY_LETTER: Readonly<Record<string, string>> = { O: '0', Q: '0', I: '1', L: '1', S: '5', Z: '2', G: '6' };
/** Maximum number of characters before a KSeF number that are searched for its label. */
const LABEL_LENGTH = 120;

/**
 * Finds the KSeF number that a document names as its own; undefined if it names none or several. Numbers with wrong
 * check digits and numbers of corrected invoices are left out.
 */
export function findKsefNumber(pages: readonly TextPage[], isOcr: boolean): string | undefined {
  const found = new Set(pages.flatMap((page) => numbersOn(page, isOcr)));
  const [only, another] = found;
  return another === undefined ? only : undefined;
}

function numbersOn({ lines }: TextPage, isOcr: boolean): string[] {
  const text = lines
    .map(({ cells }) => cells.map((cell) => cell.text).join(' '))
    .join('\n')
    .replace(HYPHENS, '-')
    .toUpperCase();
  return [...text.matchAll(PRINTED)].flatMap(({ index, 1: nip = '', 2: day = '', 3: hex = '', 4: check = '' }) => {
    const number = isOcr
      ? `${withDigits(nip)}-${withDigits(day)}-${withHexDigits(hex)}-${withHexDigits(check)}`
      : `${nip}-${day}-${hex}-${check}`;
    if (readKsefNumber(number) === undefined) return [];
    const label = foldKey(text.slice(Math.max(0, index - LABEL_LENGTH), index));
    return label.includes('korygowan') || label.includes('corrected') ? [] : [number];
  });
}

function withHexDigits(text: string): string {
  return text.replace(/[G-Z]/g, (letter) => HEX_BY_LETTER[letter] ?? letter);
}
