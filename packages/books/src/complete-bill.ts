import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import type { BillRecord } from './records.js';

/** A bill that has what every invoice has. */
export interface CompleteBill extends BillRecord {
  readonly issueDate: string;
  readonly grossAmount: string;
  /** The supplier's number, else that of the ERP. */
  readonly documentNumber: string;
}

/** The bill with the number that it is known by; undefined for a draft that lacks what every invoice has. */
export function completeBill(bill: BillRecord): CompleteBill | undefined {
  const documentNumber = isStated(bill.documentNumber) ? bill.documentNumber : bill.erpNumber;
  const { issueDate, grossAmount } = bill;
  if (!isStated(documentNumber) || issueDate === undefined || grossAmount === undefined) return undefined;
  return { ...bill, documentNumber, issueDate, grossAmount };
}

function isStated(value: string | undefined): value is string {
  return value !== undefined && hasVisibleText(value);
}
