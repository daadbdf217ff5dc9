import { Decimal } from 'decimal.js';
import type { Element } from './element.js';

/** Amounts have at most a few dozen digits; sums and products of them stay exact. */
const Exact = Decimal.clone({ precision: 80 });
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/;
/** Longer texts are not amounts of an invoice; the limit bounds the time of arithmetic. */
const DIGITS_MAX = 40;

export const ZERO: Decimal = new Exact(0);
export const ONE: Decimal = new Exact(1);

/** The number in an element, or undefined where it is absent or not a plain decimal. */
export function decimalOf(element: Element | undefined): Decimal | undefined {
  const text = element?.text.trim() ?? '';
  return text.length <= DIGITS_MAX && DECIMAL.test(text) ? new Exact(text) : undefined;
}

/** Elements without a number count as nothing. */
export function sumOf(elements: readonly (Element | undefined)[]): Decimal {
  return elements.reduce((sum: Decimal, element) => sum.plus(decimalOf(element) ?? ZERO), ZERO);
}

/** Two decimals, halves towards positive infinity: XPath round() (documents reference, section 9.2). */
export function roundCents(value: Decimal): Decimal {
  return value.times(100).plus(0.5).floor().dividedBy(100);
}

/** Rounds to an integer, halves towards positive infinity. */
export function roundUnits(value: Decimal): Decimal {
  return value.plus(0.5).floor();
}

/** A decimal string without exponent, as evidence. */
export function toText(value: Decimal | undefined): string | null {
  return value === undefined ? null : value.toFixed();
}
