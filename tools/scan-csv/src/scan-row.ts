/** The columns that a row of a scan can have (specification 2.9), in the order in which they are shown. */
export const scanFields = [
  'supplierName',
  'supplierTaxId',
  'invoiceNumber',
  'issueDate',
  'currency',
  'grossAmount',
  'purchaseOrderRef',
  'bankIban',
  'bankSortCode',
  'bankAccountNumber',
  'externalId',
] as const;

export type ScanField = (typeof scanFields)[number];

/** Without these there is no row. */
export const requiredFields: readonly ScanField[] = ['supplierName', 'invoiceNumber', 'issueDate', 'grossAmount'];

/** A row as POST /scans takes it. */
export interface ScanRow {
  readonly supplierName: string;
  readonly supplierTaxId?: string;
  readonly invoiceNumber: string;
  /** YYYY-MM-DD. */
  readonly issueDate: string;
  readonly currency?: string;
  /** A decimal amount string. */
  readonly grossAmount: string;
  readonly purchaseOrderRef?: string;
  readonly bankIban?: string;
  readonly bankSortCode?: string;
  readonly bankAccountNumber?: string;
  readonly externalId?: string;
  /** The line of the file on which the row begins. */
  readonly sourceRowNumber: number;
}

export function isScanField(name: string): name is ScanField {
  return (scanFields as readonly string[]).includes(name);
}
