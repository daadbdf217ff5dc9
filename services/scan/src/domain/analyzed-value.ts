import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { Decimal } from 'decimal.js';

/**
 * A total as the result of a scan prints it: rounded half away from zero to the minor units of its currency, and with that
 * many decimals (currencies reference, section 2). The total of 5000 rows may have more digits than one amount.
 * @param total a decimal string
 */
export function printTotal(total: string, currency: string): string {
  const rounded = new Decimal(total).toDecimalPlaces(minorUnitsOf(currency), Decimal.ROUND_HALF_UP);
  // There is no minus zero among amounts.
  return (rounded.isZero() ? rounded.abs() : rounded).toFixed(minorUnitsOf(currency));
}
