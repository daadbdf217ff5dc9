import { describe, expect, test } from 'vitest';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import { countOrderUse } from '@invoicecontrol/engine/facts/links';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import { erpFactsIndex, NO_ERP_RECORDS } from './erp-facts.js';
import type { ErpRecords, MasterOrderRecord, MasterVendorRecord } from './erp-facts.js';
import { readVendorIdentity } from './vendor-identity.js';

const COMPANY_ID = 'c-1';
const NOW = Date.parse('2026-03-10T12:00:00Z');
const HOME = 'DE89370400440532013000';
const FORMER = 'DE02500105170137075030';
const lists = [{ connectionId: 'k', companyId: COMPANY_ID, syncedAt: new Date(NOW - 90 * 60_000) }];

function vendor(
  id: string,
  changes: Partial<MasterVendorRecord> & { name?: string; taxId?: string } = {},
): MasterVendorRecord {
  const { name = 'Acme Supplies Ltd', taxId, ...others } = changes;
  return {
    id,
    externalId: `erp-${id}`,
    connectionId: 'k',
    companyId: COMPANY_ID,
    details: { name, status: 'ACTIVE' },
    ...readVendorIdentity({ name, ...(taxId === undefined ? {} : { taxId }), isTaxIdMasked: false }),
    accountHistory: [{ key: HOME, masked: 'DE89**************3000', from: undefined, to: undefined }],
    ...others,
  };
}

function received(changes: InvoiceChanges = {}, origin: object = {}): NormalisedInvoice {
  return normaliseInvoice(
    invoiceOf({ supplier: { name: 'ACME SUPPLIES LIMITED', tax_id: 'DE136695976' }, ...changes }),
    {
      invoiceId: 'i',
      companyId: COMPANY_ID,
      source: 'API',
      receivedAtMs: NOW,
      ...origin,
    },
  );
}

function factsOf(
  records: Partial<ErpRecords>,
  invoice: NormalisedInvoice = received(),
  others: {
    orderLink?: ReturnType<typeof countOrderUse> | null;
    companies?: { companyId: string; name: string; taxId?: string }[];
  } = {},
) {
  const { orderLink = null, companies = [] } = others;
  const erpFacts = erpFactsIndex({ ...NO_ERP_RECORDS, lists, ...records }, defaultPolicy);
  return erpFacts({ invoice, supplierId: 's', companies, orderLink });
}

describe('the vendor of an invoice', () => {
  const vendorOf = (vendors: MasterVendorRecord[], invoice?: NormalisedInvoice) =>
    factsOf({ vendors }, invoice).vendorMaster?.vendor;

  test('is found by tax id before name, and by name before account', () => {
    const [taxed, named, banked] = [
      vendor('taxed', { name: 'Other', taxId: 'DE136695976', accountHistory: [] }),
      vendor('named', { accountHistory: [] }),
      vendor('banked', { name: 'Third' }),
    ];
    const invoice = received({
      supplier: { name: 'Acme Supplies', tax_id: 'DE136695976', bank_account: { iban: HOME } },
    });
    expect(vendorOf([banked, named, taxed], invoice)?.erpVendorId).toBe('erp-taxed');
    expect(vendorOf([banked, named], invoice)?.erpVendorId).toBe('erp-named');
    expect(vendorOf([banked], invoice)?.erpVendorId).toBe('erp-banked');
    expect(vendorOf([], invoice)).toBeNull();
  });
  test('is none of the same name with another tax id', () => {
    expect(vendorOf([vendor('other', { taxId: 'DE811907980' })])).toBeNull();
  });
  test('has the accounts of all its records, without those it has no more', () => {
    const former = {
      key: FORMER,
      masked: 'DE02**************5030',
      from: undefined,
      to: new Date('2026-02-01T00:00:00Z'),
    };
    const records = [
      vendor('one', { taxId: 'DE136695976', accountHistory: [former] }),
      vendor('two', { taxId: 'DE136695976' }),
    ];
    expect(vendorOf(records)?.accounts).toEqual([{ key: HOME, masked: 'DE89**************3000' }]);
    const ofThePast = received({ issue_date: '2026-01-15' }, { source: 'SCAN', scanId: 'scan' });
    expect(vendorOf(records, ofThePast)?.accounts.map(({ key }) => key)).toEqual([FORMER, HOME]);
    const ofToday = received({ issue_date: '2026-02-02' }, { source: 'SCAN', scanId: 'scan' });
    expect(vendorOf(records, ofToday)?.accounts.map(({ key }) => key)).toEqual([HOME]);
  });
  test('is an active one where there is any', () => {
    const blocked = vendor('a', { details: { name: 'Acme', status: 'BLOCKED' } });
    expect(vendorOf([blocked, vendor('b')])?.erpVendorId).toBe('erp-b');
    expect(vendorOf([blocked])?.erpVendorId).toBe('erp-a');
  });
});

