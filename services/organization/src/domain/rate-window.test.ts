import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { allowedTokens, retryAfterMs, WINDOW_MS, windowPosition } from './rate-window.js';

describe('a window', () => {
  test('is a clock minute, and an instant is in exactly one', () => {
    expect(windowPosition(new Date(0))).toEqual({ windowNumber: 0, elapsedMs: 0 });
    expect(windowPosition(new Date(59_999))).toEqual({ windowNumber: 0, elapsedMs: 59_999 });
    expect(windowPosition(new Date(60_000))).toEqual({ windowNumber: 1, elapsedMs: 0 });
  });
});

describe('allowed tokens', () => {
  test.each([
    ['the whole limit when the minute before was quiet', 100, 0, 0, 100],
    ['nothing right after a full minute', 100, 100, 0, 0],
    ['half in the middle of the next minute', 100, 100, 30_000, 50],
    ['the whole limit a full minute later', 100, 100, 60_000, 100],
    ['rounded down', 100, 1, 59_999, 99],
    ['never negative, even if the limit was lowered', 10, 100, 0, 0],
  ])('are %s', (_, limit, previousUsed, elapsedMs, expected) => {
    expect(allowedTokens(limit, previousUsed, elapsedMs)).toBe(expected);
  });

  test('and the share of the previous minute never exceed the limit together', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.nat(10_000),
        fc.integer({ min: 0, max: WINDOW_MS - 1 }),
        (limit, previous, elapsedMs) => {
          const previousUsed = Math.min(previous, limit);
          const counted = (previousUsed * (WINDOW_MS - elapsedMs)) / WINDOW_MS;
          expect(allowedTokens(limit, previousUsed, elapsedMs) + counted).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});

describe('a refused caller', () => {
  /** Returns true if a token is free `afterMs` later, provided that no other caller uses one. */
  const isFree = (
    limit: number,
    { previousUsed, currentUsed, elapsedMs }: { previousUsed: number; currentUsed: number; elapsedMs: number },
    afterMs: number,
  ): boolean => {
    const at = elapsedMs + afterMs;
    if (at < WINDOW_MS) return allowedTokens(limit, previousUsed, at) > currentUsed;
    return at >= 2 * WINDOW_MS || allowedTokens(limit, currentUsed, at - WINDOW_MS) > 0;
  };

  test.each([
    ['the limit of this minute is used up', 10, 0, 10, 0, 66_000],
    ['the minute before still counts', 10, 10, 5, 20_000, 16_000],
    ['a single request a minute', 1, 0, 1, 15_000, 105_000],
    ['the last token comes back as the minute ends', 10, 10, 9, 0, 60_000],
  ])('learns when a token is free: %s', (_, limit, previousUsed, currentUsed, elapsedMs, expected) => {
    expect(retryAfterMs(limit, { previousUsed, currentUsed, elapsedMs })).toBe(expected);
  });

  test('learns the exact millisecond at which a token is free', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.nat(5_000),
        fc.nat(5_000),
        fc.integer({ min: 0, max: WINDOW_MS - 1 }),
        (limit, previous, current, elapsedMs) => {
          const state = { previousUsed: Math.min(previous, limit), currentUsed: Math.min(current, limit), elapsedMs };
          fc.pre(!isFree(limit, state, 0));
          const afterMs = retryAfterMs(limit, state);
          expect(isFree(limit, state, afterMs)).toBe(true);
          expect(isFree(limit, state, afterMs - 1)).toBe(false);
        },
      ),
    );
  });
});
