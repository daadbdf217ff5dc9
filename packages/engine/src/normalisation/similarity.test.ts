import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { editDistance, isAdjacentSwap, jaroWinkler } from './similarity.js';

describe('edit distance', () => {
  test.each([
    ['10423', '10423', 0],
    ['10423', '10432', 1],
    ['10423', '1043', 1],
    ['10423', '104243', 1],
    ['10423', '20424', 2],
    ['10423', '99999', 3],
  ])('%s and %s: %i, reported up to the limit', (left, right, distance) => {
    expect(editDistance(left, right, 2)).toBe(distance);
    expect(editDistance(right, left, 2)).toBe(distance);
  });

  test('a text has distance 0 to itself alone', () => {
    const text = fc.stringMatching(/^[0-9A-Z]{0,12}$/);
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(editDistance(left, right, 12) === 0).toBe(left === right);
      }),
    );
  });
});

test('an adjacent swap is exactly one exchange of neighbours', () => {
  expect(isAdjacentSwap('125400', '152400')).toBe(true);
  expect(isAdjacentSwap('125400', '125400')).toBe(false);
  expect(isAdjacentSwap('1221', '2112')).toBe(false);
  expect(isAdjacentSwap('12', '123')).toBe(false);
});

test('Jaro-Winkler gives the published values and is symmetric', () => {
  expect(jaroWinkler('MARTHA', 'MARHTA')).toBeCloseTo(0.961, 3);
  expect(jaroWinkler('DIXON', 'DICKSONX')).toBeCloseTo(0.813, 3);
  expect(jaroWinkler('', 'A')).toBe(0);
  expect(jaroWinkler('', '')).toBe(0);
  const name = fc.stringMatching(/^[A-Z ]{0,20}$/);
  fc.assert(
    fc.property(name, name, (left, right) => {
      expect(jaroWinkler(left, right)).toBeCloseTo(jaroWinkler(right, left), 12);
      expect(jaroWinkler(left, right)).toBeLessThanOrEqual(1);
    }),
  );
});
