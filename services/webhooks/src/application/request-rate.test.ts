import { expect, test } from 'vitest';
import { createRequestRate } from './request-rate.js';

function setUp(perSecondMax: number) {
  let now = 5_000;
  const rate = createRequestRate(perSecondMax, () => now);
  return {
    rate,
    /** Sends a request as early as the request rate allows, and returns the time of the request. */
    leave(endpointId: string): number {
      now += rate.waitMs(endpointId, 0);
      rate.note(endpointId);
      return now;
    },
    pass: (ms: number) => void (now += ms),
  };
}

test('50 requests leave at once, and the 51st a second after the first', () => {
  const { leave } = setUp(50);
  const times = Array.from({ length: 51 }, () => leave('a'));
  expect(times).toEqual([...Array.from({ length: 50 }, () => 5_000), 6_000]);
});

test('no second has more than 50 requests, wherever it begins', () => {
  const { leave, pass } = setUp(50);
  const times = Array.from({ length: 400 }, (_, index) => {
    pass(index % 7);
    return leave('a');
  });
  for (const [index, time] of times.entries()) {
    expect(times.slice(index).filter((later) => later < time + 1_000).length).toBeLessThanOrEqual(50);
  }
});

test('requests that have begun and not left yet count', () => {
  const { rate, leave } = setUp(3);
  leave('a');
  expect([rate.waitMs('a', 1), rate.waitMs('a', 2)]).toEqual([0, 1_000]);
});

test('the requests of one endpoint are not those of another', () => {
  const { rate, leave } = setUp(2);
  leave('a');
  leave('a');
  expect([rate.waitMs('a', 0), rate.waitMs('b', 0)]).toEqual([1_000, 0]);
});
