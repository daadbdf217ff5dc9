import { expect, test } from 'vitest';
import { convert, ratesPerEuro } from './exchange-rates.js';

const days: Record<string, Record<string, string>> = {
  '2026-05-08': { USD: '1.1761', GBP: '0.86410', JPY: '184.37', HKD: '9.2' },
  '2026-05-07': { USD: '1.1700', GBP: '0.8600', SEK: '11.00' },
  '2025-12-31': { BGN: '1.9558', USD: '1.1000' },
};
const published = (day: string): Record<string, string> | undefined => days[day];
const today = '2026-05-20';

function converted(amount: string, from: string, to: string, issueDate = '2026-05-08') {
  return convert({ amount, from, to, issueDate, today }, published);
}

test.each([
  ['100', 'USD', 'GBP', '73.471644'],
  ['1000', 'AED', 'EUR', '231.522896'],
  ['100', 'EUR', 'USD', '117.61'],
  ['-100', 'USD', 'EUR', '-85.026783'],
  ['655.957', 'XOF', 'EUR', '1'],
])('%s %s are %s %s at the rates of 2026-05-08', (amount, from, to, expected) => {
  expect(converted(amount, from, to)?.amount).toBe(expected);
});

test('the same currency needs no rate', () => {
  expect(converted('12.50', 'MGA', 'MGA')).toEqual({ currency: 'MGA', amount: '12.5', rate: '1', source: 'IDENTITY' });
});

test('the conversion states the source and the day of the rate', () => {
  expect(converted('1', 'USD', 'EUR')).toMatchObject({ rateDate: '2026-05-08', source: 'ECB' });
  expect(converted('1', 'AED', 'EUR')).toMatchObject({ rateDate: '2026-05-08', source: 'PEG' });
});

test('both currencies are converted at the rates of one day, though one has a newer rate', () => {
  expect(converted('1', 'SEK', 'USD')).toMatchObject({ rateDate: '2026-05-07' });
});

test('a Sunday uses the rates of the Friday before it', () => {
  expect(converted('1', 'USD', 'EUR', '2026-05-10')).toMatchObject({ rateDate: '2026-05-08' });
});

test('a rate is used for ten days, not for eleven', () => {
  expect(converted('1', 'USD', 'EUR', '2026-05-18')).toMatchObject({ rateDate: '2026-05-08' });
  expect(converted('1', 'USD', 'EUR', '2026-05-19')).toBeNull();
});

test('an invoice dated in the future uses the newest rate, if that is at most ten days old today', () => {
  const future = { amount: '1', from: 'USD', to: 'EUR', issueDate: '2027-01-01' };
  expect(convert({ ...future, today: '2026-05-18' }, published)).toMatchObject({ rateDate: '2026-05-08' });
  expect(convert({ ...future, today: '2026-05-19' }, published)).toBeNull();
});

test('a closed series ends, and its parity applies from the day of its declaration', () => {
  expect(converted('1.95583', 'BGN', 'EUR', '2026-01-01')).toMatchObject({
    source: 'PEG',
    rateDate: '2026-01-01',
    amount: '1',
  });
  expect(converted('1.9558', 'BGN', 'EUR', '2025-12-31')).toMatchObject({ source: 'ECB', amount: '1' });
  expect(converted('1', 'BGN', 'EUR', '2025-12-30')).toBeNull();
});

test('a currency without rate and parity is not converted', () => {
  expect(converted('1', 'KWD', 'EUR')).toBeNull();
  expect(converted('1', 'EUR', 'XXX')).toBeNull();
});

test('a parity to another currency than the euro follows the rate of that currency', () => {
  expect(converted('103', 'MOP', 'HKD')?.amount).toBe('100');
});

test('the rates of an invoice are those that exist', () => {
  expect(ratesPerEuro(['EUR', 'USD', 'KWD'], '2026-05-08', today, published)).toEqual({ EUR: '1', USD: '1.1761' });
});
