import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { typesIn } from './testing/in-memory-history.js';
import type { Billed, BillOptions } from './testing/in-memory-history.js';
import { findingIn, ibanOf, ledger } from './testing/ledger.js';

// Each story tells how a forger uses what the product does not know about a supplier, and what an honest supplier does
// in the same place.

const GERMAN_ACCOUNT = { iban: 'DE89370400440532013000' };
const OTHER_GERMAN_ACCOUNT = ibanOf('DE', '500105175407324931');
const LITHUANIAN_ACCOUNT = ibanOf('LT', '3250012345678901');
const BRITISH_ACCOUNT = { iban: 'GB29NWBK60161331926819' };
const imported: BillOptions = { origin: { source: 'SCAN', scanId: 's' } };
const germanBuyer: BillOptions = {
  companies: [{ companyId: '0192a000-0000-7000-8000-00000000c001', name: 'Käufer GmbH', country: 'DE' }],
};

const decisionOf = ({ analysis }: Billed) => analysis.decision;
const accountFindings = typesIn('BANK');

describe('the first account of a supplier whose earlier bills stated none', () => {
  const importedSupplier = () => {
    const acme = ledger();
    acme.repeat(12, {}, imported);
    return acme;
  };

  test('waits for a person when it is abroad', () => {
    const forged = importedSupplier().bill({ account: LITHUANIAN_ACCOUNT });
    expect(decisionOf(forged)).toBe('REVIEW');
    expect(findingIn(forged, 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({
      severity: 'MEDIUM',
      confidence: 80,
      summary:
        'Acme Supplies Ltd asks for payment to LT35************8901 for the first time (EUR 1,031.00); the account is in Lithuania, but the tax id of the supplier is from Germany.',
      evidence: { signs: ['ABROAD'], accountCountry: 'LT' },
    });
  });
  test('is asked about again until a person answers, and a review ends it', () => {
    const acme = importedSupplier();
    acme.bill({ account: LITHUANIAN_ACCOUNT });
    const again = acme.bill({ account: LITHUANIAN_ACCOUNT });
    expect(decisionOf(again)).toBe('REVIEW');
    acme.dismiss(again);
    expect(accountFindings(acme.bill({ account: LITHUANIAN_ACCOUNT }))).toEqual([]);
  });
  test('is not trusted over the genuine account that comes later: the later bill asks about both', () => {
    const acme = importedSupplier();
    acme.bill({ account: LITHUANIAN_ACCOUNT });
    const genuine = acme.bill({ account: GERMAN_ACCOUNT });
    expect(decisionOf(genuine)).toBe('REVIEW');
    expect(findingIn(genuine, 'BANK_ACCOUNT_CHANGED')).toMatchObject({
      severity: 'MEDIUM',
      evidence: { escalators: [], knownAccounts: [{ trust: 'UNVERIFIED' }] },
    });
  });
  test('is said when it is at home, and then passes and earns trust', () => {
    const acme = importedSupplier();
    const first = acme.bill({ account: GERMAN_ACCOUNT });
    expect(decisionOf(first)).toBe('PASS');
    expect(findingIn(first, 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({ severity: 'LOW', confidence: 60 });
    const later = acme.repeat(2, { account: GERMAN_ACCOUNT });
    expect(accountFindings(later)).toEqual([]);
  });
  test('waits when the bill is high for the supplier, but not when the supplier always bills as much', () => {
    const high = importedSupplier().bill({ account: GERMAN_ACCOUNT, gross_amount: '3400.00' });
    expect(findingIn(high, 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({
      severity: 'MEDIUM',
      evidence: { signs: ['UNUSUAL_AMOUNT'] },
    });
    const large = ledger();
    large.repeat(12, { gross_amount: '48000.00' }, imported);
    const usual = large.bill({ account: GERMAN_ACCOUNT, gross_amount: '48000.00' });
    expect(findingIn(usual, 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({ severity: 'LOW' });
  });
  test('waits when the payment terms are shorter, but not when they are as usual', () => {
    const billed = (days: number) => {
      const acme = ledger();
      for (let bill = 0; bill < 6; bill += 1) {
        const issue_date = addDays('2025-01-10', bill * 30);
        acme.bill({ issue_date, due_date: addDays(issue_date, 30) }, imported);
      }
      return acme.bill({ account: GERMAN_ACCOUNT, issue_date: '2025-07-10', due_date: addDays('2025-07-10', days) });
    };
    expect(findingIn(billed(5), 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({
      severity: 'MEDIUM',
      evidence: { signs: ['TERMS_SHORTENED'] },
    });
    expect(findingIn(billed(30), 'BANK_ACCOUNT_FIRST_USE')).toMatchObject({ severity: 'LOW' });
  });
  test('is abroad by the currency of earlier bills where no bill stated a tax id', () => {
    const billed = (account: { iban: string }) => {
      const cleaner = { by: { name: 'Harlow Cleaning Ltd' }, currency: 'GBP', gross_amount: '700.00' };
      const harlow = ledger();
      harlow.repeat(8, cleaner, { base: null });
      return harlow.bill({ ...cleaner, account }, { base: null });
    };
    expect(decisionOf(billed(LITHUANIAN_ACCOUNT))).toBe('REVIEW');
    expect(decisionOf(billed(BRITISH_ACCOUNT))).toBe('PASS');
  });
  test('is abroad for the buyer where nothing tells the country of the supplier', () => {
    const billed = (account: { iban: string }) => {
      const by = { name: 'Lerchenfeld Reinigung' };
      const lerchenfeld = ledger();
      lerchenfeld.repeat(4, { by }, germanBuyer);
      return lerchenfeld.bill({ by, account }, germanBuyer);
    };
    expect(decisionOf(billed(LITHUANIAN_ACCOUNT))).toBe('REVIEW');
    expect(decisionOf(billed(GERMAN_ACCOUNT))).toBe('PASS');
  });
  test('asks once in a file, whose rows nobody can answer one by one', () => {
    const acme = ledger();
    acme.repeat(2, {}, imported);
    const rows = Array.from({ length: 5 }, () => acme.bill({ account: LITHUANIAN_ACCOUNT }, imported));
    const asked = rows.filter((row) => accountFindings(row).includes('BANK_ACCOUNT_FIRST_USE'));
    expect(asked).toHaveLength(1);
  });
  test('does not weaken the account that a supplier stated on its very first bill', () => {
    const acme = ledger();
    acme.bill({ account: GERMAN_ACCOUNT });
    acme.repeat(3, {});
    expect(decisionOf(acme.bill({ account: LITHUANIAN_ACCOUNT }))).toBe('BLOCK');
  });
  test('blocks another account once it has earned trust', () => {
    const acme = importedSupplier();
    acme.repeat(4, { account: OTHER_GERMAN_ACCOUNT }, { origin: {} });
    acme.amendProfile(acme.bill({ account: OTHER_GERMAN_ACCOUNT }).facts.supplier.supplierId, (profile) => ({
      ...profile,
      accounts: profile.accounts.map((use) => ({ ...use, trust: 'SEEN' as const })),
    }));
    expect(decisionOf(acme.bill({ account: LITHUANIAN_ACCOUNT }))).toBe('BLOCK');
  });
});
