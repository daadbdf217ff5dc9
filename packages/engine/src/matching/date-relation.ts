import type { Candidate } from '../facts/invoice.js';
import type { DuplicateParameters } from '../policy/duplicates.js';

export type DateRelation = keyof DuplicateParameters['halfPoints']['date'];

/**
 * Returns how the issue dates of two invoices are related, such as equal or with day and month swapped (detection
 * reference, section 5).
 */
export function dateRelation(left: Candidate, right: Candidate, parameters: DuplicateParameters): DateRelation {
  const days = Math.abs(left.issueDay - right.issueDay);
  if (days === 0) return 'SAME';
  if (isSwapped(left.issueDate, right.issueDate)) return 'SWAP';
  if (days <= parameters.nearDays) return 'NEAR';
  if (days <= parameters.farDays) return 'FAR';
  return days <= parameters.otherDays ? 'OTHER' : 'YEAR';
}

/**
 * Checks whether the dates allow two bills for the same supply: the dates are equal, have day and month swapped, or are
 * a few days apart.
 */
export function isOfTheSameDays(date: DateRelation): boolean {
  return date === 'SAME' || date === 'NEAR' || date === 'SWAP';
}

/**
 * Checks whether the issue dates of two invoices differ only by swapped day and month. Both dates are known to be real,
 * so comparing the strings is enough.
 */
function isSwapped(left: string, right: string): boolean {
  return `${left.slice(0, 4)}-${left.slice(8)}-${left.slice(5, 7)}` === right;
}
