import { describe, expect, test } from 'vitest';
import { formatMoney } from './money.js';

describe('an amount', () => {
  test.each([
    ['1190.00', 'EUR', '1,190.00 EUR'],
    ['0.05', 'EUR', '0.05 EUR'],
    ['-12.50', 'PLN', '-12.50 PLN'],
    ['1500', 'JPY', '1,500 JPY'],
    ['1.125', 'KWD', '1.125 KWD'],
    // A number would show 9,007,199,254,740,994.00.
    ['9007199254740993.01', 'EUR', '9,007,199,254,740,993.01 EUR'],
    ['123456789012345678901234567890.12', 'USD', '123,456,789,012,345,678,901,234,567,890.12 USD'],
  ])('%s %s is shown exactly', (amount, currency, shown) => {
    expect(formatMoney(amount, currency)).toBe(shown);
  });
});
