/** The calendar month of an instant, UTC: the period of every quota. */
export function usageMonth(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/** Returns the beginning of the next month. */
export function endOfMonth(month: string): Date {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0));
}
