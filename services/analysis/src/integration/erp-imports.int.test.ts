import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BillKind, BillState, ErpEntity } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type { ErpBill, ImportCounts, ImportSource } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { Decision, InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import { startService } from '../compose.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import type { VendorDocument } from '../books/storage/vendors.js';
import { asUser } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import {
  erpAccount,
  erpBill,
  erpOrder,
  erpPayment,
  erpSource,
  erpVendor,
  erpVendorAccount,
} from '../testing/erp-records.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const caller = asUser('erp-sync');
const IBAN = 'DE89370400440532013000';
const OTHER_IBAN = 'DE27100777770209299700';
const THIRD_IBAN = 'DE75512108001245126199';

let running: RunningAnalysis;
let rpc: Clients;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
  ({ rpc } = running);
});
afterAll(() => running.stop());

const newTenant = (): string => running.organization.newTenant();
const vendorDocuments = () => running.mongo.db.collection<VendorDocument>('vendors');
const invoiceDocuments = () => running.mongo.db.collection<InvoiceDocument>('invoices');

async function importVendors(source: ImportSource, ...vendors: ReturnType<typeof erpVendor>[]): Promise<ImportCounts> {
  return counted((await rpc.erpImport.importVendors({ source, vendors }, caller)).counts);
}

async function importAccounts(
  source: ImportSource,
  ...accounts: ReturnType<typeof erpVendorAccount>[]
): Promise<ImportCounts> {
  return counted((await rpc.erpImport.importVendorAccounts({ source, accounts }, caller)).counts);
}

async function importBills(source: ImportSource, ...bills: ErpBill[]): Promise<ImportCounts> {
  return counted((await rpc.erpImport.importBills({ source, bills }, caller)).counts);
}

function counted(counts: ImportCounts | undefined): ImportCounts {
  if (counts === undefined) throw new Error('no counts');
  return counts;
}

function countsOf(created: number, updated: number, unchanged: number): ImportCounts {
  return { created, updated, unchanged, failures: [] };
}

function complete(source: ImportSource): Promise<unknown> {
  const now = new Date();
  return rpc.erpImport.completeImport({ source, startedTime: now, finishedTime: now, hasVendorList: true }, caller);
}

function reconcile(source: ImportSource, entity: ErpEntity, externalIds: readonly string[], changes: object = {}) {
  return rpc.erpImport.reconcileIds(
    {
      source,
      entity,
      total: externalIds.length,
      afterExternalId: '',
      externalIds: [...externalIds],
      isLast: true,
      ...changes,
    },
    caller,
  );
}

async function vendorOf(source: ImportSource, externalId: string): Promise<VendorDocument> {
  const id = uuidV5(`erp:${source.remoteCompanyId}:vendor:${externalId}`, source.organizationId);
  const vendor = await vendorDocuments().findOne({ _id: id });
  if (vendor === null) throw new Error(`no vendor ${externalId}`);
  return vendor;
}

function billId(source: ImportSource, externalId: string, kind = 'bill'): string {
  return uuidV5(`erp:${source.remoteCompanyId}:${kind}:${externalId}`, source.organizationId);
}

async function bill(source: ImportSource, externalId: string, kind = 'bill'): Promise<StoredInvoice> {
  const { organizationId } = source;
  const { invoice } = await rpc.invoice.getInvoice(
    { organizationId, invoiceId: billId(source, externalId, kind) },
    caller,
  );
  if (invoice === undefined) throw new Error(`no bill ${externalId}`);
  return invoice;
}

async function listBills(organizationId: string, changes: object = {}) {
  return rpc.invoice.listInvoices(
    {
      organizationId,
      pageSize: 0,
      pageToken: '',
      source: InvoiceSource.ERP,
      decision: Decision.UNSPECIFIED,
      sources: [],
      decisions: [],
      statuses: [],
      ...changes,
    },
    caller,
  );
}

