/** A calendar date of the form `YYYY-MM-DD`, without a time or a time zone. */
export type CalendarDate = string;

/**
 * First accepted year of a date. An earlier year on an invoice, or one after 2199, is a typing error and is refused.
 */
export const CALENDAR_YEAR_MIN = 1900;
export const CALENDAR_YEAR_MAX = 2199;

const SHAPE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const MS_PER_DAY = 86_400_000;

/** Checks whether a string is an existing day in the years 1900 to 2199 of the form `YYYY-MM-DD`. */
export function isCalendarDate(value: string): value is CalendarDate {
  const match = SHAPE.exec(value);
  if (match === null) return false;
  const year = Number(match[1]);
  if (year < CALENDAR_YEAR_MIN || year > CALENDAR_YEAR_MAX) return false;
  const month = Number(match[2]);
  const day = Number(match[3]);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/**
 * Returns the number of days since 1970-01-01, which is negative for earlier days. Throws a RangeError if the text is
 * not a calendar date.
 */
export function dayNumber(date: CalendarDate): number {
  if (!isCalendarDate(date)) {
    throw new RangeError('The date must be a real day written YYYY-MM-DD, in the years 1900 to 2199.');
  }
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10))) / MS_PER_DAY;
}

/** Returns the date of a day number (the inverse of `dayNumber`). */
export function dateOfDayNumber(day: number): CalendarDate {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
}

/** Returns the first and the last day of the year of a date as day numbers. */
export function daysOfYear(date: CalendarDate): { readonly first: number; readonly last: number } {
  const year = Number(date.slice(0, 4));
  return { first: Date.UTC(year, 0, 1) / MS_PER_DAY, last: Date.UTC(year, 11, 31) / MS_PER_DAY };
}

/** Returns the date that is `days` later, or earlier if `days` is negative. */
export function addDays(date: CalendarDate, days: number): CalendarDate {
  return dateOfDayNumber(dayNumber(date) + days);
}

/** Returns the number of days from `from` to `to`, which is negative if `to` is earlier. */
export function daysBetween(from: CalendarDate, to: CalendarDate): number {
  return dayNumber(to) - dayNumber(from);
}

/**
 * Returns the date with day and month swapped (`2025-03-04` becomes `2025-04-03`), or undefined if that is the same
 * date or no existing day.
 */
export function swapDayAndMonth(date: CalendarDate): CalendarDate | undefined {
  const swapped = `${date.slice(0, 4)}-${date.slice(8, 10)}-${date.slice(5, 7)}`;
  return swapped !== date && isCalendarDate(swapped) ? swapped : undefined;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
