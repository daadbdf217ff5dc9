import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { Decimal } from 'decimal.js';

/**
 * Returns a total as the result of a history scan states it: rounded half away from zero to the decimals of its
 * currency (currencies reference, section 2). The total of 5000 rows may have more digits than an amount.
 * @param total a decimal string
 */
export function printTotal(total: string, currency: string): string {
  const rounded = new Decimal(total).toDecimalPlaces(minorUnitsOf(currency), Decimal.ROUND_HALF_UP);
  // A total value of a history scan that rounds to zero is shown without a minus sign.
  return (rounded.isZero() ? rounded.abs() : rounded).toFixed(minorUnitsOf(currency));
}
