import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { cleanLine } from '@invoicecontrol/values/readable-text';
import { columnName, mapColumns } from './columns.js';
import type { ColumnMapping, Overrides } from './columns.js';
import { findLayout, parserOptions } from './delimiter.js';
import type { Layout } from './delimiter.js';
import { createDecoder, createEncodingDetector } from './encoding.js';
import type { Encoding } from './encoding.js';
import { countLineBreaks, findOpenQuote } from './open-quote.js';
import { scanFields } from './scan-row.js';
import type { ScanField } from './scan-row.js';
import { UsageError } from './usage-error.js';

/** Maximum number of rows of a ledger, which are sorted in memory: with 200,000 rows the process takes 330 MB. */
const ROWS_MAX = 500_000;
/** Number of bytes at the beginning of the CSV file in which delimiter and heading are detected. */
const SAMPLE_BYTES = 256 * 1024;

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
 * Detects the encoding, delimiter and heading of the CSV file. The function reads all bytes and keeps only the
 * beginning.
 * @param encoding undefined if it is to be detected
 * @throws UsageError when the file cannot be read or is not text
 */
export async function inspectLedger(
  path: string,
  overrides: Overrides,
  encoding: Encoding | undefined,
): Promise<LedgerForm> {
  await requireFile(path);
  const detector = createEncodingDetector();
  const head: Buffer[] = [];
  let headBytes = 0;
  for await (const bytes of bytesOf(path)) {
    detector.add(bytes);
    if (headBytes < SAMPLE_BYTES) head.push(bytes);
    headBytes += bytes.length;
  }
  const found = encoding ?? detector.end();
  const decode = createDecoder(found);
  const text = decode(Buffer.concat(head)) + decode();
  const isWhole = headBytes <= SAMPLE_BYTES;
  const sample = isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1);
  if (sample.trim() === '') throw new UsageError('The file is empty.');
  const layout = findLayout(sample, overrides);
  return { encoding: found, ...layout, ...mapColumns(layout.header, overrides) };
}

/**
 * Returns the records below the heading of the CSV file, in the order of the file.
 * @throws UsageError with the line of the error when the file is not a table
 */
export async function readLedger(path: string, form: LedgerForm, rowsMax = ROWS_MAX): Promise<LedgerRecord[]> {
  const records: LedgerRecord[] = [];
  const heading = JSON.stringify(form.header);
  let toSkip = form.recordsAbove + 1;
  let linesRead = 0;
  const text = Readable.from(textOf(path, form.encoding));
  const parser = parse({ ...parserOptions(form.delimiter), raw: true });
  // The Node.js function `pipeline` is not used to read the CSV file, because it reports an error of this loop as its
  // own AbortError.
  text.on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, raw } of text.pipe(parser) as AsyncIterable<{ record: string[]; raw: string }>) {
      const line = linesRead + 1 + emptyLinesAbove(raw);
      if (record.some((cell) => cell.includes('\n'))) refuseOpenQuote(raw, form, linesRead);
      linesRead += countLineBreaks(raw);
      if (toSkip > 0) {
        toSkip -= 1;
        continue;
      }
      if (records.length === rowsMax) {
        throw new UsageError(`The file has more than ${rowsMax} rows. Split it, by year for example.`);
      }
      records.push({ line, cells: pick(record, form), repeatsHeading: JSON.stringify(record) === heading });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const raw = typeof error['raw'] === 'string' ? error['raw'] : '';
    refuseOpenQuote(raw, form, linesRead);
    throw new UsageError(`Line ${linesRead + 1 + emptyLinesAbove(raw)} is not a row of a table: ${error.message}`);
  } finally {
    text.destroy();
  }
  return records;
}

/**
 * Refuses a file in which a quotation mark is not closed.
 * @throws UsageError that names the line and the cell in which a quotation mark is not closed
 */
function refuseOpenQuote(raw: string, { delimiter, header }: LedgerForm, linesRead: number): void {
  const found = findOpenQuote(raw, delimiter);
  if (found === undefined) return;
  throw new UsageError(
    `Line ${linesRead + 1 + found.linesBefore}, ${columnName(header, found.column)}: ` +
      'the cell begins with a quotation mark that is not closed. ' +
      'Close it at the end of the cell; write a quotation mark within the text twice.',
  );
}

async function requireFile(path: string): Promise<void> {
  try {
    if ((await stat(path)).isFile()) return;
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`);
  }
  throw new UsageError(`${path} is not a file.`);
}

async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}

async function* textOf(path: string, encoding: Encoding): AsyncGenerator<string> {
  const decode = createDecoder(encoding);
  for await (const bytes of bytesOf(path)) yield decode(bytes);
  yield decode();
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
function emptyLinesAbove(raw: string): number {
  return countLineBreaks(/^[\r\n]*/.exec(raw)?.[0] ?? '');
}
