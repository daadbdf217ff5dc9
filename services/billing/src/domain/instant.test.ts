import { describe, expect, test } from 'vitest';
import { normaliseInstant, toDate } from './instant.js';

describe('normaliseInstant', () => {
  test.each([
    ['2026-03-01T08:07:38.15Z', '2026-03-01T08:07:38.150000Z'],
    ['2026-03-01T08:07:38Z', '2026-03-01T08:07:38.000Z'],
    ['2026-03-01t10:07:38.5+02:00', '2026-03-01T08:07:38.500z'],
  ])('takes %s and %s for the same instant', (left, right) => {
    expect(normaliseInstant(left)).toBe(normaliseInstant(right));
    expect(normaliseInstant(left)).toBeDefined();
  });

  test.each([
    ['2026-03-01T08:07:38Z', '2026-03-01T08:07:38.000001Z'],
    ['2026-03-01T08:07:38.15Z', '2026-03-01T08:07:38.150001Z'],
    ['2026-03-01T08:07:38.999999999Z', '2026-03-01T08:07:39Z'],
    ['2026-03-01T23:59:59.9+00:00', '2026-03-02T00:30:00+00:15'],
  ])('orders %s before %s', (earlier, later) => {
    expect(String(normaliseInstant(earlier)) < String(normaliseInstant(later))).toBe(true);
  });

  test.each([
    '',
    'yesterday',
    '2026-03-01',
    '2026-03-01T08:07:38',
    '2026-02-30T08:07:38Z',
    '2026-03-01T25:07:38Z',
    '2026-03-01 08:07:38Z',
    `2026-03-01T08:07:38.${'1'.repeat(31)}Z`,
    '0000-01-01T00:00:00+01:00',
  ])('refuses %p', (text) => {
    expect(normaliseInstant(text)).toBeUndefined();
  });

  test('keeps 30 digits', () => {
    expect(normaliseInstant(`2026-03-01T08:07:38.${'1'.repeat(30)}Z`)).toMatch(/\.1{30}$/);
  });
});

test('toDate reads the milliseconds', () => {
  expect(toDate(String(normaliseInstant('2026-03-01T08:07:38.15Z'))).toISOString()).toBe('2026-03-01T08:07:38.150Z');
  expect(toDate(String(normaliseInstant('2026-03-01T08:07:38Z'))).toISOString()).toBe('2026-03-01T08:07:38.000Z');
});
