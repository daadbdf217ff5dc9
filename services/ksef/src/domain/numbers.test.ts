import { expect, test } from 'vitest';
import { crc8, dayOfKsefNumber, isKsefNumber, isReferenceNumber, numbersInText } from './numbers.js';

const KSEF_NUMBER = `5265877635-20250626-010080DD2B5E-${crc8('5265877635-20250626-010080DD2B5E')}`;
const SESSION = `20250626-SO-2F14610000-242991F8C9-${crc8('20250626-SO-2F14610000-242991F8C9')}`;

test('the check digits are CRC-8 with polynomial 0x07', () => {
  // The check value of CRC-8 (SMBUS) in catalogues.
  expect(crc8('123456789')).toBe('F4');
});

test('a number of KSeF has the form of 2.0 and its check digits', () => {
  expect(KSEF_NUMBER).toBe('5265877635-20250626-010080DD2B5E-26');
  expect(isKsefNumber(KSEF_NUMBER)).toBe(true);
  expect(isKsefNumber(KSEF_NUMBER.replace('DD', 'DE'))).toBe(false);
  expect(isKsefNumber('5265877635-20250626-010080-DD2B5E-26')).toBe(false);
  expect(isReferenceNumber(SESSION)).toBe(true);
  expect(dayOfKsefNumber(KSEF_NUMBER).toISOString()).toBe('2025-06-26T00:00:00.000Z');
});

test('the numbers of a duplicate are found in its text', () => {
  const text = `Faktura o numerze KSeF: ${KSEF_NUMBER} została już przesłana w sesji: ${SESSION}`;
  expect(numbersInText(text)).toEqual({ ksefNumber: KSEF_NUMBER, sessionReferenceNumber: SESSION });
  expect(numbersInText('Duplikat faktury')).toEqual({ ksefNumber: undefined, sessionReferenceNumber: undefined });
});
