import { invoiceCurrency } from '@invoicecontrol/values/currency';

/**
 * Day for which the validity of a currency is checked. On this day, every currency was valid that a ledger may contain
 * since the introduction of the euro.
 */
const ANY_DAY = '2000-01-01';

const signs: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['zł', 'PLN'],
  ['zl', 'PLN'],
  ['kč', 'CZK'],
  ['ft', 'HUF'],
  ['lei', 'RON'],
  ['us$', 'USD'],
  ['a$', 'AUD'],
  ['c$', 'CAD'],
]);

/**
 * Signs that several currencies share. `$` alone means the US dollar, unless the fallback is another dollar currency or
 * the Mexican peso.
 */
const sharedSigns: ReadonlyMap<string, readonly string[]> = new Map([
  ['$', ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN']],
  ['kr', ['SEK', 'NOK', 'DKK', 'ISK']],
  ['¥', ['JPY', 'CNY']],
]);

/**
 * Returns the currency code in a CSV cell (`EUR`, `eur`, `€`), the sign itself if several currencies share it, or
 * undefined.
 */
export function currencyIn(text: string): string | undefined {
  const word = text.trim().normalize('NFC').toLowerCase();
  const sign = signs.get(word) ?? (sharedSigns.has(word) ? word : undefined);
  if (sign !== undefined) return sign;
  return 'code' in invoiceCurrency(word, ANY_DAY) ? word.toUpperCase() : undefined;
}

/** Resolves a currency that {@link currencyIn} returned. @param fallback currency of rows without a currency */
export type Meaning = { readonly code: string } | { readonly oneOf: readonly string[] };

export function meaningOf(currency: string, fallback: string | undefined): Meaning {
  const shared = sharedSigns.get(currency);
  if (shared === undefined) return { code: currency };
  if (fallback !== undefined && shared.includes(fallback)) return { code: fallback };
  return currency === '$' ? { code: 'USD' } : { oneOf: shared };
}
