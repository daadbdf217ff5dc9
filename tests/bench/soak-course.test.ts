import { expect, test } from 'vitest';
import { courseOf, isFlat } from './soak-course.js';
import type { Reading } from './soak-course.js';

const ALLOWED = { share: 0.1, constant: 8 } as const;

/** Returns a reading each half minute of an hour. */
function anHour(valueAt: (minute: number) => number): Reading[] {
  return Array.from({ length: 120 }, (_, index) => ({ minute: index / 2, value: valueAt(index / 2) }));
}

test('a figure that only rises while the process warms up is flat', () => {
  const course = courseOf(
    anHour((minute) => (minute < 15 ? 100 + minute * 5 : 175)),
    60,
  );
  expect(course).toEqual({ before: 175, after: 175, most: 175, perHour: 0 });
  expect(isFlat(course, ALLOWED)).toBe(true);
});

test('a leak of one in a minute is found, and its rate is stated', () => {
  const course = courseOf(
    anHour((minute) => 100 + minute),
    60,
  );
  expect(course.perHour).toBeCloseTo(60);
  expect(isFlat(course, ALLOWED)).toBe(false);
});

test('peaks between two garbage collections do not hide a leak, nor make one', () => {
  const saw = (minute: number): number => (minute % 3) * 30;
  expect(
    isFlat(
      courseOf(
        anHour((minute) => 200 + saw(minute)),
        60,
      ),
      ALLOWED,
    ),
  ).toBe(true);
  expect(
    isFlat(
      courseOf(
        anHour((minute) => 200 + saw(minute) + minute * 2),
        60,
      ),
      ALLOWED,
    ),
  ).toBe(false);
});

test('growth of exactly what is allowed is flat, and one more is not', () => {
  expect(isFlat({ before: 100, after: 118, most: 118, perHour: 0 }, ALLOWED)).toBe(true);
  expect(isFlat({ before: 100, after: 119, most: 119, perHour: 0 }, ALLOWED)).toBe(false);
});

test('a soak that is too short to judge says so', () => {
  expect(() => courseOf([{ minute: 0.1, value: 1 }], 60)).toThrow('The soak was too short');
});
