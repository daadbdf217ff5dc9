import { ErpEntity } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type {
  CompleteImportRequest,
  ErpImportServiceDefinition,
  ImportSource,
} from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { DomainError } from '@invoicecontrol/errors';
import type { Implementation } from '@invoicecontrol/runtime/grpc/server';

type ImportRpcs = Omit<Implementation<typeof ErpImportServiceDefinition>, 'endMaster'>;

/**
 * Stores imported records as the analysis service does, for tests: each record once, by company in the ERP, entity and
 * external id.
 */
export interface ImportLedger {
  readonly rpcs: ImportRpcs;
  /** Returns the external ids of imported records that are not deleted, in order. */
  live(connectionId: string, entity: EntityName): readonly string[];
  /** Returns how often an imported record was created, which is more than once only after it was deleted. */
  createdCount(connectionId: string, entity: EntityName, externalId: string): number;
  readonly completed: readonly CompleteImportRequest[];
  /** Number of calls that the next examination of imported records takes, by connection (default 1). */
  readonly completeCallsLeft: Map<string, number>;
  /**
   * Function that is called after an rpc of the fake analysis service took effect and before it responds. An error that
   * the function throws becomes the response.
   */
  beforeAnswer: (rpc: string, source: ImportSource) => Promise<void> | void;
}

type EntityName = 'VENDOR' | 'VENDOR_ACCOUNT' | 'BILL' | 'CREDIT_NOTE' | 'ORDER' | 'PAYMENT';

interface Entry {
  content: string;
  isLive: boolean;
  createdCount: number;
}

const LIST_MAX = 1_000;

export function importLedger(): ImportLedger {
  const entries = new Map<string, Map<string, Entry>>();
  const completed: CompleteImportRequest[] = [];
  const of = (connectionId: string, entity: string): Map<string, Entry> => {
    const key = `${connectionId} ${entity}`;
    const found = entries.get(key) ?? new Map<string, Entry>();
    entries.set(key, found);
    return found;
  };
  const sourceOf = ({ source }: { readonly source: ImportSource | undefined }): ImportSource => {
    if (source === undefined) throw new DomainError('invalid', 'source: is missing.');
    return source;
  };
  const store = async (
    rpc: string,
    request: { readonly source: ImportSource | undefined },
    records: readonly { readonly entity: EntityName; readonly externalId: string; readonly content: unknown }[],
  ) => {
    if (records.length === 0 || records.length > LIST_MAX)
      throw new DomainError('invalid', 'A page of imported ERP records must have 1 to 1000 records.');
    const source = sourceOf(request);
    const counts = { created: 0, updated: 0, unchanged: 0, failures: [] as { externalId: string; message: string }[] };
    for (const { entity, externalId, content } of records) {
      const text = JSON.stringify(content);
      const known = of(source.connectionId, entity);
      const entry = known.get(externalId);
      if (entry?.isLive !== true) {
        known.set(externalId, { content: text, isLive: true, createdCount: (entry?.createdCount ?? 0) + 1 });
        counts.created++;
      } else if (entry.content === text) {
        counts.unchanged++;
      } else {
        entry.content = text;
        counts.updated++;
      }
    }
    await ledger.beforeAnswer(rpc, source);
    return { counts };
  };
  const remove = (source: ImportSource, entity: number, isGone: (externalId: string) => boolean): number => {
    let deleted = 0;
    for (const [externalId, entry] of of(source.connectionId, nameOf(entity))) {
      if (!entry.isLive || !isGone(externalId)) continue;
      entry.isLive = false;
      deleted++;
    }
    return deleted;
  };
  const ledger: ImportLedger = {
    completed,
    completeCallsLeft: new Map(),
    beforeAnswer: () => {},
    live: (connectionId, entity) =>
      [...of(connectionId, entity)].flatMap(([externalId, { isLive }]) => (isLive ? [externalId] : [])).sort(),
    createdCount: (connectionId, entity, externalId) => of(connectionId, entity).get(externalId)?.createdCount ?? 0,
    rpcs: {
      importVendors: (request) =>
        store(
          'importVendors',
          request,
          request.vendors.map((vendor) => ({ entity: 'VENDOR', externalId: vendor.externalId, content: vendor })),
        ),
      importVendorAccounts: (request) =>
        store(
          'importVendorAccounts',
          request,
          request.accounts.map((row) => ({
            entity: 'VENDOR_ACCOUNT',
            externalId: row.account?.externalId ?? '',
            content: row,
          })),
        ),
      importBills: (request) =>
        store(
          'importBills',
          request,
          request.bills.map((bill) => ({
            entity: bill.kind === 1 ? 'BILL' : 'CREDIT_NOTE',
            externalId: bill.externalId,
            content: bill,
          })),
        ),
      importOrders: (request) =>
        store(
          'importOrders',
          request,
          request.orders.map((order) => ({ entity: 'ORDER', externalId: order.externalId, content: order })),
        ),
      importPayments: (request) =>
        store(
          'importPayments',
          request,
          request.payments.map((payment) => ({ entity: 'PAYMENT', externalId: payment.externalId, content: payment })),
        ),
      async reconcileIds(request) {
        const source = sourceOf(request);
        const { entity, total, afterExternalId, externalIds, isLast } = request;
        const hasLive = ledger.live(source.connectionId, nameOf(entity)).length > 0;
        if (total === 0 && hasLive) return { deleted: 0, isBelieved: false };
        const kept = new Set(externalIds);
        const last = externalIds.at(-1) ?? '';
        const deleted = remove(source, entity, (id) => id > afterExternalId && (isLast || id <= last) && !kept.has(id));
        await ledger.beforeAnswer('reconcileIds', source);
        return { deleted, isBelieved: true };
      },
      async deleteRecords(request) {
        const source = sourceOf(request);
        const gone = new Set(request.externalIds);
        const deleted = remove(source, request.entity, (id) => gone.has(id));
        await ledger.beforeAnswer('deleteRecords', source);
        return { deleted };
      },
      async completeImport(request) {
        const source = sourceOf(request);
        completed.push(request);
        await ledger.beforeAnswer('completeImport', source);
        const left = (ledger.completeCallsLeft.get(source.connectionId) ?? 1) - 1;
        ledger.completeCallsLeft.set(source.connectionId, left);
        return { findingsCreated: 0, hasMore: left > 0 };
      },
    },
  };
  return ledger;
}

function nameOf(entity: number): EntityName {
  const found = Object.entries(ErpEntity).find(([, value]) => value === entity);
  return (found?.[0] ?? 'VENDOR') as EntityName;
}
