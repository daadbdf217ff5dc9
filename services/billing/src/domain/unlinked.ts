import type { PlanCode } from './prices.js';
import type { SubscriptionStatus } from './subscription.js';

/** Reasons why a subscription is not linked to an organization. */
export type UnlinkedReason = 'NO_REFERENCE' | 'UNKNOWN_REFERENCE' | 'EXPIRED_REFERENCE' | 'USED_REFERENCE';

/** Explanations of unlinked subscriptions for the operator, which the command `stuck` shows. */
export const unlinkedSentences: Readonly<Record<UnlinkedReason, string>> = {
  NO_REFERENCE: 'its checkout has no reference: anyone can open a checkout that names an organization',
  UNKNOWN_REFERENCE: 'its checkout reference was not issued to the organization that it names',
  EXPIRED_REFERENCE: 'its checkout was requested more than 30 days before it was paid',
  USED_REFERENCE: 'its checkout reference was already used by another subscription',
};

/** A subscription that the operator must link, with its state according to the newest message. */
export interface UnlinkedSubscription {
  readonly subscriptionId: string;
  readonly reason: UnlinkedReason;
  /** The organization that the checkout of a subscription named, as claimed by the person who opened the checkout. */
  readonly namedOrganizationId: string | undefined;
  readonly status: SubscriptionStatus;
  readonly plan: PlanCode;
  readonly customerId: string | undefined;
  /** Time of the newest message about an unlinked subscription, in a normalized form that sorts by time. */
  readonly occurredAt: string;
}
