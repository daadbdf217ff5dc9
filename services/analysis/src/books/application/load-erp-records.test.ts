import { describe, expect, test } from 'vitest';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { createCache } from '@invoicecontrol/runtime/cache';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { NO_ERP_RECORDS } from '../domain/erp-facts.js';
import type { MasterOrderRecord, MasterVendorRecord, VendorList } from '../domain/erp-facts.js';
import { loadErpRecords } from './load-erp-records.js';
import type { ConnectedLists } from './load-erp-records.js';

const list: VendorList = { connectionId: 'k', companyId: 'c', syncedAt: new Date() };

function invoice(purchaseOrderRef?: string): NormalisedInvoice {
  const stated = invoiceOf(purchaseOrderRef === undefined ? {} : { purchase_order_ref: purchaseOrderRef });
  return normaliseInvoice(stated, { invoiceId: 'i', companyId: 'c', source: 'API', receivedAtMs: 0 });
}

function loading(lists: readonly VendorList[], orders: readonly MasterOrderRecord[] = []) {
  const reads: string[] = [];
  const asked: ConnectedLists[] = [];
  const readOf = <T>(of: ConnectedLists, name: string, records: readonly T[]): Promise<readonly T[]> => {
    asked.push(of);
    return read(name, records);
  };
  const read = <T>(name: string, records: readonly T[]): Promise<readonly T[]> => {
    reads.push(name);
    return Promise.resolve(records);
  };
  const vendorLists = createCache({ freshMs: 60_000, entriesMax: 10, load: () => read('lists', lists) });
  const load = loadErpRecords({
    vendorLists,
    records: {
      vendorsByKeys: (of) => readOf<MasterVendorRecord>(of, 'vendors', []),
      vendorsByIds: (of, ids) => readOf<MasterVendorRecord>(of, `vendors ${ids.join()}`, []),
      ordersByKeys: (of) => readOf(of, 'orders', orders),
      billsByOrders: async () => ({ bills: await read('bills', []), cutOrders: new Set() }),
    },
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  return { load, reads, asked };
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
  test('asks for vendors and orders of connections with a list alone', async () => {
    const order = {
      companyId: 'c',
      vendorId: 'v',
      poKey: '4711',
      currency: 'EUR',
      netAmount: undefined,
      grossAmount: '1',
      connectionId: 'k',
    };
    const { load, reads, asked } = loading([list], [order]);
    expect((await load('o', [invoice('PO 4711')])).orders).toEqual([order]);
    expect(reads.at(-1)).toBe('vendors v');
    expect(asked).toEqual(Array.from({ length: 3 }, () => ({ organizationId: 'o', connectionIds: ['k'] })));
  });
});
