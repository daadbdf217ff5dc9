import { invoiceCurrency } from '@invoicecontrol/values/currency';

/**
 * Currency codes of funds and of offshore markets, with the currency in which an invoice with such a code can be paid.
 */
const CURRENCY_OF_CODE: Readonly<Record<string, string>> = {
  BOV: 'BOB',
  CHE: 'CHF',
  CHW: 'CHF',
  CLF: 'CLP',
  CNH: 'CNY',
  COU: 'COP',
  MXV: 'MXN',
  RMB: 'CNY',
  USN: 'USD',
  USS: 'USD',
  UYI: 'UYU',
  UYW: 'UYU',
};

export type CurrencyReading = { readonly code: string } | { readonly candidates: readonly string[] };

/**
 * Returns the stated currency if suppliers invoice in it. Otherwise returns the currencies that the document may mean:
 * first the currency that belongs to a stated funds code, then the currencies that the amounts of the document state
 * (documents reference, section 6).
 * @param readStated returns the currencies of the amounts; called only if the stated code is not a currency
 */
export function readCurrency(
  raw: string | undefined,
  issueDate: string | undefined,
  readStated: () => readonly string[],
): CurrencyReading {
  const code = raw?.trim() ?? '';
  const read = invoiceCurrency(code, issueDate);
  if ('code' in read) return read;
  const candidates = [CURRENCY_OF_CODE[code.toUpperCase()] ?? '', ...readStated()]
    .map((candidate) => invoiceCurrency(candidate.trim(), issueDate))
    .flatMap((candidate) => ('code' in candidate ? [candidate.code] : []));
  return { candidates: [...new Set(candidates)] };
}
