import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';

/**
 * Returns the exact difference between two ERP amounts that `Row.amount` read, or undefined if one of them is
 * undefined.
 */
export function difference(minuend: string, subtrahend: string): string;
export function difference(minuend: string | undefined, subtrahend: string | undefined): string | undefined;
export function difference(minuend: string | undefined, subtrahend: string | undefined): string | undefined {
  if (minuend === undefined || subtrahend === undefined) return undefined;
  // Most bills of an ERP are either open or paid in full, so the two amounts usually consist of the same digits, and
  // the calculation is rarely needed.
  return minuend === subtrahend ? '0' : microToDecimal(toMicro(minuend) - toMicro(subtrahend));
}

/** Checks whether an ERP amount that `Row.amount` read, or a difference, is zero. */
export function isZero(amount: string): boolean {
  return amount === '0';
}
