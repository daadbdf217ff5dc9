import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BillKind, BillState, ErpEntity } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type {
  ErpBill,
  ErpOrder,
  ErpPayment,
  ErpVendor,
  ErpVendorAccount,
  ImportSource,
} from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import { toWire } from '@invoicecontrol/invoice/wire';
import { startService } from '../compose.js';
import { anyFinding, asUser, findingOf, resultOf, testClock } from '../testing/clients.js';
import {
  erpAccount,
  erpBill,
  erpOrder,
  erpPayment,
  erpSource,
  erpVendor,
  erpVendorAccount,
} from '../testing/erp-records.js';
import { BILLS_PER_ORDER_MAX } from '../books/storage/erp-records.js';
import { BILLS_OF_VENDOR_MAX, PAYMENTS_OF_VENDOR_MAX } from '../examination/storage/books.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const HOME = 'DE89370400440532013000';
const FORGED = 'DE02500105170137075030';
const acme = { name: 'Acme Supplies GmbH', tax_id: 'DE136695976' };

let analysis: RunningAnalysis;
let source: ImportSource;

beforeAll(async () => {
  analysis = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
});
beforeEach(() => {
  source = erpSource(analysis.organization.newTenant());
});
afterAll(() => analysis.stop());

interface Page {
  readonly vendors?: ErpVendor[];
  readonly accounts?: ErpVendorAccount[];
  readonly bills?: ErpBill[];
  readonly orders?: ErpOrder[];
  readonly payments?: ErpPayment[];
}

/**
 * Runs an import of the given ERP records.
 * @returns the number of new findings
 */
async function synchronise(page: Page, of = source): Promise<number> {
  const { vendors = [], accounts = [], bills = [], orders = [], payments = [] } = page;
  const { erpImport } = analysis.rpc;
  const caller = asUser('user-1');
  if (vendors.length > 0) await erpImport.importVendors({ source: of, vendors }, caller);
  if (accounts.length > 0) await erpImport.importVendorAccounts({ source: of, accounts }, caller);
  if (bills.length > 0) await erpImport.importBills({ source: of, bills }, caller);
  if (payments.length > 0) await erpImport.importPayments({ source: of, payments }, caller);
  if (orders.length > 0) await erpImport.importOrders({ source: of, orders }, caller);
  const now = testClock.now();
  const run = { source: of, startedTime: now, finishedTime: now, hasVendorList: true };
  return (await erpImport.completeImport(run, caller)).findingsCreated;
}

async function findings(organizationId = source.organizationId): Promise<Finding[]> {
  const request = { ...anyFinding, organizationId };
  const { findings: listed } = await analysis.rpc.finding.listFindings(request, asUser('user-1'));
  return listed;
}

/** Returns the invoices that the bills book, by the ids of the bills in the ERP. */
async function links(): Promise<Record<string, string | undefined>> {
  const { organizationId } = source;
  const bills = await analysis.mongo.db.collection('invoices').find({ organizationId, source: 'ERP' }).toArray();
  return Object.fromEntries(
    bills.map(({ erp, match }) => [
      (erp as { externalId: string }).externalId,
      (match as { bookedInvoiceId?: string }).bookedInvoiceId,
    ]),
  );
}

const typesOf = (listed: readonly Pick<Finding, 'type'>[]): string[] => listed.map(({ type }) => type).sort();
const post = (changes: InvoiceChanges = {}) =>
  analysis.rpc.post(source.organizationId, toWire(invoiceOf({ supplier: acme, issue_date: '2026-09-14', ...changes })));
const vendorOf = (externalId: string, changes: Partial<ErpVendor> = {}) =>
  erpVendor(externalId, {
    name: acme.name,
    taxId: acme.tax_id,
    hasAccounts: true,
    accounts: [erpAccount({ iban: HOME })],
    ...changes,
  });
const billOf = (externalId: string, changes: Partial<ErpBill> = {}) =>
  erpBill(externalId, { documentNumber: 'INV-1042', vendorName: acme.name, grossAmount: '1200.00', ...changes });
const paidTo = (iban: string): InvoiceChanges => ({ supplier: { ...acme, bank_account: { iban } } });

