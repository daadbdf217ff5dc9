import { expect, test } from 'vitest';
import { readUkAccount } from './uk-account.js';

test('a UK account is a sort code of six digits with six to eight digits', () => {
  expect(readUkAccount(' 60-16-13 ', '31926819')).toEqual({ sortCode: '601613', accountNumber: '31926819' });
  expect(readUkAccount('60 16 13', '319268')).toEqual({ sortCode: '601613', accountNumber: '319268' });
  expect(readUkAccount('NWBKGB2L', '31926819')).toBeUndefined();
  expect(readUkAccount('601613', '3192681')).toEqual({ sortCode: '601613', accountNumber: '3192681' });
  expect(readUkAccount('601613', '31926')).toBeUndefined();
});
