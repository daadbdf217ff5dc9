import { describe, expect, test } from 'vitest';
import type { Finding } from '../explanation/evidence.js';
import { evidenceFaults, memberFaults } from './evidence-contract.js';
import { findingIn, ledger } from './ledger.js';

const finding = (members: Record<string, unknown>): Pick<Finding, 'type' | 'evidence'> => ({
  type: 'AMOUNT_OUTLIER',
  evidence: { key: 'k', rule: 'r', parameters: {}, observed: {}, explanation: [], ...members } as Finding['evidence'],
});

describe('the contract of money in evidence', () => {
  test.each([
    ['money with its currency in one text', { observed: { total: 'EUR 14542.95' } }],
    [
      'money with its currency in one text',
      { observed: { sum: 'EUR 14542.95', currency: 'EUR' } },
      'no decimal string',
    ],
    ['decimals of another currency', { value: '1200', currency: 'EUR' }, 'not the decimals of EUR: "1200"'],
    ['too many decimals', { value: '2389.993892', valueCurrency: 'EUR' }, 'not the decimals of EUR'],
    ['decimals of a currency without any', { value: '1200.00', valueCurrency: 'JPY' }, 'not the decimals of JPY'],
    ['no currency', { observed: { median: '1200.00' } }, 'observed.median has no currency next to it'],
    ['a number', { series: [{ grossAmount: 12.5, currency: 'EUR' }] }, 'series[0].grossAmount is no decimal string'],
    ['an undeclared decimal', { observed: { surplus: '12.50', currency: 'EUR' } }, 'not known as money'],
    ['minor units', { parameters: { toleranceMinor: 2 } }, 'in minor units'],
    [
      'no currency of a side',
      { comparisons: [{ field: 'amount', left: '1.00', right: null }] },
      'left has no currency',
    ],
  ])('is broken by %s', (fault, members, sentence = fault) => {
    expect(evidenceFaults(finding(members))).toEqual([expect.stringContaining(sentence)]);
  });

  test('is kept by counts, ratios, shares, dates, quoted texts and money as it should be', () => {
    const members = {
      observed: { invoices: 12, ratio: 4.1, z: 6.25, value: '1200.00', valueCurrency: 'EUR', noRate: false },
      threshold: '5000',
      thresholdCurrency: 'JPY',
      sum: '1.500',
      currency: 'KWD',
      p95: null,
      matched: [{ invoiceNumber: '2024.01', grossAmount: '-0.05', currency: 'EUR', issueDate: '2025-03-10' }],
      comparisons: [{ field: 'number', left: '2024.01', right: 'EUR 12' }],
    };
    expect(evidenceFaults(finding(members))).toEqual([]);
  });
});

describe('the contract of members of evidence', () => {
  const about = (members: Record<string, unknown>) => memberFaults({ ...finding(members), type: 'AMOUNT_ROUND' });

  test.each([
    ['a declared member is missing', {}, 'evidence.roundShare is missing'],
    ['a member has another type', { roundShare: '0.5' }, 'evidence.roundShare is "0.5", but should be number,null'],
    ['a member is not declared', { roundShare: 0.5, extra: 1 }, 'evidence.extra is not declared'],
    ['an entry of a list has another type', { roundShare: 0, explanation: [1] }, 'evidence.explanation[0] is 1'],
  ])('is broken if %s', (_, members, fault) => {
    expect(about(members)).toEqual([expect.stringContaining(fault)]);
  });

  test('is kept by declared members', () => {
    expect(about({ roundShare: null, sourceRowNumber: 3 })).toEqual([]);
  });
});

describe.each([
  ['EUR', '1000', '41000', '5000.00', '41000.00', false],
  ['JPY', '1000', '41000', '5000', '41000', true],
  ['KWD', '1000', '41000', '5000.000', '41000.000', true],
])(
  'findings about amounts in %s that were sent without decimals',
  (currency, usual, high, threshold, shown, noRate) => {
    const billed = (gross_amount: string) => {
      const bills = ledger();
      const base = null;
      for (let index = 0; index < 12; index++) bills.bill({ currency, gross_amount: `${usual}` }, { base });
      return bills.bill({ currency, gross_amount }, { base });
    };

    test('show them with the decimals of the currency', () => {
      expect(findingIn(billed(high), 'AMOUNT_OUTLIER')?.evidence).toMatchObject({
        observed: { value: shown, valueCurrency: currency, noRate, currency },
      });
      expect(findingIn(billed('4999'), 'AMOUNT_BELOW_THRESHOLD')?.evidence).toMatchObject({
        threshold,
        thresholdCurrency: currency,
      });
    });
  },
);

test('an amount converted at a rate is rounded to the decimals of the base currency', () => {
  const bills = ledger();
  const converted = (gross_amount: string, amount: string) =>
    bills.bill({ currency: 'PLN', gross_amount }, { base: { currency: 'EUR', amount, rate: '4.25', source: 'ECB' } });
  for (let index = 0; index < 12; index++) converted('1000.00', '235.294118');
  const outlier = findingIn(converted('10157.47', '2389.993892'), 'AMOUNT_OUTLIER');
  expect(outlier?.evidence.observed).toMatchObject({ value: '2389.99', valueCurrency: 'EUR', currency: 'PLN' });
  expect(outlier?.evidence.parameters).toMatchObject({ outlierValueMin: '200.00', currency: 'EUR' });
});
