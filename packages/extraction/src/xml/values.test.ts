import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { toMicro } from '@invoicecontrol/values/decimal-amount';
import { plainDecimal, readAmount, readDate, readName, readReference, readTaxId, readText, sumOf } from './values.js';

describe('amounts', () => {
  test.each([
    ['1234.50', '1234.50'],
    ['  336.9\n', '336.9'],
    ['2051', '2051'],
    ['-0.05', '-0.05'],
    ['+12', '12'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007.50', '7.50'],
    ['-0.00', '0.00'],
    ['1.123456', '1.123456'],
    ['1.1234560000', '1.123456'],
  ])('%s is %s', (raw, amount) => {
    expect(readAmount(raw)).toBe(amount);
  });

  test.each([
    '',
    '-',
    '.',
    '1,50',
    '1.234,50',
    '1 234.50',
    '1e3',
    '1.2345678',
    '0x10',
    'NaN',
    '12 EUR',
    '1234567890123456',
  ])('%s cannot be read', (raw) => {
    expect(readAmount(raw)).toBeUndefined();
  });

  test('a line may state more decimals', () => {
    expect(plainDecimal('0.12345678')).toBe('0.12345678');
    expect(plainDecimal('9'.repeat(1_001))).toBeUndefined();
  });

  const anyAmount = fc
    .tuple(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), fc.integer({ min: 0, max: 6 }))
    .map(([unscaled, decimals]) => (unscaled / 10 ** decimals).toFixed(decimals));

  test('keep their value and their decimals', () => {
    fc.assert(
      fc.property(anyAmount, (raw) => {
        const amount = readAmount(raw) ?? '';
        expect(toMicro(amount)).toBe(toMicro(raw));
        expect(amount.split('.')[1]).toBe(raw.split('.')[1]);
      }),
    );
  });

  test('are added up exactly, with the most decimals of a term', () => {
    fc.assert(
      fc.property(fc.array(anyAmount, { minLength: 1, maxLength: 20 }), (terms) => {
        const sum = sumOf(terms);
        expect(toMicro(sum)).toBe(terms.reduce((total, term) => total + toMicro(term), 0n));
        expect(sum.split('.')[1]?.length ?? 0).toBe(Math.max(...terms.map((term) => term.split('.')[1]?.length ?? 0)));
      }),
    );
  });
});

describe('dates', () => {
  test.each([
    ['2026-01-31', undefined, '2026-01-31', 1],
    ['2026-01-31Z', undefined, '2026-01-31', 1],
    [' 2026-01-31+01:00 ', undefined, '2026-01-31', 1],
    ['2026-01-31T23:59:59.5-05:00', undefined, '2026-01-31', 1],
    ['20260131', '102', '2026-01-31', 1],
    ['20260131', undefined, '2026-01-31', 1],
    ['202601312359', '203', '2026-01-31', 1],
    ['20260131235959', '204', '2026-01-31', 1],
    ['2026-01-31', '102', '2026-01-31', 1],
    ['202602', '610', '2026-02-01', 0.5],
    ['202601', '616', '2025-12-29', 0.5],
    ['202053', '616', '2020-12-28', 0.5],
  ])('%s in format %s is %s', (raw, format, value, confidence) => {
    expect(readDate(raw, format)).toEqual({ value, confidence });
  });

  test.each([
    ['2026-02-30', undefined],
    ['31.01.2026', undefined],
    ['20261301', '102'],
    ['202613', '610'],
    ['202600', '616'],
    ['202654', '616'],
    ['20260131', '718'],
    ['', undefined],
    ['1026-01-31', undefined],
  ])('%s in format %s cannot be read', (raw, format) => {
    expect(readDate(raw, format)).toBeUndefined();
  });
});

describe('texts', () => {
  test('lose only the blanks around them', () => {
    expect(readText(' 123456789|01/02/2024|0|1.1|0|7 ')).toBe('123456789|01/02/2024|0|1.1|0|7');
    expect(readText('0123  /  4567')).toBe('0123  /  4567');
    expect(readText('0000765432')).toBe('0000765432');
  });

  test('that show nothing or are too long to be stored are none', () => {
    expect(readText('\u200b\u00a0')).toBeUndefined();
    expect(readText('x'.repeat(1_000))).toHaveLength(1_000);
    expect(readText('x'.repeat(1_001))).toBeUndefined();
    expect(readName('x'.repeat(400))).toHaveLength(400);
    expect(readName('x'.repeat(401))).toBeUndefined();
  });

  test('of names are one line', () => {
    expect(readName('\n  Nordlys\r\n\t Handel  ApS\n')).toBe('Nordlys Handel  ApS');
  });

  test('that are placeholders are neither a reference nor a tax id', () => {
    expect([' NA ', 'n/a', 'N/A'].map(readReference)).toEqual([undefined, undefined, undefined]);
    expect(readReference('NA-1')).toBe('NA-1');
    expect(['N/A', 'none', 'XX', 'Foretaksregisteret'].map(readTaxId)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(readTaxId('NL1234.56.789.B.01')).toBe('NL1234.56.789.B.01');
  });
});