describe('vendors of an ERP', () => {
  test('are created, updated and left as they are, each counted as what happened to it', async () => {
    const source = erpSource(newTenant());
    expect(await importVendors(source, erpVendor('v1'), erpVendor('v2'))).toEqual(countsOf(2, 0, 0));
    expect(
      await importVendors(source, erpVendor('v1'), erpVendor('v2', { name: 'New name' }), erpVendor('v3')),
    ).toEqual(countsOf(1, 1, 1));
    expect(await importVendors(source, erpVendor('v1', { modifiedTime: new Date() }))).toEqual(countsOf(0, 0, 1));
    expect((await vendorOf(source, 'v2')).version).toBe(2);
    expect((await vendorOf(source, 'v1')).version).toBe(1);
  });

  test('that one page has twice are stored once, as the last of them says', async () => {
    const source = erpSource(newTenant());
    const page = [erpVendor('v1', { name: 'First' }), erpVendor('v1', { name: 'Last' })];
    expect(await importVendors(source, ...page)).toEqual(countsOf(1, 0, 1));
    expect((await vendorOf(source, 'v1')).details.name).toBe('Last');
  });

  test('are found by tax id, names and accounts, never by what the ERP masks', async () => {
    const source = erpSource(newTenant());
    await importVendors(
      source,
      erpVendor('v1', {
        name: 'Müller Bau GmbH',
        taxId: 'DE136695976',
        hasAccounts: true,
        accounts: [erpAccount({ iban: IBAN }), erpAccount({ raw: 'XXXXX6789', isMasked: true })],
      }),
      erpVendor('v2', { taxId: 'XXXXXXX6789', isTaxIdMasked: true }),
    );
    const [known, masked] = [await vendorOf(source, 'v1'), await vendorOf(source, 'v2')];
    expect(known.keys).toEqual(expect.arrayContaining(['t:136695976', 'n:MULLER BAU', `b:${IBAN}`]));
    expect(known.keys.filter((key) => key.startsWith('b:'))).toHaveLength(1);
    expect(known.accounts[1]).toMatchObject({ isMasked: true, masked: '*****6789' });
    expect(masked.keys.some((key) => key.startsWith('t:'))).toBe(false);
  });

  test('with a fault are failures that say what is wrong, and the others of the page are stored', async () => {
    const source = erpSource(newTenant());
    const counts = await importVendors(
      source,
      erpVendor('v1'),
      erpVendor('v2', { name: ' ' }),
      erpVendor('v3', { name: 'A\u0000B' }),
      erpVendor('v4', { currency: 'EURO' }),
      erpVendor('v5', { url: 'javascript:alert(1)' }),
      erpVendor('', {}),
      erpVendor('v6', {
        hasAccounts: true,
        accounts: Array.from({ length: 101 }, (_, index) => erpAccount({ raw: String(index) })),
      }),
      erpVendor('v7', {
        hasAccounts: true,
        accounts: Array.from({ length: 100 }, (_, index) => erpAccount({ raw: String(index) })),
      }),
    );
    expect(counts).toMatchObject({ created: 2, updated: 0, unchanged: 0 });
    expect(counts.failures.map(({ externalId, message }) => [externalId, message.split(':')[0]])).toEqual([
      ['v2', 'name'],
      ['v3', 'name'],
      ['v4', 'currency'],
      ['v5', 'url'],
      ['', 'externalId'],
      ['v6', 'accounts'],
    ]);
  });

  test('of a page that two runs send at once are counted as created once', async () => {
    const source = erpSource(newTenant());
    const page = Array.from({ length: 600 }, (_, index) => erpVendor(`v${index}`));
    const all = await Promise.all([1, 2, 3].map(() => importVendors(source, ...page)));
    expect(all.reduce((sum, { created }) => sum + created, 0)).toBe(600);
    expect(all.reduce((sum, { unchanged }) => sum + unchanged, 0)).toBe(1_200);
    const changed = page.map((vendor) => ({ ...vendor, email: 'new@example.com' }));
    const again = await Promise.all([1, 2, 3].map(() => importVendors(source, ...changed)));
    expect(again.reduce((sum, { updated }) => sum + updated, 0)).toBe(600);
    expect((await vendorOf(source, 'v7')).version).toBe(2);
  });

  test('of a remote company that is connected again stay the same records', async () => {
    const organizationId = newTenant();
    const first = erpSource(organizationId);
    await importVendors(first, erpVendor('v1'));
    await rpc.erpImport.endMaster({ organizationId, connectionId: first.connectionId }, caller);
    const second = erpSource(organizationId);
    expect(await importVendors(second, erpVendor('v1'))).toEqual(countsOf(0, 1, 0));
    expect(await importVendors(second, erpVendor('v1'))).toEqual(countsOf(0, 0, 1));
    expect(await vendorDocuments().countDocuments({ organizationId })).toBe(1);
    expect((await vendorOf(second, 'v1')).connectionId).toBe(second.connectionId);
  });

  test('are not imported through a connection that was disconnected, before or after its first page', async () => {
    const organizationId = newTenant();
    const [used, unused] = [erpSource(organizationId), erpSource(organizationId)];
    await importVendors(used, erpVendor('v1'));
    for (const { connectionId } of [used, unused]) {
      await rpc.erpImport.endMaster({ organizationId, connectionId }, caller);
      await rpc.erpImport.endMaster({ organizationId, connectionId }, caller);
    }
    await expect(importVendors(used, erpVendor('v2'))).rejects.toMatchObject({ kind: 'wrong_state' });
    await expect(importVendors(unused, erpVendor('v2'))).rejects.toMatchObject({ kind: 'wrong_state' });
    expect(await vendorDocuments().countDocuments({ organizationId })).toBe(1);
  });

  test('of another organization are never touched, whatever connection a page names', async () => {
    const source = erpSource(newTenant());
    await importVendors(source, erpVendor('v1'));
    const foreign = { ...source, organizationId: newTenant() };
    await expect(importVendors(foreign, erpVendor('v1', { name: 'Changed' }))).rejects.toMatchObject({
      kind: 'not_found',
    });
    await rpc.erpImport.endMaster(foreign, caller);
    expect(await importVendors(source, erpVendor('v1'))).toEqual(countsOf(0, 0, 1));
  });

  test('come in pages of 1 to 1,000', async () => {
    const source = erpSource(newTenant());
    await expect(importVendors(source)).rejects.toMatchObject({ kind: 'invalid' });
    const page = Array.from({ length: 1_001 }, (_, index) => erpVendor(`v${index}`));
    await expect(importVendors(source, ...page)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await importVendors(source, ...page.slice(1))).toEqual(countsOf(1_000, 0, 0));
  });
});

