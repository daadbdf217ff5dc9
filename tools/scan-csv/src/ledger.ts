import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { emptyLinesAbove, toRecord } from '@invoicecontrol/ledger-csv/ledger-record';
import type { LedgerForm, LedgerRecord } from '@invoicecontrol/ledger-csv/ledger-record';
import { columnName, mapColumns } from '@invoicecontrol/ledger-csv/columns';
import type { Overrides } from '@invoicecontrol/ledger-csv/columns';
import { findLayout, parserOptions } from '@invoicecontrol/ledger-csv/delimiter';
import { createDecoder, createEncodingDetector } from '@invoicecontrol/ledger-csv/encoding';
import type { Encoding } from '@invoicecontrol/ledger-csv/encoding';
import { countLineBreaks, findOpenQuote } from '@invoicecontrol/ledger-csv/open-quote';
import { UsageError } from '@invoicecontrol/ledger-csv/usage-error';

/** Maximum number of rows of a ledger, which are sorted in memory: with 200,000 rows the process takes 330 MB. */
const ROWS_MAX = 500_000;
/** Number of bytes at the beginning of the CSV file in which delimiter and heading are detected. */
const SAMPLE_BYTES = 256 * 1024;

/**
 * Detects the encoding, delimiter and heading of the CSV file. The function reads the whole file for the encoding, but
 * keeps only its beginning.
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
      records.push(toRecord(record, form, line));
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