test('nothing is known without a list of the company, and its age is that of the oldest one', () => {
  expect(factsOf({ lists: [] })).toEqual({});
  expect(factsOf({ vendors: [vendor('v')] }, received({}, { companyId: 'c-2' }))).toEqual({});
  expect(factsOf({}).vendorMaster).toEqual({ syncedAt: '2026-03-10T10:30:00.000Z', ageHours: 1, vendor: null });
  const older = { connectionId: 'l', companyId: COMPANY_ID, syncedAt: new Date(NOW - 50 * 3_600_000) };
  expect(factsOf({ lists: [...lists, older] }).vendorMaster?.ageHours).toBe(50);
  expect(factsOf({ lists: [...lists, older], vendors: [vendor('v')] }).vendorMaster?.ageHours).toBe(1);
  const inBoth = [vendor('v'), vendor('w', { connectionId: 'l' })];
  expect(factsOf({ lists: [...lists, older], vendors: inBoth }).vendorMaster?.ageHours).toBe(50);
});

test('an account of a vendor record with the tax id of a company of the organization is an own account', () => {
  const companies = [{ companyId: 'c-2', name: 'Works', taxId: 'DE811907980' }];
  const own = vendor('own', { name: 'Works', taxId: 'DE811907980' });
  const invoice = received({ supplier: { name: 'Acme', bank_account: { iban: HOME } } });
  expect(factsOf({ vendors: [own] }, invoice, { companies }).ownAccount).toEqual({ companyId: 'c-2', name: 'Works' });
  expect(factsOf({ vendors: [vendor('other')] }, invoice, { companies }).ownAccount).toBeUndefined();
});

