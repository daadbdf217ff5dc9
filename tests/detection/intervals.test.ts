import { describe, expect, test } from 'vitest';
import { intervalOf, overCustomers, wilson } from './intervals.js';

const rounded = ({ low, high }: { readonly low: number; readonly high: number }): number[] =>
  [low, high].map((limit) => Number(limit.toFixed(4)));

describe('the interval of a share', () => {
  test.each([
    // Published values of the intervals at 95 %.
    [{ hits: 0, of: 10 }, [0, 0.2775]],
    [{ hits: 5, of: 10 }, [0.2366, 0.7634]],
    [{ hits: 10, of: 10 }, [0.7225, 1]],
    [{ hits: 2, of: 31_000 }, [0, 0.0002]],
  ])('of Wilson for %j is %j', (rate, limits) => {
    expect(rounded(wilson(rate))).toEqual(limits);
  });

  test('says nothing without cases', () => {
    expect(wilson({ hits: 0, of: 0 })).toEqual({ low: 0, high: 1 });
  });

  test('is wider where customers differ than their bills alone would say', () => {
    const differing = [
      { hits: 100, of: 100 },
      { hits: 50, of: 100 },
      { hits: 100, of: 100 },
      { hits: 50, of: 100 },
    ];
    expect(intervalOf(differing).low).toBeLessThan(wilson({ hits: 300, of: 400 }).low);
    expect(intervalOf(differing).high).toBeGreaterThan(wilson({ hits: 300, of: 400 }).high);
  });

  test('is that of Wilson where no customer had a case', () => {
    const none = [
      { hits: 0, of: 500 },
      { hits: 0, of: 500 },
    ];
    expect(intervalOf(none)).toEqual(wilson({ hits: 0, of: 1_000 }));
  });
});

test('customers are drawn in the same way each time', () => {
  const mean = (drawn: readonly number[]): number => drawn.reduce((sum, each) => sum + each, 0) / drawn.length;
  expect(overCustomers([1, 2, 3], mean)).toEqual(overCustomers([1, 2, 3], mean));
  expect(overCustomers([7, 7], mean)).toEqual({ low: 7, high: 7 });
});
