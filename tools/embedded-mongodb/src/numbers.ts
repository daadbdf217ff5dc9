import { Decimal128, Long } from 'bson';
import { fail } from './errors.js';
import { kindOf } from './values.js';

/** A number of MongoDB: JavaScript numbers stand for int32 (whole and small enough) and double. */
export type Numeric = number | Long | Decimal128;

/** `coefficient * 10 ** exponent`, exactly. */
export interface ExactDecimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

export const isNumeric = (value: unknown): value is Numeric => {
  const kind = kindOf(value);
  return kind === 'number' || kind === 'long' || kind === 'decimal';
};

/** Whether MongoDB would hold this JavaScript number as an int32, the way the driver writes it. */
const isInt32 = (value: number): boolean => Number.isInteger(value) && value >= -0x80000000 && value <= 0x7fffffff;

/** Reads the text of a number exactly; `undefined` for NaN and the infinities. */
export function exactDecimalOf(text: string): ExactDecimal | undefined {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  if (whole + fraction === '') return undefined;
  return { coefficient: BigInt(sign + whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Adds as `$inc` and `$sum` do: int32 grows into int64, a double makes a double, a Decimal128 stays exact. */
export function add(left: Numeric, right: Numeric): Numeric {
  return combine(left, right, (a, b) => a + b, addExactly);
}

/** Multiplies as `$mul` does, with the same types as {@link add}. */
export function multiply(left: Numeric, right: Numeric): Numeric {
  return combine(left, right, (a, b) => a * b, multiplyExactly);
}

/** The same number with the other sign. */
export const negate = (value: Numeric): Numeric => (typeof value === 'number' ? -value : multiply(value, -1));

function combine(
  left: Numeric,
  right: Numeric,
  inDouble: (a: number, b: number) => number,
  exactly: (a: ExactDecimal, b: ExactDecimal) => ExactDecimal,
): Numeric {
  if (typeof left === 'number' && typeof right === 'number') {
    const result = inDouble(left, right);
    if (isInt32(result) || !isInt32(left) || !isInt32(right)) return result;
    return asLong(exactly(exact(left), exact(right)));
  }
  if (kindOf(left) === 'decimal' || kindOf(right) === 'decimal') {
    const { coefficient, exponent } = exactly(exact(left), exact(right));
    return Decimal128.fromStringWithRounding(`${coefficient}E${exponent}`);
  }
  const hasDouble = (typeof left === 'number' && !isInt32(left)) || (typeof right === 'number' && !isInt32(right));
  if (hasDouble) return inDouble(Number(left), Number(right));
  return asLong(exactly(exact(left), exact(right)));
}

function exact(value: Numeric): ExactDecimal {
  // MongoDB takes 15 significant digits of a double that meets a decimal.
  const text = typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(15) : value.toString();
  return exactDecimalOf(text) ?? fail('BadValue', `Arithmetic with ${text} and an exact number is not supported`);
}

function addExactly(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (value: ExactDecimal): bigint => value.coefficient * 10n ** BigInt(value.exponent - exponent);
  return { coefficient: scaled(a) + scaled(b), exponent };
}

const multiplyExactly = (a: ExactDecimal, b: ExactDecimal): ExactDecimal => ({
  coefficient: a.coefficient * b.coefficient,
  exponent: a.exponent + b.exponent,
});

function asLong({ coefficient }: ExactDecimal): Long {
  if (BigInt.asIntN(64, coefficient) !== coefficient) fail('BadValue', 'The result does not fit into a 64-bit integer');
  return Long.fromBigInt(coefficient);
}
