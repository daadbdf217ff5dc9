import { locale } from '../messages/language.js';

/**
 * Formats a decimal string of the API with its currency code, such as `1,190.00 EUR`. The digits never pass through a
 * floating point number, which would change large amounts.
 */
export function formatMoney(amount: string, currency: string): string {
  const decimals = amount.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  // The types of TypeScript accept a decimal string as an amount of money only for literals.
  return `${format.format(amount as `${number}`)} ${currency}`;
}
