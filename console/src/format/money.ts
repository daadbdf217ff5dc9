import { locale } from '../messages/language.js';

/**
 * Formats a decimal string of the API with its currency code, such as `1,190.00 EUR`. The digits never pass through a
 * floating point number, which would change large amounts.
 */
export function formatMoney(amount: string, currency: string): string {
  const decimals = amount.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  // TypeScript accepts a decimal string for `Intl.NumberFormat` only if its type is that of a numeric literal.
  return `${format.format(amount as `${number}`)} ${currency}`;
}
