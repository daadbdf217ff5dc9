import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { negated, readAmount } from './amounts.js';
import type { DecimalMark } from './amounts.js';
import { currencyIn, meaningOf } from './currencies.js';
import { readDate } from './dates.js';
import type { DateOrder } from './dates.js';
import type { LedgerRecord } from './ledger.js';
import type { ScanField, ScanRow } from './scan-row.js';

/** Lengths that the service takes, in characters. */
const NAME_LENGTH_MAX = 400;
const TEXT_LENGTH_MAX = 200;

/** How the cells of a file are to be read. */
export interface Conventions {
  readonly decimal: DecimalMark;
  readonly dates: DateOrder;
  /** The currency of rows that name none; undefined: the service takes the base currency of the organization. */
  readonly currency: string | undefined;
  /** The ledger books what it owes with a minus. */
  readonly negate: boolean;
}

/** Why a record of the file is not sent. */
export type SkipReason = 'NOT_AN_INVOICE' | 'HEADING_REPEATED' | 'FAULTY';

export interface SkippedRecord {
  readonly line: number;
  readonly reason: SkipReason;
}

/** A cell that cannot be sent as it is. */
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

/** Whether a record is a row of the ledger and not a total, a note or a heading. */
export function kindOf({ cells, repeatsHeading }: LedgerRecord): 'INVOICE' | 'NOT_AN_INVOICE' | 'HEADING_REPEATED' {
  if (repeatsHeading) return 'HEADING_REPEATED';
  const { supplierName, invoiceNumber, issueDate } = cells;
  // A total has its word in any of these columns, and nothing in the others.
  const told = [supplierName, invoiceNumber, issueDate].filter((cell) => cell !== undefined);
  return told.length >= 2 ? 'INVOICE' : 'NOT_AN_INVOICE';
}

/** Reads every record; each of them ends in exactly one of the three lists, a faulty one with one entry per cell. */
export function readRows(records: readonly LedgerRecord[], conventions: Conventions): ReadRows {
  const rows: ScanRow[] = [];
  const skipped: SkippedRecord[] = [];
  const faults: Fault[] = [];
  for (const record of records) {
    const kind = kindOf(record);
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

/** What people write into an optional cell that has nothing. */
function isPlaceholder(cell: string | undefined): boolean {
  return cell !== undefined && /^(?:[-–—.]+|n\/?a|#n\/?a|null|none)$/i.test(cell);
}

/** A spreadsheet has turned a long number into `1,23457E+11`: its last digits are lost. */
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

/** The column decides, then what the amount says; both together must agree. */
function currencyOf(
  cell: string | undefined,
  inAmount: string | undefined,
  fallback: string | undefined,
  issueDate: string,
): CurrencyOfRow {
  const inColumn = cell === undefined || isPlaceholder(cell) ? undefined : currencyIn(cell);
  if (cell !== undefined && !isPlaceholder(cell) && inColumn === undefined) {
    return { field: 'currency', fault: `"${cell}" is not a currency: an ISO 4217 code such as EUR is` };
  }
  const named = inColumn ?? inAmount;
  if (named === undefined) return { code: fallback };
  const field = inColumn === undefined ? 'grossAmount' : 'currency';
  const meaning = meaningOf(named, fallback);
  if ('oneOf' in meaning) {
    return { field, fault: `"${named}" can be ${meaning.oneOf.join(', ')}: say which with --currency` };
  }
  // `$` beside a column that says CAD is the Canadian dollar.
  const beside = inColumn === undefined || inAmount === undefined ? undefined : meaningOf(inAmount, meaning.code);
  if (beside !== undefined && (!('code' in beside) || beside.code !== meaning.code)) {
    return { field: 'grossAmount', fault: `is in ${inAmount} while the currency column says ${meaning.code}` };
  }
  const valid = issueDate === '' ? { code: meaning.code } : invoiceCurrency(meaning.code, issueDate);
  return 'code' in valid ? valid : { field, fault: valid.refusal };
}

type UkAccount =
  | { readonly pair: { readonly bankSortCode?: string; readonly bankAccountNumber?: string } }
  | { readonly field: ScanField; readonly fault: string };

/** Half a pair is no account (specification 2.9), and other countries' account numbers stand in the same column. */
function ukAccountOf(sortCode: string | undefined, accountNumber: string | undefined): UkAccount {
  if (!sortCode || !accountNumber) return { pair: {} };
  // Spreadsheets drop the zeros at the front of what looks like a number.
  const digits = sortCode.replaceAll(/[\s-]/g, '').padStart(6, '0');
  const account = accountNumber.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(digits))
    return { field: 'bankSortCode', fault: `"${sortCode}" is not a sort code of six digits` };
  if (!/^\d{6,8}$/.test(account)) {
    return { field: 'bankAccountNumber', fault: `"${accountNumber}" is not an account number of six to eight digits` };
  }
  return { pair: { bankSortCode: digits, bankAccountNumber: account } };
}
