import { bill, order, payment, vendor, vendorAccount } from '@invoicecontrol/books/records';
import type {
  BillRecord,
  OrderRecord,
  PaymentRecord,
  VendorAccountRecord,
  VendorRecord,
} from '@invoicecontrol/books/records';

/** The streams of ERP records in the order in which they are read, with the kind of their records. */
export const streams = {
  vendors: vendor,
  bankAccounts: vendorAccount,
  bills: bill,
  creditNotes: bill,
  payments: payment,
  orders: order,
} as const;

export type StreamName = keyof typeof streams;
export const streamNames = Object.keys(streams) as readonly StreamName[];

export interface RecordsOf {
  readonly vendors: VendorRecord;
  readonly bankAccounts: VendorAccountRecord;
  readonly bills: BillRecord;
  readonly creditNotes: BillRecord;
  readonly payments: PaymentRecord;
  readonly orders: OrderRecord;
}
