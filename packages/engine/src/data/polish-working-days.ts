import { addDays, dayNumber } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { isWeekend } from './weekends.js';

/**
 * Polish public holidays on a fixed day, `MM-DD`, according to the act on days free from work (ustawa o dniach wolnych
 * od pracy). 24 December has been a holiday since 2025. Reviewed 2026-11.
 */
const FIXED: ReadonlySet<string> = new Set([
  '01-01',
  '01-06',
  '05-01',
  '05-03',
  '08-15',
  '11-01',
  '11-11',
  '12-24',
  '12-25',
  '12-26',
]);
/**
 * Number of days from Easter Sunday to the Polish holidays Easter Monday and Corpus Christi. Easter and Pentecost are
 * Sundays and need no entry.
 */
const AFTER_EASTER = [1, 60];

/** Returns the day that is a given number of Polish working days later. */
export function addPolishWorkingDays(from: CalendarDate, workingDays: number): CalendarDate {
  let date = from;
  for (let left = workingDays; left > 0;) {
    date = addDays(date, 1);
    if (isPolishWorkingDay(date)) left -= 1;
  }
  return date;
}

function isPolishWorkingDay(date: CalendarDate): boolean {
  const day = dayNumber(date);
  const afterEaster = day - dayNumber(easterOf(Number(date.slice(0, 4))));
  return !isWeekend(day, 'PL') && !FIXED.has(date.slice(5)) && !AFTER_EASTER.includes(afterEaster);
}

/** Returns the date of Easter Sunday in a year of the Gregorian calendar, by the method of Meeus, Jones and Butcher. */
function easterOf(year: number): CalendarDate {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const [d, e] = [Math.floor(b / 4), b % 4];
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const [i, k] = [Math.floor(c / 4), c % 4];
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 19 * l) / 433);
  const month = Math.floor((h + l - 7 * m + 90) / 25);
  const day = (h + l - 7 * m + 33 * month + 19) % 32;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
