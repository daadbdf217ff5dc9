import { recordFault } from '@invoicecontrol/books/check-record';
import { order } from '@invoicecontrol/books/records';
import type { OrderRecord } from '@invoicecontrol/books/records';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { readOrderRef } from '@invoicecontrol/engine/normalisation/order-key';
import { recordsImported } from '../../telemetry.js';
import { importPage } from './import-page.js';
import type { PageCounts } from './import-page.js';
import { openSource } from './import-source.js';
import type { ErpSourceStore, ImportSource } from './import-source.js';
import { contentHashOf, importedIdOf, isUnchanged, nextRecord } from './imported-record.js';
import type { ImportedRecord, ImportedStore } from './imported-record.js';

export interface StoredOrder extends ImportedRecord, Omit<OrderRecord, 'externalId' | 'vendorExternalId'> {
  readonly vendorId: string;
  /**
   * Lookup key of a purchase order with the same format as `Candidate.poKey`, or undefined if the number is not a valid
   * order number.
   */
  readonly poKey: string | undefined;
}

interface Deps {
  readonly sources: ErpSourceStore;
  readonly orders: ImportedStore<StoredOrder>;
  readonly clock: Clock;
}

/**
 * Stores a page of purchase orders of an ERP.
 * @throws DomainError wrong_state if the connection was disconnected
 */
export type ImportOrders = (of: ImportSource, records: readonly OrderRecord[]) => Promise<PageCounts>;

export const importOrders =
  ({ sources, orders, clock }: Deps): ImportOrders =>
  async (of, records) => {
    const now = clock.now();
    const source = await openSource(sources, of, now);
    const { organizationId } = source;
    const counts = await importPage(records, {
      idOf: ({ externalId }) => importedIdOf(source, 'order', externalId),
      faultOf: (record) => recordFault(order, record),
      stored: (ids) => orders.find(organizationId, ids),
      changes: async (arrivals) =>
        arrivals.flatMap(({ id, record, stored }): StoredOrder[] => {
          const contentHash = contentHashOf(record);
          if (isUnchanged(stored, contentHash, source)) return [];
          const { externalId, vendorExternalId, ...order } = record;
          const poKey = readOrderRef(order.number);
          return [
            {
              ...nextRecord(source, stored, { id, externalId, contentHash }, now),
              ...order,
              currency: order.currency.toUpperCase(),
              vendorId: importedIdOf(source, 'vendor', vendorExternalId),
              poKey,
              keys: poKey === undefined ? [] : [`o:${poKey}`],
            },
          ];
        }),
      write: (changes) => orders.write(organizationId, changes),
    });
    recordsImported('ORDER', source.provider, counts);
    return counts;
  };
