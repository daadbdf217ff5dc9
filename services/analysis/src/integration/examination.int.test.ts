import type { BillRecord, VendorRecord } from '@invoicecontrol/books/records';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import type { Cache } from '@invoicecontrol/runtime/cache';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { v7 as uuidV7 } from 'uuid';
import type { BooksStore } from '../examination/application/books-store.js';
import { completeImport } from '../books/application/complete-import.js';
import { EXAMINED_RECORDS_MAX, examineBooks } from '../examination/application/examine-books.js';
import type { ExaminedBooks } from '../books/application/import-source.js';
import { importBills } from '../books/application/import-bills.js';
import type { ErpSourceStore, ImportSource } from '../books/application/import-source.js';
import { importVendors } from '../books/application/import-vendors.js';
import type { FindingStore } from '../records/application/finding-store.js';
import { billStore } from '../books/storage/bills.js';
import { booksStore } from '../examination/storage/books.js';
import type { ErpPaymentDocument } from '../books/storage/erp-payments.js';
import { erpSourceStore } from '../books/storage/erp-sources.js';
import type { ErpSourceDocument } from '../books/storage/erp-sources.js';
import { createFindingIndexes, findingStore } from '../records/storage/findings.js';
import type { FindingDocument } from '../records/storage/findings.js';
import { importedIndexes } from '../books/storage/imported-records.js';
import { createInvoiceIndexes } from '../records/storage/invoices.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { createSupplierIndexes, supplierStore } from '../records/storage/suppliers.js';
import type { SupplierDocument } from '../records/storage/suppliers.js';
import { createVendorIndexes, vendorStore } from '../books/storage/vendors.js';
import type { VendorDocument } from '../books/storage/vendors.js';

/**
 * Number of records in one import, which all have the same change time. Two imports make one page of an examination.
 */
const IMPORTED_BILLS = 50;
const IMPORTED_VENDORS = 500;
const MINUTE_MS = 60_000;

let client: MongoClient;
let db: Db;
/** Current time of the tested service. Each import moves the time forward by a minute. */
let nowMs = Date.parse('2026-09-20T08:00:00Z');
const clock = { now: () => new Date(nowMs) };

beforeAll(async () => {
  client = new MongoClient(testInfrastructure().mongodbUrl, { ignoreUndefined: true });
  await client.connect();
  db = client.db(testDatabaseName());
  await createVendorIndexes(db.collection<VendorDocument>('vendors'));
  await createInvoiceIndexes(db.collection<InvoiceDocument>('invoices'));
  await createSupplierIndexes(db.collection<SupplierDocument>('suppliers'));
  await createFindingIndexes(db.collection<FindingDocument>('findings'));
  await db.collection('erp_payments').createIndexes([...importedIndexes]);
});
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});
beforeEach(() => {
  nowMs += 24 * 60 * MINUTE_MS;
});

const newSource = (): ImportSource => ({
  organizationId: uuidV7(),
  companyId: 'c-main',
  connectionId: uuidV7(),
  remoteCompanyId: 'remote-1',
  provider: 'PROVIDER_A',
});

interface Stores {
  readonly sources: ErpSourceStore;
  readonly books: BooksStore;
  readonly findings: Pick<FindingStore, 'insertWithoutInvoice' | 'find'>;
}

function stores(): Stores {
  const collections = {
    invoices: db.collection<InvoiceDocument>('invoices'),
    vendors: db.collection<VendorDocument>('vendors'),
    payments: db.collection<ErpPaymentDocument>('erp_payments'),
  };
  const outbox = { nudge: () => {} } as unknown as Outbox;
  return {
    sources: erpSourceStore(db.collection<ErpSourceDocument>('erp_sources')),
    books: booksStore(collections),
    findings: findingStore(db.collection<FindingDocument>('findings'), outbox, clock),
  };
}

/** Starts a new process of the service, which has no state except what is stored. */
function newProcess({ sources, books, findings }: Stores = stores()) {
  const policies = { get: async () => ({ policy: defaultPolicy }) } as unknown as Cache<never>;
  const routingRules = { get: async () => [] } as unknown as Cache<never>;
  const logger = createLogger({ service: 'test', level: 'silent' });
  return completeImport({
    sources,
    examineBooks: examineBooks({
      books,
      findings,
      reviewed: async () => new Set(),
      policies,
      routingRules,
      clock,
      logger,
    }),
    vendorLists: { invalidate: () => {} },
    clock,
  });
}

