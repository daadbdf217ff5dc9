import type { Decimal128, Long } from 'bson';
import { exactDecimalOf, type ExactDecimal } from './numbers.js';
import { kinded, type Doc, type Kind } from './values.js';

/**
 * The encoding for indexes, unique checks, sorts, equality and `_id` lookups: a string that sorts natively in MongoDB's order
 * of values of all types. Two values are equal in MongoDB exactly if their encodings are. No encoding is a prefix of another,
 * so concatenated encodings form compound keys.
 */

/** The first character of an encoding: the type in MongoDB's order of types. */
const BRACKETS: Readonly<Record<Kind, string>> = {
  minKey: '\x01',
  missing: 'b',
  null: 'b',
  number: 'c',
  long: 'c',
  decimal: 'c',
  string: 'd',
  object: 'e',
  array: 'f',
  binData: 'g',
  objectId: 'h',
  bool: 'i',
  date: 'j',
  timestamp: 'k',
  regex: 'l',
  maxKey: 'z',
};

/** An indexed empty array: sorts below null and equals no value of a query. */
export const EMPTY_ARRAY_KEY = 'a';
/** A null or missing value. */
export const NULL_KEY = BRACKETS.null;
/** Sorts after every continuation of a key. */
export const AFTER = '\uffff';

/** The type bracket of an encoding: values of different brackets never match a `$gt` or `$lt` of each other. */
export const bracketOf = (encoding: string): string => encoding.charAt(0);

/** Encodes any parsed BSON value. */
export function encode(value: unknown): string {
  if (typeof value === 'string') return `d${encodeText(value)}`;
  if (typeof value === 'number') return `c${encodeDouble(value)}`;
  const it = kinded(value);
  const bracket = BRACKETS[it.kind];
  switch (it.kind) {
    case 'minKey':
    case 'maxKey':
    case 'missing':
    case 'null':
      return bracket;
    case 'number':
      return bracket + encodeDouble(it.value);
    case 'long':
    case 'decimal':
      return bracket + encodeExactly(it.value);
    case 'string':
      return bracket + encodeText(it.value);
    case 'object':
      return bracket + encodeFields(it.value);
    case 'array':
      return `${bracket + it.value.map(encode).join('')}\0`;
    case 'binData': {
      const bytes = Buffer.from(it.value.buffer.buffer, it.value.buffer.byteOffset, it.value.length());
      return bracket + encodeDouble(bytes.length) + String.fromCharCode(it.value.sub_type) + bytes.toString('latin1');
    }
    case 'objectId':
      return bracket + it.value.toHexString();
    case 'bool':
      return bracket + (it.value ? '1' : '0');
    case 'date':
      return bracket + encodeDouble(it.value.getTime());
    case 'timestamp':
      return bracket + encodeDouble(it.value.t) + encodeDouble(it.value.i);
    case 'regex':
      return bracket + encodeText(it.value.pattern) + encodeText(it.value.options);
  }
}

/** MongoDB equality: numbers compare across types, documents by field order, too. */
export const equals = (left: unknown, right: unknown): boolean => left === right || encode(left) === encode(right);

/** Below zero, zero or above zero, in MongoDB's order of all values. */
export const compare = (left: unknown, right: unknown): number => compareEncoded(encode(left), encode(right));

/** The same for two encodings. */
export const compareEncoded = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);

const float = new DataView(new ArrayBuffer(8));

/** Eight bytes in numeric order: sets the sign bit of positive numbers, inverts all bits of negative ones. */
function encodeBits(value: number): string {
  if (Number.isNaN(value)) return '\0\0\0\0\0\0\0\0';
  float.setFloat64(0, value === 0 ? 0 : value);
  let high = float.getUint32(0);
  let low = float.getUint32(4);
  if (high & 0x80000000) {
    high = ~high >>> 0;
    low = ~low >>> 0;
  } else high = (high | 0x80000000) >>> 0;
  return String.fromCharCode(
    high >>> 24,
    (high >>> 16) & 255,
    (high >>> 8) & 255,
    high & 255,
    low >>> 24,
    (low >>> 16) & 255,
    (low >>> 8) & 255,
    low & 255,
  );
}

const BELOW_ITS_DOUBLE = 'A';
const EXACTLY_ITS_DOUBLE = 'M';
const ABOVE_ITS_DOUBLE = 'Z';

const encodeDouble = (value: number): string => encodeBits(value) + EXACTLY_ITS_DOUBLE;

/** A number without an exact double is encoded as its nearest double, the side of it, and all digits. */
function encodeExactly(value: Long | Decimal128): string {
  const text = value.toString();
  const nearest = Number(text);
  const decimal = exactDecimalOf(text);
  if (!decimal) return encodeDouble(nearest);
  const side = compareWithDouble(decimal, nearest);
  if (side === 0) return encodeDouble(nearest);
  const isNegative = decimal.coefficient < 0n;
  const digits = (isNegative ? -decimal.coefficient : decimal.coefficient).toString();
  const exponent = 10_000 + decimal.exponent + digits.length;
  const magnitude = String(exponent).padStart(5, '0') + digits.padEnd(40, '0');
  const ordered = isNegative ? magnitude.replace(/\d/g, (digit) => String(9 - Number(digit))) : magnitude;
  return encodeBits(nearest) + (side < 0 ? BELOW_ITS_DOUBLE : ABOVE_ITS_DOUBLE) + ordered;
}

function compareWithDouble({ coefficient, exponent }: ExactDecimal, double: number): number {
  if (!Number.isFinite(double)) return double > 0 ? -1 : 1;
  float.setFloat64(0, double);
  const bits = float.getBigUint64(0);
  const power = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = (double < 0 ? -1n : 1n) * (power === 0 ? fraction : fraction | 0x10000000000000n);
  const binaryExponent = Math.max(power, 1) - 1075;
  const positive = (value: number): bigint => BigInt(Math.max(value, 0));
  const left = coefficient * 10n ** positive(exponent) * 2n ** positive(-binaryExponent);
  const right = mantissa * 2n ** positive(binaryExponent) * 10n ** positive(-exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Ends with a zero character; zero and one inside are escaped so that a shorter text sorts first. */
function encodeText(text: string): string {
  const escaped = /[\0\x01]/.test(text)
    ? text.replace(/[\0\x01]/g, (c) => (c === '\0' ? '\x01\x01' : '\x01\x02'))
    : text;
  return `${/[\ud800-\uffff]/.test(escaped) ? inCodePointOrder(escaped) : escaped}\0`;
}

/** MongoDB compares UTF-8 bytes, JavaScript UTF-16 units; they differ for surrogates and U+E000 to U+FFFF. */
const inCodePointOrder = (text: string): string =>
  text.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
  });

/** MongoDB compares documents field by field: the type, then the name, then the value. */
function encodeFields(doc: Doc): string {
  let encoding = '';
  for (const key of Object.keys(doc)) {
    const value = encode(doc[key]);
    encoding += bracketOf(value) + encodeText(key) + value;
  }
  return `${encoding}\0`;
}
