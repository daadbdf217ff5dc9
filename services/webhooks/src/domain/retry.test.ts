import { describe, expect, test } from 'vitest';
import { nextAttemptAt } from './retry.js';
import type { FailedAttempt } from './retry.js';

const schedule = { waitsMs: [60_000, 360_000, 2_160_000, 12_960_000], floorMs: 60_000 };
const now = new Date('2026-03-14T09:30:00.000Z');
const failed: FailedAttempt = { failures: 1, isTimeout: false, statusCode: 503, retryAfter: undefined };

/** Returns the milliseconds until the next attempt with the minimum, the middle and the maximum of the random part. */
function waits(attempt: Partial<FailedAttempt>): (number | undefined)[] {
  return [0, 0.5, 1].map((random) => {
    const at = nextAttemptAt({ ...failed, ...attempt }, schedule, now, random);
    return at && at.getTime() - now.getTime();
  });
}

describe('the next attempt', () => {
  test.each([
    [1, 60_000],
    [2, 360_000],
    [3, 2_160_000],
    [4, 12_960_000],
  ])('comes after failure %d in %d ms, a fifth more or less', (failures, ms) => {
    expect(waits({ failures })).toEqual([ms * 0.8, ms, ms * 1.2]);
  });

  test('does not come after the fifth failure', () => {
    expect(waits({ failures: 5 })).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    ['a 429', { statusCode: 429 }],
    ['a timeout', { isTimeout: true, statusCode: undefined }],
  ])('comes no sooner than the floor after %s', (_, attempt) => {
    expect(waits(attempt)).toEqual([60_000, 60_000, 72_000]);
  });

  test.each([
    ['less than the wait', '1', 60_000],
    ['between the wait and twice the wait', '100', 100_000],
    ['more than twice the wait', '86400', 120_000],
    ['a date', 'Sat, 14 Mar 2026 09:31:30 GMT', 90_000],
    ['a date in the past', 'Sat, 14 Mar 2026 09:00:00 GMT', 60_000],
    ['neither seconds nor a date', 'soon', 60_000],
    ['a fraction', '90.5', 60_000],
    ['a negative number', '-90', 60_000],
    ['a date in another form', '2026-03-14T09:31:30Z', 60_000],
  ])('heeds a Retry-After of %s between once and twice the wait', (_, retryAfter, ms) => {
    expect(waits({ retryAfter })).toEqual([ms * 0.8, ms, ms * 1.2]);
  });
});
