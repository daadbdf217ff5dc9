import type { EarningUse } from '../facts/supplier.js';

/**
 * Number of invoices, and of days between the first and the last, after which an account or a tax id is established.
 */
const SEEN_INVOICES_MIN = 3;
const SEEN_DAYS_MIN = 60;
/**
 * Minimum number of rows of a history scan, and of days between the first and the last row, after which an account or a
 * tax id counts as established although a finding reported it, if the same scan imported the supplier. A year of
 * undisputed payments is sufficient evidence.
 */
const SEEN_HISTORY_ROWS_MIN = 6;
const SEEN_HISTORY_DAYS_MIN = 365;

export function isLongHistory({ count, firstDay, lastDay }: EarningUse): boolean {
  return count >= SEEN_HISTORY_ROWS_MIN && lastDay - firstDay >= SEEN_HISTORY_DAYS_MIN;
}

/** Checks whether the number of bills and the days between them establish an account or a tax id. */
export function isEstablished({ count, firstDay, lastDay }: EarningUse): boolean {
  return count >= SEEN_INVOICES_MIN && lastDay - firstDay >= SEEN_DAYS_MIN;
}