describe('a vendor master', () => {
  test('blocks an invoice with an account that it does not have, and not one with its own', async () => {
    await synchronise({ vendors: [vendorOf('v1')] });
    const forged = await post(paidTo(FORGED));
    expect(findingOf(forged, 'BANK_ACCOUNT_MASTER_MISMATCH').summary).toContain('DE89**************3000');
    expect(forged.decision).toBe(Decision.BLOCK);
    const right = await post({ ...paidTo(HOME), invoice_number: 'INV-2000', gross_amount: '77.10' });
    expect(typesOf(right.findings)).not.toContain('BANK_ACCOUNT_MASTER_MISMATCH');
  });
  test('is missing a supplier that is no vendor', async () => {
    await synchronise({ vendors: [vendorOf('v1')] });
    expect(typesOf((await post({ supplier: { name: 'Borealis Ltd' } })).findings)).toContain('SUPPLIER_NOT_IN_MASTER');
    expect(typesOf((await post()).findings)).not.toContain('SUPPLIER_NOT_IN_MASTER');
  });
  test('of a connection that was disconnected says nothing, and one of another organization neither', async () => {
    await synchronise({ vendors: [vendorOf('v1')] });
    const stranger = erpSource(analysis.organization.newTenant());
    expect(
      typesOf((await analysis.rpc.post(stranger.organizationId, toWire(invoiceOf(paidTo(FORGED))))).findings),
    ).not.toContain('BANK_ACCOUNT_MASTER_MISMATCH');
    const { organizationId, connectionId } = source;
    await analysis.rpc.erpImport.endMaster({ organizationId, connectionId }, asUser('user-1'));
    expect(typesOf((await post(paidTo(FORGED))).findings)).not.toContain('BANK_ACCOUNT_MASTER_MISMATCH');
  });
  test('checks the rows of a scan as it does single invoices', async () => {
    await synchronise({ vendors: [vendorOf('v1')] });
    await analysis.rpc.scan(source.organizationId, [
      toWire(invoiceOf({ ...paidTo(FORGED), issue_date: '2026-09-14' })),
    ]);
    expect(typesOf(await findings())).toContain('BANK_ACCOUNT_MASTER_MISMATCH');
  });
  test('is what a re-analysis sees as it was: the same facts give the same result', async () => {
    await synchronise({ vendors: [vendorOf('v1')] });
    const forged = await post(paidTo(FORGED));
    await synchronise({ vendors: [vendorOf('v1', { accounts: [erpAccount({ iban: FORGED })] })] });
    const again = await analysis.rpc.reanalyze(source.organizationId, forged);
    expect(resultOf(again)).toEqual(resultOf(forged));
  });
  test('knows what was ordered', async () => {
    await synchronise({
      vendors: [vendorOf('v1')],
      orders: [erpOrder('o', { number: 'PO-4711', grossAmount: '1500.00' })],
    });
    const onOrder = { purchase_order_ref: 'PO 4711' };
    expect(typesOf((await post(onOrder)).findings)).not.toContain('PO_OVERBILLED');
    const second = await post({
      ...onOrder,
      invoice_number: 'INV-7731',
      gross_amount: '800.00',
      issue_date: '2026-09-20',
    });
    expect(findingOf(second, 'PO_OVERBILLED').summary).toContain('EUR 2,000.00');
  });
  test.each([
    [BILLS_PER_ORDER_MAX, true],
    [BILLS_PER_ORDER_MAX + 1, false],
  ])('knows what %d bills on an order come to: %s', async (count, isKnown) => {
    const bills = Array.from({ length: count }, (_, index) =>
      billOf(`b${index}`, {
        documentNumber: `K${index}-${index * 7919}`,
        grossAmount: `${100 + index}.17`,
        purchaseOrderRefs: ['PO-4711'],
      }),
    );
    const orders = [erpOrder('o', { number: 'PO-4711', grossAmount: '1500.00' })];
    await synchronise({ vendors: [vendorOf('v1')], orders, bills });
    const { findings: raised } = await post({ purchase_order_ref: 'PO 4711' });
    expect(typesOf(raised).includes('PO_OVERBILLED')).toBe(isKnown);
  });
  test.each([
    [64, true],
    [65, false],
  ])('knows what %d invoices on an order come to: %s', async (count, isKnown) => {
    const orders = [erpOrder('o', { number: 'PO-4711', grossAmount: '1500.00' })];
    await synchronise({ vendors: [vendorOf('v1')], orders });
    const onOrder = (index: number) =>
      post({
        purchase_order_ref: 'PO 4711',
        invoice_number: `K${index}-${index * 7919}`,
        gross_amount: `${100 + index}.17`,
      });
    for (let index = 0; index < count; index++) await onOrder(index);
    expect(typesOf((await onOrder(count)).findings).includes('PO_OVERBILLED')).toBe(isKnown);
  });
  test('names own accounts', async () => {
    // This vendor belongs to the second company of the organization.
    await synchronise({ vendors: [vendorOf('v1', { name: 'Poland', taxId: 'PL5260250995' })] });
    expect(typesOf((await post(paidTo(HOME))).findings)).toContain('BANK_ACCOUNT_OWN');
  });
});

