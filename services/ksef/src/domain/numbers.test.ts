import { expect, test } from 'vitest';
import { crc8 } from '@invoicecontrol/values/ksef-number';
import { dayOfKsefNumber, isReferenceNumber, numbersInText } from './numbers.js';

const KSEF_NUMBER = `5265877635-20250626-010080DD2B5E-${crc8('5265877635-20250626-010080DD2B5E')}`;
const SESSION = `20250626-SO-2F14610000-242991F8C9-${crc8('20250626-SO-2F14610000-242991F8C9')}`;

test('a reference number has its form and its check digits', () => {
  expect(isReferenceNumber(SESSION)).toBe(true);
  expect(isReferenceNumber(SESSION.replace('2F', '3F'))).toBe(false);
});

test('a KSeF number names its day', () => {
  expect(dayOfKsefNumber(KSEF_NUMBER).toISOString()).toBe('2025-06-26T00:00:00.000Z');
});

test('the numbers of a duplicate are found in its text', () => {
  const text = `Faktura o numerze KSeF: ${KSEF_NUMBER} została już przesłana w sesji: ${SESSION}`;
  expect(numbersInText(text)).toEqual({ ksefNumber: KSEF_NUMBER, sessionReferenceNumber: SESSION });
  expect(numbersInText('Duplikat faktury')).toEqual({ ksefNumber: undefined, sessionReferenceNumber: undefined });
});
