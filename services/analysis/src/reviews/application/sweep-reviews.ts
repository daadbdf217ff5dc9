import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { FindingStore } from '../../records/application/finding-store.js';
import type { ReviewEffects } from './review-effects.js';

/**
 * Age at which a stored review that was not applied completely is taken over by the sweep, because its worker counts as
 * lost.
 */
const PENDING_MS_MIN = 30_000;

interface Deps {
  readonly findings: FindingStore;
  readonly effects: ReviewEffects;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Completes reviews that were stored but not applied completely because of a crash or an error. An error in one review
 * does not delay the other reviews.
 */
export const sweepReviews =
  ({ findings, effects, clock, logger }: Deps) =>
  async (): Promise<void> => {
    const reviewedBefore = new Date(clock.now().getTime() - PENDING_MS_MIN);
    let page = await findings.pending(reviewedBefore);
    while (page.length > 0) {
      for (const finding of page) {
        try {
          await effects.apply(finding);
          await findings.closeReview(finding);
        } catch (error) {
          const { findingId } = finding;
          logger.error({ error, findingId }, 'what follows from a review is still not stored; the next sweep retries');
        }
      }
      page = await findings.pending(reviewedBefore, page.at(-1)?.findingId);
    }
  };
