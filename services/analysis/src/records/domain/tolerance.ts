import type { CalendarDate } from '@invoicecontrol/values/calendar-date';

/** Similar findings to a reviewer: of one supplier and type, with the same relations between the records. */
export interface ToleranceSubject {
  readonly supplierId: string;
  readonly type: string;
  readonly signature: string;
}

/** A tolerance that reviews taught for a kind of finding: it is shown one severity lower and half as confident, with a note. */
export interface LearnedTolerance extends ToleranceSubject {
  readonly falsePositives: number;
  /**
   * Number of reviewers. Absent in tolerances that were learned before one needed two people or thirty days: only the facts of old analyses
   * have such ones.
   */
  readonly reviewers?: number;
  readonly learnedOn: CalendarDate;
  /** The last day it holds. */
  readonly expiresOn: CalendarDate;
}
