import { invalidField } from '@invoicecontrol/errors';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';

/** Earliest accepted first date of an ERP import. The limit detects typing errors such as the year 0226. */
const EARLIEST = '2000-01-01';

/**
 * Returns the first date from which bills are imported.
 * @throws DomainError invalid
 */
export function readImportFrom(day: string | undefined, now: Date): string | undefined {
  if (day === undefined) return undefined;
  const today = now.toISOString().slice(0, 10);
  if (!isCalendarDate(day) || day < EARLIEST || day > today) {
    throw invalidField('import_from', `must be a day from ${EARLIEST} to today, such as 2026-01-31.`);
  }
  return day;
}
