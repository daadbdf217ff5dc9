import type { ToleranceSubject } from '../domain/learned-tolerance.js';
import type { StandingReview } from '../domain/review.js';

/** Reviews that one answer holds at most; more with one key say nothing new. */
export const REVIEWS_MAX = 500;

/** What use cases need of the collection of standing reviews: one per reviewed finding, newest word only. */
export interface ReviewStore {
  /** Repeatable, in any order: a review of an older version of the finding changes nothing. */
  stand(organizationId: string, review: StandingReview): Promise<void>;
  /** Reviews that called a finding with one of these evidence or pair keys FALSE_POSITIVE; at most REVIEWS_MAX. */
  falsePositives(organizationId: string, keys: readonly string[]): Promise<StandingReview[]>;
  /** Reviews of any supplier's findings that decide whether an account is trusted. */
  ofAccount(organizationId: string, bankKey: string): Promise<StandingReview[]>;
  /** The newest reviews of similar findings. */
  ofSubject(organizationId: string, subject: ToleranceSubject): Promise<StandingReview[]>;
}
