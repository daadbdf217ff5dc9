import { describe, expect, test } from 'vitest';
import { labelledHistory } from './history.js';
import { score, share } from './score.js';

/** Smaller than the histories of the benchmark, to keep the tests fast; `npm run bench:detection` prints the full table. */
describe.each([11, 12])('the engine, on a labelled history of seven countries (seed %i)', (seed) => {
  const result = score(labelledHistory({ seed, suppliers: 110, months: 18 }));

  test('finds at least 97 % of the duplicates', () => {
    expect(result.copies).toBeGreaterThan(60);
    expect(share(result.recall)).toBeGreaterThanOrEqual(0.97);
  });

  test('reports at least 98 % true pairs, and 99.5 % from HIGH on', () => {
    expect(share(result.mediumPairs)).toBeGreaterThanOrEqual(0.98);
    expect(share(result.highPairs)).toBeGreaterThanOrEqual(0.995);
  });

  test('passes nearly all clean invoices and blocks none', () => {
    expect(share(result.plainNotPassed)).toBeLessThanOrEqual(0.007);
    expect(result.plainBlocked.hits).toBe(0);
  });

  test('reports hardly any clean bill as a duplicate, whatever its kind', () => {
    expect([...result.falseByHardNegative].filter(([, rate]) => share(rate) > 0.01)).toEqual([]);
    expect(share(result.falsePairs)).toBeLessThanOrEqual(0.0005);
  });

  test('finds at least 97 % of the planted anomalies', () => {
    const planted = [...result.anomalies.values()];
    const found = planted.reduce((sum, { hits }) => sum + hits, 0);
    const of = planted.reduce((sum, rate) => sum + rate.of, 0);
    expect(found / of).toBeGreaterThanOrEqual(0.97);
  });
});
