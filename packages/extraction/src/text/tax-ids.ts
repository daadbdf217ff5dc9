import { parseTaxId, taxIdValidity } from '@invoicecontrol/values/tax-id';
import { withDigits } from './misread.js';

/** A tax id with a country prefix or after a label. */
export interface TaxIdMatch {
  /** Tax id without spaces, dots and hyphens, in upper case. */
  readonly value: string;
  readonly raw: string;
  readonly start: number;
  readonly end: number;
  readonly country: string | null;
  /** True if the check digit of the tax id is correct for its country. */
  readonly isProven: boolean;
}

const PREFIXED =
  /(?<![\p{L}\d])(AT ?U|ATU|BE|BG|CHE|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|GR|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE|SI|SK|XI)([ .:-]?)((?:[A-Z0-9][ .-]?){6,14})/giu;
const GSTIN = /(?<![A-Z0-9])\d{2}[A-Z]{5}\d{4}[A-Z][A-Z0-9]Z[A-Z0-9](?![A-Z0-9])/g;
const NORWEGIAN = /(?<![\p{L}\d])(?:NO ?)?(\d{3} ?\d{3} ?\d{3}) ?MVA(?!\p{L})/giu;
const SWISS = /(?<![\p{L}\d])CHE[ -]?\d{3}[ .]?\d{3}[ .]?\d{3}(?: ?(?:MWST|TVA|IVA))?(?!\p{L})/giu;
/** Pattern for a business number of Canada with the account for its sales tax. */
const CANADIAN = /(?<![\p{L}\d])\d{3} ?\d{2} ?\d ?\d{3} ?RT ?\d{4}(?!\d)/gu;
/** Text that may follow the label of a tax id: digits with letters, spaces, dots, hyphens and slashes. */
const LABELLED = /^[\s:.#-]*((?:[A-Z]{1,3}[ .-]?)?\d(?:[A-Z0-9]|[ ./-](?=[A-Z0-9])){4,19})/i;

/** Finds tax ids with a country prefix anywhere in a text. The caller must have removed the bank accounts. */
export function findTaxIds(text: string, isOcr = false): TaxIdMatch[] {
  const found: TaxIdMatch[] = [];
  const add = (match: Omit<TaxIdMatch, 'value'>, value = compact(match.raw)): void => {
    if (found.some((other) => other.start < match.end && match.start < other.end)) return;
    found.push({ ...match, value });
  };
  for (const pattern of [SWISS, NORWEGIAN]) {
    for (const { 0: raw, index } of text.matchAll(pattern)) {
      const country = pattern === SWISS ? 'CH' : 'NO';
      const id = parseTaxId(pattern === SWISS ? raw : `NO${raw.replace(/^NO/i, '')}`);
      const isProven = id !== undefined && taxIdValidity(id.body, country) === 'VALID';
      add({ raw, start: index, end: index + raw.length, country, isProven });
    }
  }
  for (const { 0: raw, index } of text.matchAll(GSTIN)) {
    add({ raw, start: index, end: index + raw.length, country: 'IN', isProven: false });
  }
  for (const { 0: raw, index } of text.matchAll(CANADIAN)) {
    add({ raw, start: index, end: index + raw.length, country: 'CA', isProven: false });
  }
  for (const match of text.matchAll(PREFIXED)) {
    if (isNumberWord(text, match)) continue;
    const longest = longestValid(match[0]);
    const repaired = isOcr && longest?.isProven !== true ? longestRepaired(match[0]) : undefined;
    const id = repaired ?? longest;
    if (id === undefined) continue;
    const { raw, country, isProven } = id;
    add({ raw, start: match.index, end: match.index + raw.length, country, isProven }, repaired?.value);
  }
  return found.sort((one, other) => one.start - other.start);
}

/**
 * Checks whether the letters before an id are a word and not a country prefix. In `Fatura No 000.004.817` and `INVOICE
 * NO 974760673`, the letters `No` mean "number" and not Norway.
 */
function isNumberWord(text: string, match: RegExpExecArray): boolean {
  const [, prefix = ''] = match;
  if (/[a-z]/.test(prefix)) return /^(?:no|de|es|it|se|be|at)$/i.test(prefix) && !/^[a-z]{2}\d/i.test(match[0]);
  return prefix === 'NO' && /\p{L} $/u.test(text.slice(0, match.index));
}

/**
 * Finds the tax id after a label, with or without a country prefix. `countryOfLabel` is used to check ids without a
 * prefix.
 */
export function readLabelledTaxId(rest: string, countryOfLabel: string | null, isOcr = false): TaxIdMatch | undefined {
  const match = LABELLED.exec(rest);
  if (match?.[1] === undefined) return undefined;
  const start = match[0].length - match[1].length;
  const prefixed = findTaxIds(rest, isOcr).find((found) => found.start <= start + 1);
  if (prefixed !== undefined) return prefixed;
  for (const raw of shorterAndShorter(match[1])) {
    const id = parseTaxId(raw);
    if (id === undefined || countryOfLabel === null) break;
    const country = id.country ?? countryOfLabel;
    if (taxIdValidity(id.body, country) === 'VALID') {
      return { value: compact(raw), raw, start, end: start + raw.length, country, isProven: true };
    }
  }
  const repaired = isOcr && countryOfLabel !== null ? longestRepaired(match[1], countryOfLabel) : undefined;
  if (repaired !== undefined) return { ...repaired, start, end: start + repaired.raw.length };
  const raw = cutAtWord(match[1]);
  if ((raw.match(/\d/g) ?? []).length < 6) return undefined;
  return { value: compact(raw), raw, start, end: start + raw.length, country: null, isProven: false };
}

function compact(raw: string): string {
  return raw.replace(/[ .-]/g, '').toUpperCase();
}

/** Returns the longest beginning of the text that is a tax id of the country in its prefix. */
function longestValid(text: string): { raw: string; country: string; isProven: boolean } | undefined {
  let formatOnly: { raw: string; country: string; isProven: boolean } | undefined;
  for (const raw of shorterAndShorter(text)) {
    const id = parseTaxId(raw);
    if (id?.country === undefined || (raw.match(/\d/g) ?? []).length < 7) continue;
    const validity = taxIdValidity(id.body, id.country);
    if (validity === 'VALID') return { raw, country: id.country, isProven: true };
    // A tax id with a wrong check digit is kept, because it may be misprinted or an example.
    if (validity === 'FORMAT_ONLY' || validity === 'WRONG_CHECK_DIGIT') {
      formatOnly ??= { raw, country: id.country, isProven: false };
    }
  }
  return formatOnly;
}

/**
 * Returns the longest beginning of a text that is a tax id: its check digit matches after letters are replaced by the
 * digits that they resemble.
 */
function longestRepaired(
  text: string,
  country?: string,
): { raw: string; country: string; isProven: true; value: string } | undefined {
  for (const raw of shorterAndShorter(text)) {
    const printed = compact(raw);
    const prefix = country === undefined || printed.startsWith(country) ? printed.slice(0, 2) : '';
    const value = `${prefix}${withDigits(printed.slice(prefix.length))}`;
    const id = parseTaxId(value);
    const ofCountry = id?.country ?? country;
    if (id === undefined || ofCountry === undefined) continue;
    if (taxIdValidity(id.body, ofCountry) === 'VALID') return { raw, country: ofCountry, isProven: true, value };
  }
  return undefined;
}

/** Yields the text of a possible tax id, and then the text without its last groups, one group fewer each time. */
function shorterAndShorter(text: string): string[] {
  const texts = [text.replace(/(?<![ .:/-])[ .:/-]+$/, '')];
  for (const { index } of [...text.matchAll(/[ .:/-]+/g)].reverse()) {
    const shorter = text.slice(0, index);
    if (shorter.length >= 4) texts.push(shorter);
  }
  return [...new Set(texts)];
}

function cutAtWord(text: string): string {
  const match = /^(?:[A-Z]{1,3}[ .-]?)?\d[A-Z0-9./-]*(?: [A-Z]{0,2}\d[A-Z0-9./-]*)*/i.exec(text);
  return (match?.[0] ?? text).replace(/(?<![ .:/-])[ .:/-]+$/, '');
}
