import {
  billFromWire,
  orderFromWire,
  paymentFromWire,
  vendorAccountFromWire,
  vendorFromWire,
} from '@invoicecontrol/books/wire';
import { enumName } from '@invoicecontrol/contracts/enum-name';
import { ErpEntity, ErpImportServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type {
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

/** Maximum number of records in a page of ERP records, and of ids in a list of deleted records. */
const PAGE_RECORDS_MAX = 1_000;
/** Maximum number of record ids that one call sends as a part of the complete list of ids in an ERP. */
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

/** Implements the gRPC service invoicecontrol.analysis.v1.ErpImportService. */
export function erpImportService(deps: Deps): Binding {
  return bind(ErpImportServiceDefinition, {
    async importVendors({ source, vendors }) {
      const records = pageOf('vendors', vendors).map(vendorFromWire);
      return { counts: encodeCounts(await deps.importVendors(readSource(source), records)) };
    },
    async importVendorAccounts({ source, accounts }) {
      const records = pageOf('accounts', accounts).map(vendorAccountFromWire);
      return { counts: encodeCounts(await deps.importVendorAccounts(readSource(source), records)) };
    },
    async importBills({ source, bills }) {
      const records = pageOf('bills', bills).map(billFromWire);
      return { counts: encodeCounts(await deps.importBills(readSource(source), records)) };
    },
    async importOrders({ source, orders }) {
      const records = pageOf('orders', orders).map(orderFromWire);
      return { counts: encodeCounts(await deps.importOrders(readSource(source), records)) };
    },
    async importPayments({ source, payments }) {
      const records = pageOf('payments', payments).map(paymentFromWire);
      return { counts: encodeCounts(await deps.importPayments(readSource(source), records)) };
    },
    async reconcileIds({ source, entity, total, afterExternalId, externalIds, isLast }) {
      requireSorted(afterExternalId, externalIds);
      const last = externalIds.at(-1);
      if (!isLast && last === undefined)
        throw invalidField('external_ids', 'must not be empty, except in the last part.');
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

/**
 * Checks the name of an ERP provider or company that becomes a part of ids and keys. The name must not contain their
 * separator.
 */
function requireName(path: string, value: string): string {
  if (value !== '' && value.length <= NAME_LENGTH_MAX && !value.includes('|')) return value;
  throw invalidField(path, `must have 1 to ${NAME_LENGTH_MAX} characters and no vertical bar.`);
}

function pageOf<T>(name: string, records: readonly T[]): readonly T[] {
  if (records.length >= 1 && records.length <= PAGE_RECORDS_MAX) return records;
  throw new DomainError('invalid', `A page of ERP records must have 1 to ${PAGE_RECORDS_MAX} ${name}.`);
}

function requireSorted(after: string, externalIds: readonly string[]): void {
  if (externalIds.length > LISTED_IDS_MAX)
    throw invalidField('external_ids', `must have at most ${LISTED_IDS_MAX} ids.`);
  let before = after;
  for (const id of externalIds) {
    if (id <= before)
      throw invalidField('external_ids', 'must be in ascending order and come after `after_external_id`.');
    before = id;
  }
}

function readEntity(entity: ErpEntity) {
  if (entity === ErpEntity.UNSPECIFIED) throw invalidField('entity', 'is required.');
  return enumName(ErpEntity, entity);
}

function encodeCounts({ created, updated, unchanged, failures }: PageCounts): ImportCounts {
  return { created, updated, unchanged, failures: [...failures] };
}
