import type { PlanCode } from './prices.js';
import type { SubscriptionStatus } from './subscription.js';

/** Why a subscription belongs to no organization. */
export type UnlinkedReason = 'NO_REFERENCE' | 'UNKNOWN_REFERENCE' | 'EXPIRED_REFERENCE' | 'USED_REFERENCE';

/** For the operator, in a sentence that goes on after `its checkout`. */
export const unlinkedSentences: Readonly<Record<UnlinkedReason, string>> = {
  NO_REFERENCE: 'its checkout has no reference of ours: anybody can open one that names this organization',
  UNKNOWN_REFERENCE: 'its checkout reference is none that this organization was given',
  EXPIRED_REFERENCE: 'its checkout was requested more than 30 days before it was paid',
  USED_REFERENCE: 'its checkout reference has linked another subscription before',
};

/** A subscription that waits for the operator, as the newest message shows it. */
export interface UnlinkedSubscription {
  readonly subscriptionId: string;
  readonly reason: UnlinkedReason;
  /** The organization that its checkout named: a claim of whoever opened it. */
  readonly namedOrganizationId: string | undefined;
  readonly status: SubscriptionStatus;
  readonly plan: PlanCode;
  readonly customerId: string | undefined;
  /** Of the message that is shown; normalised. */
  readonly occurredAt: string;
}