describe('an order', () => {
  const order: MasterOrderRecord = {
    connectionId: 'k',
    companyId: COMPANY_ID,
    vendorId: 'v',
    poKey: '4711',
    currency: 'EUR',
    netAmount: '1000.00',
    grossAmount: '1190.00',
  };
  const billing = (invoiceId: string, changes: InvoiceChanges = {}) =>
    received(
      { purchase_order_ref: 'PO 4711', gross_amount: '595.00', net_amount: '500.00', ...changes },
      { invoiceId },
    );

  test('with more bills than are added up says nothing about what was billed, but whose it is', () => {
    const invoice = billing('i');
    const { orderMaster } = factsOf({ orders: [order], vendors: [vendor('v')], cutOrders: new Set(['4711']) }, invoice);
    expect(orderMaster).toEqual({
      currency: 'EUR',
      isBlanket: false,
      owner: { supplierId: 's', name: 'Acme Supplies Ltd' },
    });
    expect(factsOf({ orders: [order], cutOrders: new Set(['4712']) }, invoice).orderMaster?.gross).toBeDefined();
  });
  test.each([
    [64, '38080.00'],
    [65, undefined],
  ])('with %d earlier invoices is billed %p: a sum of some of them would be a wrong one', (count, billed) => {
    let orderLink: ReturnType<typeof countOrderUse> | null = null;
    for (let index = 0; index < count; index++) {
      orderLink = countOrderUse(orderLink, '4711', billing(`i${index}`, { invoice_number: `A-${index}` }), 's');
    }
    const { orderMaster } = factsOf({ orders: [order] }, billing('i', { invoice_number: 'B-1' }), { orderLink });
    expect([orderMaster?.gross?.billed, orderMaster?.currency]).toEqual([billed, 'EUR']);
  });
  test('is billed by earlier invoices less credit notes, and by bills of the ERP that book none of them', () => {
    const first = billing('first', { invoice_number: 'A-1' });
    const credit = billing('credit', { invoice_number: 'C-1', gross_amount: '-59.50', net_amount: '-50.00' });
    const orderLink = countOrderUse(countOrderUse(null, '4711', first, 's'), '4711', credit, 's');
    const billsOnOrders = [
      { ...billing('books-first', { invoice_number: 'A-1' }), bookedInvoiceId: 'first' },
      billing('of-the-erp', { invoice_number: 'B-9', gross_amount: '119.00', net_amount: '100.00' }),
      billing('books-this', { invoice_number: 'A-2' }),
    ];
    const { orderMaster } = factsOf({ orders: [order], billsOnOrders }, billing('i', { invoice_number: 'A-2' }), {
      orderLink,
    });
    expect(orderMaster).toMatchObject({
      net: { ordered: '1000.00', billed: '550.00' },
      gross: { ordered: '1190.00', billed: '654.50' },
    });
  });
  test('is billed once by an invoice and its bill that are not linked, and by each other bill', () => {
    const orderLink = countOrderUse(null, '4711', billing('first', { invoice_number: 'A-1' }), 's');
    const billedBy = (...billsOnOrders: ErpRecords['billsOnOrders']) =>
      factsOf({ orders: [order], billsOnOrders }, billing('i', { invoice_number: 'A-2' }), { orderLink }).orderMaster
        ?.gross?.billed;
    const unlinked = billing('bill', { invoice_number: 'a1', issue_date: '2026-03-01' });
    expect(billedBy(unlinked)).toBe('595.00');
    // One invoice accounts for one bill of the order. The second bill counts in addition.
    expect(billedBy(unlinked, billing('copy', { invoice_number: 'A-1' }))).toBe('1190.00');
    expect(billedBy(billing('another', { invoice_number: 'B-7731' }))).toBe('1190.00');
    expect(billedBy(billing('more', { invoice_number: 'A-1', gross_amount: '700.00' }))).toBe('1295.00');
  });
  test('is billed by a bill that became larger than the invoice it is linked to', () => {
    const orderLink = countOrderUse(null, '4711', billing('first', { invoice_number: 'A-1' }), 's');
    const grown = { ...billing('bill', { invoice_number: 'A-1', gross_amount: '9595.00' }), bookedInvoiceId: 'first' };
    const { orderMaster } = factsOf(
      { orders: [order], billsOnOrders: [grown] },
      billing('i', { invoice_number: 'A-2' }),
      {
        orderLink,
      },
    );
    expect(orderMaster?.gross?.billed).toBe('10190.00');
  });
  test('is billed once by an invoice that was counted without its number, where its bill is of about that day', () => {
    const first = billing('first', { invoice_number: 'A-1' });
    const { uses, ...link } = countOrderUse(null, '4711', first, 's');
    const orderLink = { ...link, uses: uses.map(({ number: _, ...use }) => use) };
    const billedBy = (bill: ErpRecords['billsOnOrders'][number]) =>
      factsOf({ orders: [order], billsOnOrders: [bill] }, billing('i', { invoice_number: 'A-2' }), { orderLink })
        .orderMaster?.gross?.billed;
    const days = defaultPolicy.duplicates.erpBookingDaysMax;
    expect(billedBy({ ...first, invoiceId: 'bill', issueDay: first.issueDay + days })).toBe('595.00');
    expect(billedBy({ ...first, invoiceId: 'bill', issueDay: first.issueDay + days + 1 })).toBe('1190.00');
  });
  test('has no net sum once an invoice on it states none', () => {
    const orderLink = countOrderUse(
      null,
      '4711',
      received({ purchase_order_ref: 'PO 4711', gross_amount: '595.00' }, { invoiceId: 'first' }),
      's',
    );
    const { orderMaster } = factsOf({ orders: [order] }, billing('i'), { orderLink });
    expect(orderMaster).not.toHaveProperty('net');
    expect(orderMaster?.gross).toEqual({ ordered: '1190.00', billed: '595.00' });
  });
  test("is the invoice's supplier's or that of another vendor", () => {
    const [own, other] = [vendor('v', { taxId: 'DE136695976' }), vendor('w', { name: 'Borealis' })];
    expect(factsOf({ orders: [order], vendors: [own] }, billing('i')).orderMaster?.owner?.supplierId).toBe('s');
    const ofOther = factsOf({ orders: [{ ...order, vendorId: 'w' }], vendors: [own, other] }, billing('i'));
    expect(ofOther.orderMaster?.owner).toEqual({ supplierId: 'w', name: 'Borealis' });
  });
  test('says nothing where two orders have its number, or it is of another company', () => {
    expect(factsOf({ orders: [order, { ...order, vendorId: 'w' }] }, billing('i')).orderMaster).toBeUndefined();
    expect(factsOf({ orders: [{ ...order, companyId: 'c-2' }] }, billing('i')).orderMaster).toBeUndefined();
  });
});
