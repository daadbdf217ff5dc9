import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { headerNames } from './header-names.js';
import { printable } from './printable.js';
import { requiredFields, scanFields } from './scan-row.js';
import type { ScanField } from './scan-row.js';

/** Column of the file for each invoice field, counted from zero. */
export type Columns = Readonly<Partial<Record<ScanField, number>>>;

/**
 * The values of `--map`: the CSV column of a field by name or as `#3`; an empty text means that the field has no
 * column.
 */
export type Overrides = ReadonlyMap<ScanField, string>;

export interface ColumnMapping {
  readonly columns: Columns;
  /** The currency that the heading of the amounts names, as in `Amount (EUR)`. */
  readonly headingCurrency: string | undefined;
  /**
   * Messages about CSV columns that could not be chosen. Each message names the option by which the user chooses the
   * column. Empty if the file can be read.
   */
  readonly faults: readonly string[];
}

const numberWords = new Set(['number', 'no', 'nr', 'num', 'nummer', 'numer', 'numero', 'n', 'nbr']);
const fillers = new Set([
  'of',
  'the',
  'de',
  'du',
  'des',
  'del',
  'della',
  'di',
  'd',
  'la',
  'le',
  'l',
  'el',
  'der',
  'die',
  'den',
]);

/**
 * Returns the key by which equivalent CSV column names are compared. It ignores case, accents, punctuation, `_` and
 * blanks. Umlauts equal their spelling with e, and all words for "number" are equal. `Rechnungs-Nr.` and
 * `RECHNUNGSNUMMER` have the same key.
 */
export function columnKey(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replaceAll('ß', 'ss')
    .replaceAll('œ', 'oe')
    .replaceAll('#', ' nr ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !fillers.has(word));
  return words
    .map((word) => (numberWords.has(word) ? 'nr' : word))
    .join('')
    .replace(/(?:nummer|number|numer|numero)$/, 'nr')
    .replaceAll(/([aou])e/g, '$1');
}

function namesIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(', '));
}

/** The rank of a column name for an invoice field: 0 is best; undefined if the field has no such name. */
const rankByKey: ReadonlyMap<ScanField, ReadonlyMap<string, number>> = new Map(
  scanFields.map((field) => {
    const { ranks } = headerNames[field];
    // A Map keeps the last entry of a key. The known names are reversed, so that a name that is listed twice gets the
    // better rank.
    const entries = ranks.flatMap((lines, rank) => namesIn(lines).map((name) => [columnKey(name), rank] as const));
    return [field, new Map(entries.reverse())];
  }),
);
const possibleKeys: ReadonlyMap<ScanField, ReadonlySet<string>> = new Map(
  scanFields.map((field) => [field, new Set(namesIn(headerNames[field].perhaps ?? []).map(columnKey))]),
);

/** Counts the CSV columns with a known name. The line with the most of them is the heading. */
export function recognizedColumns(header: readonly string[], overrides: Overrides): number {
  const named = new Set([...overrides.values()].filter((name) => name !== '').map(columnKey));
  return header.filter((name) => {
    const key = columnKey(name);
    return key !== '' && (named.has(key) || scanFields.some((field) => rankOf(field, name) !== undefined));
  }).length;
}

export function mapColumns(header: readonly string[], overrides: Overrides): ColumnMapping {
  const columns: Partial<Record<ScanField, number>> = {};
  const faults: string[] = [];
  for (const [field, wanted] of overrides) {
    if (wanted === '') continue;
    const found = findColumn(header, wanted);
    if (typeof found === 'number') columns[field] = found;
    else faults.push(`--map ${field}=${quoted(wanted)}: ${found}`);
  }
  const usedColumns = new Set(Object.values(columns));
  for (const field of scanFields.filter((name) => !overrides.has(name))) {
    const candidates = bestColumns(field, header).filter((column) => !usedColumns.has(column));
    if (candidates.length > 1) faults.push(ambiguous(field, header, candidates));
    const [column] = candidates;
    if (column === undefined) continue;
    columns[field] = column;
    usedColumns.add(column);
  }
  for (const field of requiredFields) {
    if (columns[field] === undefined && !overrides.get(field))
      faults.push(missing(field, header, Object.values(columns)));
  }
  // A UK bank account consists of a sort code and an account number. If the file has a column for only one of them, the
  // column is not used.
  if (columns.bankSortCode === undefined || columns.bankAccountNumber === undefined) {
    delete columns.bankSortCode;
    delete columns.bankAccountNumber;
  }
  const amountHeading = columns.grossAmount === undefined ? undefined : header[columns.grossAmount];
  return { columns, headingCurrency: splitHeading(amountHeading ?? '').currency, faults };
}

