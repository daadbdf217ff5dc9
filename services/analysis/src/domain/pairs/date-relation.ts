import { swapDayAndMonth } from '@invoicecontrol/values/calendar-date';
import type { Candidate } from '../invoice.js';
import type { DuplicateParameters } from '../policy.js';

export type DateRelation = keyof DuplicateParameters['halfPoints']['date'];

/** How two issue dates relate; the first that holds (detection reference, section 5). */
export function dateRelation(left: Candidate, right: Candidate, parameters: DuplicateParameters): DateRelation {
  const days = Math.abs(left.issueDay - right.issueDay);
  if (days === 0) return 'SAME';
  if (swapDayAndMonth(left.issueDate) === right.issueDate) return 'SWAP';
  if (days <= parameters.nearDays) return 'NEAR';
  if (days <= parameters.farDays) return 'FAR';
  return days <= parameters.otherDays ? 'OTHER' : 'YEAR';
}
