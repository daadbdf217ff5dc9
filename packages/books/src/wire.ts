import type {
  ErpAccount,
  ErpBill,
  ErpOrder,
  ErpPayment,
  ErpVendor,
  ErpVendorAccount,
} from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { invalidField } from '@invoicecontrol/errors';
import type { Values } from '@invoicecontrol/invoice/declaration';
import { membersFromWire, membersToWire } from '@invoicecontrol/invoice/wire';
import { bill, order, payment, vendor, vendorAccount } from './records.js';
import type { BillRecord, OrderRecord, PaymentRecord, VendorAccountRecord, VendorRecord } from './records.js';

// Converts ERP records to the gRPC messages that the erp-sync service sends to the analysis service, and back. Some
// fields of the messages are not in the declaration of a record; this module sets them. It checks only that the
// required fields of a message are present.

export function vendorToWire(record: VendorRecord): ErpVendor {
  return { ...membersToWire(vendor, record), hasAccounts: record.accounts !== undefined } as unknown as ErpVendor;
}

export function vendorFromWire(message: ErpVendor): VendorRecord {
  const { accounts, ...record } = membersFromWire(vendor, message as unknown as Values) as VendorRecord;
  return {
    ...record,
    status: record.status ?? 'ACTIVE',
    ...(message.hasAccounts && accounts !== undefined ? { accounts } : {}),
  };
}

/**
 * Writes a bank account of a vendor as a message between services. In the message, the ERP id is a field of `account`.
 */
export function vendorAccountToWire(record: VendorAccountRecord): ErpVendorAccount {
  const { externalId, ...message } = membersToWire(vendorAccount, record);
  return { ...message, account: { ...(message['account'] as ErpAccount), externalId } } as ErpVendorAccount;
}

/**
 * Reads a bank account of a vendor from a message between services.
 * @throws DomainError invalid if the message has no account
 */
export function vendorAccountFromWire(message: ErpVendorAccount): VendorAccountRecord {
  if (message.account === undefined)
    throw invalidField('accounts', 'must be a list in which each entry has an account.');
  const { externalId = '' } = message.account;
  return { ...(membersFromWire(vendorAccount, message as unknown as Values) as VendorAccountRecord), externalId };
}

export function billToWire(record: BillRecord): ErpBill {
  return membersToWire(bill, record) as unknown as ErpBill;
}

/**
 * Reads a bill from a message between services.
 * @throws DomainError invalid if the message has no kind or no state
 */
export function billFromWire(message: ErpBill): BillRecord {
  const record = membersFromWire(bill, message as unknown as Values) as Partial<BillRecord>;
  for (const name of ['kind', 'state'] as const) {
    if (record[name] === undefined) throw invalidField('bills', `must be a list in which each bill has a ${name}.`);
  }
  return record as BillRecord;
}

export function orderToWire(record: OrderRecord): ErpOrder {
  return membersToWire(order, record) as unknown as ErpOrder;
}

export function orderFromWire(message: ErpOrder): OrderRecord {
  return membersFromWire(order, message as unknown as Values) as OrderRecord;
}

export function paymentToWire(record: PaymentRecord): ErpPayment {
  return membersToWire(payment, record) as unknown as ErpPayment;
}

export function paymentFromWire(message: ErpPayment): PaymentRecord {
  return membersFromWire(payment, message as unknown as Values) as PaymentRecord;
}
