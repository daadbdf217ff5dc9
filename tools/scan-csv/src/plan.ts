import type { DecimalMark } from '@invoicecontrol/ledger-csv/amounts';
import { planChunks, repeatedExternalIds } from './chunks.js';
import type { Chunk } from './chunks.js';
import { columnName } from '@invoicecontrol/ledger-csv/columns';
import type { DateOrder } from '@invoicecontrol/ledger-csv/dates';
import type { LedgerForm, LedgerRecord } from '@invoicecontrol/ledger-csv/ledger-record';
import type { Options } from './options.js';
import { printable } from '@invoicecontrol/ledger-csv/printable';
import { counted } from './text-table.js';
import { decideDateOrder, decideDecimalMark } from '@invoicecontrol/ledger-csv/formats';
import { readRows } from '@invoicecontrol/ledger-csv/rows';
import type { Conventions, Fault, SkippedRecord } from '@invoicecontrol/ledger-csv/rows';
import type { ScanField, ScanRow } from '@invoicecontrol/ledger-csv/scan-row';
import type { Decision } from '@invoicecontrol/ledger-csv/two-readings';
import { UsageError } from '@invoicecontrol/ledger-csv/usage-error';

/** Maximum number of faults of the CSV file that are printed. A wrong option causes one fault per row. */
const FAULTS_SHOWN_MAX = 20;

/** The invoice rows to send, and the formats with which the CSV file was read. */
export interface Plan {
  readonly form: LedgerForm;
  readonly conventions: Conventions;
  readonly recordsRead: number;
  readonly chunks: readonly Chunk[];
  readonly rowsToSend: number;
  readonly skipped: readonly SkippedRecord[];
  /** Warnings that are printed before the rows of the CSV file are sent. */
  readonly notes: readonly string[];
}

type PlanOptions = Pick<Options, 'decimal' | 'dates' | 'currency' | 'negate' | 'skipFaulty'>;

/**
 * Checks that all required CSV columns were found.
 * @throws UsageError for missing columns; the message names the options that select them
 */
export function requireColumns({ faults, header }: LedgerForm): void {
  if (faults.length === 0) return;
  const columns = header.map((_, column) => columnName(header, column)).join(', ');
  throw new UsageError(
    ['The columns are not clear:', ...faults.map((fault) => `  ${fault}`), `Columns of the file: ${columns}`].join(
      '\n',
    ),
  );
}

/**
 * Decides which rows of a ledger are sent, in which requests.
 * @throws UsageError for missing columns, ambiguous formats, and unreadable rows unless they are to be skipped
 */
export function planLedger(form: LedgerForm, records: readonly LedgerRecord[], options: PlanOptions): Plan {
  const conventions = decideConventions(form, records, options);
  const { rows, skipped, faults } = readRows(records, conventions);
  if (faults.length > 0 && !options.skipFaulty) throw new UsageError(explainFaults(faults, form));
  const faultyLines = [...new Set(faults.map(({ line }) => line))];
  if (rows.length === 0) {
    const left = skipped.length + faultyLines.length;
    throw new UsageError(
      `The file has no rows to send: ${counted(records.length, 'row')} below the heading, ${left} skipped.`,
    );
  }
  const chunks = planChunks(rows);
  return {
    form,
    conventions,
    recordsRead: records.length,
    chunks,
    rowsToSend: rows.length,
    skipped: [...skipped, ...faultyLines.map((line): SkippedRecord => ({ line, reason: 'FAULTY' }))].sort(
      (a, b) => a.line - b.line,
    ),
    notes: [...encodingNotes(form), ...signNotes(rows), ...externalIdNotes(chunks, form)],
  };
}

