import { addDays } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { fixedParities } from '@invoicecontrol/values/currency';
import type { FixedParity } from '@invoicecontrol/values/currency';
import { canonicalAmount, exactProduct, scaleAmount } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** Maximum age of an exchange rate in days. The longest gap between two published days is five (Easter). */
const RATE_AGE_DAYS_MAX = 10;

/**
 * Returns the exchange rates that were published on a given day, by currency, as units per 1 EUR. Undefined if no rates
 * were published on that day.
 */
export type PublishedRates = (day: CalendarDate) => Readonly<Record<string, string>> | undefined;

/**
 * An amount converted to another currency, with the exchange rate that was used. The converted amount is stored with
 * the invoice and never changed.
 */
export interface ConvertedAmount {
  readonly currency: string;
  /** Amount converted to the base currency, rounded to six decimals. */
  readonly amount: DecimalAmount;
  /** Units of `currency` for one unit of the invoice currency, rounded to six decimals. This rate is only displayed. */
  readonly rate: DecimalAmount;
  /** Day on which the exchange rates were published. Absent if no rate was needed. */
  readonly rateDate?: CalendarDate;
  readonly source: 'ECB' | 'PEG' | 'IDENTITY';
}

export interface Conversion {
  readonly amount: DecimalAmount;
  readonly from: string;
  readonly to: string;
  readonly issueDate: CalendarDate;
  /**
   * Day on which the amount is converted. If the issue date is later, the exchange rates of this day are used instead.
   */
  readonly today: CalendarDate;
}

/**
 * Converts an amount at the euro reference rates for the issue date, or for the latest earlier day on which both
 * currencies have a rate (currencies reference, section 2).
 * @returns null if neither that day nor the ten days before it have both rates
 */
export function convert(
  { amount, from, to, issueDate, today }: Conversion,
  published: PublishedRates,
): ConvertedAmount | null {
  if (from === to) return { currency: to, amount: canonicalAmount(amount), rate: '1', source: 'IDENTITY' };
  const day = rateDay([from, to], issueDate, today, published);
  if (day === undefined) return null;
  const source = rateOn(from, day, published);
  const target = rateOn(to, day, published);
  if (source === undefined || target === undefined) return null;
  return {
    currency: to,
    amount: scaleAmount(amount, target.perEuro, source.perEuro),
    rate: scaleAmount('1', target.perEuro, source.perEuro),
    rateDate: day,
    source: source.isPegged || target.isPegged ? 'PEG' : 'ECB',
  };
}

/**
 * Returns the exchange rates of the given currencies on the issue date, as units per 1 EUR. Currencies without a rate
 * are left out.
 */
export function ratesPerEuro(
  currencies: readonly string[],
  issueDate: CalendarDate,
  today: CalendarDate,
  published: PublishedRates,
): Readonly<Record<string, string>> {
  const rates: Record<string, string> = {};
  for (const currency of currencies) {
    const day = rateDay([currency], issueDate, today, published);
    const rate = day === undefined ? undefined : rateOn(currency, day, published);
    if (rate !== undefined) rates[currency] = rate.perEuro;
  }
  return rates;
}

/**
 * Finds the latest day on which all given currencies have a rate. The search goes back from the issue date, or from
 * today if the issue date is in the future.
 */
function rateDay(
  currencies: readonly string[],
  issueDate: CalendarDate,
  today: CalendarDate,
  published: PublishedRates,
): CalendarDate | undefined {
  const latest = issueDate > today ? today : issueDate;
  for (let age = 0; age <= RATE_AGE_DAYS_MAX; age++) {
    const day = addDays(latest, -age);
    if (currencies.every((currency) => rateOn(currency, day, published) !== undefined)) return day;
  }
  return undefined;
}

interface Rate {
  /**
   * Exchange rate as a decimal number with the published digits, or with all digits of the product if a fixed parity
   * was applied.
   */
  readonly perEuro: string;
  readonly isPegged: boolean;
}

const parities = new Map<string, FixedParity>(fixedParities.map((parity) => [parity.code, parity]));

function rateOn(currency: string, day: CalendarDate, published: PublishedRates): Rate | undefined {
  if (currency === 'EUR') return { perEuro: '1', isPegged: false };
  const stated = published(day)?.[currency];
  if (stated !== undefined) return { perEuro: stated, isPegged: false };
  const parity = parities.get(currency);
  if (parity === undefined || day < parity.since || (parity.until !== undefined && day > parity.until))
    return undefined;
  const anchor = parity.anchor === 'EUR' ? '1' : published(day)?.[parity.anchor];
  return anchor === undefined ? undefined : { perEuro: exactProduct(parity.perAnchor, anchor), isPegged: true };
}
