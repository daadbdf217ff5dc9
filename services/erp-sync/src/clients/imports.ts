import { setTimeout as delay } from 'node:timers/promises';
import { billToWire, orderToWire, paymentToWire, vendorAccountToWire, vendorToWire } from '@invoicecontrol/books/wire';
import { ErpEntity, ErpImportServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type { ImportCounts } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { DomainError } from '@invoicecontrol/errors';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { ImportCall, ImportedRows, Imports, ImportSource } from '../application/sync-imports.js';
import type { RecordsOf, StreamName } from '../domain/streams.js';

/** Maximum number of imported records in one call to the analysis service. The contract allows 1 to 1000. */
const RECORDS_PER_CALL_MAX = 500;
/**
 * Maximum number of attempts for a call to the analysis service. The delays between them add up to about half a minute,
 * enough for a database failover.
 */
export const CALL_TRIES_MAX = 6;
/**
 * Maximum number of bytes of the encoded ERP records in one call to the analysis service, so that the whole call stays
 * below the message limit.
 */
const RECORD_BYTES_PER_CALL_MAX = MESSAGE_BYTES_MAX - 64 * 1024;
/**
 * Maximum number of bytes of a gRPC message field other than its text: the tag and length, or a whole value that is not
 * text.
 */
const FIELD_BYTES_MAX = 32;
/** Maximum number of UTF-8 bytes for one UTF-16 unit, by which the size of a gRPC message is estimated. */
const BYTES_PER_CHARACTER_MAX = 3;
/** Maximum number of ids in one call that sends a part of a complete list from an ERP to the analysis service. */
const IDS_PER_CALL_MAX = 10_000;
/** Maximum number of deleted ERP records in one call to the analysis service. */
const DELETED_PER_CALL_MAX = 1_000;
/**
 * Timeout in milliseconds of a call to the analysis service that imports records. A page of ERP records normally takes
 * a second. The remaining time allows for a slow database.
 */
const CALL_MS_MAX = 60_000;
/**
 * Maximum number of calls at the end of a run that examine imported records. Each call examines 5,000 records. The next
 * run examines the remaining records.
 */
export const COMPLETE_CALLS_MAX = 500;

/**
 * Sends ERP records to the analysis service in calls of limited size. A call is repeated if the service is unavailable,
 * because a run of an hour must not fail because of a short outage. The analysis service accepts repeated calls.
 * @param backoffMs delay before the second attempt; it doubles with each further attempt
 */
export function importsByAnalysis(channel: Channel, backoffMs: number): Imports {
  const analysis = client(ErpImportServiceDefinition, channel);
  const bounded = ({ context, signal }: ImportCall) => ({ context, signal, timeoutMs: CALL_MS_MAX });

  async function repeated<T>({ signal }: ImportCall, call: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await call();
      } catch (error) {
        const isOutage = error instanceof DomainError && error.kind === 'unavailable';
        if (!isOutage || tries === CALL_TRIES_MAX || signal.aborted) throw error;
        await delay(backoffMs * 2 ** (tries - 1), undefined, { signal });
      }
    }
  }

  /** Sends the records of a page of ERP records, in several calls if the page is large. */
  async function inCalls<R, W>(
    records: readonly R[],
    toWire: (record: R) => W,
    send: (records: W[]) => Promise<{ counts: ImportCounts | undefined }>,
  ): Promise<ImportedRows> {
    let created = 0;
    let updated = 0;
    let unchanged = 0;
    const failures: { externalId: string; message: string }[] = [];
    // The calls that import a page of ERP records are made one after another, so that the last version of a repeated
    // record is used.
    for (const batch of batchesOf(records, toWire)) {
      const { counts } = await send(batch);
      created += counts?.created ?? 0;
      updated += counts?.updated ?? 0;
      unchanged += counts?.unchanged ?? 0;
      failures.push(...(counts?.failures ?? []));
    }
    return { created, updated, unchanged, failures };
  }

  type Store<S extends StreamName> = (
    source: ImportSource,
    records: readonly RecordsOf[S][],
    call: ImportCall,
  ) => Promise<ImportedRows>;
  const storeBills: Store<'bills' | 'creditNotes'> = (source, records, call) =>
    inCalls(records, billToWire, (bills) =>
      repeated(call, () => analysis.importBills({ source, bills }, bounded(call))),
    );
  const stores: { readonly [S in StreamName]: Store<S> } = {
    vendors: (source, records, call) =>
      inCalls(records, vendorToWire, (vendors) =>
        repeated(call, () => analysis.importVendors({ source, vendors }, bounded(call))),
      ),
    bankAccounts: (source, records, call) =>
      inCalls(records, vendorAccountToWire, (accounts) =>
        repeated(call, () => analysis.importVendorAccounts({ source, accounts }, bounded(call))),
      ),
    bills: storeBills,
    creditNotes: storeBills,
    payments: (source, records, call) =>
      inCalls(records, paymentToWire, (payments) =>
        repeated(call, () => analysis.importPayments({ source, payments }, bounded(call))),
      ),
    orders: (source, records, call) =>
      inCalls(records, orderToWire, (orders) =>
        repeated(call, () => analysis.importOrders({ source, orders }, bounded(call))),
      ),
  };

  return {
    store: (source, stream, records, call) => stores[stream](source, records, call),
    async remove(source, stream, externalIds, call) {
      let removed = 0;
      for (let from = 0; from < externalIds.length; from += DELETED_PER_CALL_MAX) {
        const ids = externalIds.slice(from, from + DELETED_PER_CALL_MAX);
        const request = { source, entity: entities[stream], externalIds: ids };
        removed += (await repeated(call, () => analysis.deleteRecords(request, bounded(call)))).deleted;
      }
      return removed;
    },
    async reconcile(source, stream, sortedIds, call) {
      let deleted = 0;
      let from = 0;
      do {
        const externalIds = sortedIds.slice(from, from + IDS_PER_CALL_MAX);
        const afterExternalId = sortedIds[from - 1] ?? '';
        const isLast = from + IDS_PER_CALL_MAX >= sortedIds.length;
        const range = { total: sortedIds.length, afterExternalId, externalIds, isLast };
        const request = { source, entity: entities[stream], ...range };
        const reply = await repeated(call, () => analysis.reconcileIds(request, bounded(call)));
        if (!reply.isBelieved) return undefined;
        deleted += reply.deleted;
        from += IDS_PER_CALL_MAX;
      } while (from < sortedIds.length);
      return deleted;
    },
    async endMaster({ organizationId, connectionId }, call) {
      await analysis.endMaster({ organizationId, connectionId }, bounded(call));
    },
    async complete(source, { startedAt, finishedAt, hasVendorList }, call) {
      const request = { source, startedTime: startedAt, finishedTime: finishedAt, hasVendorList };
      for (let calls = 1; ; calls++) {
        const { hasMore } = await repeated(call, () => analysis.completeImport(request, bounded(call)));
        if (!hasMore) return;
        if (calls === COMPLETE_CALLS_MAX) {
          throw new DomainError(
            'deadline',
            'Examining the imported bills and payments took longer than the time limit of one import run.',
          );
        }
      }
    },
  };
}

