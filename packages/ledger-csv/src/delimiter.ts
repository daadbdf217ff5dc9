import { CsvError, parse } from 'csv-parse/sync';
import type { Options } from 'csv-parse/sync';
import { recognizedColumns } from './columns.js';
import type { Overrides } from './columns.js';
import { findOpenQuote } from './open-quote.js';

export const delimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

/**
 * Number of records at the beginning of a CSV file among which the heading is searched for. Exports may put a title and
 * a date range above the heading.
 */
const HEADING_WITHIN_RECORDS = 30;
/** Maximum size of a CSV record in bytes. A longer record has an unclosed quote. */
const RECORD_BYTES_MAX = 1024 * 1024;

/** Delimiter and heading of a CSV file. */
export interface Layout {
  readonly delimiter: Delimiter;
  readonly header: readonly string[];
  /** Number of records above the heading of the CSV file. */
  readonly recordsAbove: number;
}

/** Parses the CSV file leniently: quotes within cells, and empty, short or long lines are allowed. */
export function parserOptions(delimiter: Delimiter): Options {
  return {
    delimiter,
    ltrim: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: RECORD_BYTES_MAX,
  };
}

/**
 * Finds the delimiter and the heading of the CSV file together. The delimiter is the one with which a record near the
 * top has the most known column names; if several have equally many, the one with the most columns. That record is the
 * heading.
 * @param sample the beginning of the file, in whole lines
 */
export function findLayout(sample: string, overrides: Overrides): Layout {
  const layouts = delimiters.map((delimiter) => {
    const records = firstRecords(sample, delimiter);
    const scores = records.map((record) => recognizedColumns(record, overrides));
    const best = Math.max(0, ...scores);
    // If no column name is known, the first CSV record with several cells is the heading.
    const found = best > 0 ? scores.indexOf(best) : records.findIndex((record) => record.length > 1);
    const recordsAbove = Math.max(0, found);
    return { score: best, layout: { delimiter, header: records[recordsAbove] ?? [], recordsAbove } };
  });
  const [best] = layouts.sort((a, b) => b.score - a.score || b.layout.header.length - a.layout.header.length);
  if (best === undefined) throw new TypeError('The list of CSV delimiters must contain at least one delimiter.');
  return best.layout;
}

/**
 * Returns the first records of the CSV file. If a quotation mark in a record is not closed, only the first line of the
 * record is returned, because this line may be the heading.
 */
function firstRecords(sample: string, delimiter: Delimiter): string[][] {
  const records: string[][] = [];
  try {
    parse(sample, {
      ...parserOptions(delimiter),
      to: HEADING_WITHIN_RECORDS,
      raw: true,
      // With the option `raw`, the CSV parser returns other values than its types state.
      on_record: (parsed: unknown) => {
        const { record, raw } = parsed as { record: string[]; raw: string };
        const isOpen = record.some((cell) => cell.includes('\n')) && findOpenQuote(raw, delimiter) !== undefined;
        records.push(isOpen ? firstLineCells(raw, delimiter) : record);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (typeof error['raw'] === 'string') records.push(firstLineCells(error['raw'], delimiter));
  }
  return records;
}

function firstLineCells(raw: string, delimiter: Delimiter): string[] {
  const [line = ''] = raw.trimStart().split(/[\r\n]/, 1);
  return line.split(delimiter).map((cell) => cell.replaceAll('"', '').trim());
}
