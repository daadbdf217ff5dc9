import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  canonicalAmount,
  exactProduct,
  toCommonScale,
  isDecimalAmount,
  microToDecimal,
  minorToDecimal,
  scaleAmount,
  toMicro,
  toMinorUnits,
} from './decimal-amount.js';

const microUnits = fc.bigInt({ min: -(10n ** 21n) + 1n, max: 10n ** 21n - 1n });
/** Amounts that are longer than those of callers, such as sums of many rows and conversions into a weak currency. */
const computedMicroUnits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
/** An integer with the digits of a rate, and the number of its decimals. */
const rate = fc.record({ digits: fc.bigInt({ min: 1n, max: 10n ** 10n }), decimals: fc.integer({ min: 0, max: 10 }) });
type Rate = typeof rate extends fc.Arbitrary<infer T> ? T : never;

function textOf({ digits, decimals }: Rate): string {
  const text = String(digits).padStart(decimals + 1, '0');
  return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

describe('the grammar of a decimal amount', () => {
  test.each(['0', '-0', '12', '007', '12.5', '-12.500000', '999999999999999.999999'])('%s is an amount', (value) => {
    expect(isDecimalAmount(value)).toBe(true);
  });
  test.each(['', '-', '+1', '.5', '1.', '1.1234567', '1,5', '1e3', ' 1', '1\n', '٣', '--1'])(
    '%j is refused',
    (value) => {
      expect(isDecimalAmount(value)).toBe(false);
      expect(() => toMicro(value)).toThrow(RangeError);
    },
  );
  test('sixteen digits before the dot are refused from callers and allowed when computed', () => {
    expect(isDecimalAmount('1000000000000000')).toBe(false);
    expect(toMicro('-1000000000000000.5')).toBe(-1000000000000000500000n);
  });
});

test('an amount keeps all six decimals', () => {
  expect(toMicro('-12.345678')).toBe(-12345678n);
  expect(toMicro('1.5')).toBe(1500000n);
});

test('micro-units and canonical amounts map one to one, at any length', () => {
  fc.assert(
    fc.property(computedMicroUnits, (micro) => {
      expect(toMicro(microToDecimal(micro))).toBe(micro);
    }),
  );
});

test('equal values have one canonical form', () => {
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

test('minor units are printed with the decimals of their currency and parse to the same value', () => {
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

test('a converted amount may be longer than amounts of callers', () => {
  expect(scaleAmount('999999999999999.00', '1', '0.86410')).toBe('1157273463719475.755121');
  expect(scaleAmount('7000000000000.00', '184.37', '1')).toBe('1290590000000000');
});

test('every conversion is the exact quotient, rounded once and half away from zero', () => {
  fc.assert(
    fc.property(microUnits, rate, rate, (micro, numerator, denominator) => {
      const above = (micro < 0n ? -micro : micro) * numerator.digits * 10n ** BigInt(denominator.decimals);
      const below = denominator.digits * 10n ** BigInt(numerator.decimals);
      const rounded = (above * 2n + below) / (below * 2n);
      expect(scaleAmount(microToDecimal(micro), textOf(numerator), textOf(denominator))).toBe(
        microToDecimal(micro < 0n ? -rounded : rounded),
      );
    }),
  );
});

test('a parity times a rate keeps every digit', () => {
  expect(exactProduct('3.6725', '1.1761')).toBe('4.31922725');
});

test('decimals of different lengths become integers with one scale', () => {
  expect(toCommonScale('4.31922725', '1')).toEqual([431922725n, 100000000n]);
  expect(toCommonScale('0.8641', '655.957')).toEqual([8641n, 6559570n]);
  expect(toCommonScale('2', '3')).toEqual([2n, 3n]);
});
