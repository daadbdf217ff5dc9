import { addDays } from './calendar-date.js';
import type { CalendarDate } from './calendar-date.js';
import { currencyTable } from './currency-table.js';
import type { CurrencyRow } from './currency-table.js';

/**
 * Currency code that is stored if the currency of a document cannot be read (specification 2.2). Callers cannot send
 * it.
 */
export const UNKNOWN_CURRENCY = 'XXX';

/** Number of days after its withdrawal for which a currency is still accepted on an invoice. */
const WITHDRAWN_GRACE_DAYS = 365;

/**
 * The 29 currencies for which the European Central Bank publishes reference rates (currencies reference, section 1).
 */
export const ecbReferenceCurrencies: readonly string[] = (
  'USD JPY CZK DKK GBP HUF PLN RON SEK CHF ISK NOK TRY AUD BRL CAD CNY HKD IDR ILS INR KRW MXN MYR NZD PHP SGD THB ' +
  'ZAR'
).split(' ');

/**
 * The base currencies that an organization may choose (endpoint 19): EUR, the 29 ECB currencies, and nine currencies
 * with a fixed parity.
 */
export const baseCurrencies: readonly string[] = [
  'EUR',
  ...ecbReferenceCurrencies,
  ...'AED SAR QAR BHD OMR JOD BAM XOF XAF'.split(' '),
];

/**
 * A fixed parity of two currencies: `perAnchor` units of `code` equal one unit of `anchor`, as declared by the
 * authority from `since` until `until`.
 */
export interface FixedParity {
  readonly code: string;
  readonly anchor: string;
  readonly perAnchor: string;
  readonly since: CalendarDate;
  readonly until?: CalendarDate;
}

/**
 * Fixed parities (currencies reference, section 3). A currency with neither a parity nor an ECB rate is not converted.
 * Some older parities begin in 1999, because their anchor has no earlier rate.
 */
export const fixedParities: readonly FixedParity[] = [
  { code: 'AED', anchor: 'USD', perAnchor: '3.6725', since: '1997-11-02' },
  { code: 'SAR', anchor: 'USD', perAnchor: '3.75', since: '1986-06-01' },
  { code: 'QAR', anchor: 'USD', perAnchor: '3.64', since: '2001-07-09' },
  { code: 'BHD', anchor: 'USD', perAnchor: '0.376', since: '2001-01-01' },
  { code: 'OMR', anchor: 'USD', perAnchor: '0.3845', since: '1986-01-01' },
  { code: 'JOD', anchor: 'USD', perAnchor: '0.709', since: '1995-10-23' },
  { code: 'BMD', anchor: 'USD', perAnchor: '1', since: '1999-01-01' },
  { code: 'TMT', anchor: 'USD', perAnchor: '3.5', since: '2015-01-01' },
  { code: 'BSD', anchor: 'USD', perAnchor: '1', since: '1999-01-01' },
  { code: 'PAB', anchor: 'USD', perAnchor: '1', since: '1999-01-01' },
  { code: 'BBD', anchor: 'USD', perAnchor: '2', since: '1999-01-01' },
  { code: 'BZD', anchor: 'USD', perAnchor: '2', since: '1999-01-01' },
  { code: 'XCD', anchor: 'USD', perAnchor: '2.70', since: '1999-01-01' },
  { code: 'AWG', anchor: 'USD', perAnchor: '1.79', since: '1999-01-01' },
  { code: 'XCG', anchor: 'USD', perAnchor: '1.79', since: '2025-03-31' },
  { code: 'ANG', anchor: 'USD', perAnchor: '1.79', since: '1999-01-01', until: '2025-06-30' },
  { code: 'BAM', anchor: 'EUR', perAnchor: '1.95583', since: '1999-01-01' },
  { code: 'XOF', anchor: 'EUR', perAnchor: '655.957', since: '1999-01-01' },
  { code: 'XAF', anchor: 'EUR', perAnchor: '655.957', since: '1999-01-01' },
  { code: 'CVE', anchor: 'EUR', perAnchor: '110.265', since: '1999-01-01' },
  { code: 'BGN', anchor: 'EUR', perAnchor: '1.95583', since: '2026-01-01' },
  { code: 'HRK', anchor: 'EUR', perAnchor: '7.53450', since: '2023-01-01' },
  { code: 'XPF', anchor: 'EUR', perAnchor: '119.331742', since: '1999-01-01' },
  { code: 'KMF', anchor: 'EUR', perAnchor: '491.96775', since: '1999-01-01' },
  { code: 'BND', anchor: 'SGD', perAnchor: '1', since: '1999-01-01' },
  { code: 'BTN', anchor: 'INR', perAnchor: '1', since: '1999-01-01' },
  { code: 'FKP', anchor: 'GBP', perAnchor: '1', since: '1999-01-01' },
  { code: 'SHP', anchor: 'GBP', perAnchor: '1', since: '1999-01-01' },
  { code: 'GIP', anchor: 'GBP', perAnchor: '1', since: '1999-01-01' },
  { code: 'MOP', anchor: 'HKD', perAnchor: '1.03', since: '1999-01-01' },
  { code: 'NAD', anchor: 'ZAR', perAnchor: '1', since: '1999-01-01' },
  { code: 'LSL', anchor: 'ZAR', perAnchor: '1', since: '1999-01-01' },
  { code: 'SZL', anchor: 'ZAR', perAnchor: '1', since: '1999-01-01' },
];

