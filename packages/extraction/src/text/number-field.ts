import type { Candidate } from './candidates.js';
import { placesOf } from './regions.js';
import type { LabelPlace, Region } from './regions.js';
import { roleOf } from './parties.js';
import type { PartyZone } from './parties.js';
import { foldKey } from './normalise.js';
import { hasKind } from './text-document.js';
import type { ReadCell, TextDocument } from './text-document.js';

interface Token {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const NUMBER_LENGTH_MAX = 40;
const BARE_NUMBER_WORDS: ReadonlySet<string> = new Set([
  'no',
  'nr',
  'n',
  'num',
  'number',
  'nummer',
  'numer',
  'numero',
  '#',
]);
/** Text between the label of an invoice number and the number. OCR reads `nº` as `n2` or `n?`. */
const BEFORE =
  /^(?:[\s:;.#*|)(©®«»~=-]|n[29?"'®*](?=[\s:.])|(?:no|nr|num|numer|nummer|number|n)(?=[\s.:°º#]|$)[.:°º]?|[°º])*/i;
/**
 * Matches the characters of an invoice number. Greek and Cyrillic letters are included, because they may look like
 * Latin ones.
 */
const TOKEN = /^[A-Z0-9\u0370-\u03ff\u0400-\u04ff][A-Z0-9\u0370-\u03ff\u0400-\u04ff/._\\-]*/i;
const WORDS_BEFORE_NUMBER =
  /^[^\d:]{1,30}?(?<!\p{L})(?:n[.°º]|nr|no|nº|n°|num|numer|nummer|number|numero)[.:°º]{0,2} (?=\S*\d)/iu;
/** Matches groups of digits that fill a text cell, as in `24 7781 0034 5512`. */
const GROUPED = /^\d{2,5}(?: \d{2,6}){2,7}$/;
const GROUPED_DIGITS_MAX = 24;
/**
 * Matches the series of an invoice number, as in `seria LVC nr. ` and `Σειρά Β Αρ. `, up to the number or the end of
 * its cell.
 */
const SERIES =
  /(?<!\p{L})(?:seria|seri[ae]s?|série|σειρ[αά])[ .:]{1,3}([\p{L}\d][\p{L}\d/-]{0,9})(?:[ .:,]{1,3}(?:n[.°ºr]{0,2}|num[aeă]r\p{L}{0,2}|número|αρ|αριθμός|č|no)[.:]?)?[ .:]{0,3}$/iu;
/** Share of the document page height, from the top, within which a number counts as near the top of the page. */
const LINE_PAGES_SHARE = 0.6;

/** Finds candidates for the invoice number (documents reference, 10.2). */
export function findNumberCandidates(document: TextDocument, zones: readonly PartyZone[]): Candidate[] {
  const others = otherNumbers(document);
  const found: Candidate[] = [];
  for (const place of placesOf(document, 'number')) {
    // In a document, `No` and `#` alone are often headings of columns and lists. These words count as a label only with
    // a colon or a value in the same cell.
    for (const region of place.regions) {
      const text = region.cell.text.slice(region.start, region.end);
      // Other words may come between the title and the invoice number, as in `Fattura elettronica n. 12` or `Rechnung
      // (Kopie) Nr. 12`.
      const between = region.base === 1 ? (WORDS_BEFORE_NUMBER.exec(text)?.[0].length ?? 0) : 0;
      const token = readNumber(text.slice(between), region.start + between);
      if (token === undefined) continue;
      const isAnnounced = place.isSpecific && region.base === 1;
      const looksLikeValue = isSomethingElse(region.cell, token);
      if (looksLikeValue && !(isAnnounced && isUsualAsNumber(document, region.cell, token))) continue;
      if (!isAnnounced && isPostcode(region.cell, token)) continue;
      const page = document.pages[region.cell.page];
      const isUpper = page !== undefined && region.cell.top < LINE_PAGES_SHARE * page.height;
      const isSpecific = place.isSpecific || between > 0 || followsTitle(document, place);
      let score = region.base * (place.weight + (isSpecific && !place.isSpecific ? 0.35 : 0));
      // In the details of the supplier or buyer, `Nummer: 549910` is a number of that party, not of the invoice.
      if (!isSpecific && roleOf(zones, place.cell) !== undefined) score -= 0.3;
      if (region.cell.page === 0 && isUpper) score += 0.1;
      if (region.cell.page > 0) score -= 0.1;
      if (/^(?:19|20)\d{2}$/.test(token.value)) score -= 0.3;
      if (!/\d{2}/.test(token.value)) score -= 0.1;
      if (looksLikeValue) score -= 0.15;
      if (others.has(foldKey(token.value))) score -= place.isSpecific ? 0.1 : 0.4;
      found.push({
        ...withSeries(document, region.cell, token),
        cell: region.cell,
        score,
        evidence: isSpecific ? 'SPECIFIC_LABEL' : 'GENERIC_LABEL',
        isProven: false,
        method: 'LABEL',
      });
    }
  }
  return found;
}

/**
 * Adds the series to an invoice number if the document states the two apart, as in `seria LVC nr. 01184`: in the same
 * cell, in the cell before it, or at the end of the cell above its label. The series is needed, because the same number
 * exists in every series.
 */
function withSeries(document: TextDocument, cell: ReadCell, token: Token): Token {
  const inCell = SERIES.exec(cell.text.slice(0, token.start));
  if (inCell?.[1] !== undefined) {
    const start = inCell.index + inCell[0].indexOf(inCell[1], 5);
    return { value: `${inCell[1]} ${token.value}`, start, end: token.end };
  }
  const lines = document.lines[cell.page] ?? [];
  const before = lines[cell.line]?.cells[cell.index - 1];
  const above = lines[cell.line - 1]?.cells.find(({ left }) => Math.abs(left - cell.left) < 2 * cell.size);
  for (const near of [before, above]) {
    const series = near === undefined ? null : SERIES.exec(near.text);
    if (series?.[1] !== undefined) return { ...token, value: `${series[1]} ${token.value}` };
  }
  return token;
}

/**
 * Checks whether a value is a usual invoice number although it looks like a sum of money, as in `RM10023`, or like a
 * date, as in `Faktura VAT nr 2/11/2023`. A value that looks like a date counts only if the document has another date.
 */
function isUsualAsNumber(document: TextDocument, cell: ReadCell, token: Token): boolean {
  if (/^[A-Za-z]{1,4}\d{4,}$/.test(token.value)) return true;
  if (!/^\d{1,3}\/\d{1,2}\/(?:20)?\d{2}$/.test(token.value)) return false;
  return document.cells.some((other) =>
    other.dates.some(({ start, isCompact }) => !isCompact && (other !== cell || start >= token.end)),
  );
}

/**
 * Matches postcodes before or after a town, which are not invoice numbers: `10115 Berlin`, `00-950 Warszawa`, `BS1
 * 4ST`, `TX 75001`.
 */
function isPostcode(cell: ReadCell, { start }: Token): boolean {
  return /^(?:[A-Z]{1,2}-)?(?:\d{2}-\d{3}|\d{4,6})(?: [A-Z]{2})? \p{Lu}\p{L}|^[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|^[A-Z]{2} \d{5}(?:-\d{4})?$/u.test(
    cell.text.slice(start),
  );
}

/** Checks whether the word before the label shows that the number identifies an invoice, as in `INVOICE No. 4711`. */
function followsTitle(document: TextDocument, { cell, hit }: LabelPlace): boolean {
  if (!BARE_NUMBER_WORDS.has(hit.key)) return false;
  const line = document.lines[cell.page]?.[cell.line];
  const before = line?.cells.filter(({ index }) => index < cell.index).at(-1);
  return before?.labels.some((label) => hasKind(label, 'number') && !BARE_NUMBER_WORDS.has(label.key)) ?? false;
}

/** Finds candidates for the purchase order number of the buyer. */
export function findOrderCandidates(document: TextDocument): Candidate[] {
  const found: Candidate[] = [];
  for (const place of placesOf(document, 'orderRef')) {
    for (const region of place.regions) {
      const token = readNumber(region.cell.text.slice(region.start, region.end), region.start);
      if (token === undefined || isSomethingElse(region.cell, token)) continue;
      found.push({
        ...token,
        cell: region.cell,
        score: region.base * place.weight,
        evidence: 'SPECIFIC_LABEL',
        isProven: false,
        method: 'LABEL',
      });
    }
  }
  return found;
}

/** Returns the numbers whose labels state that they identify a customer, an order or a delivery. */
function otherNumbers(document: TextDocument): Set<string> {
  const numbers = new Set<string>();
  const add = (region: Region): void => {
    const token = readNumber(region.cell.text.slice(region.start, region.end), region.start);
    if (token !== undefined) numbers.add(foldKey(token.value));
  };
  for (const kind of ['otherNumber', 'orderRef', 'localTaxId', 'taxId'] as const) {
    for (const place of placesOf(document, kind)) {
      const nearest = place.regions.find(
        (region) => readNumber(region.cell.text.slice(region.start, region.end), 0) !== undefined,
      );
      if (nearest !== undefined && nearest.base >= 0.85) add(nearest);
    }
  }
  return numbers;
}

function readNumber(text: string, offset: number): Token | undefined {
  // Matches the code of the document type, as in `Rechnung (380)`.
  const code = /^\s*\(\d{3}\)/.exec(text)?.[0].length ?? 0;
  const skipped = code + (BEFORE.exec(text.slice(code))?.[0].length ?? 0);
  const rest = text.slice(skipped);
  const groups = rest.trim();
  if (GROUPED.test(groups) && groups.replace(/ /g, '').length <= GROUPED_DIGITS_MAX) {
    return { value: groups, start: offset + skipped, end: offset + skipped + groups.length };
  }
  const first = TOKEN.exec(rest)?.[0];
  if (first === undefined) return undefined;
  let end = first.length;
  // Joins the parts of an invoice number that a space divides, if one part is a short word or the parts have a slash
  // between them: `RE 2024-001`, `FV 12/2024`, `2024 / 0123`.
  for (let joins = 0; joins < 3; joins += 1) {
    const written = rest.slice(0, end);
    const next = /^(?: ?[/_-] ?| )([A-Z0-9][A-Z0-9/._\\-]*)/i.exec(rest.slice(end));
    if (next?.[1] === undefined) break;
    const isSlash = /^ ?[/_-] ?/.test(next[0]);
    // In `26-0771 - VW Caddy`, the text after the invoice number is a description and not part of it.
    const isWide = next[0].startsWith(' - ');
    const hasNoDigit = !/\d/.test(written) && /^[A-Z]{1,5}[./-]?$/.test(written) && /\d/.test(next[1]);
    const goesOn =
      written.endsWith('/') ||
      (isSlash && /\d/.test(written) && (isWide ? /^\d/ : /^[A-Z]{0,4}\d|^[A-Z]{1,4}$/).test(next[1]));
    if (!hasNoDigit && !goesOn) break;
    end += next[0].length;
  }
  const value = rest.slice(0, end).replace(/(?<![./\\_-])[./\\_-]+$/, '');
  if (!/\d/.test(value) || value.length > NUMBER_LENGTH_MAX) return undefined;
  const start = offset + skipped;
  return { value, start, end: start + value.length };
}

function isSomethingElse(cell: ReadCell, token: Token): boolean {
  const overlaps = (span: { readonly start: number; readonly end: number }): boolean =>
    span.start < token.end && token.start < span.end;
  const isWithin = (span: { readonly start: number; readonly end: number }): boolean =>
    span.start <= token.start && token.end <= span.end;
  if (
    cell.dates.some(
      (date) =>
        !date.isCompact && (isWithin(date) || (overlaps(date) && date.end - date.start >= token.end - token.start)),
    )
  )
    return true;
  if ([...cell.ibans, ...cell.taxIds].some(overlaps)) return true;
  if (cell.amounts.some((amount) => isWithin(amount) && (amount.decimals === 2 || amount.currency !== null)))
    return true;
  if (/^\d{1,2}(?:[.,]\d+)? ?%/.test(cell.text.slice(token.start))) return true;
  return /^\+?\d[\d ]*$/.test(token.value) && /(?:tel|fax|phone)\W*$/i.test(cell.text.slice(0, token.start));
}
