import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Candidate } from '@invoicecontrol/engine/facts/invoice';
import { supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import { NO_ERP_RECORDS } from '../domain/erp-facts.js';
import { recordsLeftOut } from '../../telemetry.js';
import type { ErpRecords, MasterOrderRecord, MasterVendorRecord, VendorList } from '../domain/erp-facts.js';

/**
 * ERP connections of an organization whose vendors count as known. Vendors of disconnected ERP connections do not
 * count.
 */
export interface ConnectedLists {
  readonly organizationId: string;
  readonly connectionIds: readonly string[];
}

/** Reads ERP records for decisions on invoices. All lookups compare keys for equality. */
export interface ErpRecordStore {
  /** Returns the ERP vendors of an organization that have one of the keys, except deleted vendors. */
  vendorsByKeys(of: ConnectedLists, keys: readonly string[]): Promise<readonly MasterVendorRecord[]>;
  vendorsByIds(of: ConnectedLists, ids: readonly string[]): Promise<readonly MasterVendorRecord[]>;
  ordersByKeys(of: ConnectedLists, poKeys: readonly string[]): Promise<readonly MasterOrderRecord[]>;
  /** Returns the ERP bills for purchase orders, or no bills for a purchase order with too many bills to add up. */
  billsByOrders(organizationId: string, poKeys: readonly string[]): Promise<BillsOnOrders>;
}

export interface BillsOnOrders {
  readonly bills: readonly Candidate[];
  /** Keys of purchase orders that have more bills than are read. */
  readonly cutOrders: ReadonlySet<string>;
}

const NO_BILLS: BillsOnOrders = { bills: [], cutOrders: new Set() };

interface Deps {
  /** The complete ERP vendor lists of an organization. */
  readonly vendorLists: Cache<readonly VendorList[]>;
  readonly records: ErpRecordStore;
  readonly logger: Logger;
}

/**
 * Loads the ERP records that concern the given invoices. For an organization without an ERP vendor list, none are read.
 */
export type LoadErpRecords = (organizationId: string, invoices: readonly Candidate[]) => Promise<ErpRecords>;

export const loadErpRecords =
  ({ vendorLists, records, logger }: Deps): LoadErpRecords =>
  async (organizationId, invoices) => {
    const lists = await vendorLists.get(organizationId);
    if (lists.length === 0) return NO_ERP_RECORDS;
    const keys = distinct(invoices.flatMap(supplierKeysOf));
    const poKeys = distinct(invoices.flatMap(({ poKey }) => poKey ?? []));
    const connected = { organizationId, connectionIds: distinct(lists.map(({ connectionId }) => connectionId)) };
    const [sharing, orders, { bills: billsOnOrders, cutOrders }] = await Promise.all([
      records.vendorsByKeys(connected, keys),
      poKeys.length === 0 ? [] : records.ordersByKeys(connected, poKeys),
      poKeys.length === 0 ? NO_BILLS : records.billsByOrders(organizationId, poKeys),
    ]);
    if (cutOrders.size > 0) recordsLeftOut(logger, 'BILLS_ON_ORDERS', { organizationId, number: cutOrders.size });
    const known = new Set(sharing.map(({ id }) => id));
    const owners = distinct(orders.map(({ vendorId }) => vendorId)).filter((id) => !known.has(id));
    const others = owners.length === 0 ? [] : await records.vendorsByIds(connected, owners);
    return { lists, vendors: [...sharing, ...others], orders, billsOnOrders, cutOrders };
  };

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
