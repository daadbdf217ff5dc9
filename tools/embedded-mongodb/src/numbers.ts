import { Decimal128, Long } from 'bson';
import { fail } from './errors.js';
import { kindOf } from './values.js';

/** A MongoDB number; a JavaScript number is an int32 if it is a small enough integer, else a double. */
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

/** Whether the driver writes this JavaScript number as an int32. */
const isInt32 = (value: number): boolean => Number.isInteger(value) && value >= -0x80000000 && value <= 0x7fffffff;

/** Reads the text of a number exactly; `undefined` for NaN and the infinities. */
export function exactDecimalOf(text: string): ExactDecimal | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  if (whole + fraction === '') return undefined;
  return { coefficient: BigInt(sign + whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Adds as `$inc` and `$sum` do: int32 overflows to int64, with a double the sum is a double, a Decimal128 stays exact. */
export function add(left: Numeric, right: Numeric): Numeric {
  if (typeof left === 'number' && typeof right === 'number') {
    const result = left + right;
    if (isInt32(result) || !isInt32(left) || !isInt32(right)) return result;
    return asLong(addExactly(exact(left), exact(right)));
  }
  if (kindOf(left) === 'decimal' || kindOf(right) === 'decimal') {
    const { coefficient, exponent } = addExactly(exact(left), exact(right));
    return Decimal128.fromStringWithRounding(`${coefficient}E${exponent}`);
  }
  const hasDouble = (typeof left === 'number' && !isInt32(left)) || (typeof right === 'number' && !isInt32(right));
  if (hasDouble) return Number(left) + Number(right);
  return asLong(addExactly(exact(left), exact(right)));
}

function exact(value: Numeric): ExactDecimal {
  // MongoDB converts a double to a decimal with 15 significant digits.
  const text = typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(15) : value.toString();
  return exactDecimalOf(text) ?? fail('BadValue', `Arithmetic with ${text} and an exact number is not supported`);
}

function addExactly(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (value: ExactDecimal): bigint => value.coefficient * 10n ** BigInt(value.exponent - exponent);
  return { coefficient: scaled(a) + scaled(b), exponent };
}

function asLong({ coefficient }: ExactDecimal): Long {
  if (BigInt.asIntN(64, coefficient) !== coefficient) fail('BadValue', 'The result does not fit into a 64-bit integer');
  return Long.fromBigInt(coefficient);
}
