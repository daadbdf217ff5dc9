import { describe, expect, test } from 'vitest';
import { COMPANY_ID } from '../testing/in-memory-history.js';
import type { BillOptions } from '../testing/in-memory-history.js';
import { findingIn, ibanOf, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';
import { taxRegistration } from './tax-registration.js';

const GERMAN = { iban: 'DE89370400440532013000' };
const OTHER_GERMAN = ibanOf('DE', '500105175407324931');
const LITHUANIAN = { iban: 'LT147300016033503497' };
const by = (tax_id: string) => ({ by: { name: 'Acme Supplies Ltd', tax_id } });
const withoutPrefix = by('136695976');
const buyerIn = (country: string): BillOptions => ({
  companies: [{ companyId: COMPANY_ID, name: 'Own', country }],
});

describe('the country in which a supplier is registered for tax is', () => {
  const registered = (bill: Bill, options?: BillOptions, ...earlier: readonly Bill[]) => {
    const acme = ledger();
    for (const one of earlier) acme.bill(one, options);
    return taxRegistration(acme.bill(bill, options).facts);
  };

  test('the one that its tax id states', () => {
    expect(registered(by('DE136695976'))).toEqual({ country: 'DE', basis: 'STATED' });
  });

  test('the one that earlier invoices stated, whatever account this one names', () => {
    const known = { country: 'DE', basis: 'EARLIER_INVOICES' };
    expect(registered({ ...withoutPrefix, account: LITHUANIAN }, buyerIn('LT'), by('DE136695976'))).toEqual(known);
    expect(registered(withoutPrefix, {}, by('DE136695976'), withoutPrefix)).toEqual(known);
  });

  test('not one of a tax id that is impossible there', () => {
    expect(registered(withoutPrefix, {}, by('PL136695976'))).toBeUndefined();
  });

  test('that of the account when the buyer has the same country', () => {
    const domestic = { ...withoutPrefix, account: GERMAN };
    expect(registered(domestic, buyerIn('DE'))).toEqual({ country: 'DE', basis: 'ACCOUNT_AND_BUYER' });
    expect(registered(domestic, buyerIn('PL'))).toBeUndefined();
    expect(registered(domestic)).toBeUndefined();
    expect(registered({ ...by('5260001246'), account: GERMAN }, buyerIn('DE'))).toBeUndefined();
  });

  test('not decided by an account that a known supplier has never used', () => {
    const domestic = { ...withoutPrefix, account: GERMAN };
    expect(registered({ ...withoutPrefix, account: OTHER_GERMAN }, buyerIn('DE'), domestic)).toBeUndefined();
    expect(registered({ ...withoutPrefix, account: LITHUANIAN }, buyerIn('LT'), domestic)).toBeUndefined();
  });
});

describe('a tax id without its country', () => {
  const invalid = (bill: Bill, options?: BillOptions, ...earlier: readonly Bill[]) => {
    const acme = ledger();
    for (const one of earlier) acme.bill(one, options);
    return findingIn(acme.bill(bill, options), 'SUPPLIER_TAX_ID_INVALID');
  };

  test('is checked by the check digits of the known country', () => {
    const wrong = { ...by('136695977'), account: GERMAN };
    expect(invalid(wrong, buyerIn('DE'))).toMatchObject({
      severity: 'MEDIUM',
      evidence: {
        country: 'DE',
        reason: 'WRONG_CHECK_DIGIT',
        explanation: expect.arrayContaining([
          'The tax id states no country; the account and the buyer are both in Germany.',
        ]),
      },
    });
    expect(invalid(wrong, {}, { ...by('DE136695976'), account: GERMAN })).toMatchObject({ severity: 'MEDIUM' });
    expect(invalid(wrong)).toBeUndefined();
  });

  test('may be a national number of another form, which is not an error', () => {
    expect(invalid({ ...by('12/345/67890'), account: GERMAN }, buyerIn('DE'))).toBeUndefined();
    expect(
      invalid({ ...by('12/345/67890'), account: GERMAN }, {}, { ...by('DE136695976'), account: GERMAN }),
    ).toBeUndefined();
  });
});
