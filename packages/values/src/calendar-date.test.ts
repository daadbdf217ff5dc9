import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  addDays,
  dateOfDayNumber,
  dayNumber,
  daysBetween,
  daysOfYear,
  isCalendarDate,
  swapDayAndMonth,
} from './calendar-date.js';

const day = fc.integer({ min: dayNumber('1900-01-01'), max: dayNumber('2199-12-31') });

describe('a calendar date', () => {
  test.each(['2024-02-29', '2000-02-29', '1900-01-01', '2199-12-31'])('%s is a day', (value) => {
    expect(isCalendarDate(value)).toBe(true);
  });
  test.each([
    '2023-02-29',
    '1900-02-29',
    '2025-04-31',
    '2025-13-01',
    '2025-00-10',
    '2025-1-01',
    '1899-12-31',
    '2200-01-01',
    '2025-01-01T00:00',
    '',
  ])('%j is refused', (value) => {
    expect(isCalendarDate(value)).toBe(false);
    expect(() => dayNumber(value)).toThrow(RangeError);
  });
});

test('a year is from its first to its last day', () => {
  const { first, last } = daysOfYear('2024-02-29');
  expect([first, last].map(dateOfDayNumber)).toEqual(['2024-01-01', '2024-12-31']);
});

test('day numbers and dates map one to one', () => {
  expect(dayNumber('1970-01-01')).toBe(0);
  fc.assert(
    fc.property(day, (number) => {
      expect(dayNumber(dateOfDayNumber(number))).toBe(number);
    }),
  );
});

test('days are counted across months and leap days', () => {
  expect(addDays('2024-02-28', 2)).toBe('2024-03-01');
  expect(addDays('2025-01-01', -1)).toBe('2024-12-31');
  expect(daysBetween('2025-03-01', '2025-02-01')).toBe(-28);
});

test('day and month are swapped only when that gives another real day', () => {
  expect(swapDayAndMonth('2025-03-04')).toBe('2025-04-03');
  expect(swapDayAndMonth('2025-04-04')).toBeUndefined();
  expect(swapDayAndMonth('2025-03-14')).toBeUndefined();
});
