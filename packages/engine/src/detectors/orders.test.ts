import { describe, expect, test } from 'vitest';
import type { OrderMasterFacts } from '../facts/erp-facts.js';
import { defaultPolicy } from '../policy/policy.js';
import { typesIn, COMPANY_ID } from '../testing/in-memory-history.js';
import type { BillOptions } from '../testing/in-memory-history.js';
import { findingIn, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';
import { detectOrders } from './orders.js';

const typesOf = typesIn('PO');
const ORDER = 'PO-450012';
const borealis = { name: 'Borealis', tax_id: 'DE811569869' };

describe('PO_MISSING', () => {
  const usually = (withOrder: number, without: number) => {
    const acme = ledger();
    for (let index = 0; index < withOrder; index += 1) acme.bill({ purchase_order_ref: `PO-${45_000 + index}` });
    acme.repeat(without);
    return acme;
  };
  test('is LOW when nine of ten invoices named an order', () => {
    expect(findingIn(usually(9, 1).bill(), 'PO_MISSING')).toMatchObject({
      severity: 'LOW',
      confidence: 70,
      evidence: { poShare: 0.9, reference: null },
    });
    expect(findingIn(usually(10, 0).bill({ purchase_order_ref: 'by phone' }), 'PO_MISSING')?.summary).toMatch(
      /"by phone" is not an order number/,
    );
  });
  test('is not raised for nine invoices, for a lower share and for a credit note', () => {
    expect(typesOf(usually(9, 0).bill())).toEqual([]);
    expect(typesOf(usually(8, 2).bill())).toEqual([]);
    expect(typesOf(usually(10, 0).bill({ gross_amount: '-1.00' }))).toEqual([]);
  });
  test('is MEDIUM where the company requires orders, unless the supplier is exempt', () => {
    const { facts } = ledger().bill();
    const policyWith = (orders: Partial<typeof defaultPolicy.orders>) => ({
      ...defaultPolicy,
      orders: { ...defaultPolicy.orders, ...orders },
    });
    expect(detectOrders(facts, policyWith({ requiredByCompanies: [COMPANY_ID] }))).toMatchObject([
      { type: 'PO_MISSING', severity: 'MEDIUM', confidence: 90 },
    ]);
    expect(detectOrders(facts, policyWith({ requiredByCompanies: ['another'] }))).toEqual([]);
    const exempt = { requiredByCompanies: [COMPANY_ID], exemptSuppliers: [facts.supplier.supplierId] };
    expect(detectOrders(facts, policyWith(exempt))).toEqual([]);
  });
});

describe('PO_SUPPLIER_MISMATCH', () => {
  const afterAcme = (bill: Bill, options?: BillOptions) => {
    const acme = ledger();
    acme.repeat(2, { purchase_order_ref: bill.purchase_order_ref ?? ORDER });
    return { acme, billed: acme.bill({ purchase_order_ref: ORDER, by: borealis, ...bill }, options) };
  };
  test('is raised when a second supplier bills an order, once', () => {
    const { acme, billed } = afterAcme({});
    expect(findingIn(billed, 'PO_SUPPLIER_MISMATCH')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 75,
      evidence: { otherSupplier: { name: 'Acme Supplies Ltd' }, firstUse: '2025-01-21' },
    });
    expect(typesOf(acme.bill({ purchase_order_ref: ORDER, by: borealis }))).toEqual([]);
    expect(typesOf(acme.bill({ purchase_order_ref: ORDER }))).toEqual([]);
  });
  test('is more severe when the ERP knows whose order it is, and silent for the owner', () => {
    const master = (supplierId: string): OrderMasterFacts => ({
      currency: 'EUR',
      isBlanket: false,
      owner: { supplierId, name: 'Gamma Tools' },
    });
    const { billed } = afterAcme({}, { facts: { orderMaster: master('gamma') } });
    expect(findingIn(billed, 'PO_SUPPLIER_MISMATCH')).toMatchObject({
      severity: 'HIGH',
      evidence: { otherSupplier: { supplierId: 'gamma' } },
    });
    const own = billed.facts.supplier.supplierId;
    expect(typesOf(afterAcme({}, { facts: { orderMaster: master(own) } }).billed)).toEqual([]);
  });
  test('is LOW between two tax ids of one name and account, and names both', () => {
    const account = { iban: 'DE89370400440532013000' };
    const french = { name: 'ACME SUPPLIES LIMITED', tax_id: 'FR40303265045' };
    const billedTo = (own: Bill) => {
      const acme = ledger();
      acme.repeat(2, { purchase_order_ref: ORDER, account });
      return findingIn(acme.bill({ purchase_order_ref: ORDER, by: french, ...own }), 'PO_SUPPLIER_MISMATCH');
    };
    expect(billedTo({ account })).toMatchObject({
      severity: 'LOW',
      summary: expect.stringMatching(/^ACME SUPPLIES LIMITED with tax id FR40303265045 .* with tax id DE136695976 has/),
    });
    expect(billedTo({ account: { iban: 'FR1420041010050500013M02606' } })).toMatchObject({ severity: 'MEDIUM' });
  });
  test.each(['none', 'N/A', 'J. Smith 12', 'KST 123', '4711'])(
    'is not raised for %s, which does not name an order',
    (ref) => {
      expect(typesOf(afterAcme({ purchase_order_ref: ref }).billed)).toEqual([]);
    },
  );
  test('is not raised for another company of the organization, which numbers its own orders', () => {
    expect(typesOf(afterAcme({}, { origin: { companyId: 'another' } }).billed)).toEqual([]);
  });
  test('is not raised for a copy of the invoice, which is reported as such', () => {
    const acme = ledger();
    const bill = { invoice_number: 'INV-77120', gross_amount: '4210.55', issue_date: '2025-03-01' };
    acme.bill({ ...bill, purchase_order_ref: ORDER });
    expect(typesOf(acme.bill({ ...bill, purchase_order_ref: ORDER, by: borealis }))).toEqual([]);
  });
});