describe('a bill of the ERP', () => {
  test('that is there before the invoice means that it is booked already', async () => {
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1')] });
    const posted = await post();
    expect(posted.decision).toBe(Decision.BLOCK);
    const finding = findingOf(posted, 'DUPLICATE_INVOICE');
    expect(finding.relatedInvoiceIds).toHaveLength(1);
    expect(JSON.stringify(finding)).toContain('The bill is already in the ERP.');
  });
  test('that comes after the invoice is linked to it, one each, and raises nothing', async () => {
    const posted = await post();
    expect(
      await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1', { documentNumber: 'inv 1042' })] }),
    ).toBe(0);
    expect(await links()).toEqual({ b1: posted.invoiceId });
    expect(await analysis.rpc.reanalyze(source.organizationId, posted)).toMatchObject(resultOf(posted));
    await synchronise({ bills: [billOf('b2')] });
    expect(await links()).toEqual({ b1: posted.invoiceId, b2: undefined });
    await synchronise({ bills: [billOf('b1', { state: BillState.VOID })] });
    // The bill b2 was examined again, because it had changed within the last minutes.
    expect(await links()).toEqual({ b1: undefined, b2: posted.invoiceId });
    await synchronise({ bills: [billOf('b3')] });
    expect(await links()).toEqual({ b1: undefined, b2: posted.invoiceId, b3: undefined });
    const later = await post({ invoice_number: 'INV 1042', issue_date: '2026-09-15' });
    expect(findingOf(later, 'DUPLICATE_INVOICE').relatedInvoiceIds).toHaveLength(3);
  });
  test.each<[string, Partial<ErpBill>]>([
    ['another amount', { grossAmount: '9200.00' }],
    ['another number', { documentNumber: 'INV-7731' }],
    ['another day', { issueDate: '2026-08-14' }],
    ['another currency', { currency: 'GBP' }],
    ['another vendor', { vendorExternalId: 'v2', vendorName: 'Borealis Ltd' }],
  ])('that gets %s books its invoice no more, and another bill does', async (_, changes) => {
    const posted = await post();
    const vendors = [vendorOf('v1'), vendorOf('v2', { name: 'Borealis Ltd', taxId: 'DE811907980', accounts: [] })];
    await synchronise({ vendors, bills: [billOf('b1')] });
    expect(await links()).toEqual({ b1: posted.invoiceId });
    await synchronise({ bills: [billOf('b1', changes)] });
    expect(await links()).toEqual({ b1: undefined });
    await synchronise({ bills: [billOf('b2')] });
    expect(await links()).toEqual({ b1: undefined, b2: posted.invoiceId });
    // The bill cannot be linked to the invoice again.
    await synchronise({ bills: [billOf('b1')] });
    expect(await links()).toEqual({ b1: undefined, b2: posted.invoiceId });
  });
  test('that changes without becoming another one keeps its invoice', async () => {
    const posted = await post();
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1')] });
    await synchronise({ bills: [billOf('b1', { documentNumber: 'INV 1042', dueDate: '2026-12-01' })] });
    expect(await links()).toEqual({ b1: posted.invoiceId });
  });
  test('that moves by a few days again and again books its invoice until it is too far from it', async () => {
    const posted = await post();
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1')] });
    await synchronise({ bills: [billOf('b1', { issueDate: '2026-09-18' })] });
    expect(await links()).toEqual({ b1: posted.invoiceId });
    await synchronise({ bills: [billOf('b1', { issueDate: '2026-09-22' })] });
    expect(await links()).toEqual({ b1: undefined });
  });
  test('that becomes a draft, or is deleted through a new connection, books nothing', async () => {
    await post();
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1')] });
    await synchronise({ bills: [billOf('b1', { state: BillState.DRAFT })] });
    expect(await links()).toEqual({ b1: undefined });
    await synchronise({ bills: [billOf('b1', { dueDate: '2026-12-01' })] });
    expect((await links())['b1']).toBeDefined();
    const { organizationId, connectionId } = source;
    await analysis.rpc.erpImport.endMaster({ organizationId, connectionId }, asUser('user-1'));
    source = { ...source, connectionId: randomUUID() };
    const deleted = { source, entity: ErpEntity.BILL, externalIds: ['b1'] };
    await analysis.rpc.erpImport.deleteRecords(deleted, asUser('user-1'));
    await synchronise({});
    expect(await links()).toEqual({ b1: undefined });
  });
  test('that an invoice repeats stays the earlier one when it is voided and entered again', async () => {
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1')] });
    const posted = await post();
    expect(posted.decision).toBe(Decision.BLOCK);
    await synchronise({ bills: [billOf('b1', { state: BillState.VOID })] });
    await synchronise({ bills: [billOf('b1', { state: BillState.DRAFT })] });
    await synchronise({ bills: [billOf('b1', { dueDate: '2026-12-01' })] });
    const again = await analysis.rpc.reanalyze(source.organizationId, posted);
    expect(again).toMatchObject(resultOf(posted));
  });
  test('entered twice is found before it is paid, once, with its companies and without an invoice', async () => {
    const bills = [billOf('b1'), billOf('b2', { documentNumber: 'INV 1042' })];
    expect(await synchronise({ vendors: [vendorOf('v1')], bills })).toBe(1);
    const [finding] = await findings();
    expect(finding).toMatchObject({ type: 'BOOKS_DUPLICATE_BILL', companyId: 'c-main', disposition: 'OPEN' });
    expect(finding?.invoiceId).toBeUndefined();
    expect(await synchronise({ bills })).toBe(0);
    expect(await synchronise({ bills: bills.map((bill) => ({ ...bill, dueDate: '2026-12-01' })) })).toBe(0);
    await analysis.rpc.review(source.organizationId, finding as Finding, 'FALSE_POSITIVE');
    expect(await synchronise({ bills: bills.map((bill) => ({ ...bill, dueDate: '2026-12-02' })) })).toBe(0);
    expect((await findings()).map(({ disposition }) => disposition)).toEqual(['FALSE_POSITIVE']);
    expect(await findings(randomUUID())).toEqual([]);
  });
  test('entered under two vendor records is found, and is a duplicate payment once both are paid', async () => {
    const vendors = [vendorOf('v1'), vendorOf('v2', { name: 'Acme Supplies', accounts: [] })];
    const bills = [billOf('b1'), billOf('b2', { vendorExternalId: 'v2', vendorName: 'Acme Supplies' })];
    await synchronise({ vendors, bills });
    expect(typesOf(await findings())).toEqual(['BOOKS_DUPLICATE_BILL', 'VENDOR_RECORD_DUPLICATE']);
    await synchronise({ bills: bills.map((bill) => ({ ...bill, state: BillState.PAID, paidAmount: '1200.00' })) });
    expect(typesOf(await findings())).toEqual(['BOOKS_DUPLICATE_BILL', 'DUPLICATE_PAYMENT', 'VENDOR_RECORD_DUPLICATE']);
  });
  describe('that was taken back by a credit note and is billed again', () => {
    const paid = { state: BillState.PAID, paidAmount: '1200.00' };
    const first = (changes: Partial<ErpBill> = {}) => billOf('b1', { issueDate: '2026-09-01', ...changes });
    const again = (changes: Partial<ErpBill> = {}) => billOf('b2', { issueDate: '2026-09-14', ...changes });
    const credit = (changes: Partial<ErpBill> = {}) =>
      billOf('cn', { kind: BillKind.CREDIT_NOTE, documentNumber: 'CN-77', issueDate: '2026-09-08', ...changes });
    const payments = [
      erpPayment('p1', { amount: '1200.00', date: '2026-09-20', billExternalIds: ['b1'] }),
      erpPayment('p2', { amount: '1200.00', date: '2026-09-25', billExternalIds: ['b2'] }),
    ];
    const vendors = () => [vendorOf('v1')];

    test.each(['INV-1042', 'INV-1042-CR', 'CN-77', 'CN-INV-1042', 'Reversal of: BILL/2026/09/0001'])(
      'is no duplicate, open or paid: credit note %s',
      async (documentNumber) => {
        expect(await synchronise({ vendors: vendors(), bills: [first(), again(), credit({ documentNumber })] })).toBe(
          0,
        );
        expect(await synchronise({ bills: [first(paid), again()] })).toBe(0);
        expect(await synchronise({ bills: [again(paid)] })).toBe(0);
        expect(await synchronise({ payments })).toBe(0);
      },
    );
    /** Makes the imported bills look as if they had been examined long ago. */
    const forgetChanges = async (): Promise<void> => {
      const { organizationId } = source;
      const old = { $set: { 'erp.changedAt': new Date(0) } };
      await analysis.mongo.db.collection('invoices').updateMany({ organizationId, source: 'ERP' }, old);
    };
    test.each<[string, Partial<ErpBill>]>([
      ['voided', { state: BillState.VOID }],
      ['changed to another amount', { grossAmount: '1.00' }],
      ['moved to another day', { issueDate: '2026-10-22' }],
    ])('is one once the credit note is %s', async (_, changes) => {
      const bills = [first(), again(), credit()];
      expect(await synchronise({ vendors: vendors(), bills })).toBe(0);
      await forgetChanges();
      expect(await synchronise({ bills: [credit(changes)] })).toBe(1);
      expect(typesOf(await findings())).toEqual(['BOOKS_DUPLICATE_BILL']);
    });
    test.each([
      [BILLS_OF_VENDOR_MAX - 1, 1],
      [BILLS_OF_VENDOR_MAX, 0],
    ])('is one after a voided credit note behind %d newer bills of the vendor: %d', async (newer, found) => {
      await synchronise({ vendors: vendors(), bills: [first(), again(), credit()] });
      const later = Array.from({ length: newer }, (_, index) =>
        billOf(`n${index}`, { documentNumber: `N${index}-${index * 7919}`, grossAmount: `${index + 1}.07` }),
      );
      await synchronise({ bills: later });
      await forgetChanges();
      expect(await synchronise({ bills: [credit({ state: BillState.VOID })] })).toBe(found);
    });
    test('is one where the credit note names another bill, over whatever amount', async () => {
      const other = billOf('b9', { documentNumber: 'K-7731', grossAmount: '5000.00', issueDate: '2026-03-02' });
      const bills = [first(paid), again(paid), other, credit({ documentNumber: 'CN-K-7731' })];
      await synchronise({ vendors: vendors(), bills });
      expect(typesOf(await findings())).toEqual(['DUPLICATE_PAYMENT']);
    });
    test('is none months later, when the credit note came soon after the first', async () => {
      const bills = [first({ issueDate: '2026-03-01' }), again({ issueDate: '2026-09-14' })];
      await synchronise({ vendors: vendors(), bills: [...bills, credit({ issueDate: '2026-03-03' })] });
      expect(await findings()).toEqual([]);
      const withoutCredit = erpSource(analysis.organization.newTenant());
      expect(await synchronise({ vendors: vendors(), bills }, withoutCredit)).toBe(1);
    });
    test('is one for the third bill, and for payments of it', async () => {
      const third = billOf('b3', { issueDate: '2026-09-20' });
      await synchronise({ vendors: vendors(), bills: [first(), again(), third, credit()] });
      expect(typesOf(await findings())).toEqual(['BOOKS_DUPLICATE_BILL']);
      const ofThird = erpPayment('p3', { amount: '1200.00', date: '2026-09-27', billExternalIds: ['b3'] });
      await synchronise({ payments: [...payments, ofThird] });
      expect(typesOf(await findings())).toEqual(['BOOKS_DUPLICATE_BILL', 'DUPLICATE_PAYMENT']);
    });
  });
  test('that was voided or is a draft is no duplicate', async () => {
    const bills = [billOf('b1', { state: BillState.VOID }), billOf('b2', { state: BillState.DRAFT }), billOf('b3')];
    expect(await synchronise({ vendors: [vendorOf('v1')], bills })).toBe(0);
    expect(typesOf((await post({ invoice_number: 'INV-9', gross_amount: '12.00' })).findings)).not.toContain(
      'DUPLICATE_INVOICE',
    );
  });
});