describe('accounts that the ERP lists apart', () => {
  test('join their vendors by id or by number, and are replaced by their own id', async () => {
    const source = erpSource(newTenant());
    await importVendors(source, erpVendor('v1'), erpVendor('v2', { number: '10000' }));
    const page = [
      erpVendorAccount('a1', 'v1', IBAN),
      erpVendorAccount('a2', undefined, OTHER_IBAN, { vendorNumber: '10000' }),
    ];
    expect(await importAccounts(source, ...page)).toEqual(countsOf(2, 0, 0));
    expect(await importAccounts(source, ...page)).toEqual(countsOf(0, 0, 2));
    expect(await importAccounts(source, erpVendorAccount('a1', 'v1', THIRD_IBAN))).toEqual(countsOf(0, 1, 0));
    expect((await vendorOf(source, 'v1')).accounts).toMatchObject([{ key: THIRD_IBAN }]);
    expect((await vendorOf(source, 'v2')).accounts).toMatchObject([{ key: OTHER_IBAN }]);
    expect(await importVendors(source, erpVendor('v1', { email: 'a@example.com' }))).toEqual(countsOf(0, 1, 0));
    expect((await vendorOf(source, 'v1')).accounts).toMatchObject([{ key: THIRD_IBAN }]);
  });

  test('move when the ERP gives them to another vendor', async () => {
    const source = erpSource(newTenant());
    await importVendors(source, erpVendor('v1'), erpVendor('v2'));
    await importAccounts(source, erpVendorAccount('a1', 'v1', IBAN));
    expect(await importAccounts(source, erpVendorAccount('a1', 'v2', IBAN))).toEqual(countsOf(0, 1, 0));
    expect((await vendorOf(source, 'v1')).accounts).toEqual([]);
    expect((await vendorOf(source, 'v1')).keys).not.toContain(`b:${IBAN}`);
    expect((await vendorOf(source, 'v2')).accounts).toMatchObject([{ key: IBAN }]);
  });

  test('of a vendor that is not known, and more than a vendor can have, are failures', async () => {
    const source = erpSource(newTenant());
    await importVendors(source, erpVendor('v1'));
    const accounts = Array.from({ length: 101 }, (_, index) =>
      erpVendorAccount(`a${index}`, 'v1', IBAN, { account: erpAccount({ externalId: `a${index}`, raw: `${index}` }) }),
    );
    const counts = await importAccounts(source, ...accounts, erpVendorAccount('b', 'v9', IBAN));
    expect(counts).toMatchObject({ created: 100, updated: 0, unchanged: 0 });
    expect(counts.failures.map(({ externalId }) => externalId)).toEqual(['a100', 'b']);
  });

  test('that vanish from the complete list leave their vendors', async () => {
    const source = erpSource(newTenant());
    await importVendors(source, erpVendor('v1'), erpVendor('v2'));
    await importAccounts(
      source,
      erpVendorAccount('a1', 'v1', IBAN),
      erpVendorAccount('a2', 'v1', OTHER_IBAN),
      erpVendorAccount('a3', 'v2', THIRD_IBAN),
    );
    expect(await reconcile(source, ErpEntity.VENDOR_ACCOUNT, [])).toEqual({ deleted: 0, isBelieved: false });
    expect(await reconcile(source, ErpEntity.VENDOR_ACCOUNT, ['a2'])).toEqual({ deleted: 2, isBelieved: true });
    expect((await vendorOf(source, 'v1')).accounts).toMatchObject([{ externalId: 'a2' }]);
    expect((await vendorOf(source, 'v2')).accounts).toEqual([]);
  });
});