/** `#3 "Betrag"`. */
export function columnName(header: readonly string[], column: number): string {
  return `#${column + 1} ${quoted(header[column] ?? '')}`;
}

function rankOf(field: ScanField, name: string): number | undefined {
  const ranks = rankByKey.get(field);
  const rank = ranks?.get(columnKey(name));
  return rank === undefined && field === 'grossAmount' ? ranks?.get(columnKey(splitHeading(name).name)) : rank;
}

function bestColumns(field: ScanField, header: readonly string[]): number[] {
  const ranked = header.map((name) => rankOf(field, name));
  const best = Math.min(...ranked.map((rank) => rank ?? Number.POSITIVE_INFINITY));
  return ranked.flatMap((rank, column) => (rank === best && rank !== undefined ? [column] : []));
}

/** Splits a CSV heading such as `Amount (EUR)`, `Betrag in EUR` or `TTC €` into the name and the currency. */
function splitHeading(heading: string): { readonly name: string; readonly currency: string | undefined } {
  const text = heading.trim();
  const match = /(?<![\s_([-])[\s_([-]+(?:in\s+)?([A-Z]{3}|€|£)[\])\s]*$/.exec(text);
  const currency = match?.[1];
  if (match === null || currency === undefined) return { name: heading, currency: undefined };
  const name = text.slice(0, match.index);
  if (currency === '€') return { name, currency: 'EUR' };
  if (currency === '£') return { name, currency: 'GBP' };
  // The heading of a column states no date. Its currency is therefore accepted if suppliers invoiced in it on a fixed
  // day.
  return 'code' in invoiceCurrency(currency, '2000-01-01')
    ? { name, currency }
    : { name: heading, currency: undefined };
}

/** Returns the position of a CSV column that `--map` names, or a sentence with the reason why there is none. */
function findColumn(header: readonly string[], wanted: string): number | string {
  const position = /^#(\d{1,5})$/.exec(wanted)?.[1];
  if (position !== undefined) {
    const column = Number(position) - 1;
    return column >= 0 && column < header.length ? column : `the file has columns #1 to #${header.length}.`;
  }
  const exact = header.flatMap((name, column) => (name === wanted ? [column] : []));
  const similar = header.flatMap((name, column) => (columnKey(name) === columnKey(wanted) ? [column] : []));
  const found = exact.length > 0 ? exact : similar;
  if (found.length > 1) {
    return `several columns have this name: ${found.map((column) => columnName(header, column)).join(', ')}. Name one by its position, as #${(found[0] ?? 0) + 1}.`;
  }
  return found[0] ?? 'the file has no such column.';
}

function ambiguous(field: ScanField, header: readonly string[], candidates: readonly number[]): string {
  const names = candidates.map((column) => columnName(header, column)).join(' and ');
  const none = requiredFields.includes(field) ? '' : `, or --map ${field}= to use none`;
  return `${field}: ${names} both match. Choose one with --map ${field}=${choice(header, candidates[0] ?? 0)}${none}.`;
}

function missing(field: ScanField, header: readonly string[], usedColumns: readonly number[]): string {
  const perhaps = header.flatMap((name, column) =>
    possibleKeys.get(field)?.has(columnKey(name)) && (!usedColumns.includes(column) || field === 'invoiceNumber')
      ? [column]
      : [],
  );
  if (perhaps.length === 0) return `${field}: no column is recognized. Name it: --map ${field}="..."`;
  const names = perhaps.map((column) => columnName(header, column)).join(' or ');
  return `${field}: no column is recognized. Is it ${names}${explanations[field] ?? ''}? Then use --map ${field}=${choice(header, perhaps[0] ?? 0)}`;
}

const explanations: Partial<Record<ScanField, string>> = {
  invoiceNumber: ' (the number from the supplier, not one of your own)',
  grossAmount: ' (the amount to pay, tax included)',
  issueDate: ' (the date on the invoice)',
};

/** Writes a CSV column as a command-line argument: its name if the name is unique, or otherwise its position. */
function choice(header: readonly string[], column: number): string {
  const name = header[column] ?? '';
  return header.filter((other) => other === name).length === 1 && name !== '' ? quoted(name) : `"#${column + 1}"`;
}

function quoted(name: string): string {
  return `"${printable(name)}"`;
}
