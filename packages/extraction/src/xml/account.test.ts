import { expect, test } from '@jest/globals';
import { readAccount, readUkAccount } from './account.js';

test.each([
  ['NL91 ABNA 0417 1643 00', 'NL91ABNA0417164300'],
  ['de89-3704-0044-0532-0130-00', 'DE89370400440532013000'],
  ['IBAN: GB29 NWBK 6016 1331 9268 19', 'GB29NWBK60161331926819'],
  ['61 1090 1014 0000 0712 1981 2874', 'PL61109010140000071219812874'],
])('%s is the IBAN %s', (raw, iban) => {
  expect(readAccount(raw)).toEqual({ kind: 'IBAN', iban });
});

test.each(['NL91 ABNA 0417 1643 01', 'DK5000400440116244', 'DE8937040044053201300'])(
  '%s looks like an IBAN and is none',
  (raw) => {
    expect(readAccount(raw)).toEqual({ kind: 'INVALID_IBAN' });
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
  expect(readAccount(raw)).toEqual({ kind: 'OTHER' });
});

test('a number that fails only the check of its country is an IBAN; the engine names the fault', () => {
  expect(readAccount('BE41539007547035')).toEqual({ kind: 'IBAN', iban: 'BE41539007547035' });
});

test('a UK account is a sort code of six digits with six to eight digits', () => {
  expect(readUkAccount(' 60-16-13 ', '31926819')).toEqual({ sortCode: '601613', accountNumber: '31926819' });
  expect(readUkAccount('60 16 13', '319268')).toEqual({ sortCode: '601613', accountNumber: '319268' });
  expect(readUkAccount('NWBKGB2L', '31926819')).toBeUndefined();
  expect(readUkAccount('601613', '3192681')).toEqual({ sortCode: '601613', accountNumber: '3192681' });
  expect(readUkAccount('601613', '31926')).toBeUndefined();
});
