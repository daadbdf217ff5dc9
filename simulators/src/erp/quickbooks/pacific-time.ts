/** Formats a time as QuickBooks does: `2026-01-02T10:00:00-08:00`, without daylight saving time. */
export function pacificTime(instant: Date): string {
  return new Date(instant.getTime() - OFFSET_MS).toISOString().replace(/\.\d+Z$/, '-08:00');
}

const OFFSET_MS = 8 * 3_600_000;
