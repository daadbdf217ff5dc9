import { describe, expect, test } from 'vitest';
import { dateOrders, readDate } from './dates.js';
import { decideReading } from './two-readings.js';

describe('a date', () => {
  test.each([
    ['2025-12-31', '2025-12-31'],
    ['2025/1/5', '2025-01-05'],
    ['2025.01.05', '2025-01-05'],
    ['20251231', '2025-12-31'],
    ['31.12.2025', '2025-12-31'],
    ['1.2.25', '2025-02-01'],
    ['31.12.99', '1999-12-31'],
    ['01. 02. 2025', '2025-02-01'],
    ['31-Dec-2025', '2025-12-31'],
    ['5 mar 25', '2025-03-05'],
    ['46022', '2025-12-31'],
    ['46022.75', '2025-12-31'],
    ['2025-12-31 00:00:00', '2025-12-31'],
    ['2025-12-31T23:59:59.000Z', '2025-12-31'],
    ['2025-12-31T23:59:59+01:00', '2025-12-31'],
    ['31.12.2025 14:05', '2025-12-31'],
  ])('%s is %s in both orders', (text, date) => {
    expect(dateOrders.map((order) => readDate(text, order))).toEqual([date, date]);
  });

  test.each([
    ['03/04/2025', '2025-04-03', '2025-03-04'],
    ['31/12/2025', '2025-12-31', undefined],
    ['12/31/2025 12:00 AM', undefined, '2025-12-31'],
    ['31-12-2025', '2025-12-31', undefined],
    ['1/2/25', '2025-02-01', '2025-01-02'],
  ])('%s is %s with the day first and %s with the month first', (text, dmy, mdy) => {
    expect(dateOrders.map((order) => readDate(text, order))).toEqual([dmy, mdy]);
  });

  test.each(['', '2025-02-29', '31.02.2025', '00/00/2025', '2025-13-01', '31/12-2025', '123', '99999', '15 foo 2025'])(
    '%p is not a real day',
    (text) => {
      expect(dateOrders.map((order) => readDate(text, order))).toEqual([undefined, undefined]);
    },
  );
});

describe('the order of a column', () => {
  const decide = (...texts: string[]) =>
    decideReading(
      texts.map((text, index) => ({ line: index + 2, text })),
      dateOrders,
      readDate,
    );

  test('follows from the first day after the twelfth', () => {
    expect(decide('03/04/2025', '31/12/2025')).toEqual({ kind: 'decided', reading: 'dmy' });
    expect(decide('03/04/2025', '12/31/2025')).toEqual({ kind: 'decided', reading: 'mdy' });
  });

  test('does not follow from days that equal their month', () => {
    expect(decide('03/03/2025', '2025-01-31')).toMatchObject({ kind: 'decided' });
  });

  test('is ambiguous when no day is after the twelfth, and contradictory when dates disagree', () => {
    expect(decide('03/04/2025')).toMatchObject({
      kind: 'ambiguous',
      results: { dmy: '2025-04-03', mdy: '2025-03-04' },
    });
    expect(decide('13/01/2025', '01/13/2025')).toMatchObject({ kind: 'contradictory' });
  });
});
