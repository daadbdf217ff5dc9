import { decimalMarks, readAmount } from './amounts.js';
import type { DecimalMark } from './amounts.js';
import { planChunks, repeatedExternalIds } from './chunks.js';
import type { Chunk } from './chunks.js';
import { columnName } from './columns.js';
import { dateOrders, readDate } from './dates.js';
import type { DateOrder } from './dates.js';
import type { LedgerForm, LedgerRecord } from './ledger.js';
import type { Options } from './options.js';
import { counted, printable } from './printable.js';
import { kindOf, readRows } from './rows.js';
import type { Conventions, Fault, SkippedRecord } from './rows.js';
import type { ScanField, ScanRow } from './scan-row.js';
import { decideReading } from './two-readings.js';
import type { Cell, Decision } from './two-readings.js';
import { UsageError } from './usage-error.js';

/** So many faults are printed; a wrong option makes one of every row. */
const FAULTS_SHOWN_MAX = 20;

/** What will be sent of a file, and how it was read. */
export interface Plan {
  readonly form: LedgerForm;
  readonly conventions: Conventions;
  readonly recordsRead: number;
  readonly chunks: readonly Chunk[];
  readonly rowsToSend: number;
  readonly skipped: readonly SkippedRecord[];
  /** What somebody should know before it is sent. */
  readonly notes: readonly string[];
}

type PlanOptions = Pick<Options, 'decimal' | 'dates' | 'currency' | 'negate' | 'skipFaulty'>;

/** @throws UsageError where the file leaves open how it is meant; the message has every open question with its answer */
export function requireColumns({ faults, header }: LedgerForm): void {
  if (faults.length === 0) return;
  const columns = header.map((_, column) => columnName(header, column)).join(', ');
  throw new UsageError(
    ['The columns are not clear:', ...faults.map((fault) => `  ${fault}`), `Columns of the file: ${columns}`].join(
      '\n',
    ),
  );
}

/** @throws UsageError as {@link requireColumns}, and for rows that cannot be read unless they are to be left out */
export function planLedger(form: LedgerForm, records: readonly LedgerRecord[], options: PlanOptions): Plan {
  const conventions = decideConventions(form, records, options);
  const { rows, skipped, faults } = readRows(records, conventions);
  if (faults.length > 0 && !options.skipFaulty) throw new UsageError(explainFaults(faults, form));
  const faultyLines = [...new Set(faults.map(({ line }) => line))];
  if (rows.length === 0) {
    const left = skipped.length + faultyLines.length;
    throw new UsageError(
      `There is no row to send: ${counted(records.length, 'row')} below the heading, ${left} left out.`,
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
    options.decimal === undefined
      ? decideReading(cellsOf(records, 'grossAmount'), decimalMarks, (text, mark) => readAmount(text, mark)?.amount)
      : { kind: 'decided', reading: options.decimal };
  const dates: Decision<DateOrder> =
    options.dates === undefined
      ? decideReading(cellsOf(records, 'issueDate'), dateOrders, readDate)
      : { kind: 'decided', reading: options.dates };
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

function* cellsOf(records: readonly LedgerRecord[], field: ScanField): Generator<Cell> {
  for (const record of records) {
    const text = record.cells[field];
    if (text !== undefined && kindOf(record) === 'INVOICE') yield { line: record.line, text };
  }
}

interface Question<Reading extends string> {
  readonly column: string;
  readonly option: string;
  readonly names: Readonly<Record<Reading, string>>;
}

/** What only a person can decide, with the options that do; nothing where the cells did. */
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
      `Column ${column}: "${printable(example.text)}" in line ${example.line} can be ${meanings}, and no other cell tells which. Say it with ${choose}.`,
    ];
  }
  const { examples } = decision;
  const seen = readings.map(
    (reading) => `"${printable(examples[reading].text)}" in line ${examples[reading].line} has ${names[reading]}`,
  );
  return [
    `Column ${column} is written in two ways: ${seen.join(', ')}. Correct the file, or say which is right with ${choose}: cells that are written otherwise are then faults.`,
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
    'Correct the file, or run with --skip-faulty to leave these rows out.',
  ].join('\n');
}

/** `#3 "Betrag"`; the name of the field where the file has no column for it. */
export function nameOf({ header, columns }: LedgerForm, field: ScanField): string {
  const column = columns[field];
  return column === undefined ? field : columnName(header, column);
}

function encodingNotes({ encoding }: LedgerForm): string[] {
  if (encoding !== 'windows-1252') return [];
  return [
    'The file is not UTF-8 and was read as windows-1252. If letters look wrong, name its encoding: --encoding windows-1250 for Polish, Czech and Hungarian.',
  ];
}

function signNotes(rows: readonly ScanRow[]): string[] {
  const negative = rows.filter(({ grossAmount }) => grossAmount.startsWith('-')).length;
  if (negative * 2 <= rows.length) return [];
  return [
    `${negative} of ${counted(rows.length, 'amount')} negative, which makes credit notes of them. If the ledger books what it owes with a minus, run with --negate.`,
  ];
}

function externalIdNotes(chunks: readonly Chunk[], form: LedgerForm): string[] {
  const repeated = repeatedExternalIds(chunks);
  const [first] = repeated;
  if (first === undefined) return [];
  return [
    `The externalId of an earlier row stands in ${counted(repeated.length, 'row')} (${nameOf(form, 'externalId')}, first in line ${first.sourceRowNumber}): the service will skip them. If this column does not tell invoices apart, run with --map externalId=`,
  ];
}