describe('PO_REPEATED_AMOUNT', () => {
  const bills = (issueDates: readonly string[], one: Bill = {}) => {
    const acme = ledger();
    const billed = issueDates.map((issue_date) =>
      acme.bill({ purchase_order_ref: ORDER, gross_amount: '830.40', issue_date, ...one }),
    );
    return { acme, last: billed.at(-1) as (typeof billed)[number] };
  };
  test('is LOW on the third invoice of one amount', () => {
    const { last } = bills(['2025-02-01', '2025-02-10', '2025-03-20']);
    expect(findingIn(last, 'PO_REPEATED_AMOUNT')).toMatchObject({ severity: 'LOW', confidence: 60 });
    expect(findingIn(last, 'PO_REPEATED_AMOUNT')?.relatedInvoiceIds).toHaveLength(2);
    expect(typesOf(bills(['2025-02-01', '2025-02-10']).last)).toEqual([]);
  });
  test('is not raised for a service that is billed every month or quarter', () => {
    expect(typesOf(bills(['2025-02-01', '2025-03-01', '2025-04-01']).last)).toEqual([]);
    expect(typesOf(bills(['2025-01-01', '2025-04-01', '2025-07-01']).last)).toEqual([]);
  });
  test('is not raised for other amounts, other currencies and amounts of nothing', () => {
    const { acme } = bills(['2025-02-01', '2025-02-10']);
    expect(typesOf(acme.bill({ purchase_order_ref: ORDER, gross_amount: '830.41' }))).toEqual([]);
    expect(typesOf(acme.bill({ purchase_order_ref: ORDER, gross_amount: '830.40', currency: 'USD' }))).toEqual([]);
    expect(typesOf(bills(['2025-02-01', '2025-02-10', '2025-03-20'], { gross_amount: '0' }).last)).toEqual([]);
  });
});
