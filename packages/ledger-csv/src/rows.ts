import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { negated, readAmount } from './amounts.js';
import type { DecimalMark } from './amounts.js';
import { currencyIn, meaningOf } from './currencies.js';
import { readDate } from './dates.js';
import type { DateOrder } from './dates.js';
import type { LedgerRecord } from './ledger-record.js';
import type { ScanField, ScanRow } from './scan-row.js';

/** Maximum lengths, in characters, that the scan service allows for texts in a row. */
const NAME_LENGTH_MAX = 400;
const TEXT_LENGTH_MAX = 200;

/** The formats of the cells in a ledger file. */
export interface Conventions {
  readonly decimal: DecimalMark;
  readonly dates: DateOrder;
  /** The currency of rows without a currency. If undefined, the service uses the base currency of the organization. */
  readonly currency: string | undefined;
  /** True if the ledger lists liabilities as negative amounts. */
  readonly negate: boolean;
}

/** Reason why a record of the CSV file is not sent. */
export type SkipReason = 'NOT_AN_INVOICE' | 'HEADING_REPEATED' | 'FAULTY';

export interface SkippedRecord {
  readonly line: number;
  readonly reason: SkipReason;
}

/** Reason why a cell of the CSV file cannot be sent. */
export interface Fault {
  readonly line: number;
  readonly field: ScanField;
  readonly message: string;
}

export interface ReadRows {
  readonly rows: readonly ScanRow[];
  readonly skipped: readonly SkippedRecord[];
  readonly faults: readonly Fault[];
}

/** Checks whether a record of the ledger file is an invoice, or else a repeated heading, a total or a note. */
export function classifyRecord({
  cells,
  repeatsHeading,
}: LedgerRecord): 'INVOICE' | 'NOT_AN_INVOICE' | 'HEADING_REPEATED' {
  if (repeatsHeading) return 'HEADING_REPEATED';
  const { supplierName, invoiceNumber, issueDate } = cells;
  // A ledger row with a total states at most one of supplier, invoice number and issue date.
  const filledCells = [supplierName, invoiceNumber, issueDate].filter((cell) => cell !== undefined);
  return filledCells.length >= 2 ? 'INVOICE' : 'NOT_AN_INVOICE';
}

/**
 * Reads every record of the CSV file as a row to send, as a skipped record, or as a record with faults. A faulty record
 * has one fault for each faulty cell.
 */
export function readRows(records: readonly LedgerRecord[], conventions: Conventions): ReadRows {
  const rows: ScanRow[] = [];
  const skipped: SkippedRecord[] = [];
  const faults: Fault[] = [];
  for (const record of records) {
    const kind = classifyRecord(record);
    if (kind !== 'INVOICE') {
      skipped.push({ line: record.line, reason: kind });
      continue;
    }
    const read = readRow(record, conventions);
    if ('faults' in read) faults.push(...read.faults);
    else rows.push(read.row);
  }
  return { rows, skipped, faults };
}

function readRow(
  { line, cells }: LedgerRecord,
  conventions: Conventions,
): { readonly row: ScanRow } | { readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const refuse = (field: ScanField, message: string): '' => {
    faults.push({ line, field, message });
    return '';
  };
  const text = (field: ScanField, lengthMax = TEXT_LENGTH_MAX): string | undefined => {
    const cell = cells[field];
    if (cell === undefined) return undefined;
    if (isLongerThan(cell, lengthMax)) return refuse(field, `has more than ${lengthMax} characters`);
    if (field !== 'supplierName' && isShortened(cell)) {
      return refuse(field, `"${cell}" was shortened by a spreadsheet: export the column as text`);
    }
    return cell;
  };
  const required = (field: ScanField, lengthMax?: number): string =>
    text(field, lengthMax) ?? refuse(field, 'is empty');
  const optional = (field: ScanField): string | undefined => (isPlaceholder(cells[field]) ? undefined : text(field));

  const supplierName = required('supplierName', NAME_LENGTH_MAX);
  const invoiceNumber = required('invoiceNumber');
  const dateCell = required('issueDate');
  const issueDate =
    dateCell && (readDate(dateCell, conventions.dates) ?? refuse('issueDate', notADate(dateCell, conventions)));
  const amountCell = required('grossAmount');
  const amount = amountCell === '' ? undefined : readAmount(amountCell, conventions.decimal);
  if (amountCell !== '' && amount === undefined) refuse('grossAmount', notAnAmount(amountCell, conventions));

  const currency = currencyOf(cells.currency, amount?.currency, conventions.currency, issueDate);
  if ('fault' in currency) refuse(currency.field, currency.fault);

  const account = ukAccountOf(optional('bankSortCode'), optional('bankAccountNumber'));
  if ('fault' in account) refuse(account.field, account.fault);

  const row = {
    supplierName,
    ...only('supplierTaxId', optional('supplierTaxId')),
    invoiceNumber,
    issueDate,
    ...('code' in currency ? only('currency', currency.code) : {}),
    grossAmount: conventions.negate ? negated(amount?.amount ?? '') : (amount?.amount ?? ''),
    ...only('purchaseOrderRef', optional('purchaseOrderRef')),
    ...only('bankIban', optional('bankIban')),
    ...('pair' in account ? account.pair : {}),
    ...only('externalId', optional('externalId')),
    sourceRowNumber: line,
  };
  return faults.length > 0 ? { faults } : { row };
}