/** All currencies in which suppliers invoice or have invoiced, including withdrawn ones. */
export const invoiceCurrencies: readonly string[] = currencyTable
  .filter(({ kind }) => kind === 'CURRENCY')
  .map(({ code }) => code);

export type InvoiceCurrency = { readonly code: string } | { readonly refusal: string };

const rowsByCode: ReadonlyMap<string, CurrencyRow> = new Map(currencyTable.map((row) => [row.code, row]));
const baseCurrencySet: ReadonlySet<string> = new Set(baseCurrencies);

/**
 * Returns the upper-case code of a currency in which suppliers invoice on the given day, or the reason why the code is
 * refused (INVALID_REQUEST, specification 2.2). A code must have exactly three ASCII letters in any case, without
 * spaces.
 * @param issueDate undefined if the day is unknown; a withdrawn currency is then accepted
 */
export function invoiceCurrency(code: string, issueDate: CalendarDate | undefined): InvoiceCurrency {
  if (!/^[A-Za-z]{3}$/.test(code)) return { refusal: 'The currency must be a three-letter ISO 4217 code such as EUR.' };
  const upper = code.toUpperCase();
  const row = rowsByCode.get(upper);
  if (row === undefined) return { refusal: `${upper} is not an ISO 4217 currency code.` };
  if (row.kind === 'FUND') return { refusal: `${upper} is a funds code; suppliers do not invoice in it.` };
  if (row.kind === 'METAL') return { refusal: `${upper} is a precious metal; suppliers do not invoice in it.` };
  if (row.kind === 'OTHER')
    return { refusal: `${upper} is not a currency. Send the currency in which the invoice is payable.` };
  if (row.endDate !== undefined && issueDate !== undefined && issueDate > addDays(row.endDate, WITHDRAWN_GRACE_DAYS)) {
    return { refusal: `${upper} was withdrawn on ${row.endDate}; an invoice issued on ${issueDate} cannot use it.` };
  }
  return { code: upper };
}

/** Returns the number of decimals of a currency: EUR 2, JPY 0, KWD 3. An unknown code counts as having 2 decimals. */
export function minorUnitsOf(code: string): number {
  return rowsByCode.get(code)?.minorUnits ?? 2;
}

/** Checks whether an organization may choose an upper-case currency code as its base currency (endpoint 19). */
export function isBaseCurrency(code: string): boolean {
  return baseCurrencySet.has(code);
}
