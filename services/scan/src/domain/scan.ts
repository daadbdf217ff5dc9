import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** Rows of one scan (specification 8). */
export const SCAN_ROWS_MAX = 5_000;

/** The fields of a row that decide whether it is skipped. */
export interface IdentifiedRow {
  /** The invoice's id in the system it was exported from; unique in a company. */
  readonly externalId?: string | undefined;
  /** Number of the row in the caller's file; may repeat. */
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

/** The result of a finished scan about its rows. */
export interface ScanResult {
  readonly invoicesAnalyzed: number;
  readonly rowsSkipped: number;
  /** Total gross in the base currency, printed with its minor units; rows without an exchange rate are left out. */
  readonly analyzedValue: DecimalAmount;
  readonly analyzedValueCurrency: string;
  /** Analyzed rows without an exchange rate. */
  readonly unconvertedInvoices: number;
  /** Number of invoices by decision: PASS, REVIEW and BLOCK, each also when it is 0. */
  readonly decisionCounts: Readonly<Record<string, number>>;
  /** Number of findings by type. */
  readonly findingCounts: Readonly<Record<string, number>>;
}
