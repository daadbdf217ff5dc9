import { expect, test } from 'vitest';
import { readCurrency } from './currency-code.js';

test.each([
  ['eur', '2026-01-01', [], { code: 'EUR' }],
  [' NOK ', undefined, ['SEK'], { code: 'NOK' }],
  ['HRK', '2022-12-31', [], { code: 'HRK' }],
])('%s is a currency on %s', (raw, date, stated, reading) => {
  expect(readCurrency(raw, date, () => stated)).toEqual(reading);
});

test.each([
  ['XXX', ['XXX', 'PLN', 'PLN'], ['PLN']],
  ['XAU', [], []],
  ['CNH', ['CNH'], ['CNY']],
  ['CHW', ['EUR'], ['CHF', 'EUR']],
  ['CLF', [], ['CLP']],
  ['€', ['USD', 'CAD'], ['USD', 'CAD']],
  ['', ['GBP'], ['GBP']],
  [undefined, [], []],
])('%s with amounts in %j may be %j', (raw, stated, candidates) => {
  expect(readCurrency(raw, '2026-01-01', () => stated)).toEqual({ candidates });
});