/** Returns the stores of a process that crashes after its first write has taken effect. */
function dyingStores(onRead: (from: Date | undefined) => void): Stores {
  const { sources, books, findings } = stores();
  const die = async (write: Promise<unknown>): Promise<never> => {
    await write;
    throw new Error('the process was killed');
  };
  return {
    sources: {
      ...sources,
      beginExamination: (...of) => die(sources.beginExamination(...of)),
      saveExamination: (...of) => die(sources.saveExamination(...of)),
      complete: (...of) => die(sources.complete(...of)),
    },
    books: {
      ...books,
      changedBills(of, window) {
        onRead(window.from);
        return books.changedBills(of, window);
      },
    },
    findings: {
      find: findings.find,
      async insertWithoutInvoice(...of) {
        const isNew = await findings.insertWithoutInvoice(...of);
        if (isNew) throw new Error('the process was killed');
        return isNew;
      },
    },
  };
}

const run = () => ({ finishedAt: clock.now(), hasVendorList: true });

/**
 * Repeats the call that examines the books until it is complete, as erp-sync does.
 * @returns the number of calls and of findings
 */
async function completed(of: ImportSource, complete = newProcess(), ended = run()) {
  let created = 0;
  for (let calls = 1; ; calls++) {
    const examined: ExaminedBooks = await complete(of, ended);
    created += examined.created;
    if (!examined.hasMore) return { calls, created };
  }
}

async function importedVendors(of: ImportSource, vendors: readonly VendorRecord[]): Promise<void> {
  const store = vendorStore(db.collection<VendorDocument>('vendors'));
  for (let from = 0; from < vendors.length; from += IMPORTED_VENDORS) {
    nowMs += MINUTE_MS;
    const page = vendors.slice(from, from + IMPORTED_VENDORS);
    await importVendors({ sources: stores().sources, vendors: store, clock })(of, page);
  }
}

async function importedBills(of: ImportSource, bills: readonly BillRecord[]): Promise<void> {
  const deps = {
    sources: stores().sources,
    vendors: vendorStore(db.collection<VendorDocument>('vendors')),
    suppliers: supplierStore(db.collection<SupplierDocument>('suppliers')),
    bills: billStore(db.collection<InvoiceDocument>('invoices')),
    policy: defaultPolicy,
    clock,
  };
  for (let from = 0; from < bills.length; from += IMPORTED_BILLS) {
    nowMs += MINUTE_MS;
    await importBills(deps)(of, bills.slice(from, from + IMPORTED_BILLS));
  }
}

function vendor(index: number, changes: Partial<VendorRecord> = {}): VendorRecord {
  return {
    externalId: `v${index}`,
    number: String(index),
    name: `Vendor number ${index} GmbH`,
    isTaxIdMasked: false,
    status: 'ACTIVE',
    ...changes,
  };
}

function bill(index: number, changes: Partial<BillRecord> = {}): BillRecord {
  return {
    externalId: `b${index}`,
    kind: 'BILL',
    documentNumber: `RE-${10_000 + 37 * index}`,
    vendorExternalId: `v${index % 20}`,
    vendorName: `Vendor number ${index % 20} GmbH`,
    issueDate: '2026-09-14',
    currency: 'EUR',
    grossAmount: `${1_000 + 7 * index}.00`,
    purchaseOrderRefs: [],
    state: 'OPEN',
    ...changes,
  };
}

const account = (iban: string): NonNullable<VendorRecord['accounts']>[number] => ({
  iban,
  raw: iban,
  isMasked: false,
});

/** Imports duplicate vendors, and bills of which every twentieth is entered again 130 bills later. */
async function booksWithDoubles(of: ImportSource): Promise<void> {
  const doubled = { taxId: 'DE136695976', name: 'Acme Supplies GmbH' };
  const vendors = Array.from({ length: 20 }, (_, index) => {
    const { number, ...unnumbered } = vendor(index, doubled);
    return index < 2 ? unnumbered : vendor(index);
  });
  await importedVendors(of, vendors);
  const bills = Array.from({ length: 400 }, (_, index) => {
    const first = index - 130;
    return first >= 0 && first % 20 === 0 ? bill(first, { externalId: `again-${first}` }) : bill(index);
  });
  await importedBills(of, bills);
}

async function raisedIn({ organizationId }: ImportSource): Promise<string[]> {
  const found = await db.collection<FindingDocument>('findings').find({ organizationId }).toArray();
  return found.map(({ type, summary }) => `${type} ${summary}`).sort();
}

