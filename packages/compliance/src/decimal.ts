import { Decimal } from 'decimal.js';
import type { Element } from './element.js';

/**
 * Number of digits with which sums and products of invoice amounts stay exact. Amounts have at most a few dozen digits.
 */
const Exact = Decimal.clone({ precision: 80 });
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/;
/**
 * Maximum length of a string that is read as an amount of an e-invoice. The maximum limits the time that calculations
 * take.
 */
const DIGITS_MAX = 40;

export const ZERO: Decimal = new Exact(0);
export const ONE: Decimal = new Exact(1);

/**
 * Returns the number in an XML element of an invoice, or undefined if the element is absent or is not a plain decimal.
 */
export function decimalOf(element: Element | undefined): Decimal | undefined {
  const text = element?.text.trim() ?? '';
  return text.length <= DIGITS_MAX && DECIMAL.test(text) ? new Exact(text) : undefined;
}

/** Returns the sum of several XML elements of an invoice. An XML element without a number counts as zero. */
export function sumOf(elements: readonly (Element | undefined)[]): Decimal {
  return elements.reduce((sum: Decimal, element) => sum.plus(decimalOf(element) ?? ZERO), ZERO);
}

/**
 * Rounds an invoice amount to two decimals, with halves towards positive infinity as XPath round() does (documents
 * reference, section 9.2).
 */
export function roundCents(value: Decimal): Decimal {
  return value.times(100).plus(0.5).floor().dividedBy(100);
}

/** Rounds a number to an integer, with halves towards positive infinity. */
export function roundUnits(value: Decimal): Decimal {
  return value.plus(0.5).floor();
}

/**
 * Returns an amount as a decimal string without exponent, as it appears in the evidence of a broken validation rule.
 */
export function toText(value: Decimal | undefined): string | null {
  return value === undefined ? null : value.toFixed();
}
