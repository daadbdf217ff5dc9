import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { europeanUnion } from './european-union.js';

/** A standard rate in basis points and the day it came into force. */
export interface VatRate {
  readonly from: CalendarDate;
  readonly basisPoints: number;
}

/** The start of rates that are older than any invoice. */
export const ALWAYS: CalendarDate = '1900-01-01';

const constant = (basisPoints: number): readonly VatRate[] => [{ from: ALWAYS, basisPoints }];
const changed = (before: number, from: CalendarDate, basisPoints: number): readonly VatRate[] => [
  { from: ALWAYS, basisPoints: before },
  { from, basisPoints },
];

/** Standard rates of value added tax by country (detection reference, section 7.4). Reviewed 2026-11. */
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

/** The standard rate of a country on a day and since when; undefined for a country that is not listed. */
export function standardVatRate(country: string, date: CalendarDate): VatRate | undefined {
  return standardRates[country]?.findLast((rate) => rate.from <= date);
}

/** The highest of all standard rates on a day, and whose it is. */
export function highestVatRate(date: CalendarDate): { readonly country: string; readonly rate: VatRate } | undefined {
  const rates = Object.keys(standardRates).flatMap((country) => {
    const rate = standardVatRate(country, date);
    return rate === undefined ? [] : [{ country, rate }];
  });
  return rates.toSorted((left, right) => right.rate.basisPoints - left.rate.basisPoints)[0];
}

/** Rates by which a net amount may have become a gross one: the country's, or all of the European Union when unknown. */
export function possibleVatRates(country: string | undefined, dates: readonly CalendarDate[]): number[] {
  const countries = country !== undefined && standardRates[country] !== undefined ? [country] : europeanUnion;
  const rates = countries.flatMap((code) => dates.map((date) => standardVatRate(code, date)?.basisPoints ?? 0));
  return [...new Set(rates)].filter((rate) => rate > 0);
}