describe('a vendor record', () => {
  const supplierOf = async (externalId: string): Promise<unknown> => {
    const { organizationId } = source;
    const vendor = await analysis.mongo.db.collection('vendors').findOne({ organizationId, externalId });
    return vendor?.['supplierId'];
  };
  const borealis = { name: 'Borealis Ltd', tax_id: 'DE811907980' };

  test.each<[string, Partial<ErpVendor>]>([
    ['another tax id and name', { name: borealis.name, taxId: borealis.tax_id }],
    ['another tax id', { taxId: borealis.tax_id }],
    ['another name', { name: borealis.name }],
  ])('that gets %s is no longer the supplier that it was', async (_, changes) => {
    await post();
    await post({ supplier: borealis, invoice_number: 'B-7731', gross_amount: '77.10' });
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1', { documentNumber: 'X-1' })] });
    const before = await supplierOf('v1');
    expect(before).toBeDefined();
    await synchronise({ vendors: [vendorOf('v1', changes)] });
    expect(await supplierOf('v1')).toBeUndefined();
  });
  test('that is taken over by another party has the bills of that party', async () => {
    await post();
    const booked = await post({ supplier: borealis, invoice_number: 'B-7731', gross_amount: '77.10' });
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1')] });
    const taken = { name: borealis.name, taxId: borealis.tax_id };
    const bill = billOf('b2', { documentNumber: 'B-7731', vendorName: borealis.name, grossAmount: '77.10' });
    await synchronise({ vendors: [vendorOf('v1', taken)], bills: [bill] });
    expect((await links())['b2']).toBe(booked.invoiceId);
  });
  test('that changes otherwise stays the supplier that it is', async () => {
    await post();
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1')] });
    const before = await supplierOf('v1');
    expect(before).toBeDefined();
    await synchronise({ vendors: [vendorOf('v1', { email: 'new@acme.example', name: 'ACME Supplies' })] });
    expect(await supplierOf('v1')).toBe(before);
  });
});

