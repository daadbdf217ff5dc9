import { decimalMarks, readAmount } from './amounts.js';
import type { DecimalMark } from './amounts.js';
import { dateOrders, readDate } from './dates.js';
import type { DateOrder } from './dates.js';
import type { LedgerRecord } from './ledger-record.js';
import { classifyRecord } from './rows.js';
import type { ScanField } from './scan-row.js';
import { decideReading } from './two-readings.js';
import type { Cell, Decision } from './two-readings.js';

/** Detects whether the amounts of a ledger have a decimal comma or a decimal point. */
export function decideDecimalMark(records: readonly LedgerRecord[]): Decision<DecimalMark> {
  return decideReading(readCells(records, 'grossAmount'), decimalMarks, (text, mark) => readAmount(text, mark)?.amount);
}

/** Detects whether the dates of a ledger have the day or the month first. */
export function decideDateOrder(records: readonly LedgerRecord[]): Decision<DateOrder> {
  return decideReading(readCells(records, 'issueDate'), dateOrders, readDate);
}

function* readCells(records: readonly LedgerRecord[], field: ScanField): Generator<Cell> {
  for (const record of records) {
    const text = record.cells[field];
    if (text !== undefined && classifyRecord(record) === 'INVOICE') yield { line: record.line, text };
  }
}
