/** A completed history scan as a whole, for rules that cannot be applied to a single row. */
export interface ScanPopulation {
  readonly scanId: string;
  readonly companyId: string;
  readonly rows: readonly ScanRow[];
  /**
   * Among the company's earlier history scans, the one with the most rows that are identical to rows of this scan.
   * Absent if no earlier scan has such a row.
   */
  readonly earlier?: { readonly scanId: string; readonly identicalRows: number };
}

export interface ScanRow {
  readonly supplierId: string;
  readonly supplierName: string;
  /** Signed amount on the row of the history scan, in minor units of its currency. */
  readonly amountMinor: string;
  readonly currency: string;
}
