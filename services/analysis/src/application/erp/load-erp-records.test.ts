import { describe, expect, test } from '@jest/globals';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { createCache } from '@invoicecontrol/runtime/cache';
import { NO_ERP_RECORDS } from '../../domain/erp/erp-facts.js';
import type { MasterOrderRecord, MasterVendorRecord, VendorList } from '../../domain/erp/erp-facts.js';
import { loadErpRecords } from './load-erp-records.js';

const list: VendorList = { connectionId: 'k', companyId: 'c', syncedAt: new Date() };

function invoice(purchaseOrderRef?: string): NormalisedInvoice {
  const stated = invoiceOf(purchaseOrderRef === undefined ? {} : { purchase_order_ref: purchaseOrderRef });
  return normaliseInvoice(stated, { invoiceId: 'i', companyId: 'c', source: 'API', receivedAtMs: 0 });
}

function loading(lists: readonly VendorList[], orders: readonly MasterOrderRecord[] = []) {
  const reads: string[] = [];
  const read = <T>(name: string, records: readonly T[]): Promise<readonly T[]> => {
    reads.push(name);
    return Promise.resolve(records);
  };
  const vendorLists = createCache({ freshMs: 60_000, entriesMax: 10, load: () => read('lists', lists) });
  const load = loadErpRecords({
    vendorLists,
    records: {
      vendorsByKeys: () => read<MasterVendorRecord>('vendors', []),
      vendorsByIds: (_, ids) => read<MasterVendorRecord>(`vendors ${ids.join()}`, []),
      ordersByKeys: () => read('orders', orders),
      billsByOrders: () => read('bills', []),
    },
  });
  return { load, reads };
}

describe('for a decision', () => {
  test('reads nothing where no vendor list is known, but whether there is one, once', async () => {
    const { load, reads } = loading([]);
    expect(await load('o', [invoice('PO 4711')])).toEqual(NO_ERP_RECORDS);
    await load('o', [invoice('PO 4711')]);
    expect(reads).toEqual(['lists']);
  });
  test('reads the vendors once, and orders only for an invoice that names one', async () => {
    const { load, reads } = loading([list]);
    await load('o', [invoice(), invoice()]);
    expect(reads).toEqual(['lists', 'vendors']);
    await load('o', [invoice('PO 4711')]);
    expect(reads.slice(2)).toEqual(['vendors', 'orders', 'bills']);
  });
  test('leaves out what a connection brought that has no list any more', async () => {
    const order = {
      companyId: 'c',
      vendorId: 'v',
      poKey: '4711',
      currency: 'EUR',
      netAmount: undefined,
      grossAmount: '1',
    };
    const orders = [
      { ...order, connectionId: 'k' },
      { ...order, connectionId: 'disconnected', vendorId: 'w' },
    ];
    const { load, reads } = loading([list], orders);
    expect((await load('o', [invoice('PO 4711')])).orders).toEqual([orders[0]]);
    expect(reads.at(-1)).toBe('vendors v');
  });
});
