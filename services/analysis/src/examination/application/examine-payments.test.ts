import { describe, expect, test } from 'vitest';
import type { BookPayment } from './books-store.js';
import { batchesOf, BILLS_AT_ONCE_MAX } from './examine-payments.js';

function payment(id: string, bills: number): BookPayment {
  return {
    id,
    vendorId: 'v',
    day: 20_000,
    currency: 'EUR',
    amountMinor: '100',
    reference: undefined,
    billIds: Array.from({ length: bills }, (_, index) => `${id}-${index}`),
    account: undefined,
    isReturned: false,
  };
}

describe('payments that are compared at the same time', () => {
  const idsOf = (batches: ReturnType<typeof batchesOf>) => batches.map((groups) => groups.flat().map(({ id }) => id));

  test('settle a bounded number of bills', () => {
    const half = BILLS_AT_ONCE_MAX / 2;
    expect(idsOf(batchesOf([[payment('a', half)], [payment('b', half)]]))).toEqual([['a', 'b']]);
    expect(idsOf(batchesOf([[payment('a', half)], [payment('b', half + 1)]]))).toEqual([['a'], ['b']]);
  });
  test('stay together where they have one vendor and amount', () => {
    const group = [payment('a', BILLS_AT_ONCE_MAX), payment('b', 1)];
    expect(idsOf(batchesOf([group, [payment('c', 0)], [payment('d', 0)]]))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(batchesOf([])).toEqual([]);
  });
});
