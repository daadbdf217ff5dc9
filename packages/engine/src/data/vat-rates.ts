import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { europeanUnion } from './european-union.js';

/** A standard VAT rate in basis points and the day on which it came into force. */
export interface VatRate {
  readonly from: CalendarDate;
  readonly basisPoints: number;
}

/** Start date for VAT rates that are older than any invoice. */
export const ALWAYS: CalendarDate = '1900-01-01';

const constant = (basisPoints: number): readonly VatRate[] => [{ from: ALWAYS, basisPoints }];
const changed = (before: number, from: CalendarDate, basisPoints: number): readonly VatRate[] => [
  { from: ALWAYS, basisPoints: before },
  { from, basisPoints },
];

/** Standard value added tax rates by country (detection reference, section 7.4). Reviewed 2026-11. */
const standardRates: Readonly<Record<string, readonly VatRate[]>> = {
  AT: constant(2000),
  BE: constant(2100),
  BG: constant(2000),
  HR: constant(2500),
  CY: constant(1900),
  CZ: constant(2100),
  DK: constant(2500),
  EE: changed(2200, '2025-07-01', 2400),
  FI: changed(2400, '2024-09-01', 2550),
  FR: constant(2000),
  DE: constant(1900),
  GR: constant(2400),
  HU: constant(2700),
  IE: constant(2300),
  IT: constant(2200),
  LV: constant(2100),
  LT: constant(2100),
  LU: constant(1700),
  MT: constant(1800),
  NL: constant(2100),
  PL: constant(2300),
  PT: constant(2300),
  RO: [
    { from: ALWAYS, basisPoints: 2400 },
    { from: '2016-01-01', basisPoints: 2000 },
    { from: '2017-01-01', basisPoints: 1900 },
    { from: '2025-08-01', basisPoints: 2100 },
  ],
  SK: changed(2000, '2025-01-01', 2300),
  SI: constant(2200),
  ES: constant(2100),
  SE: constant(2500),
  GB: constant(2000),
  NO: constant(2500),
  CH: [
    { from: ALWAYS, basisPoints: 800 },
    { from: '2018-01-01', basisPoints: 770 },
    { from: '2024-01-01', basisPoints: 810 },
  ],
  AE: constant(500),
  SA: constant(1500),
  BH: constant(1000),
  QA: constant(0),
};

/** Legal VAT rates of a country in basis points, which apply from a given day until the day of the next entry. */
interface LegalRates {
  readonly from: CalendarDate;
  readonly basisPoints: readonly number[];
}

const since = (from: CalendarDate, ...percents: readonly number[]): LegalRates => ({
  from,
  basisPoints: percents.map((percent) => Math.round(percent * 100)),
});
const always = (...percents: readonly number[]): readonly LegalRates[] => [since(ALWAYS, ...percents)];

/**
 * VAT rates other than the standard rates that may be charged: reduced, super-reduced and parking rates, rates in
 * regions from which goods are sold (Azores, Madeira, Greek islands, French overseas departments), and standard rates
 * that applied for a limited time. Rates below 2 % for newspapers and magazines are left out, because an amount with so
 * little tax can hardly be distinguished from an amount without tax. The rates were taken from published copies of the
 * Commission's Taxes in Europe Database (2026-03) and from its list of rates in the member states. The rates of GB, CH
 * and NO were taken from national law. Reviewed 2026-11.
 */
