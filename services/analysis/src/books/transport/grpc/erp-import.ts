import { enumName } from '@invoicecontrol/contracts/enum-name';
import {
  BillKind,
  BillState,
  ErpEntity,
  ErpImportServiceDefinition,
  VendorStatus,
} from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type {
  ErpAccount,
  ErpAddress,
  ErpBill,
  ErpOrder,
  ErpPayment,
  ErpVendor,
  ErpVendorAccount,
  ImportCounts,
  ImportSource as WireSource,
} from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { validate as isUuid } from 'uuid';
import type { CompleteImport } from '../../application/complete-import.js';
import type { DeleteRecords, ReconcileIds } from '../../application/delete-records.js';
import type { EndMaster } from '../../application/end-master.js';
import type { ImportBills } from '../../application/import-bills.js';
import type { ImportOrders } from '../../application/import-orders.js';
import type { PageCounts } from '../../application/import-page.js';
import type { ImportPayments } from '../../application/import-payments.js';
import type { ImportSource } from '../../application/import-source.js';
import type { ImportVendorAccounts } from '../../application/import-vendor-accounts.js';
import type { ImportVendors } from '../../application/import-vendors.js';
import type {
  AccountRecord,
  AddressRecord,
  BillRecord,
  OrderRecord,
  PaymentRecord,
  VendorAccountRecord,
  VendorRecord,
} from '../../../records/domain/erp-records.js';

/** Records of one page, and ids of one list of deleted ones. */
const PAGE_RECORDS_MAX = 1_000;
/** Ids of one part of a complete list. */
const LISTED_IDS_MAX = 10_000;
const NAME_LENGTH_MAX = 200;

interface Deps {
  readonly importVendors: ImportVendors;
  readonly importVendorAccounts: ImportVendorAccounts;
  readonly importBills: ImportBills;
  readonly importOrders: ImportOrders;
  readonly importPayments: ImportPayments;
  readonly reconcileIds: ReconcileIds;
  readonly deleteRecords: DeleteRecords;
  readonly completeImport: CompleteImport;
  readonly endMaster: EndMaster;
}

/** invoicecontrol.analysis.v1.ErpImportService */
export function erpImportService(deps: Deps): Binding {
  return bind(ErpImportServiceDefinition, {
    async importVendors({ source, vendors }) {
      const records = pageOf('vendors', vendors).map(readVendor);
      return { counts: encodeCounts(await deps.importVendors(readSource(source), records)) };
    },
    async importVendorAccounts({ source, accounts }) {
      const records = pageOf('accounts', accounts).map(readVendorAccount);
      return { counts: encodeCounts(await deps.importVendorAccounts(readSource(source), records)) };
    },
    async importBills({ source, bills }) {
      const records = pageOf('bills', bills).map(readBill);
      return { counts: encodeCounts(await deps.importBills(readSource(source), records)) };
    },
    async importOrders({ source, orders }) {
      const records = pageOf('orders', orders).map(readOrder);
      return { counts: encodeCounts(await deps.importOrders(readSource(source), records)) };
    },
    async importPayments({ source, payments }) {
      const records = pageOf('payments', payments).map(readPayment);
      return { counts: encodeCounts(await deps.importPayments(readSource(source), records)) };
    },
    async reconcileIds({ source, entity, total, afterExternalId, externalIds, isLast }) {
      requireSorted(afterExternalId, externalIds);
      const last = externalIds.at(-1);
      if (!isLast && last === undefined) throw invalidField('external_ids', 'must not be empty but in the last part.');
      if (total < 0) throw invalidField('total', 'must not be negative.');
      return deps.reconcileIds(readSource(source), {
        entity: readEntity(entity),
        total,
        externalIds,
        after: afterExternalId,
        last: isLast ? undefined : last,
      });
    },
    async deleteRecords({ source, entity, externalIds }) {
      const ids = pageOf('external_ids', externalIds);
      return { deleted: await deps.deleteRecords(readSource(source), readEntity(entity), ids) };
    },
    async completeImport({ source, finishedTime, hasVendorList }) {
      if (finishedTime === undefined) throw invalidField('finished_time', 'is required.');
      const run = { finishedAt: finishedTime, hasVendorList };
      const { created, hasMore } = await deps.completeImport(readSource(source), run);
      return { findingsCreated: created, hasMore };
    },
    async endMaster({ organizationId, connectionId }) {
      await deps.endMaster(requireUuid('organization_id', organizationId), requireUuid('connection_id', connectionId));
      return {};
    },
  });
}

function readSource(source: WireSource | undefined): ImportSource {
  if (source === undefined) throw invalidField('source', 'is required.');
  const { companyId, remoteCompanyId, provider } = source;
  return {
    organizationId: requireUuid('source.organization_id', source.organizationId),
    connectionId: requireUuid('source.connection_id', source.connectionId),
    companyId: requireName('source.company_id', companyId),
    remoteCompanyId: requireName('source.remote_company_id', remoteCompanyId),
    provider: requireName('source.provider', provider),
  };
}

function requireUuid(path: string, value: string): string {
  if (!isUuid(value)) throw invalidField(path, 'must be a UUID.');
  return value;
}

/** Part of ids and keys, which have a separator. */
function requireName(path: string, value: string): string {
  if (value !== '' && value.length <= NAME_LENGTH_MAX && !value.includes('|')) return value;
  throw invalidField(path, `must have 1 to ${NAME_LENGTH_MAX} characters and no vertical bar.`);
}

