import { describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { redeliveryPauseMs } from './redelivery.js';

class StoreUnavailable extends Error {}

function pauses(error: Error, deliveries: readonly number[]): (number | undefined)[] {
  return deliveries.map((count) => redeliveryPauseMs(error, count, (cause) => cause instanceof StoreUnavailable));
}

test('retries a failed handler seven times, with pauses that grow to a minute, then gives up', () => {
  expect(pauses(new TypeError('no such field'), [1, 2, 3, 4, 5, 6, 7, 8])).toEqual([
    1_000,
    2_000,
    4_000,
    8_000,
    16_000,
    32_000,
    60_000,
    undefined,
  ]);
});

describe.each<[string, Error]>([
  ['a store that is unavailable', new StoreUnavailable()],
  ['a service that is unavailable', new DomainError('unavailable', 'Repeat in a moment.')],
])('%s', (_, error) => {
  test('never makes a dead letter, however often the event is delivered', () => {
    expect(pauses(error, [8, 9, 1_000, 100_000])).toEqual([10_000, 10_000, 10_000, 10_000]);
  });

  test('is retried soon at first', () => {
    expect(pauses(error, [1, 2, 3, 4, 5])).toEqual([1_000, 2_000, 4_000, 8_000, 10_000]);
  });
});
