import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { bankAccountKey, bankCodeOfKey, maskedOfKey, readBankAccount, sameAccount } from './bank-account.js';

const VALID = [
  'DE89370400440532013000',
  'GB29NWBK60161331926819',
  'FR1420041010050500013M02606',
  'PL61109010140000071219812874',
  'NO9386011117947',
  'ES9121000418450200051332',
  'BE68539007547034',
  'NL91ABNA0417164300',
];

describe('the identity of an account', () => {
  test.each(VALID)('%s is valid and the same with spaces, hyphens and in lower case', (iban) => {
    const grouped = iban.replace(/(.{4})/g, '$1 ').toLowerCase();
    expect(readBankAccount({ iban }).problems).toEqual([]);
    expect(bankAccountKey({ iban: grouped })).toBe(bankAccountKey({ iban }));
    expect(bankAccountKey({ iban: `IBAN: ${iban}` })).toBe(bankAccountKey({ iban }));
  });

  test.each([
    ['dots', 'DE89.3704.0044.0532.0130.00'],
    ['slashes and a colon', 'IBAN: DE89/3704/0044/0532/0130/00'],
    ['zero-width characters', 'DE89\u200b3704\u00ad0044\ufeff0532013000'],
    ['full-width characters', 'ＤＥ８９３７０４００４４０５３２０１３０００'],
  ])('%s do not change the account', (_, iban) => {
    expect(readBankAccount({ iban })).toEqual(readBankAccount({ iban: 'DE89370400440532013000' }));
  });

  test('a GB IBAN and its sort code with account number are one account', () => {
    const iban = { iban: 'GB29 NWBK 6016 1331 9268 19' };
    expect(sameAccount(iban, { sortCode: '60-16-13', accountNumber: '31926819' })).toBe(true);
    expect(bankAccountKey(iban)).toBe('GB:60161331926819');
    expect(sameAccount(iban, { sortCode: '60-16-13', accountNumber: '31926818' })).toBe(false);
  });

  test('a short UK account number is padded with zeros', () => {
    expect(bankAccountKey({ sortCode: '60 16 13', accountNumber: '123456' })).toBe('GB:60161300123456');
  });

  test('an invalid account still equals itself', () => {
    const broken = { iban: 'DE89 3704 0044 0532 0130 01' };
    expect(bankAccountKey(broken)).toBe('X:DE89370400440532013001');
    expect(sameAccount(broken, { iban: 'de89370400440532013001' })).toBe(true);
  });
});

describe('the masked form of a key', () => {
  test.each(VALID.filter((iban) => !iban.startsWith('GB')))('of %s is that of the account', (iban) => {
    const { key, masked } = readBankAccount({ iban });
    expect(maskedOfKey(key)).toBe(masked);
  });

  test('of a UK account is that of its sort code and account number', () => {
    const { key, masked } = readBankAccount({ sortCode: '60-16-13', accountNumber: '31926819' });
    expect(maskedOfKey(key)).toBe(masked);
    expect(maskedOfKey(bankAccountKey({ iban: 'GB29NWBK60161331926819' }))).toBe(masked);
  });

  test('of an account that cannot exist is that of its text', () => {
    const { key, masked } = readBankAccount({ iban: 'DE00370400440532013000' });
    expect(key).toMatch(/^X:/);
    expect(maskedOfKey(key)).toBe(masked);
  });
});

describe('what is wrong with an account', () => {
  test.each([
    ['DE89370400440532013001', ['WRONG_CHECK_DIGITS']],
    ['DE8937040044053201300', ['WRONG_CHECK_DIGITS', 'WRONG_LENGTH', 'WRONG_STRUCTURE']],
    ['QQ12345678901234', ['UNKNOWN_COUNTRY']],
    ['', ['UNKNOWN_COUNTRY', 'WRONG_STRUCTURE']],
  ])('%s: %j', (iban, problems) => {
    const read = readBankAccount({ iban }).problems;
    for (const problem of read) expect(problems).toContain(problem);
    expect(read.length).toBeGreaterThan(0);
  });

  test('national check digits are checked after correct international ones', () => {
    // In 2100 0418 41 0200051332, the Spanish control digits should be 45; the mod 97 check digits are correct.
    expect(readBankAccount({ iban: 'ES7921000418410200051332' }).problems.length).toBeGreaterThan(0);
  });

  test('a UK account names its wrong part', () => {
    expect(readBankAccount({ sortCode: '12345', accountNumber: '12345' }).problems).toEqual([
      'WRONG_SORT_CODE',
      'WRONG_ACCOUNT_NUMBER',
    ]);
  });
});

test('an account is shown masked', () => {
  expect(readBankAccount({ iban: 'DE89370400440532013000' }).masked).toBe('DE89**************3000');
  expect(readBankAccount({ iban: 'GB29NWBK60161331926819' }).masked).toBe('GB29**************6819');
  expect(readBankAccount({ sortCode: '601613', accountNumber: '31926819' }).masked).toBe('60****/****6819');
  expect(readBankAccount({ iban: 'DE12345' }).masked).toBe('*******');
});

test('the country of an account is the country of its IBAN, GB for a sort code', () => {
  expect(readBankAccount({ iban: 'FR1420041010050500013M02606' }).country).toBe('FR');
  expect(readBankAccount({ sortCode: '601613', accountNumber: '31926819' }).country).toBe('GB');
  expect(readBankAccount({ iban: 'ZZ00' })).not.toHaveProperty('country');
});

test('reading never throws, and a mask shows at most eight characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ maxLength: 20 }), (text, other) => {
      for (const read of [readBankAccount({ iban: text }), readBankAccount({ sortCode: text, accountNumber: other })]) {
        expect(read.masked.replace(/[*/]/g, '').length).toBeLessThanOrEqual(8);
      }
    }),
  );
});

test('the bank code of a key is the sort code or the bank identifier, equal for accounts of one bank', () => {
  expect(bankCodeOfKey('GB:60161331926819')).toBe('GB:601613');
  expect(bankCodeOfKey('DE89370400440532013000')).toBe('DE37040044');
  expect(bankCodeOfKey('PL61109010140000071219812874')).toBe('PL10901014');
  expect(bankCodeOfKey('X:DE89370400440532013001')).toBe('X:DE893704');
});
