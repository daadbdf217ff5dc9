import { expect, test } from 'vitest';
import { highAmountOf } from './high-amounts.js';

const amountsUpTo = (count: number, currency = 'EUR') =>
  Array.from({ length: count }, (_, index) => ({
    currency,
    amount: `${count - index}.00`,
    rate: '1',
    source: 'IDENTITY' as const,
  }));

test('95 % of the positive amounts in the base currency are not above what is high', () => {
  expect(highAmountOf(amountsUpTo(200), 'EUR')).toBe('190.00');
  const others = [...amountsUpTo(100), ...amountsUpTo(1000, 'USD'), { ...amountsUpTo(1)[0]!, amount: '-5' }];
  expect(highAmountOf(others, 'EUR')).toBe('95.00');
});

test('of less than a hundred amounts nothing is said', () => {
  expect(highAmountOf(amountsUpTo(99), 'EUR')).toBeUndefined();
  expect(highAmountOf(amountsUpTo(100), 'EUR')).toBe('95.00');
});
