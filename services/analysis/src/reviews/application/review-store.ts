import type { ToleranceSubject } from '../../records/domain/tolerance.js';
import type { CurrentReview } from '../domain/review.js';

/** Maximum number of finding reviews that a lookup returns. Further reviews with the same key add no information. */
export const REVIEWS_MAX = 500;

/** Stores the current review of each finding. */
export interface ReviewStore {
  /**
   * Stores a review of a finding. Calls can be repeated in any order, because a review of an older finding version
   * changes nothing.
   */
  upsert(organizationId: string, review: CurrentReview): Promise<void>;
  /** Returns FALSE_POSITIVE reviews of findings with one of the given evidence or pair keys, at most REVIEWS_MAX. */
  falsePositives(organizationId: string, keys: readonly string[]): Promise<CurrentReview[]>;
  /** Returns the reviews of findings, for any supplier, that decide whether a bank account is trusted. */
  ofAccount(organizationId: string, bankKey: string): Promise<CurrentReview[]>;
  /** Returns the newest reviews of findings with the same supplier, type and signature. */
  ofSubject(organizationId: string, subject: ToleranceSubject): Promise<CurrentReview[]>;
}
