import { dateOfDayNumber, isCalendarDate } from '@invoicecontrol/values/calendar-date';

/** Order of the two leading numbers of a date in a CSV file: day or month first. */
export type DateOrder = 'dmy' | 'mdy';
export const dateOrders = ['dmy', 'mdy'] as const;

/**
 * Range of date serial numbers in spreadsheets, which count days since 1899-12-30. The range covers the years 1954 to
 * 2099.
 */
const SERIAL_OF_1970 = 25_569;
const SERIAL_MIN = 20_000;
const SERIAL_MAX = 73_050;
/** Lowest two-digit year in the dates of a CSV file that belongs to the 20th century. Lower ones belong to the 21st. */
const CENTURY_PIVOT = 70;

const TIME =
  /(?:T|(?<!\s)\s)\s*\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[AaPp]\.?[Mm]\.?)?(?:\s*(?:Z|[+-]\d{2}:?\d{2}))?$/;
const YEAR_FIRST = /^(\d{4})([-./])(\d{1,2})\2(\d{1,2})$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
const DOTTED = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})$/;
const SLASHED = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4}|\d{2})$/;
const SERIAL = /^(\d{5})(?:[.,]\d+)?$/;
const NAMED_MONTH = /^(\d{1,2})[-\s/]([A-Za-z]{3})[-\s/](\d{4}|\d{2})$/;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Reads `2025-12-31`, `31.12.2025`, `31/12/2025`, `12/31/2025`, `20251231`, `31-Dec-2025`, years of two digits, and
 * spreadsheet serial numbers such as 46022. Each form may be followed by a time. In dates with dots, the day always
 * comes first.
 * @returns `YYYY-MM-DD`, or undefined if the text is not a real day when it is read in the given order of day and month
 */
export function readDate(text: string, order: DateOrder): string | undefined {
  const day = text.trim().replace(TIME, '').trim();
  const yearFirst = YEAR_FIRST.exec(day);
  if (yearFirst !== null) return calendarDate(yearFirst[1], yearFirst[3], yearFirst[4]);
  const compact = COMPACT.exec(day);
  if (compact !== null) return calendarDate(compact[1], compact[2], compact[3]);
  const dotted = DOTTED.exec(day);
  if (dotted !== null) return calendarDate(dotted[3], dotted[2], dotted[1]);
  const slashed = SLASHED.exec(day);
  if (slashed !== null) {
    const [, first, , second, year] = slashed;
    return order === 'dmy' ? calendarDate(year, second, first) : calendarDate(year, first, second);
  }
  const named = NAMED_MONTH.exec(day);
  if (named !== null) {
    return calendarDate(named[3], String(months.indexOf((named[2] ?? '').toLowerCase()) + 1), named[1]);
  }
  const serial = Number(SERIAL.exec(day)?.[1]);
  return serial >= SERIAL_MIN && serial <= SERIAL_MAX ? dateOfDayNumber(serial - SERIAL_OF_1970) : undefined;
}

function calendarDate(year = '', month = '', day = ''): string | undefined {
  const date = `${fullYear(year)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDate(date) ? date : undefined;
}

function fullYear(year: string): string {
  if (year.length !== 2) return year;
  return `${Number(year) >= CENTURY_PIVOT ? '19' : '20'}${year}`;
}
