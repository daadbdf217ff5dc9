import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { mapColumns } from './columns.js';
import type { ColumnMapping, Overrides } from './columns.js';
import { findLayout, parserOptions } from './delimiter.js';
import type { Layout } from './delimiter.js';
import { createDecoder, createEncodingDetector } from './encoding.js';
import type { Encoding } from './encoding.js';
import { scanFields } from './scan-row.js';
import type { ScanField } from './scan-row.js';
import { UsageError } from './usage-error.js';

/** Rows are sorted in memory: with 200,000 the process takes 330 MB. */
const RECORDS_MAX = 500_000;
/** Size of the beginning in which delimiter and heading are detected. */
const SAMPLE_BYTES = 256 * 1024;

/** A record of the file with its mapped cells; several lines if a cell has line breaks. */
export interface LedgerRecord {
  /** The line on which it begins. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<ScanField, string>>>;
  /** Whether it repeats the heading, as in joined exports. */
  readonly repeatsHeading: boolean;
}

/** Encoding, layout and columns of a file. */
export interface LedgerForm extends Layout, ColumnMapping {
  readonly encoding: Encoding;
}

/**
 * Detects the form of the file. Reads all bytes, keeps only the beginning.
 * @param encoding undefined: detect it
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
 * The records below the heading, in the order of the file.
 * @throws UsageError when the file is not a table, with the line of the error
 */
export async function readLedger(path: string, form: LedgerForm): Promise<LedgerRecord[]> {
  const records: LedgerRecord[] = [];
  const heading = JSON.stringify(form.header);
  let toSkip = form.recordsAbove + 1;
  const parser = parse({ ...parserOptions(form.delimiter), info: true });
  try {
    await pipeline(Readable.from(textOf(path, form.encoding)), parser, async (parsed) => {
      for await (const { record, info } of parsed as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
        if (toSkip > 0) {
          toSkip -= 1;
          continue;
        }
        if (records.length === RECORDS_MAX) {
          throw new UsageError(`The file has more than ${RECORDS_MAX} rows. Split it, by year for example.`);
        }
        records.push({
          line: info.lines - lineBreaksIn(record),
          cells: pick(record, form),
          repeatsHeading: JSON.stringify(record) === heading,
        });
      }
    });
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(explain(error)) : error;
  }
  return records;
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
 * The visible text of a cell: line breaks become blanks, and the spreadsheet notations for text, `="007"` and `'007`, are
 * removed.
 */
function cleanCell(cell: string): string {
  const visible = cell
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  const asText = /^="(.*)"$/.exec(visible)?.[1]?.replaceAll('""', '"') ?? visible;
  return asText.replace(/^'(?=[\d+=@-])/, '').trim();
}

/** The parser reports the last line of a record; subtracting these gives the first one. */
function lineBreaksIn(record: readonly string[]): number {
  return record.reduce((sum, cell) => sum + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0);
}

function explain(error: CsvError): string {
  const line = typeof error['lines'] === 'number' ? error['lines'] : undefined;
  const where = line === undefined ? 'The file' : `Line ${line}`;
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return `${where}: a cell has an unclosed quotation mark. Close it, or double it inside quotes.`;
    default:
      return `${where} is not a table: ${error.message}`;
  }
}
