import type { Collection, Filter } from 'mongodb';
import type { ErpRecordStore } from '../application/load-erp-records.js';
import type { MasterOrderRecord, MasterVendorRecord } from '../domain/erp-facts.js';
import type { ErpOrderDocument } from './erp-orders.js';
import { inBatches } from '../../records/storage/in-batches.js';
import type { InvoiceDocument } from '../../records/storage/invoices.js';
import { readSharing } from '../../records/storage/records-by-keys.js';
import type { VendorDocument } from './vendors.js';

/** Maximum number of keys in one lookup of ERP records. */
const LOOKUP_KEYS_MAX = 250;
/**
 * Maximum number of vendors that are read for one tax id, name or account, and of purchase orders that are read for one
 * order number.
 */
const RECORDS_PER_KEY_MAX = 64;
/**
 * Maximum number of ERP bills for one purchase order that are added up. The billed amount of an order with more bills
 * is unknown.
 */
export const BILLS_PER_ORDER_MAX = 64;

interface Collections {
  readonly vendors: Collection<VendorDocument>;
  readonly orders: Collection<ErpOrderDocument>;
  readonly invoices: Collection<InvoiceDocument>;
}

/** Reads the ERP records that decisions on invoices need. */
export function erpRecordStore({ vendors, orders, invoices }: Collections): ErpRecordStore {
  const findVendors = (filter: object, limit: number): Promise<readonly VendorDocument[]> =>
    vendors
      .find<VendorDocument>({ ...filter, deletedAt: { $exists: false } } as Filter<VendorDocument>, {
        projection: comparedOfVendors,
        limit,
      })
      .toArray();
  return {
    async vendorsByKeys({ organizationId, connectionIds }, keys) {
      const found = await Promise.all(
        chunks(keys).map((chunk) =>
          readSharing(chunk, recordsOf, (some, limit) =>
            findVendors({ organizationId, keys: { $in: some }, connectionId: { $in: connectionIds } }, limit),
          ),
        ),
      );
      return distinctVendors(found.flat());
    },
    async vendorsByIds({ organizationId, connectionIds }, ids) {
      const found = await Promise.all(
        chunks(ids).map((some) =>
          findVendors({ _id: { $in: some }, organizationId, connectionId: { $in: connectionIds } }, some.length),
        ),
      );
      return distinctVendors(found.flat());
    },
    async ordersByKeys({ organizationId, connectionIds }, poKeys) {
      const found = await inBatches(poKeys, LOOKUP_KEYS_MAX, (batch) =>
        readSharing(batch, recordsOf, (some, limit) =>
          orders
            .find<ErpOrderDocument>(
              {
                organizationId,
                keys: { $in: some.map((poKey) => `o:${poKey}`) },
                connectionId: { $in: connectionIds },
                deletedAt: { $exists: false },
              } as Filter<ErpOrderDocument>,
              { limit },
            )
            .toArray(),
        ),
      );
      return [...new Map(found.flat().map((order) => [order._id, order])).values()].flatMap(toOrder);
    },
    async billsByOrders(organizationId, poKeys) {
      const cutOrders = new Set<string>();
      const read = (some: readonly string[], limit: number) =>
        invoices
          .find(
            {
              organizationId,
              'erp.organizationId': organizationId,
              'erp.orderKey': { $in: [...some] },
              'erp.state': { $nin: ['DRAFT', 'VOID'] },
            } as Filter<InvoiceDocument>,
            { projection: { match: 1 }, limit },
          )
          .toArray();
      const found = await inBatches(poKeys, LOOKUP_KEYS_MAX, async (some) => {
        const limit = BILLS_PER_ORDER_MAX * some.length;
        const documents = await read(some, limit + 1);
        if (documents.length <= limit) return documents;
        // Some purchase orders have very many ERP bills, so the result states for each order whether all bills were
        // read.
        const ofOrders = await inBatches(some, 1, async ([poKey = '']) => {
          const bills = await read([poKey], BILLS_PER_ORDER_MAX + 1);
          if (bills.length <= BILLS_PER_ORDER_MAX) return bills;
          cutOrders.add(poKey);
          return [];
        });
        return ofOrders.flat();
      });
      return { bills: found.flat().map(({ match }) => match), cutOrders };
    },
  };
}

function recordsOf(keysCount: number): number {
  return RECORDS_PER_KEY_MAX * keysCount;
}

function distinctVendors(documents: readonly VendorDocument[]): readonly MasterVendorRecord[] {
  return [...new Map(documents.map((document) => [document._id, document])).values()].map(toVendor);
}

/** Fields of an ERP vendor that are compared with an invoice. Contact data is not read. */
const comparedOfVendors = {
  externalId: 1,
  connectionId: 1,
  companyId: 1,
  'details.name': 1,
  'details.status': 1,
  nameKey: 1,
  nameFold: 1,
  taxKey: 1,
  taxCountry: 1,
  taxValid: 1,
  accountHistory: 1,
} as const;

function toVendor(document: VendorDocument): MasterVendorRecord {
  const { _id: id, externalId, connectionId, companyId, details, accountHistory } = document;
  const { nameKey, nameFold, taxKey, taxCountry, taxValid } = document;
  const identity = { nameKey, nameFold, taxKey, taxCountry, taxValid };
  return { id, externalId, connectionId, companyId, details, ...identity, accountHistory };
}

function toOrder(document: ErpOrderDocument): MasterOrderRecord[] {
  const { companyId, connectionId, vendorId, poKey, currency, netAmount, grossAmount } = document;
  return poKey === undefined ? [] : [{ companyId, connectionId, vendorId, poKey, currency, netAmount, grossAmount }];
}

function chunks(keys: readonly string[]): string[][] {
  const count = Math.ceil(keys.length / LOOKUP_KEYS_MAX);
  return Array.from({ length: count }, (_, index) =>
    keys.slice(index * LOOKUP_KEYS_MAX, (index + 1) * LOOKUP_KEYS_MAX),
  );
}
