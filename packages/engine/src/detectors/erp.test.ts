import { describe, expect, test } from 'vitest';
import type { MasterVendor, OrderMasterFacts, VendorMasterFacts } from '../facts/erp-facts.js';
import { findingIn, ibanOf, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

const HOME = { iban: 'DE89370400440532013000' };
const OTHER_BANK = ibanOf('DE', '500105175407324931');
const homeAccount = { key: HOME.iban, masked: 'DE89**************3000' };

const master = (vendor: Partial<MasterVendor> | null, ageHours = 1): { vendorMaster: VendorMasterFacts } => ({
  vendorMaster: {
    syncedAt: '2026-01-01T06:00:00Z',
    ageHours,
    vendor: vendor === null ? null : { erpVendorId: 'V-1', name: 'Acme', isOneTime: false, accounts: [], ...vendor },
  },
});

describe('BANK_ACCOUNT_MASTER_MISMATCH', () => {
  const mismatchIn = (vendor: Partial<MasterVendor> | null, ageHours?: number, account = OTHER_BANK) => {
    const billed = ledger().bill({ account }, { facts: master(vendor, ageHours) });
    return { finding: findingIn(billed, 'BANK_ACCOUNT_MASTER_MISMATCH'), decision: billed.analysis.decision };
  };
  test('blocks an account that the vendor master does not have', () => {
    const { finding, decision } = mismatchIn({ accounts: [homeAccount] });
    expect(decision).toBe('BLOCK');
    expect(finding).toMatchObject({
      severity: 'CRITICAL',
      confidence: 95,
      evidence: { masterAccounts: ['DE89**************3000'], erpVendorId: 'V-1', syncedAt: '2026-01-01T06:00:00Z' },
    });
  });
  test('only warns when the master was not read for more than two days', () => {
    expect(mismatchIn({ accounts: [homeAccount] }, 48).decision).toBe('BLOCK');
    const { finding, decision } = mismatchIn({ accounts: [homeAccount] }, 49);
    expect(decision).toBe('REVIEW');
    expect(finding).toMatchObject({ severity: 'HIGH', confidence: 80 });
  });
  test('only warns for a supplier with an account per customer', () => {
    const acme = ledger();
    for (const tail of ['1001', '2002', '3003', '4004'])
      acme.dismiss(acme.bill({ account: ibanOf('DE', `37040044000000${tail}`) }));
    const account = ibanOf('DE', '370400440000005005');
    const billed = acme.bill({ account }, { facts: master({ accounts: [homeAccount] }) });
    expect(findingIn(billed, 'BANK_ACCOUNT_MASTER_MISMATCH')).toMatchObject({ severity: 'HIGH', confidence: 80 });
  });
  test.each<[string, Partial<MasterVendor> | null]>([
    ['the account of the master', { accounts: [homeAccount, { key: OTHER_BANK.iban, masked: 'DE' }] }],
    ['a vendor without accounts', {}],
    ['a collective record for one-time vendors', { accounts: [homeAccount], isOneTime: true }],
    ['a supplier that is not a vendor', null],
  ])('is not raised for %s', (_, vendor) => {
    expect(mismatchIn(vendor).finding).toBeUndefined();
  });
});

describe('BANK_ACCOUNT_OWN', () => {
  const companies = [{ companyId: 'c-2', name: 'Works', taxId: 'DE136695976' }];
  const ownIn = (companyId: string) =>
    findingIn(
      ledger().bill({ account: HOME }, { companies, facts: { ownAccount: { companyId, name: 'Works' } } }),
      'BANK_ACCOUNT_OWN',
    );
  test('is raised for an account of a company of the organization', () => {
    expect(ownIn('c-1')).toMatchObject({ severity: 'MEDIUM', confidence: 80, evidence: { companyId: 'c-1' } });
  });
  test('is not raised between companies: the account is that of the company that bills', () => {
    expect(ownIn('c-2')).toBeUndefined();
  });
});

describe('SUPPLIER_NOT_IN_MASTER', () => {
  const missingIn = (bill: Bill, ageHours?: number) =>
    findingIn(ledger().bill(bill, { facts: master(null, ageHours) }), 'SUPPLIER_NOT_IN_MASTER');
  test('is LOW, and MEDIUM from 1000 on', () => {
    expect(missingIn({ gross_amount: '999.99' })).toMatchObject({ severity: 'LOW', confidence: 80 });
    expect(missingIn({ gross_amount: '1000.00' })).toMatchObject({ severity: 'MEDIUM', confidence: 80 });
  });
  test('is not raised when the list is old, lists the vendor or does not exist', () => {
    expect(missingIn({}, 48)).toBeDefined();
    expect(missingIn({}, 49)).toBeUndefined();
    expect(findingIn(ledger().bill({}, { facts: master({}) }), 'SUPPLIER_NOT_IN_MASTER')).toBeUndefined();
    expect(findingIn(ledger().bill(), 'SUPPLIER_NOT_IN_MASTER')).toBeUndefined();
  });
});

describe('PO_OVERBILLED', () => {
  const order = (changes: Partial<OrderMasterFacts>): OrderMasterFacts => ({
    currency: 'EUR',
    isBlanket: false,
    ...changes,
  });
  const billedOn = (changes: Partial<OrderMasterFacts>, bill: Bill = {}) =>
    findingIn(
      ledger().bill(
        {
          purchase_order_ref: 'PO-450012',
          gross_amount: '1190.00',
          net_amount: '1000.00',
          tax_amount: '190.00',
          ...bill,
        },
        { facts: { orderMaster: order(changes) } },
      ),
      'PO_OVERBILLED',
    );
  const net = (ordered: string, billed: string) => ({ net: { ordered, billed } });

  test('is raised beyond two per cent and five units', () => {
    expect(billedOn(net('10000.00', '9205.00'))).toBeUndefined();
    expect(billedOn(net('10000.00', '9205.01'))).toMatchObject({
      severity: 'MEDIUM',
      confidence: 85,
      evidence: { orderTotal: '10000.00', billed: '10205.01', excess: '205.01' },
    });
  });
  test('takes the five units for euros', () => {
    const billedInKronor = (billed: string) => {
      const facts = { orderMaster: order({ currency: 'SEK', ...net('10000.00', billed) }) };
      const bill = { purchase_order_ref: 'PO-450012', currency: 'SEK', gross_amount: '1250.00', net_amount: '1000.00' };
      return findingIn(ledger().bill(bill, { facts, ratesPerEuro: { SEK: '10' }, base: null }), 'PO_OVERBILLED');
    };
    expect(billedInKronor('9250.00')).toBeUndefined();
    expect(billedInKronor('9250.01')?.evidence.parameters).toMatchObject({ overbilledTolerance: '50.00' });
  });
  test('is more severe beyond ten per cent', () => {
    expect(billedOn(net('10000.00', '10000.00'))?.severity).toBe('MEDIUM');
    expect(billedOn(net('10000.00', '10000.01'))).toMatchObject({ severity: 'HIGH', confidence: 92 });
  });
  test('compares net with net, and gross with gross only where net is unknown', () => {
    const both = { ...net('1000.00', '0'), gross: { ordered: '1000.00', billed: '0' } };
    expect(billedOn(both)).toBeUndefined();
    const { net: _, ...grossOnly } = both;
    expect(billedOn(grossOnly)).toMatchObject({ evidence: { observed: { basis: 'GROSS' } } });
  });
  test.each<[string, Partial<OrderMasterFacts>, Bill]>([
    ['a blanket order', { ...net('100.00', '0'), isBlanket: true }, {}],
    ['an order in another currency', { ...net('100.00', '0'), currency: 'USD' }, {}],
    ['a credit note', net('100.00', '900.00'), { gross_amount: '-1.00', net_amount: '-1.00' }],
    ['an invoice without an order', net('100.00', '0'), { purchase_order_ref: 'by phone' }],
    ['an order without totals', {}, {}],
  ])('is not raised for %s', (_, changes, bill) => {
    expect(billedOn(changes, bill)).toBeUndefined();
  });
});
