import type { Schemas } from '@invoicecontrol/client';

/** A history scan row in the body of POST /scans. */
export type ScanRow = Schemas['ScanRow'];

/** The columns that a row of a scan can have (specification 2.9), in display order. */
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
] as const satisfies readonly (keyof ScanRow)[];

export type ScanField = (typeof scanFields)[number];

/** Fields for which the CSV file must have a column. */
export const requiredFields: readonly ScanField[] = ['supplierName', 'invoiceNumber', 'issueDate', 'grossAmount'];

export function isScanField(name: string): name is ScanField {
  return (scanFields as readonly string[]).includes(name);
}
