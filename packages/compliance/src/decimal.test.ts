import { expect, test } from 'vitest';
import { decimalOf, ONE, roundCents, roundUnits } from './decimal.js';
import { readTree } from './testing/read-tree.js';

test.each([
  ['2.345', '2.35'],
  ['-2.345', '-2.34'],
  ['-2.346', '-2.35'],
  ['0.005', '0.01'],
  ['-0.005', '0'],
])('%s rounds to %s cents, halves upwards as XPath does', (value, rounded) => {
  expect(roundCents(ONE.times(value)).plus(0).toFixed()).toBe(
    rounded === '0' ? roundCents(ONE.times(value)).toFixed() : rounded,
  );
  expect(roundCents(ONE.times(value)).eq(rounded)).toBe(true);
});

test.each([
  ['2.5', '3'],
  ['-2.5', '-2'],
])('%s rounds to %s units', (value, rounded) => {
  expect(roundUnits(ONE.times(value)).eq(rounded)).toBe(true);
});

test.each([
  ['12.50', '12.5'],
  [' -3 ', '-3'],
  ['+.5', '0.5'],
  ['1e3', undefined],
  ['1,5', undefined],
  ['', undefined],
  ['9'.repeat(40), '9'.repeat(40)],
  ['9'.repeat(41), undefined],
])('%j reads as %s', (text, expected) => {
  expect(decimalOf(readTree(`<a>${text}</a>`))?.toFixed()).toBe(expected);
});
