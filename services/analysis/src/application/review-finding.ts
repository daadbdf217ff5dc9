import { notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { review } from '../domain/review.js';
import type { ReviewInput } from '../domain/review.js';
import { reviewedAnnouncement } from './announcements.js';
import { deferred } from './deferred.js';
import type { FindingStore, WorkedFinding } from './finding-store.js';
import type { ReviewEffects } from './review-effects.js';

interface Deps {
  readonly findings: FindingStore;
  readonly effects: ReviewEffects;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ReviewFindingInput extends ReviewInput {
  readonly organizationId: string;
  readonly findingId: string;
}

/**
 * Records what a person says about a finding. The guarded write of the finding is the commit point; what follows from
 * it is stored before the answer, or by the sweep (detection reference, section 10).
 * @throws DomainError not_found, and those of `review`
 */
export const reviewFinding =
  ({ findings, effects, policy, clock, logger }: Deps) =>
  ({ organizationId, findingId, ...input }: ReviewFindingInput, { actor }: RequestContext): Promise<WorkedFinding> =>
    retryOnConflict(async () => {
      const finding = await findings.find(organizationId, findingId);
      if (finding === undefined) throw notFound('finding');
      const outcome = review(finding, input, policy);
      if (outcome.kind === 'UNCHANGED') return finding;
      const entry = { at: clock.now(), actor, action: 'REVIEWED', ...withoutKind(outcome) } as const;
      if (outcome.kind === 'NOTED') return findings.change(finding, { entry }, {});
      const effected = deferred();
      const reviewed = await findings.change(
        finding,
        { disposition: outcome.to, isReview: true, entry },
        {
          events: [reviewedAnnouncement(finding, outcome, actor)],
          finish: { when: effected.promise, unset: ['pending'] },
        },
      );
      try {
        await effects.apply(reviewed);
        effected.resolve();
      } catch (error) {
        // The review stands; the sweep brings what follows from it.
        effected.reject(error);
        logger.warn({ error, findingId }, 'what follows from a review is left to the sweep');
      }
      return reviewed;
    });

function withoutKind<T extends { readonly kind: string }>({ kind, ...said }: T): Omit<T, 'kind'> {
  return said;
}
