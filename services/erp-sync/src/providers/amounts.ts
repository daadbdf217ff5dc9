import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';

/** Of two amounts as rows have them, exactly. */
export function difference(minuend: string, subtrahend: string): string {
  return microToDecimal(toMicro(minuend) - toMicro(subtrahend));
}

export function isZero(amount: string): boolean {
  return toMicro(amount) === 0n;
}
