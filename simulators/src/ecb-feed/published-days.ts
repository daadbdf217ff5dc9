/** Exchange rates of one day, as units per 1 EUR. */
export interface PublishedDay {
  /** Day of the exchange rates, in the form `YYYY-MM-DD`. */
  readonly day: string;
  readonly perEuro: Readonly<Record<string, string>>;
}

/**
 * Exchange rates close to those of May 2026. The rates of each day vary around them. `from` and `until` are the first
 * and the last day on which the real central bank publishes a rate of the currency.
 */
const middle: readonly { currency: string; perEuro: number; decimals: number; from?: string; until?: string }[] = [
  { currency: 'USD', perEuro: 1.1761, decimals: 4 },
  { currency: 'JPY', perEuro: 184.37, decimals: 2 },
  { currency: 'BGN', perEuro: 1.9558, decimals: 4, until: '2025-12-31' },
  { currency: 'CZK', perEuro: 24.33, decimals: 3 },
  { currency: 'DKK', perEuro: 7.4721, decimals: 4 },
  { currency: 'GBP', perEuro: 0.8641, decimals: 5 },
  { currency: 'HUF', perEuro: 357.2, decimals: 2 },
  { currency: 'PLN', perEuro: 4.2365, decimals: 4 },
  { currency: 'RON', perEuro: 5.2, decimals: 4 },
  { currency: 'SEK', perEuro: 10.87, decimals: 4 },
  { currency: 'CHF', perEuro: 0.9154, decimals: 4 },
  { currency: 'ISK', perEuro: 143.8, decimals: 2 },
  { currency: 'NOK', perEuro: 11.02, decimals: 4 },
  { currency: 'HRK', perEuro: 7.535, decimals: 4, until: '2022-12-30' },
  { currency: 'RUB', perEuro: 85.3, decimals: 4, until: '2022-03-01' },
  { currency: 'TRY', perEuro: 52.4, decimals: 4 },
  { currency: 'AUD', perEuro: 1.63, decimals: 4 },
  { currency: 'BRL', perEuro: 5.81, decimals: 4 },
  { currency: 'CAD', perEuro: 1.6055, decimals: 4 },
  { currency: 'CNY', perEuro: 8.01, decimals: 4 },
  { currency: 'HKD', perEuro: 9.21, decimals: 4 },
  { currency: 'IDR', perEuro: 20350, decimals: 2 },
  { currency: 'ILS', perEuro: 3.47, decimals: 4 },
  { currency: 'INR', perEuro: 110.9, decimals: 4 },
  { currency: 'KRW', perEuro: 1720, decimals: 2 },
  { currency: 'MXN', perEuro: 20.4, decimals: 4 },
  { currency: 'MYR', perEuro: 4.67, decimals: 4 },
  { currency: 'NZD', perEuro: 1.98, decimals: 4 },
  { currency: 'PHP', perEuro: 71.2, decimals: 3 },
  { currency: 'SGD', perEuro: 1.5, decimals: 4 },
  { currency: 'THB', perEuro: 38, decimals: 3 },
  { currency: 'ZAR', perEuro: 19.4, decimals: 4 },
];

const DAY_MS = 86_400_000;

/**
 * Returns every day on which the central bank publishes exchange rates, oldest first. The rates are the same in every
 * run.
 */
export function publishedDays(first: string, last: string): PublishedDay[] {
  const days: PublishedDay[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
    const date = new Date(at);
    if (!isPublishingDay(date)) continue;
    const day = date.toISOString().slice(0, 10);
    const listed = middle.filter(({ from, until }) => (from ?? '') <= day && day <= (until ?? '9999'));
    const rates = listed.map(({ currency, perEuro, decimals }, index) => {
      const swing = 1 + 0.03 * Math.sin(at / DAY_MS / 37 + index);
      return [currency, (perEuro * swing).toFixed(decimals)];
    });
    days.push({ day, perEuro: Object.fromEntries(rates) as Record<string, string> });
  }
  return days;
}

/**
 * Checks whether the central bank publishes exchange rates on a day (a TARGET day). It publishes none on weekends, 1
 * January, Good Friday, Easter Monday, 1 May, and 25 and 26 December.
 */
function isPublishingDay(date: Date): boolean {
  const weekday = date.getUTCDay();
  if (weekday === 0 || weekday === 6) return false;
  const monthDay = date.toISOString().slice(5, 10);
  if (['01-01', '05-01', '12-25', '12-26'].includes(monthDay)) return false;
  const afterEaster = (date.getTime() - easterSunday(date.getUTCFullYear())) / DAY_MS;
  return afterEaster !== -2 && afterEaster !== 1;
}

/** Returns Easter Sunday in milliseconds since 1970 (Gauss's rule in Butcher's form). */
function easterSunday(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  return Date.UTC(year, Math.floor(f / 31) - 1, (f % 31) + 1);
}
