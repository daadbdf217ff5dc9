import { events } from '@invoicecontrol/contracts/events';
import { DomainError } from '@invoicecontrol/errors';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { personOf } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { blockAfter, review } from '../domain/review.js';
import type { ReviewInput, ReviewOutcome } from '../domain/review.js';
import { findingReviewed } from '../../telemetry.js';
import { reviewedAnnouncement } from '../../records/application/announcements.js';
import { deferred } from '../../records/application/deferred.js';
import type { FindingChange, FindingStore, WorkedFinding } from '../../records/application/finding-store.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import { requireFinding } from './require-finding.js';
import type { ReviewEffects } from './review-effects.js';

interface Deps {
  readonly findings: FindingStore;
  readonly invoices: InvoiceStore;
  readonly effects: ReviewEffects;
  readonly policy: Policy;
  readonly audit: Pick<AuditBuffer, 'record'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ReviewFindingInput extends ReviewInput {
  /** Disposition that the reviewer saw. Undefined if the review applies to any. */
  readonly expectedDisposition?: string | undefined;
  readonly organizationId: string;
  readonly findingId: string;
}

/**
 * Records the review of a finding. The review takes effect with the database write that changes the finding, and the
 * same write stores its audit event. What follows from the review, such as a new decision on the invoice, is stored
 * before the response, or later by the sweep (detection reference, section 10). A refused review changes no finding, so
 * its audit event is stored separately.
 * @throws DomainError not_found, unavailable, and the errors of `review`
 */
export type ReviewFinding = (input: ReviewFindingInput, context: RequestContext) => Promise<ChangedFinding>;

/** A finding after a request to change it. */
export interface ChangedFinding {
  readonly finding: WorkedFinding;
  /** False if the request repeats an earlier one, and nothing was stored. */
  readonly isChanged: boolean;
}

export const reviewFinding =
  ({ findings, invoices, effects, policy, audit, clock, logger }: Deps): ReviewFinding =>
  ({ organizationId, findingId, expectedDisposition, ...input }, context) => {
    const { actor } = context;
    const act = { action: 'finding.reviewed', target: `finding:${findingId}` } as const;
    const recorded = auditAnnouncement(events.analysisAuditRecorded, context, { ...act, outcome: 'SUCCEEDED' });
    return retryOnConflict(async () => {
      const finding = await requireFinding({ findings, invoices }, organizationId, findingId);
      let outcome: ReviewOutcome;
      try {
        requireExpected(finding, input, expectedDisposition);
        outcome = review(finding, input, policy);
      } catch (error) {
        audit.record(organizationId, context, { ...act, outcome: 'REFUSED' });
        throw error;
      }
      if (outcome.kind === 'UNCHANGED') return { finding, isChanged: false };
      const at = clock.now();
      const entry = { at, actor, ...personBehind(context), action: 'REVIEWED', ...withoutKind(outcome) } as const;
      if (outcome.kind === 'NOTED') {
        if (await isRepeated(findings, finding, entry)) return { finding, isChanged: false };
        return { finding: await findings.change(finding, { entry }, { events: [recorded] }), isChanged: true };
      }
      const effected = deferred();
      const reviewed = await findings.change(
        finding,
        { disposition: outcome.to, isReview: true, blockedSince: blockAfter(finding, outcome.to, at), entry },
        {
          events: [reviewedAnnouncement(finding, outcome, actor), recorded],
          finish: { when: effected.promise, unset: ['pending'] },
        },
      );
      findingReviewed(finding.type, outcome.to);
      try {
        await effects.apply(reviewed);
        effected.resolve();
      } catch (error) {
        // The review of the finding is already stored, so the sweep will apply it to decisions and supplier profiles.
        effected.reject(error);
        logger.warn({ error, findingId }, 'what follows from a review could not be stored; the sweep retries');
      }
      return { finding: reviewed, isChanged: true };
    });
  };

/**
 * Refuses a review of a finding that another reviewer has decided in the meantime. A finding that already has the
 * requested disposition is accepted, so that the request can be repeated.
 */
function requireExpected(
  { disposition }: WorkedFinding,
  asked: Pick<ReviewInput, 'disposition'>,
  expected: string | undefined,
): void {
  if (expected === undefined || expected === disposition || asked.disposition === disposition) return;
  throw new DomainError(
    'wrong_state',
    `Another reviewer has changed the disposition of the finding from ${expected} to ${disposition}. Read the finding again before you review it.`,
  );
}

/**
 * Returns the person behind an API key, so that a confirmation by a second person cannot come from a second key of the
 * same person.
 */
function personBehind(context: RequestContext): { readonly person?: string } {
  const { actor } = context;
  const person = personOf(context);
  return person === `${actor.type}:${actor.id}` ? {} : { person };
}

/**
 * Checks whether the same actor has already given the same review of a finding since the last change of its
 * disposition.
 */
async function isRepeated(findings: FindingStore, finding: WorkedFinding, entry: FindingChange): Promise<boolean> {
  const { actor, to, note } = entry;
  const changes = (await findings.history(finding.organizationId, finding.findingId)) ?? [];
  const reviews = changes.filter(({ action }) => action === 'REVIEWED');
  const decided = reviews.findLastIndex((change) => change.from !== change.to);
  return reviews
    .slice(Math.max(0, decided))
    .some(
      (change) =>
        change.to === to && change.note === note && change.actor.type === actor.type && change.actor.id === actor.id,
    );
}

function withoutKind<T extends { readonly kind: string }>({ kind, ...said }: T): Omit<T, 'kind'> {
  return said;
}
