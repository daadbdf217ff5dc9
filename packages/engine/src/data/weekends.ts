/** Countries in which the weekend is Friday and Saturday instead of Saturday and Sunday. Reviewed 2026-11. */
const fridayAndSaturday: ReadonlySet<string> = new Set(['BH', 'QA', 'SA']);

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Returns the weekday of a day number (days since 1970-01-01). */
export function weekdayOf(day: number): (typeof weekdays)[number] {
  // The first day that weekdays are counted from, 1970-01-01, was a Thursday.
  return weekdays[(((day + 4) % 7) + 7) % 7] ?? 'Sunday';
}

/**
 * Checks whether a day is part of the weekend in a country. If the country is unknown, the weekend is Saturday and
 * Sunday.
 */
export function isWeekend(day: number, country: string | undefined): boolean {
  const weekday = weekdayOf(day);
  if (weekday === 'Saturday') return true;
  return weekday === (country !== undefined && fridayAndSaturday.has(country) ? 'Friday' : 'Sunday');
}