describe('at the end of a run', () => {
  test('the indexes that bills have hold no other invoice', async () => {
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1')] });
    const indexes = await analysis.mongo.db.collection('invoices').indexes();
    const ofBills = indexes.filter(({ name = '' }) => name === 'booked' || name.includes('bills'));
    expect(ofBills.length).toBeGreaterThan(4);
    for (const { key, sparse } of ofBills) {
      expect(sparse).toBe(true);
      expect(Object.keys(key).filter((field) => !/^(erp\.|match\.bookedInvoiceId)/.test(field))).toEqual([]);
    }
  });
  test('changes of several pages are looked at, each with those of the others', async () => {
    const bills = Array.from({ length: 230 }, (_, index) =>
      billOf(`b${index}`, { documentNumber: `K${index}-${index * 7919}`, grossAmount: `${100 + index * 13}.17` }),
    );
    const vendors = Array.from({ length: 260 }, (_, index) =>
      vendorOf(`w${index}`, { name: `Firm ${index}`, taxId: '', accounts: [] }),
    );
    const copy = { ...bills[0], externalId: 'copy' } as ErpBill;
    const twin = vendorOf('twin', { name: 'Twin', taxId: acme.tax_id, accounts: [] });
    expect(await synchronise({ vendors: [vendorOf('v1'), ...vendors, twin], bills: [...bills, copy] })).toBe(2);
    expect(typesOf(await findings())).toEqual(['BOOKS_DUPLICATE_BILL', 'VENDOR_RECORD_DUPLICATE']);
  });
  test.each([
    [10 * 60_000 - 1, 1],
    [10 * 60_000, 0],
  ])(
    'a page stored up to ten minutes after the moment that it bears is examined: %d ms before, %d found',
    async (ms, found) => {
      await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1')] });
      const { organizationId, connectionId } = source;
      await analysis.rpc.erpImport.importBills({ source, bills: [billOf('b2')] }, asUser('user-1'));
      const { db } = analysis.mongo;
      const known = await db
        .collection<{ _id: string; completedThrough: Date }>('erp_sources')
        .findOne({ _id: connectionId });
      const moment = new Date((known?.completedThrough.getTime() ?? 0) - ms);
      const copy = { organizationId, 'erp.externalId': 'b2' };
      await db.collection('invoices').updateOne(copy, { $set: { 'erp.changedAt': moment } });
      // The import time of the first bill is moved far into the past, so that only the second one counts as changed.
      const first = { organizationId, 'erp.externalId': 'b1' };
      await db.collection('invoices').updateOne(first, { $set: { 'erp.changedAt': new Date(0) } });
      expect(await synchronise({})).toBe(found);
    },
  );
  test('an account that changed while bills are open is reported, and is no change at the first run', async () => {
    const vendors = [vendorOf('v1')];
    expect(await synchronise({ vendors, bills: [billOf('b1')] })).toBe(0);
    const changed = [vendorOf('v1', { accounts: [erpAccount({ iban: FORGED })] })];
    expect(await synchronise({ vendors: changed })).toBe(1);
    const [finding] = await findings();
    expect(finding).toMatchObject({ type: 'VENDOR_MASTER_BANK_CHANGED' });
    expect(JSON.stringify(finding)).not.toContain(FORGED);
    expect(await synchronise({ vendors: changed })).toBe(0);
  });
  test('an account that changed while the ERP was disconnected is reported when it is connected again', async () => {
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1')] });
    const { organizationId, connectionId } = source;
    await analysis.rpc.erpImport.endMaster({ organizationId, connectionId }, asUser('user-1'));
    const renewed = { ...source, connectionId: randomUUID() };
    const changed = [vendorOf('v1', { accounts: [erpAccount({ iban: FORGED })] })];
    expect(await synchronise({ vendors: changed, bills: [billOf('b1')] }, renewed)).toBe(1);
    expect(typesOf(await findings())).toEqual(['VENDOR_MASTER_BANK_CHANGED']);
  });
  test('a change of an account without open bills raises nothing', async () => {
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1', { state: BillState.PAID })] });
    expect(await synchronise({ vendors: [vendorOf('v1', { accounts: [erpAccount({ iban: FORGED })] })] })).toBe(0);
  });
  test('a bill that was paid too much, or to an account of another vendor, is reported', async () => {
    const listed = { hasAccounts: false, accounts: [] };
    const vendors = [vendorOf('v1', listed), vendorOf('v2', { ...listed, name: 'Other', taxId: 'DE811907980' })];
    const accounts = [erpVendorAccount('7', 'v1', HOME), erpVendorAccount('8', 'v2', FORGED)];
    const paid = { state: BillState.PAID, paidAmount: '1200.00' };
    await synchronise({
      vendors,
      accounts,
      bills: [
        billOf('right', { ...paid, documentNumber: 'A-1', paidAccountExternalId: '7' }),
        billOf('elsewhere', {
          ...paid,
          documentNumber: 'B-77',
          grossAmount: '400.00',
          paidAmount: '400.00',
          paidAccountExternalId: '8',
        }),
        billOf('too-much', { ...paid, documentNumber: 'C-913', grossAmount: '300.00', paidAmount: '301.01' }),
        billOf('rounded', { ...paid, documentNumber: 'D-5521', grossAmount: '350.00', paidAmount: '351.00' }),
        billOf('credit', { ...paid, kind: BillKind.CREDIT_NOTE, documentNumber: 'E-3', grossAmount: '10.00' }),
      ],
    });
    expect(typesOf(await findings())).toEqual(['PAYMENT_ACCOUNT_MISMATCH', 'PAYMENT_AMOUNT_MISMATCH']);
  });
  test('accounts that cannot be compared are told apart by the vendors that have them', async () => {
    const listed = { hasAccounts: false, accounts: [] };
    const vendors = [vendorOf('v1', listed), vendorOf('v2', { ...listed, name: 'Other', taxId: 'DE811907980' })];
    const domestic = (externalId: string, vendorExternalId: string) => ({
      vendorExternalId,
      account: erpAccount({ externalId, raw: `NO-${externalId}-4711` }),
    });
    const paid = { state: BillState.PAID, paidAmount: '1200.00' };
    const bills = [
      billOf('right', { ...paid, documentNumber: 'A-1', paidAccountExternalId: '7' }),
      billOf('elsewhere', { ...paid, documentNumber: 'B-77', issueDate: '2026-08-03', paidAccountExternalId: '8' }),
    ];
    await synchronise({ vendors, accounts: [domestic('7', 'v1'), domestic('8', 'v2')], bills });
    expect(typesOf(await findings())).toEqual(['PAYMENT_ACCOUNT_MISMATCH']);
  });
  test('a bill that was paid twice is reported, one that was paid in two parts is not', async () => {
    const bills = [
      billOf('twice', { documentNumber: 'A-1', state: BillState.PAID }),
      billOf('parts', { documentNumber: 'B-77', grossAmount: '800.00', state: BillState.PAID }),
    ];
    const payments = [
      erpPayment('p1', { amount: '1200.00', billExternalIds: ['twice'] }),
      erpPayment('p2', { amount: '1200.00', date: '2026-09-25', billExternalIds: ['twice'] }),
      erpPayment('p3', { amount: '400.00', billExternalIds: ['parts'] }),
      erpPayment('p4', { amount: '400.00', date: '2026-09-25', billExternalIds: ['parts'] }),
    ];
    await synchronise({ vendors: [vendorOf('v1')], bills, payments });
    expect(typesOf(await findings())).toEqual(['DUPLICATE_PAYMENT', 'PAYMENT_AMOUNT_MISMATCH']);
    expect(await synchronise({ payments: payments.map((payment) => ({ ...payment, reference: 'again' })) })).toBe(0);
  });
  describe('a payment to an account', () => {
    const at = (iban: string) => [vendorOf('v1', { accounts: [erpAccount({ iban })] })];
    const paidOn = (date: string, iban = FORGED) =>
      erpPayment('p1', { date, amount: '77.10', account: erpAccount({ iban }) });
    const today = () => testClock.now().toISOString().slice(0, 10);

    test('that the vendor got after the date of the payment is reported, also when it lost it again', async () => {
      await synchronise({ vendors: at(HOME) });
      await synchronise({ vendors: at(FORGED), payments: [paidOn(addDays(today(), -3))] });
      expect(typesOf(await findings())).toEqual(['PAYMENT_ACCOUNT_MISMATCH']);
      expect(await synchronise({ vendors: at(HOME), payments: [paidOn(addDays(today(), -4))] })).toBe(0);
    });
    test('that was the one of the vendor on that day is none, also when the account has changed since', async () => {
      await synchronise({ vendors: at(HOME) });
      await synchronise({ vendors: at(FORGED), payments: [paidOn(addDays(today(), -3), HOME)] });
      expect(await findings()).toEqual([]);
    });
    test('that was swapped in for it is reported once the account is swapped back, after the bill was paid', async () => {
      await synchronise({ vendors: at(HOME) });
      expect(await synchronise({ vendors: at(FORGED), payments: [paidOn(today())] })).toBe(0);
      expect(await synchronise({ vendors: at(HOME) })).toBe(1);
      const [finding] = await findings();
      expect(finding).toMatchObject({ type: 'PAYMENT_ACCOUNT_MISMATCH' });
      expect(JSON.stringify(finding)).not.toContain(FORGED);
      expect(await synchronise({ vendors: at(HOME) })).toBe(0);
    });
  });
  describe('an account that a person has reviewed', () => {
    const at = (iban: string) => [vendorOf('v1', { accounts: [erpAccount({ iban })] })];
    const threeDaysAgo = () => addDays(testClock.now().toISOString().slice(0, 10), -3);
    const payment = () =>
      erpPayment('p1', { date: threeDaysAgo(), amount: '77.10', account: erpAccount({ iban: FORGED }) });
    const review = (finding: Finding | undefined, disposition: string) =>
      analysis.rpc.review(source.organizationId, finding as Finding, disposition);

    test.each([
      ['FALSE_POSITIVE', 0],
      ['ACCEPTED_RISK', 0],
      ['CONFIRMED', 1],
      ['UNDER_REVIEW', 1],
    ])('with its change may be paid: %s, %d findings', async (disposition, found) => {
      await synchronise({ vendors: at(HOME), bills: [billOf('b1')] });
      await synchronise({ vendors: at(FORGED) });
      const [change] = await findings();
      expect(change).toMatchObject({ type: 'VENDOR_MASTER_BANK_CHANGED' });
      await review(change, disposition);
      expect(await synchronise({ payments: [payment()] })).toBe(found);
    });
    test.each([
      ['FALSE_POSITIVE', 0],
      ['ACCEPTED_RISK', 0],
      ['UNDER_REVIEW', 0],
      ['CONFIRMED', 1],
    ])('is reported again when it was changed back and comes again: %s, %d more', async (disposition, found) => {
      await synchronise({ vendors: at(HOME), bills: [billOf('b1')] });
      await synchronise({ vendors: at(FORGED) });
      const [change] = await findings();
      await review(change, disposition);
      // Changing the vendor back to the first account counts as a separate change.
      expect(await synchronise({ vendors: at(HOME) })).toBe(1);
      expect(await synchronise({ vendors: at(FORGED) })).toBe(found);
      expect(await synchronise({ vendors: at(FORGED) })).toBe(0);
      const listed = await findings();
      expect(listed.map(({ type }) => type)).toEqual(
        Array.from({ length: 2 + found }, () => 'VENDOR_MASTER_BANK_CHANGED'),
      );
      if (found > 0) expect(listed[0]?.evidenceJson).toContain('was confirmed, but they were changed back afterwards');
    });
    test('is accepted with the change that brought it again', async () => {
      await synchronise({ vendors: at(HOME), bills: [billOf('b1')] });
      await synchronise({ vendors: at(FORGED) });
      await review((await findings())[0], 'CONFIRMED');
      await synchronise({ vendors: at(HOME) });
      await synchronise({ vendors: at(FORGED) });
      await review((await findings())[0], 'ACCEPTED_RISK');
      expect(await synchronise({ payments: [payment()] })).toBe(0);
    });
    test.each([
      ['FALSE_POSITIVE', 0],
      ['CONFIRMED', 2],
    ])('on an invoice may become the one of the vendor and be paid: %s, %d findings', async (disposition, found) => {
      await post(paidTo(FORGED));
      await synchronise({ vendors: at(HOME), bills: [billOf('b1', { documentNumber: 'K-7731' })] });
      const forged = await post({ ...paidTo(FORGED), invoice_number: 'INV-2000', gross_amount: '91.10' });
      await review(findingOf(forged, 'BANK_ACCOUNT_MASTER_MISMATCH') as Finding, disposition);
      expect(await synchronise({ vendors: at(FORGED), payments: [payment()] })).toBe(found);
    });
    test('for one supplier is reviewed for no other', async () => {
      await post(paidTo(FORGED));
      const borealis = { name: 'Borealis Ltd', taxId: 'DE811907980' };
      const other = (iban: string) => [vendorOf('v2', { ...borealis, accounts: [erpAccount({ iban })] })];
      await synchronise({ vendors: [...at(HOME), ...other(HOME)], bills: [billOf('b1')] });
      const forged = await post({ ...paidTo(FORGED), invoice_number: 'INV-2000', gross_amount: '91.10' });
      await review(findingOf(forged, 'BANK_ACCOUNT_MASTER_MISMATCH') as Finding, 'FALSE_POSITIVE');
      await synchronise({ vendors: other(FORGED), payments: [{ ...payment(), vendorExternalId: 'v2' }] });
      expect(typesOf(await findings())).toContain('PAYMENT_ACCOUNT_MISMATCH');
    });
  });
  describe('a second payment of one amount', () => {
    const paid = { amount: '1200.00' };
    const payments = [erpPayment('p1', paid), erpPayment('p2', { ...paid, date: '2026-09-25' })];
    const ofBill = payments.map((payment) => ({ ...payment, billExternalIds: ['b1'] }));
    const creditOf = (documentNumber: string, changes: Partial<ErpBill> = {}) =>
      billOf('cn', { kind: BillKind.CREDIT_NOTE, documentNumber, issueDate: '2026-09-22', ...changes });
    const other = billOf('b9', { documentNumber: 'K-7731', issueDate: '2026-07-02' });

    test('is a duplicate, and says that no credit note was found', async () => {
      await synchronise({ vendors: [vendorOf('v1')], payments });
      const [finding, ...others] = await findings();
      expect(others).toEqual([]);
      expect(finding).toMatchObject({ type: 'DUPLICATE_PAYMENT' });
      expect(finding?.evidenceJson).toContain('no credit note from the vendor for this amount');
    });
    test('after a credit note is none, until that is voided', async () => {
      expect(await synchronise({ vendors: [vendorOf('v1')], payments, bills: [creditOf('CN-77')] })).toBe(0);
      expect(await synchronise({ bills: [creditOf('CN-77', { state: BillState.VOID })] })).toBe(1);
      expect(typesOf(await findings())).toEqual(['DUPLICATE_PAYMENT']);
    });
    test.each<[string, Partial<ErpBill>]>([
      ['is changed to another amount', { grossAmount: '1.00' }],
      ['is moved to another day', { issueDate: '2026-10-22' }],
    ])('after a credit note is one again once that %s', async (_, changes) => {
      expect(await synchronise({ vendors: [vendorOf('v1')], payments, bills: [creditOf('CN-77')] })).toBe(0);
      expect(await synchronise({ bills: [creditOf('CN-77', changes)] })).toBe(1);
    });
    test('after a credit note is one again once that is deleted', async () => {
      await synchronise({ vendors: [vendorOf('v1')], payments, bills: [creditOf('CN-77')] });
      const deleted = { source, entity: ErpEntity.CREDIT_NOTE, externalIds: ['cn'] };
      await analysis.rpc.erpImport.deleteRecords(deleted, asUser('user-1'));
      expect(await synchronise({})).toBe(1);
    });
    test('after a draft of a credit note is a duplicate', async () => {
      const bills = [creditOf('CN-77', { state: BillState.DRAFT })];
      await synchronise({ vendors: [vendorOf('v1')], payments, bills });
      expect(typesOf(await findings())).toEqual(['DUPLICATE_PAYMENT']);
    });
    test('after a credit note of the bill that was paid is only more than was open', async () => {
      const bills = [billOf('b1', { state: BillState.PAID }), other, creditOf('CN-INV-1042')];
      await synchronise({ vendors: [vendorOf('v1')], bills, payments: ofBill });
      expect(typesOf(await findings())).toEqual(['PAYMENT_AMOUNT_MISMATCH']);
    });
    test('after a credit note that names another bill is a duplicate, which says so', async () => {
      const bills = [billOf('b1', { state: BillState.PAID }), other, creditOf('CN-K-7731')];
      await synchronise({ vendors: [vendorOf('v1')], bills, payments: ofBill });
      const listed = await findings();
      expect(typesOf(listed)).toEqual(['DUPLICATE_PAYMENT', 'PAYMENT_AMOUNT_MISMATCH']);
      expect(JSON.stringify(listed)).toContain('names another bill');
    });
    test.each([
      [PAYMENTS_OF_VENDOR_MAX - 1, 1],
      [PAYMENTS_OF_VENDOR_MAX, 0],
    ])('after a voided credit note is found behind %d newer payments to the vendor: %d', async (newer, found) => {
      const later = Array.from({ length: newer }, (_, index) =>
        erpPayment(`n${index}`, { amount: `${index + 1}.07`, date: '2026-10-01' }),
      );
      await synchronise({ vendors: [vendorOf('v1')], payments: [...payments, ...later], bills: [creditOf('CN-77')] });
      // The examination times of the payments are moved far into the past.
      await analysis.mongo.db
        .collection('erp_payments')
        .updateMany({ organizationId: source.organizationId }, { $set: { changedAt: new Date(0) } });
      expect(await synchronise({ bills: [creditOf('CN-77', { state: BillState.VOID })] })).toBe(found);
    });
    test('is found among very many of the same amount, by the newest of them', async () => {
      const many = Array.from({ length: 70 }, (_, index) =>
        erpPayment(`m${index}`, { ...paid, date: addDays('2026-06-01', index), reference: `R${index}0` }),
      );
      expect(await synchronise({ vendors: [vendorOf('v1')], payments: many })).toBe(0);
      const again = erpPayment('again', { ...paid, date: addDays('2026-06-01', 72), reference: 'R690' });
      expect(await synchronise({ payments: [again] })).toBe(1);
    });
  });
  test('a bill that was paid in two parts stays so when an equal amount is paid for another bill', async () => {
    const bills = [
      billOf('parts', { documentNumber: 'B-77', grossAmount: '800.00', state: BillState.PAID }),
      billOf('other', { documentNumber: 'K-9', grossAmount: '400.00', issueDate: '2026-08-03', state: BillState.PAID }),
    ];
    const part = { amount: '400.00', billExternalIds: ['parts'] };
    const payments = [erpPayment('p1', part), erpPayment('p2', { ...part, date: '2026-09-25' })];
    await synchronise({ vendors: [vendorOf('v1')], bills, payments });
    // The examination times of the payments are moved far into the past.
    const { organizationId } = source;
    await analysis.mongo.db
      .collection('erp_payments')
      .updateMany({ organizationId }, { $set: { changedAt: new Date(0) } });
    const third = erpPayment('p3', { amount: '400.00', date: '2026-09-28', billExternalIds: ['other'] });
    expect(await synchronise({ payments: [third] })).toBe(0);
  });
  test('a routing rule assigns what it finds, and the finding is told of', async () => {
    const match = {
      types: ['BOOKS_DUPLICATE_BILL'],
      families: [],
      severities: [],
      companyIds: [],
      supplierIds: [],
      minAmount: undefined,
      currency: undefined,
    };
    const { organizationId } = source;
    const assignTo = analysis.organization.newMember(organizationId);
    const rule = { organizationId, name: 'books', position: 1, enabled: true, match, assignTo };
    await analysis.rpc.routingRule.createRoutingRule(rule, asUser('user-1'));
    await synchronise({ vendors: [vendorOf('v1')], bills: [billOf('b1'), billOf('b2')] });
    expect(await findings()).toMatchObject([{ assigneeUserId: assignTo }]);
  });
});
