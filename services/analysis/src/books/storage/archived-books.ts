import type { ReadArchivePage } from '@invoicecontrol/retention/archive-service';
import { recordsById } from '@invoicecontrol/retention/archive-pages';
import type { Collection } from 'mongodb';
import type { ErpOrderDocument } from './erp-orders.js';
import type { ErpPaymentDocument } from './erp-payments.js';
import type { VendorDocument } from './vendors.js';

/**
 * Returns functions that read the ERP records of an organization for its data export. The export contains only the
 * fields that this file lists.
 */
export function archivedBooks({
  vendors,
  erpOrders,
  erpPayments,
}: {
  readonly vendors: Collection<VendorDocument>;
  readonly erpOrders: Collection<ErpOrderDocument>;
  readonly erpPayments: Collection<ErpPaymentDocument>;
}) {
  return {
    vendors: recordsById(vendors, toVendorRecord),
    erp_orders: recordsById(erpOrders, toOrderRecord),
    erp_payments: recordsById(erpPayments, toPaymentRecord),
  } satisfies Readonly<Record<string, ReadArchivePage>>;
}

/**
 * Converts an ERP vendor to its exported form. Bank accounts are not masked, because they are the organization's own
 * data, as in its invoices.
 */
function toVendorRecord(document: VendorDocument): Readonly<Record<string, unknown>> {
  const { details, accounts } = document;
  return {
    ...importedMembers(document),
    number: details.number ?? null,
    name: details.name,
    taxId: details.taxId ?? null,
    registrationNumber: details.registrationNumber ?? null,
    address: details.address ?? null,
    email: details.email ?? null,
    phone: details.phone ?? null,
    currency: details.currency ?? null,
    status: details.status,
    mergedIntoExternalId: details.mergedIntoExternalId ?? null,
    accounts: accounts.map(({ externalId, iban, sortCode, accountNumber, raw, holder, bic }) => ({
      externalId: externalId ?? null,
      iban: iban ?? null,
      sortCode: sortCode ?? null,
      accountNumber: accountNumber ?? null,
      raw,
      holder: holder ?? null,
      bic: bic ?? null,
    })),
    url: details.url ?? null,
  };
}

function toOrderRecord(document: ErpOrderDocument): Readonly<Record<string, unknown>> {
  const { number, vendorId, currency, netAmount, grossAmount } = document;
  return {
    ...importedMembers(document),
    number,
    vendorId,
    currency,
    netAmount: netAmount ?? null,
    grossAmount: grossAmount ?? null,
  };
}

function toPaymentRecord(document: ErpPaymentDocument): Readonly<Record<string, unknown>> {
  const { vendorId, date, currency, amount, reference, invoiceIds, account, isReturned } = document;
  return {
    ...importedMembers(document),
    vendorId,
    date,
    currency,
    amount,
    reference: reference ?? null,
    invoiceIds,
    account: account?.raw ?? null,
    isReturned,
  };
}

function importedMembers({
  _id: id,
  companyId,
  connectionId,
  externalId,
  createdAt,
  deletedAt,
}: VendorDocument | ErpOrderDocument | ErpPaymentDocument) {
  return { id, companyId, connectionId, externalId, createdAt, deletedAt: deletedAt ?? null };
}
