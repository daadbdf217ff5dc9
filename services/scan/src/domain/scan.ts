import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** Rows of one scan (specification 8). */
export const SCAN_ROWS_MAX = 5_000;

/** What is asked of a row to tell whether it is skipped. */
export interface IdentifiedRow {
  /** The invoice's id in the system it was exported from; unique in a company. */
  readonly externalId?: string | undefined;
  /** Where the row stands in the caller's file; may repeat. */
  readonly sourceRowNumber: number;
}

export type SkipReason = 'ALREADY_IMPORTED' | 'DUPLICATE_EXTERNAL_ID_IN_FILE';

/** A row that is not analyzed, by its index in the request. */
export interface Skip {
  readonly position: number;
  readonly reason: SkipReason;
}

/** A row that was not analyzed, as its sender knows it. */
export interface SkippedRow {
  readonly sourceRowNumber: number;
  readonly externalId: string;
  readonly reason: SkipReason;
}

/** What a finished scan says of its rows. */
export interface ScanResult {
  readonly invoicesAnalyzed: number;
  readonly rowsSkipped: number;
  /** Total gross in the base currency, printed with its minor units; rows without an exchange rate are left out. */
  readonly analyzedValue: DecimalAmount;
  readonly analyzedValueCurrency: string;
  /** Analyzed rows without an exchange rate. */
  readonly unconvertedInvoices: number;
  /** By decision: PASS, REVIEW and BLOCK, also when none. */
  readonly decisionCounts: Readonly<Record<string, number>>;
  /** By finding type. */
  readonly findingCounts: Readonly<Record<string, number>>;
}