function decideConventions(form: LedgerForm, records: readonly LedgerRecord[], options: PlanOptions): Conventions {
  const decimal: Decision<DecimalMark> =
    options.decimal === undefined ? decideDecimalMark(records) : { kind: 'decided', reading: options.decimal };
  const dates: Decision<DateOrder> =
    options.dates === undefined ? decideDateOrder(records) : { kind: 'decided', reading: options.dates };
  if (decimal.kind === 'decided' && dates.kind === 'decided') {
    const currency = options.currency ?? form.headingCurrency;
    return { decimal: decimal.reading, dates: dates.reading, currency, negate: options.negate };
  }
  const decimalNames = { comma: 'a decimal comma', point: 'a decimal point' };
  const dateNames = { dmy: 'the day first', mdy: 'the month first' };
  throw new UsageError(
    [
      ...openQuestion(decimal, { column: nameOf(form, 'grossAmount'), option: 'decimal', names: decimalNames }),
      ...openQuestion(dates, { column: nameOf(form, 'issueDate'), option: 'dates', names: dateNames }),
    ].join('\n'),
  );
}

interface Question<Reading extends string> {
  readonly column: string;
  readonly option: string;
  readonly names: Readonly<Record<Reading, string>>;
}

/** Returns a question about a format that the CSV cells do not determine, with the command-line options that set it. */
function openQuestion<Reading extends string>(
  decision: Decision<Reading>,
  { column, option, names }: Question<Reading>,
): string[] {
  if (decision.kind === 'decided') return [];
  const readings = Object.keys(names) as Reading[];
  const choose = `--${option} ${readings.join(' or ')}`;
  if (decision.kind === 'ambiguous') {
    const { example, results } = decision;
    const meanings = readings.map((reading) => `${results[reading]} (--${option} ${reading})`).join(' or ');
    return [
      `Column ${column}: "${printable(example.text)}" in line ${example.line} can be ${meanings}, and no other cell shows which. Choose with ${choose}.`,
    ];
  }
  const { examples } = decision;
  const seen = readings.map(
    (reading) => `"${printable(examples[reading].text)}" in line ${examples[reading].line} has ${names[reading]}`,
  );
  return [
    `Column ${column} has two formats: ${seen.join(', ')}. Correct the file, or choose with ${choose}: cells in the other format are then faults.`,
  ];
}

function explainFaults(faults: readonly Fault[], form: LedgerForm): string {
  const rows = new Set(faults.map(({ line }) => line)).size;
  const shown = faults
    .slice(0, FAULTS_SHOWN_MAX)
    .map(({ line, field, message }) => `  line ${line}, ${nameOf(form, field)}: ${printable(message, 200)}`);
  const rest = faults.length - shown.length;
  return [
    `${counted(rows, 'row')} cannot be read, so nothing was sent:`,
    ...shown,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    'Correct the file, or skip these rows with --skip-faulty.',
  ].join('\n');
}

/**
 * Returns the number and heading of a CSV column, for example `#3 "Betrag"`, or the name of the field if the file has
 * no column for it.
 */
export function nameOf({ header, columns }: LedgerForm, field: ScanField): string {
  const column = columns[field];
  return column === undefined ? field : columnName(header, column);
}

function encodingNotes({ encoding }: LedgerForm): string[] {
  if (encoding !== 'windows-1252') return [];
  return [
    'The file is not UTF-8 and was read as windows-1252. If letters are wrong, set the encoding: --encoding windows-1250 for Polish, Czech and Hungarian.',
  ];
}

function signNotes(rows: readonly ScanRow[]): string[] {
  const negative = rows.filter(({ grossAmount }) => grossAmount.startsWith('-')).length;
  if (negative * 2 <= rows.length) return [];
  return [
    `${negative} of ${counted(rows.length, 'amount')} negative: they are sent as credit notes. If the ledger has negative liabilities, run with --negate.`,
  ];
}

function externalIdNotes(chunks: readonly Chunk[], form: LedgerForm): string[] {
  const repeated = repeatedExternalIds(chunks);
  const [first] = repeated;
  if (first === undefined) return [];
  return [
    `${counted(repeated.length, 'row')} repeat${repeated.length === 1 ? 's' : ''} the externalId of an earlier row (${nameOf(form, 'externalId')}, first in line ${first.sourceRowNumber}): the service will skip them. If this column does not identify invoices, run with --map externalId=`,
  ];
}
