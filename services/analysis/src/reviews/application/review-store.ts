import type { ToleranceSubject } from '../../records/domain/tolerance.js';
import type { CurrentReview } from '../domain/review.js';

/** Reviews that one answer holds at most; more with one key say nothing new. */
export const REVIEWS_MAX = 500;

/** The operations of use cases on the current reviews: one per reviewed finding, the newest. */
export interface ReviewStore {
  /** Repeatable, in any order: a review of an older version of the finding changes nothing. */
  upsert(organizationId: string, review: CurrentReview): Promise<void>;
  /** Reviews that called a finding with one of these evidence or pair keys FALSE_POSITIVE; at most REVIEWS_MAX. */
  falsePositives(organizationId: string, keys: readonly string[]): Promise<CurrentReview[]>;
  /** Reviews of any supplier's findings that decide whether an account is trusted. */
  ofAccount(organizationId: string, bankKey: string): Promise<CurrentReview[]>;
  /** The newest reviews of similar findings. */
  ofSubject(organizationId: string, subject: ToleranceSubject): Promise<CurrentReview[]>;
}
