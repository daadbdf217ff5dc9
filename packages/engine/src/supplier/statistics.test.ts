import { expect, test } from 'vitest';
import fc from 'fast-check';
import { amountRatio, amountsOf, amountStatistics, median, modeOf } from './statistics.js';

test('the median of an even number of values is the mean of the middle two', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test('one outlier in the history does not move the usual amount', () => {
  const uses = ['10000', '11000', '9000', '10500', '900000'].map((minor) => ({ day: 0, minor }));
  expect(amountStatistics(uses, '31500', 0.15)).toMatchObject({ medianMinor: '10500', ratio: 3, sampleSize: 5 });
});

test('equal amounts do not make the smallest difference an outlier', () => {
  const uses = Array.from({ length: 10 }, () => ({ day: 0, minor: '10000' }));
  expect(amountStatistics(uses, '10500', 0.15)?.z).toBe(0.22);
});

test('the statistics do not depend on the order of the amounts', () => {
  const minor = fc.integer({ min: 1, max: 10_000_000 }).map(String);
  const shuffled = fc
    .array(minor, { minLength: 1, maxLength: 64 })
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
  const ofList = (list: readonly string[]) =>
    amountStatistics(
      list.map((text) => ({ day: 0, minor: text })),
      '500',
      0.15,
    );
  fc.assert(
    fc.property(shuffled, ([list, other]) => {
      expect(ofList(other)).toEqual(ofList(list));
    }),
  );
});

test('the median is the middle of the values in order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 64 }), (values) => {
      const sorted = values.toSorted((left, right) => left - right);
      const middle = [sorted[Math.ceil(sorted.length / 2) - 1] ?? 0, sorted[Math.floor(sorted.length / 2)] ?? 0];
      expect(median(values)).toBe(((middle[0] ?? 0) + (middle[1] ?? 0)) / 2);
    }),
  );
});

test('amountRatio returns the ratio of the statistics', () => {
  const minor = fc.integer({ min: 1, max: 10_000_000 }).map(String);
  fc.assert(
    fc.property(fc.array(minor, { maxLength: 64 }), minor, (list, amount) => {
      const uses = list.map((text) => ({ day: 0, minor: text }));
      expect(amountRatio(amountsOf(uses), Number(amount))).toBe(amountStatistics(uses, amount, 0.15)?.ratio);
    }),
  );
});

test('returns no statistics without amounts or for a credit', () => {
  expect(amountStatistics([], '100', 0.15)).toBeUndefined();
  expect(amountStatistics([{ day: 0, minor: '100' }], '-100', 0.15)).toBeUndefined();
});

test('the usual terms are the most frequent ones when they are frequent enough', () => {
  const terms = (values: readonly number[]) => values.map((value) => ({ day: 0, value }));
  expect(modeOf(terms([30, 30, 30, 14]), 0.6)).toBe(30);
  expect(modeOf(terms([30, 30, 14, 14]), 0.6)).toBeUndefined();
  expect(modeOf([], 0.6)).toBeUndefined();
});
