import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import type { BillRecord } from './records.js';

/** A bill from an ERP that has all fields that every invoice must have. */
export interface CompleteBill extends BillRecord {
  readonly issueDate: string;
  readonly grossAmount: string;
  /** The invoice number of the supplier or, if there is none, the number that the ERP assigned. */
  readonly documentNumber: string;
}

/**
 * Returns an ERP bill with the number to use as its invoice number, or undefined for a draft that lacks a required
 * field of an invoice.
 */
export function completeBill(bill: BillRecord): CompleteBill | undefined {
  const documentNumber = isStated(bill.documentNumber) ? bill.documentNumber : bill.erpNumber;
  const { issueDate, grossAmount } = bill;
  if (!isStated(documentNumber) || issueDate === undefined || grossAmount === undefined) return undefined;
  return { ...bill, documentNumber, issueDate, grossAmount };
}

function isStated(value: string | undefined): value is string {
  return value !== undefined && hasVisibleText(value);
}
