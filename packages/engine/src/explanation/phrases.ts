import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal, toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

// Parts of the sentences that reviewers read.

/** A count with its noun: `1 invoice`, `3 invoices`, `1 earlier invoice`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** An amount with its currency and rounded to its minor units: `EUR 16358.50` for 16358.500914. */
export function moneyText(amount: DecimalAmount, currency: string): string {
  const exponent = minorUnitsOf(currency);
  return `${currency} ${minorToDecimal(toMinorUnits(amount, exponent), exponent)}`;
}
