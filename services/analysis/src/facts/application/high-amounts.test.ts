import { expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { highAmountOf, highAmounts } from './high-amounts.js';

const logger = createLogger({ service: 'test', level: 'silent' });
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

test('what is not cached is read once for later calls, and nobody waits for it', async () => {
  let reads = 0;
  const amounts = highAmounts({
    invoices: { newestBaseAmounts: async () => ((reads += 1), amountsUpTo(100)) },
    logger,
  });
  expect([amounts.cached('o', 'EUR'), amounts.cached('o', 'EUR')]).toEqual([undefined, undefined]);
  await eventually(() => expect(amounts.cached('o', 'EUR')).toBe('95.00'));
  expect(reads).toBe(1);
});

test('a database that cannot be read costs no decision and is asked again', async () => {
  let reads = 0;
  const failing = async () => {
    reads += 1;
    throw new Error('down');
  };
  const amounts = highAmounts({ invoices: { newestBaseAmounts: failing }, logger });
  await eventually(() => {
    expect(amounts.cached('o', 'EUR')).toBeUndefined();
    expect(reads).toBeGreaterThan(1);
  });
});
