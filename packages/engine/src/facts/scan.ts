/** A finished scan as a whole: what no single row shows. */
export interface ScanPopulation {
  readonly scanId: string;
  readonly companyId: string;
  readonly rows: readonly ScanRow[];
  /** The earlier scan of the company with which most rows are identical; absent when none shares a row. */
  readonly earlier?: { readonly scanId: string; readonly identicalRows: number };
}

export interface ScanRow {
  readonly supplierId: string;
  readonly supplierName: string;
  /** Signed, minor units of the currency. */
  readonly amountMinor: string;
  readonly currency: string;
}
