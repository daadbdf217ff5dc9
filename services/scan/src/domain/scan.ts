import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** Maximum number of rows in a history scan (specification 8). */
export const SCAN_ROWS_MAX = 5_000;

/** The fields of a scan row that decide whether the history scan skips the row. */
export interface IdentifiedRow {
  /**
   * External id: the id that the invoice had in the system from which it was exported. No two invoices of a company
   * have the same external id.
   */
  readonly externalId?: string | undefined;
  /** Number of the history scan row in the file of the caller, which may be repeated. */
  readonly sourceRowNumber: number;
}

export type SkipReason = 'ALREADY_IMPORTED' | 'DUPLICATE_EXTERNAL_ID_IN_FILE';

/** A skipped row of a history scan, with its index in the request. */
export interface Skip {
  readonly position: number;
  readonly reason: SkipReason;
}

/** A row that the history scan skipped, identified by the ids that the sender gave to the row. */
export interface SkippedRow {
  readonly sourceRowNumber: number;
  readonly externalId: string;
  readonly reason: SkipReason;
}

/** The result of a completed history scan. */
export interface ScanResult {
  readonly invoicesAnalyzed: number;
  readonly rowsSkipped: number;
  /**
   * Total gross amount of a history scan in the base currency, with the decimals of the currency. Rows without an
   * exchange rate are not included.
   */
  readonly analyzedValue: DecimalAmount;
  readonly analyzedValueCurrency: string;
  /** Number of analyzed history scan rows without an exchange rate. */
  readonly unconvertedInvoices: number;
  /** Number of invoices of a history scan by decision (PASS, REVIEW and BLOCK), including zeros. */
  readonly decisionCounts: Readonly<Record<string, number>>;
  /** Number of findings of the history scan, by their type. */
  readonly findingCounts: Readonly<Record<string, number>>;
}
