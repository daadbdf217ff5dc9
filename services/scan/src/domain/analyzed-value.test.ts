import { expect, test } from 'vitest';
import { printTotal } from './analyzed-value.js';

test.each([
  ['0', 'EUR', '0.00'],
  ['12.3', 'EUR', '12.30'],
  ['1.005', 'EUR', '1.01'],
  ['-1.005', 'EUR', '-1.01'],
  ['1.004999', 'EUR', '1.00'],
  ['-0.004999', 'EUR', '0.00'],
  ['1234.5', 'JPY', '1235'],
  ['-0.4', 'JPY', '0'],
  ['1.2345', 'BHD', '1.235'],
  // The sum of 5000 amounts of the maximum size.
  ['4999999999999999999.995', 'EUR', '5000000000000000000.00'],
  ['-4999999999999999999.994999', 'EUR', '-4999999999999999999.99'],
])('a total of %s %s is printed as %s', (total, currency, printed) => {
  expect(printTotal(total, currency)).toBe(printed);
});