const entities = {
  vendors: ErpEntity.VENDOR,
  bankAccounts: ErpEntity.VENDOR_ACCOUNT,
  bills: ErpEntity.BILL,
  creditNotes: ErpEntity.CREDIT_NOTE,
  payments: ErpEntity.PAYMENT,
  orders: ErpEntity.ORDER,
} as const satisfies Record<StreamName, ErpEntity>;

/**
 * Splits a page of ERP records whose records exceed the limits of one call to the analysis service. A single record is
 * always below the limit.
 */
function* batchesOf<R, W>(records: readonly R[], toWire: (record: R) => W): Generator<W[], void> {
  let batch: W[] = [];
  let bytes = 0;
  for (const record of records) {
    const wire = toWire(record);
    const size = bytesAtMost(wire);
    if (batch.length === RECORDS_PER_CALL_MAX || (batch.length > 0 && bytes + size > RECORD_BYTES_PER_CALL_MAX)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(wire);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Returns an upper bound of the size of a gRPC message. Encoding it only to get its length would cost as much as
 * sending it.
 */
function bytesAtMost(value: unknown): number {
  if (typeof value === 'string') return FIELD_BYTES_MAX + BYTES_PER_CHARACTER_MAX * value.length;
  if (value === undefined) return 0;
  if (typeof value !== 'object' || value === null) return FIELD_BYTES_MAX;
  let bytes = FIELD_BYTES_MAX;
  for (const member of Object.values(value)) bytes += bytesAtMost(member);
  return bytes;
}
