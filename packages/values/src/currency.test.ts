import { describe, expect, test } from 'vitest';
import * as dineroCurrencies from 'dinero.js/currencies';
import { currencyTable } from './currency-table.js';
import {
  baseCurrencies,
  ecbReferenceCurrencies,
  fixedParities,
  invoiceCurrency,
  isBaseCurrency,
  minorUnitsOf,
} from './currency.js';

const invoiced = currencyTable.filter((row) => row.kind === 'CURRENCY' && row.endDate === undefined);

describe('a currency that suppliers invoice in', () => {
  test('is stored in upper case', () => {
    expect(invoiceCurrency('eUr', '2026-01-01')).toEqual({ code: 'EUR' });
  });
  test.each([
    ['XXX', 'XXX is not a currency. Send the currency in which the invoice is payable.'],
    ['xau', 'XAU is a precious metal; suppliers do not invoice in it.'],
    ['CLF', 'CLF is a funds code; suppliers do not invoice in it.'],
    ['XTS', 'XTS is not a currency. Send the currency in which the invoice is payable.'],
    ['CNH', 'CNH is not an ISO 4217 currency code.'],
    [' EUR', 'The currency must be a three-letter ISO 4217 code such as EUR.'],
    ['ΕUR', 'The currency must be a three-letter ISO 4217 code such as EUR.'],
  ])('%j is refused with a sentence', (code, refusal) => {
    expect(invoiceCurrency(code, '2026-01-01')).toEqual({ refusal });
  });
  test('a withdrawn one is accepted for a year', () => {
    expect(invoiceCurrency('HRK', '2023-12-31')).toEqual({ code: 'HRK' });
    expect(invoiceCurrency('HRK', '2024-01-01')).toHaveProperty('refusal');
  });
  test('there are 155 current ones', () => {
    expect(invoiced).toHaveLength(155);
  });
});

test('minor units follow ISO 4217', () => {
  expect(['EUR', 'JPY', 'KWD', 'MGA', 'HUF', 'IDR', 'ISK'].map(minorUnitsOf)).toEqual([2, 0, 3, 2, 2, 2, 0]);
});

test('base currencies are EUR, the 29 reference currencies and nine fixed parities', () => {
  expect(ecbReferenceCurrencies).toHaveLength(29);
  expect(baseCurrencies).toHaveLength(39);
  for (const code of baseCurrencies) expect(invoiceCurrency(code, '2026-01-01')).toEqual({ code });
  expect(isBaseCurrency('AED')).toBe(true);
  expect(isBaseCurrency('BGN')).toBe(false);
  expect(isBaseCurrency('KWD')).toBe(false);
});

test('every parity leads to EUR in at most two steps', () => {
  const codes = new Set(currencyTable.map((row) => row.code));
  for (const { code, anchor } of fixedParities) {
    expect(codes.has(code)).toBe(true);
    expect(anchor === 'EUR' || ecbReferenceCurrencies.includes(anchor)).toBe(true);
  }
});

test('codes and numbers are unique among current rows and rows are sorted', () => {
  const current = currencyTable.filter((row) => row.endDate === undefined);
  expect(new Set(current.map((row) => row.numeric)).size).toBe(current.length);
  expect(currencyTable.map((row) => row.code)).toEqual(currencyTable.map((row) => row.code).toSorted());
});

describe('against the list of dinero.js', () => {
  const theirs = new Map(
    Object.values(dineroCurrencies).map((currency) => [currency.code as string, currency.exponent as number]),
  );
  const ours = new Map(currencyTable.map((row) => [row.code, row]));

  test('every code that only one side has is explained', () => {
    const onlyTheirs = [...theirs.keys()].filter((code) => !ours.has(code)).toSorted();
    const onlyOurs = [...ours.keys()].filter((code) => !theirs.has(code)).toSorted();
    expect(onlyTheirs).toEqual([]);
    const explained = currencyTable
      // The table contains withdrawn codes for old invoices, and metals and test codes for their error messages. Of
      // these codes, dinero.js has only BGN.
      .filter((row) => row.endDate !== undefined || row.kind !== 'CURRENCY')
      .map((row) => row.code);
    for (const code of onlyOurs) expect(explained).toContain(code);
  });

  test('minor units differ only where dinero.js counts fifths', () => {
    const differing = currencyTable.filter(
      (row) => row.kind === 'CURRENCY' && theirs.has(row.code) && theirs.get(row.code) !== row.minorUnits,
    );
    // ISO 4217 gives the ariary and the ouguiya two decimals, although in practice they are divided into five.
    expect(differing.map((row) => row.code)).toEqual(['MGA', 'MRU']);
  });
});