const otherRates: Readonly<Record<string, readonly LegalRates[]>> = {
  AT: [since(ALWAYS, 10, 12, 13, 19), since('2020-07-01', 5, 10, 13, 19), since('2022-01-01', 10, 13, 19)],
  BE: always(6, 12),
  BG: always(9),
  HR: always(5, 13),
  CY: [since(ALWAYS, 5, 9), since('2023-07-01', 3, 5, 9)],
  CZ: [since(ALWAYS, 10, 15), since('2024-01-01', 12)],
  EE: [since(ALWAYS, 9, 20), since('2024-01-01', 5, 9), since('2025-01-01', 5, 9, 13)],
  FI: [since(ALWAYS, 10, 14), since('2026-01-01', 10, 13.5)],
  FR: always(2.1, 5.5, 8.5, 10, 13),
  DE: [since(ALWAYS, 7), since('2020-07-01', 5, 16), since('2021-01-01', 7)],
  GR: [since(ALWAYS, 6, 6.5, 13, 23), since('2016-06-01', 4, 6, 9, 13, 17)],
  HU: always(5, 18),
  IE: [since(ALWAYS, 4.8, 9, 13.5), since('2020-09-01', 4.8, 9, 13.5, 21), since('2021-03-01', 4.8, 9, 13.5)],
  IT: always(4, 5, 10),
  LV: always(5, 12),
  LT: [since(ALWAYS, 5, 9), since('2026-01-01', 5, 12)],
  LU: [since(ALWAYS, 3, 8, 14), since('2023-01-01', 3, 7, 13, 16), since('2024-01-01', 3, 8, 14)],
  MT: [since(ALWAYS, 5, 7), since('2024-01-01', 5, 7, 12)],
  NL: [since(ALWAYS, 6), since('2019-01-01', 9)],
  PL: always(5, 8),
  PT: always(4, 5, 6, 9, 12, 13, 16, 22),
  RO: [since(ALWAYS, 5, 9), since('2025-08-01', 9, 11)],
  SK: [since(ALWAYS, 5, 10), since('2025-01-01', 5, 19)],
  SI: always(5, 9.5),
  ES: [
    since(ALWAYS, 4, 10),
    since('2022-07-01', 4, 5, 10),
    since('2024-10-01', 2, 4, 5, 7.5, 10),
    since('2025-01-01', 4, 10),
  ],
  SE: always(6, 12),
  GB: [since(ALWAYS, 5), since('2021-10-01', 5, 12.5), since('2022-04-01', 5)],
  NO: [since(ALWAYS, 10, 11.11, 15), since('2018-01-01', 6, 11.11, 12, 15)],
  CH: [since(ALWAYS, 2.5, 3.8), since('2018-01-01', 2.5, 3.7), since('2024-01-01', 2.6, 3.8)],
};

/**
 * Returns the standard VAT rate in a country on a given day and the day from which it applies. Undefined for a country
 * that is not listed.
 */
export function standardVatRate(country: string, date: CalendarDate): VatRate | undefined {
  return standardRates[country]?.findLast((rate) => rate.from <= date);
}

/** Returns the highest standard VAT rate on a given day and the country that charges it. */
export function highestVatRate(date: CalendarDate): { readonly country: string; readonly rate: VatRate } | undefined {
  const rates = Object.keys(standardRates).flatMap((country) => {
    const rate = standardVatRate(country, date);
    return rate === undefined ? [] : [{ country, rate }];
  });
  return rates.toSorted((left, right) => right.rate.basisPoints - left.rate.basisPoints)[0];
}

/**
 * Returns the standard VAT rates that may turn a net amount into a gross amount: the rates of the given country, or of
 * the whole European Union if the country is unknown.
 */
export function possibleVatRates(country: string | undefined, dates: readonly CalendarDate[]): number[] {
  const countries = country !== undefined && standardRates[country] !== undefined ? [country] : europeanUnion;
  const rates = countries.flatMap((code) => dates.map((date) => standardVatRate(code, date)?.basisPoints ?? 0));
  return [...new Set(rates)].filter((rate) => rate > 0);
}

/**
 * Returns the country's other legal VAT rates on any of the given days. For an unknown country, the result is empty,
 * because the rates of all countries together would fit too many amounts.
 */
export function otherVatRates(country: string | undefined, dates: readonly CalendarDate[]): readonly number[] {
  const periods = country === undefined ? undefined : otherRates[country];
  if (periods === undefined) return [];
  const found = dates.map((date) => periods.findLast(({ from }) => from <= date)?.basisPoints ?? []);
  return [...new Set(found.flat())];
}
