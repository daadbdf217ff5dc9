import { expect, test } from 'vitest';
import {
  crc8,
  hasNipCheckDigit,
  microTimestamp,
  newKsefNumber,
  newReferenceNumber,
  polishDay,
  sortableInstant,
} from './numbers.js';

test.each(['5265877635-20250916-010040741B3E-46', '5265877635-20250916-0200A0D6723E-C2'])(
  'computes the checksum of the published number %s',
  (number) => {
    expect(crc8(number.slice(0, -3))).toBe(number.slice(-2));
  },
);

test('makes numbers of the published form with their checksum', () => {
  const now = new Date('2026-11-23T12:00:00Z');
  const numbers = [newReferenceNumber('SO', now), newKsefNumber('5265877635', now)];
  expect(numbers[0]).toMatch(/^20261123-SO-[0-9A-F]{10}-[0-9A-F]{10}-[0-9A-F]{2}$/);
  expect(numbers[1]).toMatch(/^5265877635-20261123-[0-9A-F]{12}-[0-9A-F]{2}$/);
  for (const number of numbers) expect(crc8(number.slice(0, -3))).toBe(number.slice(-2));
});

test('takes the day in Poland', () => {
  expect(polishDay(new Date('2026-06-30T21:59:59Z'))).toBe('2026-06-30');
  expect(polishDay(new Date('2026-06-30T22:00:00Z'))).toBe('2026-07-01');
});

test('recognises a NIP with a wrong check digit', () => {
  expect(hasNipCheckDigit('5265877635')).toBe(true);
  expect(hasNipCheckDigit('5265877636')).toBe(false);
});

test.each([
  ['2026-11-23T10:00:00Z', '2026-11-23T10:00:00.0000000'],
  ['2026-11-23T10:00:00.1234567+00:00', '2026-11-23T10:00:00.1234567'],
  ['2026-11-23T10:00:00.5+01:00', '2026-11-23T09:00:00.5000000'],
  ['2026-11-23T10:00-02:30', '2026-11-23T12:30:00.0000000'],
  // Without an offset, the time is Polish time.
  ['2026-11-23T10:00:00', '2026-11-23T09:00:00.0000000'],
  ['2026-07-23T10:00:00.25', '2026-07-23T08:00:00.2500000'],
  ['2026-11-23', undefined],
  ['2026-13-23T10:00:00Z', undefined],
  ['soon', undefined],
])('%s sorts as %s', (text, sortable) => {
  expect(sortableInstant(text)).toBe(sortable);
});

test('writes microseconds', () => {
  expect(microTimestamp(Date.parse('2026-11-23T10:00:00.123Z') * 1_000 + 45)).toBe('2026-11-23T10:00:00.1230450+00:00');
});
