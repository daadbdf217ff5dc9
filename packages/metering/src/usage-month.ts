/** Returns the UTC calendar month of a time, such as `2026-11`. Every quota is counted by month. */
export function usageMonth(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/** Returns the calendar month that precedes the given one. */
export function monthBefore(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return usageMonth(new Date(Date.UTC(year ?? 0, (number ?? 0) - 2)));
}

/** Returns the beginning of the next calendar month in UTC, when monthly quotas begin again. */
export function endOfMonth(month: string): Date {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0));
}
