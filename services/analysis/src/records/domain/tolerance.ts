import type { CalendarDate } from '@invoicecontrol/values/calendar-date';

/**
 * Kind of findings to which a learned tolerance applies: findings about the same supplier that have the same type and
 * signature.
 */
export interface ToleranceSubject {
  readonly supplierId: string;
  readonly type: string;
  readonly signature: string;
}

/**
 * A tolerance learned from reviews for one kind of finding. Such findings get the next lower severity, half the
 * confidence and a note.
 */
export interface LearnedTolerance extends ToleranceSubject {
  readonly falsePositives: number;
  /**
   * Number of reviewers. Absent in facts of old analyses, whose tolerances were learned before two people or thirty
   * days were required.
   */
  readonly reviewers?: number;
  readonly learnedOn: CalendarDate;
  /** Last day on which the learned tolerance applies. */
  readonly expiresOn: CalendarDate;
}
