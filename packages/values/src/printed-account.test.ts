import { expect, test } from 'vitest';
import { compactOf, readPrintedAccount, readPrintedIban } from './printed-account.js';

test.each([
  ['NL91 ABNA 0417 1643 00', 'NL91ABNA0417164300'],
  ['de89-3704-0044-0532-0130-00', 'DE89370400440532013000'],
  ['IBAN DE89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
  ['iban-de89370400440532013000', 'DE89370400440532013000'],
  ['IBAN: GB29 NWBK 6016 1331 9268 19', 'GB29NWBK60161331926819'],
  ['61 1090 1014 0000 0712 1981 2874', 'PL61109010140000071219812874'],
])('%s is the IBAN %s', (raw, iban) => {
  expect(readPrintedIban(raw)).toEqual({ kind: 'IBAN', iban });
});

test.each(['NL91 ABNA 0417 1643 01', 'DK5000400440116244', 'DE8937040044053201300'])(
  '%s looks like an IBAN and is none',
  (raw) => {
    expect(readPrintedIban(raw)).toEqual({ kind: 'INVALID_IBAN' });
  },
);

test.each([
  'IBAN32423940',
  '000-1234567-89',
  '12345678',
  '',
  '61109010140000071219812875',
  'ZZ12345678901234',
  '1'.repeat(26),
])('%s is another number', (raw) => {
  expect(readPrintedIban(raw)).toEqual({ kind: 'OTHER' });
});

test('a number that fails only the check of its country is an IBAN; the engine names the fault', () => {
  expect(readPrintedIban('BE41539007547035')).toEqual({ kind: 'IBAN', iban: 'BE41539007547035' });
});

test('sort code and account number in one text are an account of British books alone', () => {
  expect(readPrintedAccount('20-00-40 12345678', 'GB')).toEqual({ sortCode: '200040', accountNumber: '12345678' });
  expect(readPrintedAccount('20-00-40 12345678')).toBeUndefined();
  expect(readPrintedAccount('IBAN DE89 3704 0044 0532 0130 00', 'GB')).toEqual({ iban: 'DE89370400440532013000' });
  expect(readPrintedAccount('NL91 ABNA 0417 1643 01')).toBeUndefined();
});

test('two spellings of one number are equal', () => {
  expect(compactOf('iban: de89 3704.0044')).toBe(compactOf('DE89-37040044'));
});
