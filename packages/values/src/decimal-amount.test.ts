import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  canonicalAmount,
  isDecimalAmount,
  microToDecimal,
  minorToDecimal,
  scaleAmount,
  toMicro,
  toMinorUnits,
} from './decimal-amount.js';

const microUnits = fc.bigInt({ min: -(10n ** 21n) + 1n, max: 10n ** 21n - 1n });

describe('the grammar of a decimal amount', () => {
  test.each(['0', '-0', '12', '007', '12.5', '-12.500000', '999999999999999.999999'])('%s is an amount', (value) => {
    expect(isDecimalAmount(value)).toBe(true);
  });
  test.each(['', '-', '+1', '.5', '1.', '1.1234567', '1,5', '1e3', ' 1', '1\n', '٣', '1000000000000000', '--1'])(
    '%j is refused',
    (value) => {
      expect(isDecimalAmount(value)).toBe(false);
      expect(() => toMicro(value)).toThrow(RangeError);
    },
  );
});

test('an amount keeps all six decimals', () => {
  expect(toMicro('-12.345678')).toBe(-12345678n);
  expect(toMicro('1.5')).toBe(1500000n);
});

test('micro-units and canonical amounts are one to one', () => {
  fc.assert(fc.property(microUnits, (micro) => expect(toMicro(microToDecimal(micro))).toBe(micro)));
});

test('equal values have one canonical spelling', () => {
  expect(canonicalAmount('007.50')).toBe('7.5');
  expect(canonicalAmount('-0.00')).toBe('0');
  expect(canonicalAmount('-10')).toBe('-10');
});

test.each([
  ['1.005', 2, 101n],
  ['-1.005', 2, -101n],
  ['1.004999', 2, 100n],
  ['0.5', 0, 1n],
  ['-0.5', 0, -1n],
  ['0.0005', 3, 1n],
  ['12.34', 2, 1234n],
])('%s at exponent %i is %s minor units, half away from zero', (amount, exponent, minor) => {
  expect(toMinorUnits(amount, exponent)).toBe(minor);
});

test('minor units print with the decimals of their currency and read back the same', () => {
  expect(minorToDecimal(-5n, 2)).toBe('-0.05');
  expect(minorToDecimal(7n, 0)).toBe('7');
  const minor = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n });
  fc.assert(
    fc.property(minor, fc.integer({ min: 0, max: 3 }), (units, exponent) => {
      expect(toMinorUnits(minorToDecimal(units, exponent), exponent)).toBe(units);
    }),
  );
});

test('rounding is symmetric around zero', () => {
  fc.assert(
    fc.property(microUnits, fc.integer({ min: 0, max: 3 }), (micro, exponent) => {
      expect(toMinorUnits(microToDecimal(-micro), exponent)).toBe(-toMinorUnits(microToDecimal(micro), exponent));
    }),
  );
});

test('a conversion divides last and keeps six decimals', () => {
  expect(scaleAmount('100', '0.86410', '1.1761')).toBe('73.471644');
  expect(scaleAmount('1000', '1', '4.31922725')).toBe('231.522896');
  expect(scaleAmount('-0.0000005'.slice(0, 9), '1', '2')).toBe('0');
});