describe('what is known of a vendor’s accounts over time', () => {
  test('begins with its first list, and has a change when a later run brings another one', async () => {
    const source = erpSource(newTenant());
    await importVendors(source, erpVendor('v1'));
    await importAccounts(source, erpVendorAccount('a1', 'v1', IBAN));
    expect((await vendorOf(source, 'v1')).accountChange).toBeUndefined();
    expect((await vendorOf(source, 'v1')).accountHistory).toMatchObject([{ key: IBAN }]);
    await complete(source);
    await importAccounts(source, erpVendorAccount('a2', 'v1', OTHER_IBAN));
    await reconcile(source, ErpEntity.VENDOR_ACCOUNT, ['a2']);
    const changed = await vendorOf(source, 'v1');
    // The addition and the removal count as one change, from the previous account to the new one.
    expect(changed.accountChange?.before).toMatchObject([{ key: IBAN }]);
    expect(changed.accountHistory).toMatchObject([
      { key: IBAN, to: expect.any(Date) },
      { key: OTHER_IBAN, from: expect.any(Date) },
    ]);
  });

  test('has no change where a run brings back what it took', async () => {
    const source = erpSource(newTenant());
    await importVendors(source, erpVendor('v1', { hasAccounts: true, accounts: [erpAccount({ iban: IBAN })] }));
    await complete(source);
    await importVendors(source, erpVendor('v1', { hasAccounts: true, accounts: [] }));
    expect((await vendorOf(source, 'v1')).accountChange?.before).toMatchObject([{ key: IBAN }]);
    await importVendors(source, erpVendor('v1', { hasAccounts: true, accounts: [erpAccount({ iban: IBAN })] }));
    expect((await vendorOf(source, 'v1')).accountChange).toBeUndefined();
  });
});

