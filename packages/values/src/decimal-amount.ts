import { Decimal } from 'decimal.js';

/**
 * An amount of money in all interfaces of the product (specification 2.1): an optional minus sign, digits, and
 * optionally a dot with 1 to 6 digits. It is never a `number`. Callers may send only amounts of limited length
 * ({@link isDecimalAmount}); computed amounts, such as totals and conversions, may be longer.
 */
export type DecimalAmount = string;

/** Maximum number of digits before the dot in amounts from callers. */
export const AMOUNT_INTEGER_DIGITS_MAX = 15;
/** Maximum number of decimals of an amount. One micro-unit is 0.000001. */
export const AMOUNT_DECIMALS_MAX = 6;

const SENT_AMOUNT = /^-?[0-9]{1,15}(?:\.[0-9]{1,6})?$/;
const ANY_AMOUNT = /^-?[0-9]+(?:\.[0-9]{1,6})?$/;
const MICRO_PER_UNIT = 1_000_000n;
/**
 * Precision of amounts that is sufficient for a currency parity multiplied by a published rate, which have fewer than
 * 40 digits together.
 */
const ExactDecimal = Decimal.clone({ precision: 40 });

/** Checks whether callers may send an amount: it has the decimal format with at most 15 digits before the dot. */
export function isDecimalAmount(value: string): value is DecimalAmount {
  return SENT_AMOUNT.test(value);
}

/**
 * Returns the exact amount in micro-units: `12.5` is 12500000n. Throws a RangeError if the text is not a decimal
 * amount.
 */
export function toMicro(amount: DecimalAmount): bigint {
  if (!ANY_AMOUNT.test(amount)) {
    throw new RangeError(
      'The amount must consist of an optional minus sign, digits and optionally a dot with 1 to 6 digits.',
    );
  }
  const negative = amount.startsWith('-');
  const dot = amount.indexOf('.');
  const integer = amount.slice(negative ? 1 : 0, dot < 0 ? undefined : dot);
  const fraction = dot < 0 ? '' : amount.slice(dot + 1);
  const micro = BigInt(integer + fraction.padEnd(AMOUNT_DECIMALS_MAX, '0'));
  return negative ? -micro : micro;
}

/** Converts micro-units to a decimal amount without leading or trailing zeros and without `-0`. */
export function microToDecimal(micro: bigint): DecimalAmount {
  const magnitude = micro < 0n ? -micro : micro;
  const fraction = String(magnitude % MICRO_PER_UNIT)
    .padStart(AMOUNT_DECIMALS_MAX, '0')
    .replace(/(?<!0)0+$/, '');
  return `${micro < 0n ? '-' : ''}${magnitude / MICRO_PER_UNIT}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Returns the same text for equal decimal amounts: `007.50` and `7.5` become `7.5`, `-0.00` becomes `0`. */
export function canonicalAmount(amount: DecimalAmount): DecimalAmount {
  return microToDecimal(toMicro(amount));
}

/**
 * Returns the amount in minor units of a currency with `exponent` decimals (0 to 6), rounded half away from zero: with
 * two decimals, `1.005` is 101n and `-1.005` is -101n.
 */
export function toMinorUnits(amount: DecimalAmount, exponent: number): bigint {
  return divideRounding(toMicro(amount), 10n ** BigInt(AMOUNT_DECIMALS_MAX - requireExponent(exponent)));
}

/** Converts minor units to a decimal amount with exactly `exponent` decimals: (-5n, 2) is `-0.05`, (7n, 0) is `7`. */
export function minorToDecimal(minor: bigint, exponent: number): DecimalAmount {
  const digits = String(minor < 0n ? -minor : minor).padStart(requireExponent(exponent) + 1, '0');
  const cut = digits.length - exponent;
  return `${minor < 0n ? '-' : ''}${digits.slice(0, cut)}${exponent === 0 ? '' : `.${digits.slice(cut)}`}`;
}

/**
 * Returns `amount` times `numerator` divided by `denominator`, rounded half away from zero to 6 decimals. The division
 * comes last and uses integers, so that nothing is rounded before (currencies reference, section 2). The factors are
 * positive decimal strings, such as rates.
 */
export function scaleAmount(amount: DecimalAmount, numerator: string, denominator: string): DecimalAmount {
  const [multiplier, divisor] = toCommonScale(numerator, denominator);
  return microToDecimal(divideRounding(toMicro(amount) * multiplier, divisor));
}

/** Returns the exact product of two decimal factors, such as a currency parity and a rate. */
export function exactProduct(left: string, right: string): string {
  return new ExactDecimal(left).times(right).toFixed();
}

/**
 * Converts two unsigned decimals, such as rates, to integers with the same scale: `1.25` and `3` become 125n and 300n.
 * Amounts that are multiplied by them can be compared exactly.
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

/**
 * Returns the quotient of two decimal amounts as an integer, rounded half away from zero. The divisor must be positive.
 */
function divideRounding(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (magnitude * 2n + divisor) / (divisor * 2n);
  return dividend < 0n ? -rounded : rounded;
}

function requireExponent(exponent: number): number {
  if (!Number.isInteger(exponent) || exponent < 0 || exponent > AMOUNT_DECIMALS_MAX) {
    throw new RangeError(`An amount must have 0 to ${AMOUNT_DECIMALS_MAX} decimals, but ${exponent} were requested.`);
  }
  return exponent;
}
