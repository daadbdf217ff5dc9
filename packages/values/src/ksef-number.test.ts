import { expect, test } from 'vitest';
import { crc8, isKsefNumber, readKsefNumber } from './ksef-number.js';

const NUMBER = '5265877635-20250626-010080DD2B5E-26';

test('the check digits are CRC-8 with polynomial 0x07', () => {
  // Catalogues of CRC algorithms give this check value for CRC-8 (SMBUS).
  expect(crc8('123456789')).toBe('F4');
});

test('a KSeF number has the form of 2.0 and its check digits', () => {
  expect(isKsefNumber(NUMBER)).toBe(true);
  expect(isKsefNumber(NUMBER.replace('DD', 'DE'))).toBe(false);
  expect(isKsefNumber(NUMBER.toLowerCase())).toBe(false);
  expect(isKsefNumber('5265877635-20250626-010080-DD2B5E-26')).toBe(false);
});

test('a KSeF number states its seller and its day', () => {
  expect(readKsefNumber(NUMBER)).toEqual({ sellerNip: '5265877635', receivedOn: '2025-06-26' });
  expect(readKsefNumber(NUMBER.replace('26-0', '27-0'))).toBeUndefined();
});

test('a number with correct check digits and no real day states nothing', () => {
  const start = '5265877635-20251399-010080DD2B5E';
  const number = `${start}-${crc8(start)}`;
  expect(isKsefNumber(number)).toBe(true);
  expect(readKsefNumber(number)).toBeUndefined();
});
