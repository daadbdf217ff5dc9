import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import type { ImportSource } from '../books/application/import-source.js';
import { booksStore } from '../examination/storage/books.js';
import type { ErpOrderDocument } from '../books/storage/erp-orders.js';
import type { ErpPaymentDocument } from '../books/storage/erp-payments.js';
import { erpRecordStore } from '../books/storage/erp-records.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { createVendorIndexes } from '../books/storage/vendors.js';
import type { VendorDocument } from '../books/storage/vendors.js';

const [organizationId, connectionId, account] = ['organization', 'connection', 'b:DE89370400440532013000'];

let mongo: MongoConnection;
beforeAll(async () => {
  const { mongodbUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: testDatabaseName(), appName: 'test' });
  const vendors = mongo.db.collection<VendorDocument>('vendors');
  await createVendorIndexes(vendors);
  const vendorOf = (_id: string, keys: readonly string[]) =>
    ({ _id, organizationId, connectionId, keys, details: { name: _id }, accounts: [], accountHistory: [] }) as unknown;
  const sharing = Array.from({ length: 200 }, (_, index) => vendorOf(`sharing-${index}`, [account]));
  await vendors.insertMany([...sharing, vendorOf('known', ['t:136695976', account])] as VendorDocument[]);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

function collections() {
  return {
    vendors: mongo.db.collection<VendorDocument>('vendors'),
    orders: mongo.db.collection<ErpOrderDocument>('orders'),
    invoices: mongo.db.collection<InvoiceDocument>('invoices'),
    payments: mongo.db.collection<ErpPaymentDocument>('payments'),
  };
}

test('the vendor with a tax id is found among very many with its account, each once', async () => {
  const keys = [account, 't:136695976'];
  const compared = await erpRecordStore(collections()).vendorsByKeys(
    { organizationId, connectionIds: [connectionId] },
    keys,
  );
  const examined = await booksStore(collections()).vendorsByKeys(
    { organizationId, connectionId } as ImportSource,
    keys,
  );
  for (const found of [compared, examined]) {
    const ids = found.map(({ id }) => id);
    expect(ids).toContain('known');
    expect(ids).toHaveLength(new Set(ids).size);
    expect(ids.length).toBeLessThanOrEqual(65);
  }
});
