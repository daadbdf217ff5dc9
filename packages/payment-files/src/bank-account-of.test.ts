import { expect, test } from 'vitest';
import { sameAccount } from '@invoicecontrol/values/bank-account';
import { bankAccountOf, ibanOfBban } from './bank-account-of.js';
import type { AccountAgent } from './bank-account-of.js';
import { swedishBban } from './swedish-bban.js';

test.each<[string, string, AccountAgent, string]>([
  ['a Polish account', '61109010140000071219812874', {}, 'PL61109010140000071219812874'],
  ['a Polish account in groups', '61 1090 1014 0000 0712 1981 2874', {}, 'PL61109010140000071219812874'],
  ['an IBAN as another number', 'DE89 3704 0044 0532 0130 00', {}, 'DE89370400440532013000'],
  ['a Norwegian account by BIC', '8601.11.17947', { bic: 'DNBANOKKXXX' }, 'NO9386011117947'],
  ['a Norwegian account by country', '86011117947', { countries: ['NO'] }, 'NO9386011117947'],
  ['a Danish account', '00400440116243', { bic: 'NDEADKKK' }, 'DK5000400440116243'],
  ['a Danish account without zeros', '0040-440116243', { bic: 'NDEADKKK' }, 'DK5000400440116243'],
  ['a Danish account beside its bank', '440116243', { memberId: '0040', countries: ['DK'] }, 'DK5000400440116243'],
  ['a Swedish account', '5839 825 74 66', { bic: 'ESSESESS' }, 'SE4550000000058398257466'],
  ['a Swedish account beside its bank', '8257466', { clearing: 'SESBA', memberId: '5839' }, 'SE4550000000058398257466'],
  ['a British account by BIC', '31926819', { bic: 'NWBKGB2L', memberId: '601613' }, 'GB29NWBK60161331926819'],
  ['a British BBAN', 'NWBK60161331926819', { countries: ['GB'] }, 'GB29NWBK60161331926819'],
])('returns the IBAN of %s', (_, other, agent, iban) => {
  expect(ibanOfBban({ other }, agent)).toBe(iban);
  const account = bankAccountOf({ other }, agent);
  expect(account !== undefined && sameAccount(account, { iban })).toBe(true);
});

test.each<[string, string, AccountAgent]>([
  ['31926819', '', { clearing: 'GBDSC', memberId: '60-16-13' }],
  ['60161331926819', 'BBAN', { bic: 'BARCGB22' }],
  ['60161331926819', 'BBAN', { countries: ['GB'] }],
])('returns sort code and number of the British account %s', (other, scheme, agent) => {
  const account = bankAccountOf({ other, scheme }, agent);
  expect(account).toEqual({ sortCode: '601613', accountNumber: '31926819' });
  expect(account !== undefined && sameAccount(account, { iban: 'GB29NWBK60161331926819' })).toBe(true);
});

test.each<[string, string, string, AccountAgent]>([
  ['a Norwegian number with a wrong check digit', '86011117948', '', { bic: 'DNBANOKK' }],
  ['a Polish number with wrong check digits', '62109010140000071219812874', '', { clearing: 'PLKNR' }],
  ['a number of an unknown country', '86011117947', '', {}],
  ['a number of a bank in another country', '86011117947', '', { bic: 'CHASUS33', countries: ['NO'] }],
  ['a Bankgiro number', '50501055', 'BGNR', { clearing: 'SESBA', memberId: '9900' }],
  ['a British number without sort code', '31926819', 'BBAN', { countries: ['GB'] }],
  ['letters', 'account', '', { countries: ['GB', 'SE', 'DK', 'NO'] }],
])('returns nothing for %s', (_, other, scheme, agent) => {
  expect(ibanOfBban({ other, scheme }, agent)).toBeUndefined();
  expect(bankAccountOf({ other, scheme }, agent)).toBeUndefined();
});

test('returns nothing for an account without number', () => {
  expect(bankAccountOf(undefined, {})).toBeUndefined();
  expect(bankAccountOf({}, { countries: ['GB'] })).toBeUndefined();
});

test.each([
  ['58398257466', '50000000058398257466', 'SEB, with clearing number'],
  ['6000123456789', '60000000000123456789', 'Handelsbanken, without it'],
  ['600012345678', '60000000000012345678', 'Handelsbanken, with eight digits'],
  ['97801234567', '97800000097801234567', 'Klarna'],
  ['83274034223745', '80000083274034223745', 'Swedbank, with ten digits'],
  ['810591234567890', '80000081051234567890', 'Swedbank, with the fifth digit'],
])('reads %s as %s (%s)', (digits, bban) => {
  expect(swedishBban(digits)).toBe(bban);
});

test.each([
  '33008501011234',
  '37828501011234',
  '81059744202466',
  '22001234567',
  '83279034223745',
  '5839825746612',
  '583',
])('%s could be read in two ways, or in none', (digits) => {
  expect(swedishBban(digits)).toBeUndefined();
});