function pageOf<T>(name: string, records: readonly T[]): readonly T[] {
  if (records.length >= 1 && records.length <= PAGE_RECORDS_MAX) return records;
  throw new DomainError('invalid', `${name}: must hold 1 to ${PAGE_RECORDS_MAX} records.`);
}

function requireSorted(after: string, externalIds: readonly string[]): void {
  if (externalIds.length > LISTED_IDS_MAX)
    throw invalidField('external_ids', `must have at most ${LISTED_IDS_MAX} ids.`);
  let before = after;
  for (const id of externalIds) {
    if (id <= before) throw invalidField('external_ids', 'must be in ascending order, behind `after_external_id`.');
    before = id;
  }
}

function readEntity(entity: ErpEntity) {
  if (entity === ErpEntity.UNSPECIFIED) throw invalidField('entity', 'is required.');
  return enumName(ErpEntity, entity);
}

function readVendor({ hasAccounts, accounts, status, modifiedTime, ...vendor }: ErpVendor): VendorRecord {
  return {
    externalId: vendor.externalId,
    number: stated(vendor.number),
    name: vendor.name,
    taxId: stated(vendor.taxId),
    isTaxIdMasked: vendor.isTaxIdMasked,
    registrationNumber: stated(vendor.registrationNumber),
    address: vendor.address && readAddress(vendor.address),
    email: stated(vendor.email),
    phone: stated(vendor.phone),
    currency: stated(vendor.currency),
    status: status === VendorStatus.UNSPECIFIED ? 'ACTIVE' : enumName(VendorStatus, status),
    mergedIntoExternalId: stated(vendor.mergedIntoExternalId),
    accounts: hasAccounts ? accounts.map(readAccount) : undefined,
    modifiedAt: modifiedTime,
    url: stated(vendor.url),
  };
}

function readAddress({ line1, line2, city, region, postalCode, country }: ErpAddress): AddressRecord {
  return {
    line1: stated(line1),
    line2: stated(line2),
    city: stated(city),
    region: stated(region),
    postalCode: stated(postalCode),
    country: stated(country),
  };
}

function readAccount(account: ErpAccount): AccountRecord {
  return {
    externalId: stated(account.externalId),
    iban: stated(account.iban),
    sortCode: stated(account.sortCode),
    accountNumber: stated(account.accountNumber),
    raw: account.raw,
    holder: stated(account.holder),
    bic: stated(account.bic),
    isMasked: account.isMasked,
    isTrusted: account.isTrusted,
  };
}

function readVendorAccount({ vendorExternalId, vendorNumber, account }: ErpVendorAccount): VendorAccountRecord {
  if (account === undefined) throw invalidField('accounts', 'must each have an account.');
  const read = readAccount(account);
  return {
    externalId: read.externalId ?? '',
    vendorExternalId: stated(vendorExternalId),
    vendorNumber: stated(vendorNumber),
    account: read,
  };
}

function readBill({ kind, state, modifiedTime, ...bill }: ErpBill): BillRecord {
  if (kind === BillKind.UNSPECIFIED) throw invalidField('bills', 'must each have a kind.');
  if (state === BillState.UNSPECIFIED) throw invalidField('bills', 'must each have a state.');
  return {
    externalId: bill.externalId,
    kind: enumName(BillKind, kind),
    documentNumber: stated(bill.documentNumber),
    erpNumber: stated(bill.erpNumber),
    vendorExternalId: bill.vendorExternalId,
    vendorName: bill.vendorName,
    issueDate: stated(bill.issueDate),
    dueDate: stated(bill.dueDate),
    postingDate: stated(bill.postingDate),
    currency: bill.currency,
    netAmount: stated(bill.netAmount),
    taxAmount: stated(bill.taxAmount),
    grossAmount: stated(bill.grossAmount),
    purchaseOrderRefs: bill.purchaseOrderRefs.filter((ref) => ref !== ''),
    state: enumName(BillState, state),
    paidAmount: stated(bill.paidAmount),
    paidAccountExternalId: stated(bill.paidAccountExternalId),
    modifiedAt: modifiedTime,
    url: stated(bill.url),
  };
}

function readOrder({ modifiedTime, ...order }: ErpOrder): OrderRecord {
  return {
    externalId: order.externalId,
    number: order.number,
    vendorExternalId: order.vendorExternalId,
    currency: order.currency,
    netAmount: stated(order.netAmount),
    grossAmount: stated(order.grossAmount),
    modifiedAt: modifiedTime,
  };
}

function readPayment({ modifiedTime, account, ...payment }: ErpPayment): PaymentRecord {
  return {
    externalId: payment.externalId,
    vendorExternalId: payment.vendorExternalId,
    date: payment.date,
    currency: payment.currency,
    amount: payment.amount,
    reference: stated(payment.reference),
    billExternalIds: payment.billExternalIds,
    account: account && readAccount(account),
    isReturned: payment.isReturned,
    modifiedAt: modifiedTime,
  };
}

/** An empty text is none: some ERPs have no other way to leave a field out. */
function stated(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function encodeCounts({ created, updated, unchanged, failures }: PageCounts): ImportCounts {
  return { created, updated, unchanged, failures: [...failures] };
}
