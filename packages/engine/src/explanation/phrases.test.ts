import { expect, test } from 'vitest';
import { moneyText } from './money.js';
import { counted } from './phrases.js';

test('one is singular, none and several are plural', () => {
  expect([0, 1, 2].map((count) => counted(count, 'invoice'))).toEqual(['0 invoices', '1 invoice', '2 invoices']);
});

test('an amount is rounded to the minor units of its currency', () => {
  expect(moneyText('16358.500914', 'EUR')).toBe('EUR 16,358.50');
  expect(moneyText('16358.5', 'JPY')).toBe('JPY 16,359');
  expect(moneyText('10000', 'KWD')).toBe('KWD 10,000.000');
});
