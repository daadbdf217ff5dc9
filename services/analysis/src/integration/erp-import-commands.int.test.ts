import type { AccountRecord, BillRecord, VendorAccountRecord, VendorRecord } from '@invoicecontrol/books/records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { v7 as uuidV7 } from 'uuid';
import { reconcileIds } from '../books/application/delete-records.js';
import { importBills } from '../books/application/import-bills.js';
import type { PageCounts } from '../books/application/import-page.js';
import { importVendorAccounts } from '../books/application/import-vendor-accounts.js';
import { importVendors } from '../books/application/import-vendors.js';
import { billStore, deletableBills } from '../books/storage/bills.js';
import { erpSourceStore } from '../books/storage/erp-sources.js';
import type { ErpSourceDocument } from '../books/storage/erp-sources.js';
import { createInvoiceIndexes } from '../records/storage/invoices.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { createSupplierIndexes, supplierStore } from '../records/storage/suppliers.js';
import type { SupplierDocument } from '../records/storage/suppliers.js';
import { createVendorIndexes, vendorStore } from '../books/storage/vendors.js';
import type { VendorDocument } from '../books/storage/vendors.js';
import { testClock as clock } from '../testing/clients.js';

const PAGE_RECORDS = 1_000;
/** Maximum number of database commands for importing a page of ERP records, whatever the page contains. */
const COMMANDS_MAX = 10;

let client: MongoClient;
let db: Db;
const commands: string[] = [];

beforeAll(async () => {
  client = new MongoClient(testInfrastructure().mongodbUrl, { monitorCommands: true, ignoreUndefined: true });
  await client.connect();
  db = client.db(testDatabaseName());
  client.on('commandStarted', ({ commandName }) => commands.push(commandName));
  await createVendorIndexes(db.collection<VendorDocument>('vendors'));
  await createInvoiceIndexes(db.collection<InvoiceDocument>('invoices'));
  await createSupplierIndexes(db.collection<SupplierDocument>('suppliers'));
});
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

function deps() {
  const invoices = db.collection<InvoiceDocument>('invoices');
  const vendors = vendorStore(db.collection<VendorDocument>('vendors'));
  return {
    sources: erpSourceStore(db.collection<ErpSourceDocument>('erp_sources')),
    vendors,
    suppliers: supplierStore(db.collection<SupplierDocument>('suppliers')),
    bills: billStore(invoices),
    bill: deletableBills(invoices, 'BILL'),
    creditNote: deletableBills(invoices, 'CREDIT_NOTE'),
    policy: defaultPolicy,
    clock,
  };
}

const source = {
  organizationId: uuidV7(),
  companyId: 'c-main',
  connectionId: uuidV7(),
  remoteCompanyId: 'remote-1',
  provider: 'PROVIDER_A',
};

async function commandsOf<R>(work: () => Promise<R>): Promise<{ result: R; sent: readonly string[] }> {
  commands.length = 0;
  const result = await work();
  return { result, sent: [...commands] };
}

const page = <R>(make: (index: number) => R): R[] => Array.from({ length: PAGE_RECORDS }, (_, index) => make(index));

function account(index: number): AccountRecord {
  return {
    externalId: `a${index}`,
    sortCode: '601613',
    accountNumber: String(10_000_000 + index),
    raw: String(index),
    isMasked: false,
  };
}

function vendor(index: number, changes: Partial<VendorRecord> = {}): VendorRecord {
  return {
    externalId: `v${index}`,
    number: String(index),
    name: `Vendor number ${index} GmbH`,
    taxId: `PL${String(1_000_000_000 + index)}`,
    isTaxIdMasked: false,
    status: 'ACTIVE',
    ...changes,
  };
}

function bill(index: number, changes: Partial<BillRecord> = {}): BillRecord {
  return {
    externalId: `b${index}`,
    kind: 'BILL',
    documentNumber: `RE-${index}`,
    vendorExternalId: `v${index}`,
    vendorName: `Vendor number ${index} GmbH`,
    issueDate: '2026-09-14',
    currency: 'EUR',
    grossAmount: `${100 + index}.00`,
    purchaseOrderRefs: [],
    state: 'OPEN',
    paidAccountExternalId: `a${index}`,
    ...changes,
  };
}

async function expectFew(work: () => Promise<PageCounts>, counts: Partial<PageCounts>): Promise<void> {
  const { result, sent } = await commandsOf(work);
  expect(result).toMatchObject({ failures: [], ...counts });
  expect(sent.length).toBeLessThanOrEqual(COMMANDS_MAX);
}

test('a page of 1,000 records of any kind costs at most ten commands, new, changed or unchanged', async () => {
  const all = deps();
  const [vendors, accounts, bills] = [importVendors(all), importVendorAccounts(all), importBills(all)];
  const account_ = (index: number, of: number): VendorAccountRecord => ({
    externalId: `a${index}`,
    vendorNumber: String(of),
    account: account(index),
  });
  await expectFew(() => vendors(source, page(vendor)), { created: PAGE_RECORDS });
  await expectFew(() => vendors(source, page(vendor)), { unchanged: PAGE_RECORDS });
  await expectFew(
    () =>
      vendors(
        source,
        page((index) => vendor(index, { email: 'a@example.com' })),
      ),
    {
      updated: PAGE_RECORDS,
    },
  );
  await expectFew(
    () =>
      accounts(
        source,
        page((index) => account_(index, index)),
      ),
    { created: PAGE_RECORDS },
  );
  await expectFew(
    () =>
      accounts(
        source,
        page((index) => account_(index, index)),
      ),
    { unchanged: PAGE_RECORDS },
  );
  await expectFew(
    () =>
      accounts(
        source,
        page((index) => account_(index, (index + 1) % PAGE_RECORDS)),
      ),
    {
      updated: PAGE_RECORDS,
    },
  );
  await expectFew(() => bills(source, page(bill)), { created: PAGE_RECORDS });
  await expectFew(() => bills(source, page(bill)), { unchanged: PAGE_RECORDS });
  await expectFew(
    () =>
      bills(
        source,
        page((index) => bill(index, { state: 'PAID' })),
      ),
    { updated: PAGE_RECORDS },
  );
});

test('the comparison with a complete list costs few commands for thousands of ids', async () => {
  const all = deps();
  const stores = { VENDOR: all.vendors, BILL: all.bill, CREDIT_NOTE: all.creditNote } as never;
  const list = {
    total: 500,
    after: '',
    last: undefined,
    externalIds: page((index) => `b${index}`)
      .slice(0, 500)
      .sort(),
  };
  const { result, sent } = await commandsOf(() =>
    reconcileIds({ ...all, stores })(source, { ...list, entity: 'BILL' }),
  );
  expect(result).toEqual({ deleted: 500, isBelieved: true });
  expect(sent.length).toBeLessThanOrEqual(COMMANDS_MAX);
});
