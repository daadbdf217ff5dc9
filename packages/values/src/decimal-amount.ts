import { Decimal } from 'decimal.js';

/**
 * An amount of money as every boundary of the product carries it (specification 2.1): an optional minus sign,
 * digits, and optionally a dot with 1 to 6 digits. Never a `number`. The length of amounts from callers is
 * limited ({@link isDecimalAmount}); computed ones, such as totals and conversions, may be longer.
 */
export type DecimalAmount = string;

/** Longest integer part that is accepted from callers. */
export const AMOUNT_INTEGER_DIGITS_MAX = 15;
/** One micro-unit is 0.000001. */
export const AMOUNT_DECIMALS_MAX = 6;

const SENT_AMOUNT = /^-?[0-9]{1,15}(?:\.[0-9]{1,6})?$/;
const ANY_AMOUNT = /^-?[0-9]+(?:\.[0-9]{1,6})?$/;
const MICRO_PER_UNIT = 1_000_000n;
/** A parity and a published rate together have fewer than 40 digits. */
const ExactDecimal = Decimal.clone({ precision: 40 });

/** True for an amount that callers may send: the grammar above with at most 15 digits before the dot. */
export function isDecimalAmount(value: string): value is DecimalAmount {
  return SENT_AMOUNT.test(value);
}

/**
 * The exact amount in micro-units, sent or computed: `12.5` is 12500000n. Throws a RangeError for anything but a
 * decimal amount.
 */
export function toMicro(amount: DecimalAmount): bigint {
  if (!ANY_AMOUNT.test(amount)) {
    throw new RangeError('An amount is an optional minus sign, digits and optionally a dot with 1 to 6 digits.');
  }
  const negative = amount.startsWith('-');
  const dot = amount.indexOf('.');
  const integer = amount.slice(negative ? 1 : 0, dot < 0 ? undefined : dot);
  const fraction = dot < 0 ? '' : amount.slice(dot + 1);
  const micro = BigInt(integer + fraction.padEnd(AMOUNT_DECIMALS_MAX, '0'));
  return negative ? -micro : micro;
}

/** The amount of micro-units in canonical form (no leading zeros, no trailing zeros, no `-0`). */
export function microToDecimal(micro: bigint): DecimalAmount {
  const magnitude = micro < 0n ? -micro : micro;
  const fraction = String(magnitude % MICRO_PER_UNIT)
    .padStart(AMOUNT_DECIMALS_MAX, '0')
    .replace(/(?<!0)0+$/, '');
  return `${micro < 0n ? '-' : ''}${magnitude / MICRO_PER_UNIT}${fraction === '' ? '' : `.${fraction}`}`;
}

/** One form per value: `007.50` and `7.5` are `7.5`, `-0.00` is `0`. */
export function canonicalAmount(amount: DecimalAmount): DecimalAmount {
  return microToDecimal(toMicro(amount));
}

/**
 * The amount in minor units of a currency with `exponent` decimals (0 to 6), rounded half away from zero:
 * `1.005` at 2 is 101n, `-1.005` is -101n.
 */
export function toMinorUnits(amount: DecimalAmount, exponent: number): bigint {
  return divideRounding(toMicro(amount), 10n ** BigInt(AMOUNT_DECIMALS_MAX - requireExponent(exponent)));
}

/** Minor units printed with exactly `exponent` decimals: (-5n, 2) is `-0.05`, (7n, 0) is `7`. */
export function minorToDecimal(minor: bigint, exponent: number): DecimalAmount {
  const digits = String(minor < 0n ? -minor : minor).padStart(requireExponent(exponent) + 1, '0');
  const cut = digits.length - exponent;
  return `${minor < 0n ? '-' : ''}${digits.slice(0, cut)}${exponent === 0 ? '' : `.${digits.slice(cut)}`}`;
}

/**
 * `amount` times `numerator` divided by `denominator`, rounded half away from zero to 6 decimals. Divides last and in
 * integers, so that nothing is rounded before (currencies reference, section 2). Factors are positive decimal strings
 * such as rates.
 */
export function scaleAmount(amount: DecimalAmount, numerator: string, denominator: string): DecimalAmount {
  const [multiplier, divisor] = toCommonScale(numerator, denominator);
  return microToDecimal(divideRounding(toMicro(amount) * multiplier, divisor));
}

/** The exact, unrounded product of two factors such as a parity and a rate. */
export function exactProduct(left: string, right: string): string {
  return new ExactDecimal(left).times(right).toFixed();
}

/**
 * Two unsigned decimals, such as rates, as integers with the same scale: (`1.25`, `3`) become 125n and 300n. Amounts
 * multiplied by them compare exactly.
 */
export function toCommonScale(left: string, right: string): readonly [left: bigint, right: bigint] {
  const [leftInteger = '', leftFraction = ''] = left.split('.');
  const [rightInteger = '', rightFraction = ''] = right.split('.');
  const decimals = Math.max(leftFraction.length, rightFraction.length);
  return [
    BigInt(leftInteger + leftFraction.padEnd(decimals, '0')),
    BigInt(rightInteger + rightFraction.padEnd(decimals, '0')),
  ];
}

/** The quotient as an integer, rounded half away from zero. The divisor is positive. */
function divideRounding(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (magnitude * 2n + divisor) / (divisor * 2n);
  return dividend < 0n ? -rounded : rounded;
}

function requireExponent(exponent: number): number {
  if (!Number.isInteger(exponent) || exponent < 0 || exponent > AMOUNT_DECIMALS_MAX) {
    throw new RangeError(`A currency has 0 to ${AMOUNT_DECIMALS_MAX} decimals, not ${exponent}.`);
  }
  return exponent;
}
