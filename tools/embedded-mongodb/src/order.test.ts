import { describe, expect, test } from '@jest/globals';
import { Binary, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp, BSONRegExp } from 'bson';
import fc from 'fast-check';
import { compare, encode, equals } from './order.js';
import { parse, serialize } from './values.js';

const decimal = (text: string): Decimal128 => Decimal128.fromString(text);

test('values of different types are in the order of MongoDB', () => {
  const ordered = [
    new MinKey(),
    null,
    NaN,
    -Infinity,
    decimal('-1E+400'),
    -1e308,
    Long.MIN_VALUE,
    -1,
    0,
    decimal('1E-6000'),
    0.5,
    1,
    Long.fromString('9007199254740992'),
    Long.fromString('9007199254740993'),
    Long.MAX_VALUE,
    Infinity,
    '',
    '\0',
    '\u0001',
    'a',
    'a\0',
    'a\u0001',
    'aa',
    '\uffff',
    '\u{10000}',
    {},
    { a: 1 },
    { a: 1, b: 1 },
    { b: 0 },
    { a: 'text' },
    [],
    [1],
    [1, 2],
    [2],
    new Binary(Buffer.from('z')),
    new Binary(Buffer.from('aa')),
    new Binary(Buffer.from('aa'), 5),
    new ObjectId('000000000000000000000001'),
    new ObjectId('ffffffffffffffffffffffff'),
    false,
    true,
    new Date(-8.64e15),
    new Date(-1),
    new Date(0),
    new Date(8.64e15),
    new Timestamp({ t: 1, i: 2 }),
    new Timestamp({ t: 2, i: 1 }),
    new BSONRegExp('a', ''),
    new BSONRegExp('a', 'i'),
    new MaxKey(),
  ];
  for (const [left, smaller] of ordered.entries()) {
    for (const [right, larger] of ordered.entries()) {
      expect([left, right, Math.sign(compare(smaller, larger))]).toEqual([left, right, Math.sign(left - right)]);
    }
  }
});

test('one value is equal to itself in every numeric type, and zero has no sign', () => {
  for (const same of [Long.fromNumber(5), decimal('5'), decimal('5.00'), decimal('0.5E+1')])
    expect(equals(5, same)).toBe(true);
  expect(equals(0, -0)).toBe(true);
  expect(equals(0, decimal('-0.00'))).toBe(true);
  expect(equals(0.5, decimal('0.5'))).toBe(true);
  expect(equals(null, undefined)).toBe(true);
});

test('a double does not equal the decimal of the same text', () => {
  expect(equals(0.1, decimal('0.1'))).toBe(false);
  expect(compare(0.1, decimal('0.1'))).toBeGreaterThan(0);
  expect(compare(0.3, decimal('0.3'))).toBeLessThan(0);
});

test('documents differ by the order of their fields', () => {
  expect(equals({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(false);
});

describe('any two', () => {
  const sign = (left: bigint | number | string, right: typeof left): number =>
    left < right ? -1 : left > right ? 1 : 0;
  const whole = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const nearDouble = fc.integer({ min: -3, max: 3 }).map((step) => 2n ** 60n + BigInt(step));

  test('64-bit integers compare as integers', () => {
    fc.assert(
      fc.property(fc.oneof(whole, nearDouble), fc.oneof(whole, nearDouble), (left, right) => {
        expect(compare(Long.fromBigInt(left), Long.fromBigInt(right))).toBe(sign(left, right));
      }),
    );
  });

  test('decimals with two places compare as their hundredths', () => {
    const hundredths = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
    const asDecimal = (value: bigint): Decimal128 => decimal(`${value}E-2`);
    fc.assert(
      fc.property(hundredths, hundredths, (left, right) => {
        expect(compare(asDecimal(left), asDecimal(right))).toBe(sign(left, right));
      }),
    );
  });

  test('doubles compare as doubles', () => {
    const double = fc.double({ noNaN: true });
    fc.assert(fc.property(double, double, (left, right) => expect(compare(left, right)).toBe(sign(left, right))));
  });

  test('texts compare by their UTF-8 bytes', () => {
    const text = fc.string({ unit: 'binary', maxLength: 6 });
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(compare(left, right)).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
    );
  });

  test('encodings are not prefixes of one another', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.double(),
      fc.array(fc.constantFrom('', 'a', 0, null), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(0, '', null), { noNullPrototype: true }),
      whole.map((long) => Long.fromBigInt(long)),
      fc.boolean(),
    );
    fc.assert(
      fc.property(value, value, (left, right) => {
        const [a, b] = [encode(left), encode(right)];
        expect(a === b || !b.startsWith(a)).toBe(true);
      }),
    );
  });
});

test('parsing and serializing gives the same bytes', () => {
  const doc = {
    long: Long.fromNumber(5),
    decimal: decimal('1.10'),
    regex: new BSONRegExp('^a', 'i'),
    date: new Date(-1),
    fraction: 0.1,
    whole: 5,
    large: 5e9,
    bytes: new Binary(Buffer.from('x'), 128),
    ['__proto__']: { polluted: true },
  };
  const bytes = serialize(doc);
  expect(serialize(parse(bytes)).equals(bytes)).toBe(true);
});
