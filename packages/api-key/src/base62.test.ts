import { describe, expect, test } from 'vitest';
import { BASE62_ALPHABET, randomBase62 } from './base62.js';

describe('random base62', () => {
  test('has the asked length, and is another text each time', () => {
    for (const length of [0, 1, 16, 43]) expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
    expect(new Set(Array.from({ length: 200 }, () => randomBase62(43))).size).toBe(200);
  });

  test('favours no digit', () => {
    const text = randomBase62(62_000);
    for (const digit of BASE62_ALPHABET) {
      // In this test, each base62 digit is expected 1,000 times. If high bytes were not skipped, the first eight digits
      // would occur about 1,210 times.
      const count = text.split(digit).length - 1;
      expect(count).toBeGreaterThan(820);
      expect(count).toBeLessThan(1_180);
    }
  });
});
