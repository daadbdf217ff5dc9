import { describe, expect, test } from 'vitest';
import { isCountryCode } from '@invoicecontrol/values/country';
import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { isLegalTender } from '../data/country-currencies.js';
import { defaultPolicy } from '../policy/policy.js';
import { decide } from '../scoring/decision.js';
import { COMPANY_ID, typesIn } from '../testing/in-memory-history.js';
import { findingIn, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

const typesOf = typesIn('CUR');

describe('CURRENCY_UNKNOWN', () => {
  test('leads to REVIEW, and names the currencies that the supplier has billed in', () => {
    const acme = ledger();
    acme.bill({ currency: 'USD' });
    acme.repeat(2, { currency: 'EUR' });
    const billed = acme.bill({ currency: 'XXX' }, { base: null, origin: { source: 'UPLOAD' } });
    expect(billed.analysis.decision).toBe('REVIEW');
    expect(findingIn(billed, 'CURRENCY_UNKNOWN')).toMatchObject({
      severity: 'HIGH',
      confidence: 99,
      evidence: { candidates: ['EUR', 'USD'] },
    });
    expect(typesOf(billed)).toEqual(['CURRENCY_UNKNOWN']);
  });

  test('leads to REVIEW even when a learned tolerance lowers it', () => {
    const mild = { type: 'CURRENCY_UNKNOWN', family: 'CUR', severity: 'LOW', confidence: 10 } as const;
    expect(decide([mild], defaultPolicy).decision).toBe('REVIEW');
  });

  test('raises nothing else about an unknown currency', () => {
    const acme = ledger();
    acme.repeat(6, { currency: 'XXX' });
    expect(typesOf(acme.bill({ currency: 'EUR' }))).toEqual([]);
  });
});

describe('CURRENCY_CHANGED', () => {
  /** Returns the finding on a bill in USD after bills in these currencies. */
  function after(...currencies: readonly string[]) {
    const acme = ledger();
    for (const currency of currencies) acme.bill({ currency });
    return findingIn(acme.bill({ currency: 'USD' }), 'CURRENCY_CHANGED');
  }
  const euros = (count: number) => Array.from({ length: count }, () => 'EUR');

  test('is raised for a currency that an established supplier never used', () => {
    expect(after(...euros(5))).toMatchObject({
      severity: 'MEDIUM',
      confidence: 75,
      summary: 'Acme Supplies Ltd bills USD 1,022.00, but has always billed in EUR before.',
      evidence: { usual: 'EUR', new: 'USD' },
    });
    expect(after(...euros(4))).toBeUndefined();
  });

  test('is not raised once it was used', () => {
    expect(after(...euros(6), 'USD')).toBeUndefined();
  });

  test('is LOW for the third currency of a supplier with two', () => {
    expect(after(...euros(4), 'PLN', 'PLN')).toMatchObject({ severity: 'LOW' });
    expect(after(...euros(4), 'PLN')).toMatchObject({ severity: 'MEDIUM' });
  });
});

describe('CURRENCY_UNUSUAL_FOR_COUNTRY', () => {
  const found = (bill: Bill, country?: string) => {
    const company = { companyId: COMPANY_ID, name: 'Own', ...(country === undefined ? {} : { country }) };
    return findingIn(ledger().bill(bill, { companies: [company] }), 'CURRENCY_UNUSUAL_FOR_COUNTRY');
  };

  test.each([
    ['CHF', true],
    ['EUR', false],
    ['USD', false],
    ['GBP', false],
  ])('a German supplier bills in %s', (currency, isRaised) => {
    expect(found({ currency }) !== undefined).toBe(isRaised);
  });

  test('shows the country', () => {
    expect(found({ currency: 'CHF' })).toMatchObject({ severity: 'LOW', confidence: 60, evidence: { country: 'DE' } });
  });

  test('never says that a supplier is of the country of the account', () => {
    const account = { iban: 'LT147300016033503497' };
    const by = { name: 'Hurtownia Papieru Sp. z o.o.', tax_id: '1132312688' };
    expect(found({ currency: 'CHF', account, by })?.summary).toMatch(
      /^Hurtownia .* with an account in Lithuania bills CHF/,
    );
    expect(found({ currency: 'CHF', account })?.summary).toMatch(/^Acme Supplies Ltd from Germany bills CHF/);
  });

  test('is not raised for the country of the account and that of the buyer', () => {
    const swiss = { account: { iban: 'CH9300762011623852957' } };
    expect(found({ currency: 'CHF', ...swiss })).toBeUndefined();
    expect(found({ currency: 'CHF' }, 'CH')).toBeUndefined();
    expect(found({ currency: 'PLN', buyer: { tax_id: 'PL5260001246' } })).toBeUndefined();
    expect(found({ currency: 'PLN', ...swiss })).toBeDefined();
  });

  test('is not raised for the base currency, without any country and after two uses', () => {
    const base = { currency: 'CHF', amount: '1000', rate: '1', source: 'IDENTITY' } as const;
    expect(typesOf(ledger().bill({ currency: 'CHF' }, { base }))).toEqual([]);
    expect(found({ currency: 'CHF', by: { name: 'Acme' } })).toBeUndefined();
    const acme = ledger();
    expect(typesOf(acme.repeat(2, { currency: 'CHF' }))).toEqual(['CURRENCY_UNUSUAL_FOR_COUNTRY']);
    expect(typesOf(acme.bill({ currency: 'CHF' }))).toEqual([]);
  });

  test('accepts a former currency of the country', () => {
    expect(isLegalTender('BGN', 'BG')).toBe(true);
    expect(isLegalTender('EUR', 'BG')).toBe(true);
    expect(isLegalTender('BGN', 'RO')).toBe(false);
  });
});

test('every currency that invoices may state belongs to a country', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  const countries = pairs.filter(isCountryCode);
  const currencies = pairs
    .flatMap((pair) => letters.map((third) => pair + third))
    .filter((code) => 'code' in invoiceCurrency(code, '2025-11-20'));
  expect(currencies.length).toBeGreaterThan(150);
  expect(currencies.filter((code) => !countries.some((country) => isLegalTender(code, country)))).toEqual([]);
});
