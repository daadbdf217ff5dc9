import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { decimalMarks, negated, readAmount } from './amounts.js';
import { decideReading } from './two-readings.js';

describe('an amount', () => {
  test.each([
    ['1.234,56', 'comma', '1234.56'],
    ['1,234.56', 'point', '1234.56'],
    ['1 234,56', 'comma', '1234.56'],
    ['1\u00a0234,56', 'comma', '1234.56'],
    ['1\u202f234\u202f567,8', 'comma', '1234567.8'],
    ["1'234.56", 'point', '1234.56'],
    ['1’234.56', 'point', '1234.56'],
    ['1,23,456.78', 'point', '123456.78'],
    ['12345', 'comma', '12345'],
    ['0,5', 'comma', '0.5'],
    [',5', 'comma', '0.5'],
    ['007,50', 'comma', '7.50'],
    ['12,', 'comma', '12'],
    ['10.12345600', 'point', '10.123456'],
  ] as const)('%s with a decimal %s is %s', (text, mark, amount) => {
    expect(readAmount(text, mark)).toEqual({ amount });
  });

  test.each(['-1.5', '1.5-', '(1.5)', '−1.5', '- 1.5', '( 1.5 )', '1.5 -'])('%s is negative', (text) => {
    expect(readAmount(text, 'point')).toEqual({ amount: '-1.5' });
  });

  test.each([
    ['€ 12,50', 'EUR', '12.50'],
    ['12,50 EUR', 'EUR', '12.50'],
    ['-€12,50', 'EUR', '-12.50'],
    ['€ -12,50', 'EUR', '-12.50'],
    ['(12,50 €)', 'EUR', '-12.50'],
    ['12,50- EUR', 'EUR', '-12.50'],
    ['1 234,56 zł', 'PLN', '1234.56'],
    ['PLN 1.234,56', 'PLN', '1234.56'],
    ['£12,50', 'GBP', '12.50'],
    ['$12,50', '$', '12.50'],
    ['US$ 12,50', 'USD', '12.50'],
    ['100 kr', 'kr', '100'],
  ])('%s has a currency', (text, currency, amount) => {
    expect(readAmount(text, 'comma')).toEqual({ amount, currency });
  });

  test.each([
    '',
    'abc',
    '12€50',
    '1.23.4',
    '1.2345,6',
    '12,34,56',
    '--5',
    '(-5)',
    '-5-',
    '(5',
    '5)',
    '1,5E+03',
    '.',
    ',',
    '12 foo',
    '1.234 567,00',
    '1234567890123456',
    '0,1234567',
  ])('%p is not an amount with a decimal comma', (text) => {
    expect(readAmount(text, 'comma')).toBeUndefined();
  });

  test('has the written value for any grouping, sign and decimal mark', () => {
    const separators = { comma: ['.', ' ', "'", ''], point: [',', ' ', "'", ''] } as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...decimalMarks),
        fc.nat(999_999_999),
        fc.option(fc.stringMatching(/^[0-9]{1,6}$/), { nil: undefined }),
        fc.nat(3),
        fc.constantFrom('', '-'),
        (mark, integer, decimals, separator, sign) => {
          const grouped = String(integer).replaceAll(/\B(?=(\d{3})+$)/g, separators[mark][separator] ?? '');
          const text = `${sign}${grouped}${decimals === undefined ? '' : `${mark === 'comma' ? ',' : '.'}${decimals}`}`;
          const magnitude = `${integer}${decimals === undefined ? '' : `.${decimals}`}`;
          const amount = sign === '' ? magnitude : negated(magnitude);
          expect(readAmount(text, mark)).toEqual({ amount });
        },
      ),
    );
  });

  test('is a valid decimal amount or undefined, for any cell', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...decimalMarks), (text, mark) => {
        const read = readAmount(text, mark);
        expect(read === undefined || isDecimalAmount(read.amount)).toBe(true);
      }),
    );
  });
});

test('a negated zero has no sign', () => {
  expect([negated('0.00'), negated('-3'), negated('3')]).toEqual(['0.00', '3', '-3']);
});

describe('the decimal mark of a column', () => {
  const decide = (...texts: string[]) =>
    decideReading(
      texts.map((text, index) => ({ line: index + 2, text })),
      decimalMarks,
      (text, mark) => readAmount(text, mark)?.amount,
    );

  test.each([
    [['1.234', '5,50'], 'comma'],
    [['1.234', '1.234.567'], 'comma'],
    [['1,234', '5.5'], 'point'],
    [['1.234', '1 234,567'], 'comma'],
    [['1.234', '0.500'], 'point'],
    [['1.234', '1234.567'], 'point'],
  ])('follows from %j', (texts, reading) => {
    expect(decide(...texts)).toEqual({ kind: 'decided', reading });
  });

  test('has a default when no cell depends on it', () => {
    expect(decide('100', '250', 'n/a')).toMatchObject({ kind: 'decided' });
  });

  test('is ambiguous when every cell matches both', () => {
    expect(decide('100', '1.234')).toEqual({
      kind: 'ambiguous',
      example: { line: 3, text: '1.234' },
      results: { comma: '1234', point: '1.234' },
    });
  });

  test('is contradictory when cells disagree', () => {
    expect(decide('1.234,56', '7.50')).toEqual({
      kind: 'contradictory',
      examples: { comma: { line: 2, text: '1.234,56' }, point: { line: 3, text: '7.50' } },
    });
  });
});
