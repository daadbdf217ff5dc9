import { events } from '@invoicecontrol/contracts/events';
import { notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Policy } from '../domain/policy.js';
import { review } from '../domain/review.js';
import type { ReviewInput, ReviewOutcome } from '../domain/review.js';
import { deferred } from './deferred.js';
import type { FindingActor, FindingStore, WorkedFinding } from './finding-store.js';
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
export const reviewFinding = ({ findings, effects, policy, clock, logger }: Deps) => {
  const change = recordDisposition({ findings, effects, clock, logger });
  return ({ organizationId, findingId, ...input }: ReviewFindingInput, { actor }: RequestContext) =>
    retryOnConflict(async (): Promise<WorkedFinding> => {
      const finding = await findings.find(organizationId, findingId);
      if (finding === undefined) throw notFound('finding');
      const outcome = review(finding, input, policy);
      if (outcome.kind === 'CHANGED') return change(finding, outcome, actor);
      if (outcome.kind === 'UNCHANGED') return finding;
      const { disposition, note } = outcome;
      const entry = { at: clock.now(), actor, action: 'REVIEWED', from: disposition, to: disposition, note } as const;
      return findings.change(finding, { entry }, {});
    });
};

type Changed = Extract<ReviewOutcome, { kind: 'CHANGED' }>;

/** Moves a finding to another disposition, tells of it, and stores what follows. */
export const recordDisposition =
  ({ findings, effects, clock, logger }: Omit<Deps, 'policy'>) =>
  async (finding: WorkedFinding, { from, to, note }: Changed, actor: FindingActor): Promise<WorkedFinding> => {
    const { findingId, invoiceId } = finding;
    const effected = deferred();
    const changed = await findings.change(
      finding,
      {
        disposition: to,
        entry: { at: clock.now(), actor, action: 'REVIEWED', from, to, ...(note === undefined ? {} : { note }) },
      },
      {
        events: [
          announce(events.findingReviewed, {
            findingId,
            invoiceId,
            disposition: to,
            previousDisposition: from,
            reviewedBy: `${actor.type}:${actor.id}`,
          }),
        ],
        finish: { when: effected.promise, unset: ['pending'] },
      },
    );
    try {
      await effects.apply(changed);
      effected.resolve();
    } catch (error) {
      // The review stands; the sweep brings what follows from it.
      effected.reject(error);
      logger.warn({ error, findingId }, 'what follows from a review is left to the sweep');
    }
    return changed;
  };
