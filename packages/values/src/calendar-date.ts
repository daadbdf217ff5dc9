/** A day as `YYYY-MM-DD`, without a time or a zone. */
export type CalendarDate = string;

/** Years outside this range are typing errors on an invoice and are refused. */
export const CALENDAR_YEAR_MIN = 1900;
export const CALENDAR_YEAR_MAX = 2199;

const SHAPE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const MS_PER_DAY = 86_400_000;

/** True for a real day of the years 1900 to 2199 written `YYYY-MM-DD`. */
export function isCalendarDate(value: string): value is CalendarDate {
  const match = SHAPE.exec(value);
  if (match === null) return false;
  const year = Number(match[1]);
  if (year < CALENDAR_YEAR_MIN || year > CALENDAR_YEAR_MAX) return false;
  const month = Number(match[2]);
  const day = Number(match[3]);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Days since 1970-01-01; negative before. Throws a RangeError for anything but a calendar date. */
export function dayNumber(date: CalendarDate): number {
  if (!isCalendarDate(date)) {
    throw new RangeError('A date is a real day written YYYY-MM-DD, in the years 1900 to 2199.');
  }
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10))) / MS_PER_DAY;
}

/** The inverse of `dayNumber`. */
export function dateOfDayNumber(day: number): CalendarDate {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
}

/** The first and the last day of the year of a date, as day numbers. */
export function daysOfYear(date: CalendarDate): { readonly first: number; readonly last: number } {
  const year = Number(date.slice(0, 4));
  return { first: Date.UTC(year, 0, 1) / MS_PER_DAY, last: Date.UTC(year, 11, 31) / MS_PER_DAY };
}

/** `days` later, or earlier when negative. */
export function addDays(date: CalendarDate, days: number): CalendarDate {
  return dateOfDayNumber(dayNumber(date) + days);
}

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export function daysBetween(from: CalendarDate, to: CalendarDate): number {
  return dayNumber(to) - dayNumber(from);
}

/** The date with day and month swapped (`2025-03-04` becomes `2025-04-03`); undefined if that is the same or not a real day. */
export function swapDayAndMonth(date: CalendarDate): CalendarDate | undefined {
  const swapped = `${date.slice(0, 4)}-${date.slice(8, 10)}-${date.slice(5, 7)}`;
  return swapped !== date && isCalendarDate(swapped) ? swapped : undefined;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
