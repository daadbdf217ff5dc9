import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';

/** Of two amounts as `Row.amount` reads them, exactly; undefined where one of them is. */
export function difference(minuend: string, subtrahend: string): string;
export function difference(minuend: string | undefined, subtrahend: string | undefined): string | undefined;
export function difference(minuend: string | undefined, subtrahend: string | undefined): string | undefined {
  if (minuend === undefined || subtrahend === undefined) return undefined;
  // Most bills are open or paid: equal amounts have equal digits.
  return minuend === subtrahend ? '0' : microToDecimal(toMicro(minuend) - toMicro(subtrahend));
}

/** Of an amount as `Row.amount` reads it, or of a difference. */
export function isZero(amount: string): boolean {
  return amount === '0';
}
