import { CsvError, parse } from 'csv-parse/sync';
import { cleanLine } from '@invoicecontrol/values/readable-text';
import type { ColumnMapping } from './columns.js';
import { parserOptions } from './delimiter.js';
import type { Layout } from './delimiter.js';
import type { Encoding } from './encoding.js';
import { countLineBreaks } from './open-quote.js';
import { scanFields } from './scan-row.js';
import type { ScanField } from './scan-row.js';
import { UsageError } from './usage-error.js';

/** A record of the ledger file with its mapped cells. It has several lines if a cell contains line breaks. */
export interface LedgerRecord {
  /** Line of the CSV file on which the record begins. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<ScanField, string>>>;
  /** True if the record repeats the heading, as in a CSV file joined from several exports. */
  readonly repeatsHeading: boolean;
}

/** Encoding, layout and columns of a ledger file. */
export interface LedgerForm extends Layout, ColumnMapping {
  readonly encoding: Encoding;
}

/**
 * Returns the records below the heading of a CSV file that is in memory as a whole. Files of any size are read by the
 * program scan-csv.
 * @throws UsageError with the line of the error when the text is not a table
 */
export function readRecords(text: string, form: LedgerForm): LedgerRecord[] {
  let linesRead = 0;
  try {
    const parsed = parse(text, { ...parserOptions(form.delimiter), raw: true }) as unknown as readonly {
      readonly record: string[];
      readonly raw: string;
    }[];
    const records = parsed.map(({ record, raw }) => {
      const line = linesRead + 1 + emptyLinesAbove(raw);
      linesRead += countLineBreaks(raw);
      return toRecord(record, form, line);
    });
    return records.slice(form.recordsAbove + 1);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(`The file is not a table: ${error.message}`);
  }
}

/** Returns a record of the CSV file with the cells of the mapped columns. */
export function toRecord(record: readonly string[], form: LedgerForm, line: number): LedgerRecord {
  return { line, cells: pick(record, form), repeatsHeading: JSON.stringify(record) === JSON.stringify(form.header) };
}

function pick(record: readonly string[], { columns }: LedgerForm): LedgerRecord['cells'] {
  const cells: Partial<Record<ScanField, string>> = {};
  for (const field of scanFields) {
    const column = columns[field];
    const cell = column === undefined ? '' : cleanCell(record[column] ?? '');
    if (cell !== '') cells[field] = cell;
  }
  return cells;
}

/**
 * Returns the text of a CSV cell as users read it: line breaks become spaces, and the spreadsheet notations for text,
 * `="007"` and `'007`, are removed.
 */
function cleanCell(cell: string): string {
  const visible = cleanLine(cell, Infinity).replaceAll(/ {2,}/g, ' ');
  const asText = /^="(.*)"$/.exec(visible)?.[1]?.replaceAll('""', '"') ?? visible;
  return asText.replace(/^'(?=[\d+=@-])/, '').trim();
}

/** Returns the number of empty lines above a CSV record, because the parser returns them together with the record. */
export function emptyLinesAbove(raw: string): number {
  return countLineBreaks(/^[\r\n]*/.exec(raw)?.[0] ?? '');
}