describe('bills of an ERP', () => {
  test('are invoices with source ERP, without a decision, as the ERP has them', async () => {
    const source = erpSource(newTenant());
    await importVendors(source, erpVendor('v1', { taxId: 'DE136695976' }));
    const counts = await importBills(
      source,
      erpBill('b1', {
        documentNumber: 'RE-4711',
        erpNumber: '108001',
        dueDate: '2026-10-14',
        netAmount: '1000',
        taxAmount: '190.0',
        grossAmount: '1190.00',
        purchaseOrderRefs: ['106021', '106022'],
      }),
      erpBill('c1', { kind: BillKind.CREDIT_NOTE, grossAmount: '50.5', taxAmount: '0.00', netAmount: '50.50' }),
    );
    expect(counts).toEqual(countsOf(2, 0, 0));
    expect(await bill(source, 'b1')).toMatchObject({
      invoiceId: billId(source, 'b1'),
      companyId: 'c-main',
      source: InvoiceSource.ERP,
      status: 1,
      decision: Decision.UNSPECIFIED,
      invoice: {
        supplier: { name: 'Vendor v1 GmbH', taxId: 'DE136695976' },
        invoiceNumber: 'RE-4711',
        issueDate: '2026-09-14',
        dueDate: '2026-10-14',
        currency: 'EUR',
        netAmount: '1000',
        taxAmount: '190.0',
        grossAmount: '1190.00',
        purchaseOrderRef: '106021',
      },
      erp: { connectionId: source.connectionId, externalId: 'b1', erpNumber: '108001', kind: 'BILL', state: 'OPEN' },
    });
    expect(await bill(source, 'c1', 'credit_note')).toMatchObject({
      invoice: { grossAmount: '-50.5', taxAmount: '0.00', netAmount: '-50.50' },
      erp: { kind: 'CREDIT_NOTE', erpNumber: undefined },
    });
  });

  test('are unchanged when they come again, and updated when they are paid', async () => {
    const source = erpSource(newTenant());
    await importBills(source, erpBill('b1'), erpBill('b2'));
    const paid = erpBill('b2', { state: BillState.PAID, paidAmount: '1190.00' });
    expect(await importBills(source, erpBill('b1'), paid)).toEqual(countsOf(0, 1, 1));
    expect((await bill(source, 'b2')).erp).toMatchObject({ state: 'PAID' });
  });

  test('of a page that two runs send at once are counted as created once', async () => {
    const source = erpSource(newTenant());
    const page = Array.from({ length: 600 }, (_, index) => erpBill(`b${index}`));
    const all = await Promise.all([1, 2].map(() => importBills(source, ...page)));
    expect(all.reduce((sum, { created }) => sum + created, 0)).toBe(600);
    const changed = page.map((one) => ({ ...one, state: BillState.PAID }));
    const again = await Promise.all([1, 2].map(() => importBills(source, ...changed)));
    expect(again.reduce((sum, { updated }) => sum + updated, 0)).toBe(600);
  });

  test('without a number of the supplier have that of the ERP', async () => {
    const source = erpSource(newTenant());
    await importBills(source, erpBill('b1', { documentNumber: '', erpNumber: 'BILL/2026/0001' }));
    expect((await bill(source, 'b1')).invoice).toMatchObject({ invoiceNumber: 'BILL/2026/0001' });
  });

  test('that are drafts without a date, number or amount are left out until they have them', async () => {
    const source = erpSource(newTenant());
    const draft = { state: BillState.DRAFT } as const;
    const incomplete = [
      erpBill('b1', { ...draft, issueDate: '' }),
      erpBill('b2', { ...draft, documentNumber: '' }),
      erpBill('b3', { ...draft, grossAmount: '' }),
    ];
    expect(await importBills(source, ...incomplete, erpBill('b4', draft))).toEqual(countsOf(1, 0, 3));
    expect((await listBills(source.organizationId)).invoices.map(({ erp }) => erp?.externalId)).toEqual(['b4']);
    expect(await importBills(source, erpBill('b1', draft))).toEqual(countsOf(1, 0, 0));
    // An ERP bill that loses its number becomes a draft again.
    await importBills(source, erpBill('b1'));
    expect(await importBills(source, erpBill('b1', { ...draft, documentNumber: '' }))).toEqual(countsOf(0, 1, 0));
    expect((await bill(source, 'b1')).erp).toMatchObject({ state: 'DRAFT' });
    expect(await importBills(source, erpBill('b1', { ...draft, documentNumber: '' }))).toEqual(countsOf(0, 0, 1));
  });

  test('with a fault are failures in our words, and change nothing', async () => {
    const source = erpSource(newTenant());
    const counts = await importBills(
      source,
      erpBill('b1', { currency: 'XXX' }),
      erpBill('b2', { grossAmount: '1e5' }),
      erpBill('b3', { grossAmount: '1234567890123456' }),
      erpBill('b4', { issueDate: '2026-02-30' }),
      erpBill('b5', { issueDate: '' }),
      erpBill('b6', { documentNumber: 'A\u0000' }),
      erpBill('b7', { vendorName: '' }),
      erpBill('b8', { grossAmount: '123456789012345' }),
    );
    expect(counts).toMatchObject({ created: 1, updated: 0, unchanged: 0 });
    expect(counts.failures.map(({ externalId }) => externalId)).toEqual(['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7']);
    expect(counts.failures.every(({ message }) => message.length > 10)).toBe(true);
  });

  test('of a remote company that is connected again stay the same invoices', async () => {
    const organizationId = newTenant();
    await importBills(erpSource(organizationId), erpBill('b1'));
    const again = erpSource(organizationId);
    expect(await importBills(again, erpBill('b1'))).toEqual(countsOf(0, 1, 0));
    expect((await bill(again, 'b1')).erp?.connectionId).toBe(again.connectionId);
    expect((await listBills(organizationId)).invoices).toHaveLength(1);
    const other = erpSource(organizationId, { remoteCompanyId: 'remote-2' });
    expect(await importBills(other, erpBill('b1'))).toEqual(countsOf(1, 0, 0));
  });

  test('are listed newest first, page by page, by company and time, and not among other invoices', async () => {
    const source = erpSource(newTenant());
    const { organizationId } = source;
    await rpc.post(organizationId, wireInvoice());
    await importBills(source, ...Array.from({ length: 7 }, (_, index) => erpBill(`b${index}`)));
    await importBills({ ...source, companyId: 'c-other' }, erpBill('last'));
    const seen: (string | undefined)[] = [];
    let pageToken = '';
    do {
      const page = await listBills(organizationId, { pageSize: 3, pageToken });
      seen.push(...page.invoices.map(({ erp }) => erp?.externalId));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen[0]).toBe('last');
    expect(seen).toHaveLength(8);
    expect(new Set(seen)).toEqual(new Set(['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'last']));
    const ofCompany = await listBills(organizationId, { companyId: 'c-other' });
    expect(ofCompany.invoices.map(({ erp }) => erp?.externalId)).toEqual(['last']);
    const { createdTime } = ofCompany.invoices[0] ?? {};
    expect((await listBills(organizationId, { createdToTime: createdTime })).invoices).toHaveLength(7);
    expect((await listBills(organizationId, { createdFromTime: createdTime })).invoices).toHaveLength(1);
    expect((await listBills(organizationId, { decision: Decision.PASS })).invoices).toEqual([]);
    const others = await listBills(organizationId, { source: InvoiceSource.UNSPECIFIED });
    expect(others.invoices.map(({ source: from }) => from)).toEqual([InvoiceSource.API]);
    expect((await listBills(newTenant())).invoices).toEqual([]);
  });

  test('of another organization look like missing ones', async () => {
    const source = erpSource(newTenant());
    await importBills(source, erpBill('b1'));
    const foreign = { organizationId: newTenant(), invoiceId: billId(source, 'b1') };
    await expect(rpc.invoice.getInvoice(foreign, caller)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(rpc.invoice.getInvoice({ ...foreign, invoiceId: uuidV7() }, caller)).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  test('are found by other invoices while they are entered and valid, and only then', async () => {
    const source = erpSource(newTenant());
    const keysOf = async (externalId: string) =>
      (await invoiceDocuments().findOne({ _id: billId(source, externalId) }))?.match.keys.length ?? -1;
    await importBills(
      source,
      erpBill('b1'),
      erpBill('b2', { state: BillState.DRAFT }),
      erpBill('b3', { state: BillState.VOID }),
      erpBill('b4', { state: BillState.IN_APPROVAL }),
    );
    expect(await keysOf('b1')).toBeGreaterThan(0);
    expect(await keysOf('b2')).toBe(0);
    expect(await keysOf('b3')).toBe(0);
    expect(await keysOf('b4')).toBeGreaterThan(0);
    await importBills(source, erpBill('b1', { state: BillState.VOID }), erpBill('b2'));
    expect(await keysOf('b1')).toBe(0);
    expect(await keysOf('b2')).toBeGreaterThan(0);
  });

  test('take the supplier that the vendor’s tax id, name or account names, and count in no profile', async () => {
    const organizationId = newTenant();
    const { invoiceId } = await rpc.post(organizationId, wireInvoice());
    const invoice = await invoiceDocuments().findOne({ _id: invoiceId });
    const source = erpSource(organizationId);
    await importVendors(
      source,
      erpVendor('v1', { name: 'Nordlicht Energie', taxId: 'DE136695976' }),
      erpVendor('v2', { name: 'Quite Another Ltd' }),
    );
    await importBills(
      source,
      erpBill('b1', { vendorName: 'Nordlicht Energie' }),
      erpBill('b2', { vendorExternalId: 'v2', vendorName: 'Quite Another Ltd' }),
    );
    const [known, unknown] = await Promise.all(
      ['b1', 'b2'].map((externalId) => invoiceDocuments().findOne({ _id: billId(source, externalId) })),
    );
    expect(known?.match.supplierId).toBe(invoice?.match.supplierId);
    expect(unknown?.match.supplierId).toBeNull();
    expect((await vendorOf(source, 'v1')).supplierId).toBe(invoice?.match.supplierId);
    const suppliers = await running.mongo.db.collection('suppliers').find({ organizationId }).toArray();
    expect(suppliers).toMatchObject([{ profile: { count: 1 } }]);
  });
});

describe('orders and payments of an ERP', () => {
  test('are created, updated and left as they are', async () => {
    const source = erpSource(newTenant());
    const orders = async (...page: ReturnType<typeof erpOrder>[]) =>
      (await rpc.erpImport.importOrders({ source, orders: page }, caller)).counts;
    const payments = async (...page: ReturnType<typeof erpPayment>[]) =>
      (await rpc.erpImport.importPayments({ source, payments: page }, caller)).counts;
    expect(await orders(erpOrder('o1'), erpOrder('o2'))).toEqual(countsOf(2, 0, 0));
    expect(await orders(erpOrder('o1'), erpOrder('o2', { grossAmount: '501' }))).toEqual(countsOf(0, 1, 1));
    expect(await payments(erpPayment('p1'), erpPayment('p2', { billExternalIds: ['b1'] }))).toEqual(countsOf(2, 0, 0));
    expect(await payments(erpPayment('p1', { isReturned: true }), erpPayment('p3', { amount: 'x' }))).toMatchObject({
      updated: 1,
      failures: [{ externalId: 'p3' }],
    });
    const stored = await running.mongo.db.collection('erp_payments').findOne({ externalId: 'p2' });
    expect(stored).toMatchObject({ invoiceIds: [billId(source, 'b1')], amountMinor: '119000' });
  });
});

describe('a complete list of ids', () => {
  test('voids the bills that vanished, in ranges, and those that come back are live again', async () => {
    const source = erpSource(newTenant());
    await importBills(source, ...['b1', 'b2', 'b3', 'b4'].map((id) => erpBill(id)));
    await importBills(source, erpBill('c1', { kind: BillKind.CREDIT_NOTE }));
    const first = await reconcile(source, ErpEntity.BILL, ['b1', 'b3'], { total: 2, isLast: false });
    expect(first).toEqual({ deleted: 1, isBelieved: true });
    const second = await reconcile(source, ErpEntity.BILL, [], { total: 2, afterExternalId: 'b3' });
    expect(second).toEqual({ deleted: 1, isBelieved: true });
    for (const [externalId, state] of [
      ['b1', 'OPEN'],
      ['b2', 'VOID'],
      ['b3', 'OPEN'],
      ['b4', 'VOID'],
    ] as const) {
      expect((await bill(source, externalId)).erp).toMatchObject({ externalId, state });
    }
    expect((await bill(source, 'c1', 'credit_note')).erp).toMatchObject({ state: 'OPEN' });
    expect(await importBills(source, erpBill('b2'))).toEqual(countsOf(0, 1, 0));
    expect((await bill(source, 'b2')).erp).toMatchObject({ state: 'OPEN' });
  });

  test('that is empty where records are live is not believed, and deletes nothing', async () => {
    const source = erpSource(newTenant());
    expect(await reconcile(source, ErpEntity.VENDOR, [])).toEqual({ deleted: 0, isBelieved: true });
    await importVendors(source, erpVendor('v1'));
    expect(await reconcile(source, ErpEntity.VENDOR, [])).toEqual({ deleted: 0, isBelieved: false });
    expect((await vendorOf(source, 'v1')).deletedAt).toBeUndefined();
  });

  test('takes vendors that vanished out of every lookup, and those of another remote company not', async () => {
    const organizationId = newTenant();
    const source = erpSource(organizationId);
    const other = erpSource(organizationId, { remoteCompanyId: 'remote-2' });
    await importVendors(source, erpVendor('v1'), erpVendor('v2'));
    await importVendors(other, erpVendor('v1'));
    expect(await reconcile(source, ErpEntity.VENDOR, ['v2'])).toEqual({ deleted: 1, isBelieved: true });
    expect(await vendorOf(source, 'v1')).toMatchObject({ keys: [], deletedAt: expect.any(Date) });
    expect((await vendorOf(other, 'v1')).deletedAt).toBeUndefined();
    expect(await reconcile(source, ErpEntity.VENDOR, ['v2'])).toEqual({ deleted: 0, isBelieved: true });
    expect(await importVendors(source, erpVendor('v1'))).toEqual(countsOf(0, 1, 0));
    expect((await vendorOf(source, 'v1')).keys).not.toEqual([]);
  });

  test('must be sorted, and a part has at most 10,000 ids', async () => {
    const source = erpSource(newTenant());
    await expect(reconcile(source, ErpEntity.BILL, ['b2', 'b1'])).rejects.toMatchObject({ kind: 'invalid' });
    await expect(reconcile(source, ErpEntity.BILL, ['b1'], { afterExternalId: 'b1' })).rejects.toMatchObject({
      kind: 'invalid',
    });
    const ids = Array.from({ length: 10_001 }, (_, index) => String(index).padStart(5, '0'));
    await expect(reconcile(source, ErpEntity.BILL, ids)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await reconcile(source, ErpEntity.BILL, ids.slice(1))).toEqual({ deleted: 0, isBelieved: true });
  });
});

describe('records that the ERP reports as deleted', () => {
  test('are marked once, whatever their kind; unknown ones are no fault', async () => {
    const source = erpSource(newTenant());
    await importVendors(source, erpVendor('v1'));
    await importAccounts(source, erpVendorAccount('a1', 'v1', IBAN));
    await importBills(source, erpBill('b1'), erpBill('b2'));
    const deleted = async (entity: ErpEntity, ...externalIds: string[]) =>
      (await rpc.erpImport.deleteRecords({ source, entity, externalIds }, caller)).deleted;
    expect(await deleted(ErpEntity.BILL, 'b1', 'b9')).toBe(1);
    expect(await deleted(ErpEntity.BILL, 'b1')).toBe(0);
    expect(await deleted(ErpEntity.CREDIT_NOTE, 'b2')).toBe(0);
    expect((await bill(source, 'b1')).erp).toMatchObject({ state: 'VOID' });
    expect(await deleted(ErpEntity.VENDOR_ACCOUNT, 'a1', 'a9')).toBe(1);
    expect((await vendorOf(source, 'v1')).accounts).toEqual([]);
    expect(await deleted(ErpEntity.VENDOR, 'v1')).toBe(1);
    await rpc.erpImport.importOrders({ source, orders: [erpOrder('o1'), erpOrder('o2')] }, caller);
    await rpc.erpImport.importPayments({ source, payments: [erpPayment('p1')] }, caller);
    expect(await deleted(ErpEntity.ORDER, 'o1')).toBe(1);
    expect(await reconcile(source, ErpEntity.ORDER, ['o9'])).toEqual({ deleted: 1, isBelieved: true });
    expect(await deleted(ErpEntity.PAYMENT, 'p1')).toBe(1);
    expect(await deleted(ErpEntity.PAYMENT, 'p1')).toBe(0);
  });
});