test('an examination that is killed after each of its writes raises exactly what one without a kill raises, nothing twice', async () => {
  const [whole, killed] = [newSource(), newSource()];
  await booksWithDoubles(whole);
  await completed(whole);
  const expected = await raisedIn(whole);
  expect(expected.filter((text) => text.startsWith('BOOKS_DUPLICATE_BILL')).length).toBeGreaterThanOrEqual(10);
  expect(expected.filter((text) => text.startsWith('VENDOR_RECORD_DUPLICATE')).length).toBeGreaterThanOrEqual(1);

  await booksWithDoubles(killed);
  const continuedFrom: number[] = [];
  const ended = run();
  let kills = 0;
  for (;;) {
    const complete = newProcess(dyingStores((from) => continuedFrom.push(from?.getTime() ?? 0)));
    try {
      await complete(killed, ended);
      break;
    } catch (error) {
      expect(String(error)).toContain('the process was killed');
      kills++;
    }
    const source = await db.collection<ErpSourceDocument>('erp_sources').findOne({ _id: killed.connectionId });
    // When the examination of the books is complete, each of its writes has been interrupted once.
    if (source?.completedThrough !== undefined) break;
    expect(kills).toBeLessThan(1_000);
  }
  // The process is killed at the beginning, at the end, at five points of progress, and at least once while findings of
  // vendors and of two pages of bills are stored.
  expect(kills).toBeGreaterThanOrEqual(10);
  expect(await raisedIn(killed)).toEqual(expected);
  // Progress never goes back, and records that were examined before a kill are not examined again.
  expect(continuedFrom).toEqual(continuedFrom.toSorted((left, right) => left - right));
  expect(new Set(continuedFrom).size).toBe(400 / 100);
});

test.each([
  [EXAMINED_RECORDS_MAX, 1],
  [EXAMINED_RECORDS_MAX + 1, 2],
])('an examination of %i records takes %i calls', async (records, calls) => {
  const of = newSource();
  await importedVendors(
    of,
    Array.from({ length: records }, (_, index) => vendor(index)),
  );
  expect(await completed(of)).toEqual({ calls, created: 0 });
});

test('the next run ends the examination that another run began, then examines what came since', async () => {
  const of = newSource();
  await booksWithDoubles(of);
  const { sources } = stores();
  let saved = 0;
  const dying = {
    ...stores(),
    sources: {
      ...sources,
      async saveExamination(...progress: Parameters<ErpSourceStore['saveExamination']>) {
        await sources.saveExamination(...progress);
        if (progress[1].part === 'BILLS' && ++saved === 2) throw new Error('the process was killed');
      },
    },
  };
  await expect(newProcess(dying)(of, run())).rejects.toThrow('the process was killed');
  await importedBills(of, [bill(399, { externalId: 'again-399' })]);
  nowMs += MINUTE_MS;
  const last = run();
  expect((await completed(of, newProcess(), last)).calls).toBe(2);
  const source = await db.collection<ErpSourceDocument>('erp_sources').findOne({ _id: of.connectionId });
  expect(source).toMatchObject({ completedThrough: last.finishedAt, syncedAt: last.finishedAt });
  expect(source?.examination).toBeUndefined();
  const whole = newSource();
  await booksWithDoubles(whole);
  await importedBills(whole, [bill(399, { externalId: 'again-399' })]);
  await completed(whole);
  expect(await raisedIn(of)).toEqual(await raisedIn(whole));
});

test('accounts that were changed in many vendors are one migration, also when the process was killed on the way', async () => {
  const of = newSource();
  const ibans = ['DE89370400440532013000', 'DE02500105170137075030'] as const;
  const withAccount = (iban: string) =>
    Array.from({ length: 30 }, (_, index) => vendor(index, { accounts: [account(iban)] }));
  await importedVendors(of, withAccount(ibans[0]));
  await importedBills(
    of,
    Array.from({ length: 30 }, (_, index) => bill(index, { vendorExternalId: `v${index}` })),
  );
  await completed(of);
  nowMs += 60 * MINUTE_MS;
  await importedVendors(of, withAccount(ibans[1]));
  const { books } = stores();
  const dying: Stores = {
    ...stores(),
    books: { ...books, openBills: () => Promise.reject(new Error('the process was killed')) },
  };
  await expect(newProcess(dying)(of, run())).rejects.toThrow('the process was killed');
  await completed(of);
  const migrations = (await raisedIn(of)).filter((text) => text.startsWith('VENDOR_MASTER_BANK_CHANGED'));
  expect(migrations).toHaveLength(1);
});