function only<Name extends ScanField>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, string>);
}

/** Checks whether the text of a CSV cell means an empty cell. */
function isPlaceholder(cell: string | undefined): boolean {
  return cell !== undefined && /^(?:[-–—.]+|n\/?a|#n\/?a|null|none)$/i.test(cell);
}

/**
 * Checks for CSV numbers such as `1,23457E+11`, in which a spreadsheet has removed the last digits of a long number.
 */
function isShortened(cell: string): boolean {
  return /^\d[.,]\d+E\+?\d+$/i.test(cell);
}

function notADate(cell: string, { dates }: Conventions): string {
  const order = dates === 'dmy' ? 'day, month, year' : 'month, day, year';
  return `"${cell}" is not a date (${order})`;
}

function notAnAmount(cell: string, { decimal }: Conventions): string {
  return `"${cell}" is not an amount with a decimal ${decimal}`;
}

type CurrencyOfRow = { readonly code: string | undefined } | { readonly field: ScanField; readonly fault: string };

/**
 * Returns the currency from its column, or from the amount if the column is empty. The two currencies must not
 * contradict each other.
 */
function currencyOf(
  cell: string | undefined,
  inAmount: string | undefined,
  fallback: string | undefined,
  issueDate: string,
): CurrencyOfRow {
  const inColumn = cell === undefined || isPlaceholder(cell) ? undefined : currencyIn(cell);
  if (cell !== undefined && !isPlaceholder(cell) && inColumn === undefined) {
    return { field: 'currency', fault: `"${cell}" is not a currency: use an ISO 4217 code such as EUR` };
  }
  const named = inColumn ?? inAmount;
  if (named === undefined) return { code: fallback };
  const field = inColumn === undefined ? 'grossAmount' : 'currency';
  const meaning = meaningOf(named, fallback);
  if ('oneOf' in meaning) {
    return { field, fault: `"${named}" can be ${meaning.oneOf.join(', ')}: choose with --currency` };
  }
  // The sign `$` in an amount means the Canadian dollar if the currency column states CAD.
  const beside = inColumn === undefined || inAmount === undefined ? undefined : meaningOf(inAmount, meaning.code);
  if (beside !== undefined && (!('code' in beside) || beside.code !== meaning.code)) {
    return { field: 'grossAmount', fault: `is in ${inAmount}, but the currency column says ${meaning.code}` };
  }
  const valid = issueDate === '' ? { code: meaning.code } : invoiceCurrency(meaning.code, issueDate);
  return 'code' in valid ? valid : { field, fault: valid.refusal };
}

type UkAccount =
  | { readonly pair: { readonly bankSortCode?: string; readonly bankAccountNumber?: string } }
  | { readonly field: ScanField; readonly fault: string };

/**
 * A UK bank account needs both a sort code and an account number (specification 2.9). An account number without a sort
 * code is ignored, because the column may also contain account numbers of other countries.
 */
function ukAccountOf(sortCode: string | undefined, accountNumber: string | undefined): UkAccount {
  if (!sortCode || !accountNumber) return { pair: {} };
  // Leading zeros of a UK sort code are restored, because spreadsheets drop them.
  const digits = sortCode.replaceAll(/[\s-]/g, '').padStart(6, '0');
  const account = accountNumber.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(digits))
    return { field: 'bankSortCode', fault: `"${sortCode}" is not a sort code of six digits` };
  if (!/^\d{6,8}$/.test(account)) {
    return { field: 'bankAccountNumber', fault: `"${accountNumber}" is not an account number of six to eight digits` };
  }
  return { pair: { bankSortCode: digits, bankAccountNumber: account } };
}
