import { describe, expect, test } from '@jest/globals';
import { labelledHistory } from './history.js';
import { score, share } from './score.js';

/** Smaller than the histories of the benchmark, so that the tests stay quick; the full table is `npm run bench:detection`. */
describe.each([11, 12])('in a labelled history of seven countries (seed %i)', (seed) => {
  const result = score(labelledHistory({ seed, suppliers: 110, months: 18 }));

  test('nearly every duplicate is found, by every way of making one', () => {
    expect(result.copies).toBeGreaterThan(60);
    expect(share(result.recall)).toBeGreaterThanOrEqual(0.97);
  });

  test('nearly every pair is one', () => {
    expect(share(result.mediumPairs)).toBeGreaterThanOrEqual(0.98);
    expect(share(result.highPairs)).toBeGreaterThanOrEqual(0.995);
  });

  test('clean invoices pass, and none is blocked', () => {
    expect(share(result.notPassed)).toBeLessThanOrEqual(0.007);
    expect(result.blocked.hits).toBe(0);
  });

  test('no kind of clean bill that looks like a duplicate is taken for one', () => {
    expect([...result.falseByHardNegative].filter(([, rate]) => share(rate) > 0.01)).toEqual([]);
    expect(share(result.falsePairs)).toBeLessThanOrEqual(0.0005);
  });

  test('nearly every invoice that is wrong in itself is noticed', () => {
    const planted = [...result.anomalies.values()];
    const found = planted.reduce((sum, { hits }) => sum + hits, 0);
    const of = planted.reduce((sum, rate) => sum + rate.of, 0);
    expect(found / of).toBeGreaterThanOrEqual(0.97);
  });
});
