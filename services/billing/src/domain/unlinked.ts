import type { PlanCode } from './prices.js';
import type { SubscriptionStatus } from './subscription.js';

/** Reasons why a subscription is not linked to an organization. */
export type UnlinkedReason = 'NO_REFERENCE' | 'UNKNOWN_REFERENCE' | 'EXPIRED_REFERENCE' | 'USED_REFERENCE';

/** Sentences for the operator, as `stuck` shows them. */
export const unlinkedSentences: Readonly<Record<UnlinkedReason, string>> = {
  NO_REFERENCE: 'its checkout has no reference: anybody can open a checkout that names an organization',
  UNKNOWN_REFERENCE: 'its checkout reference was not issued to the organization that it names',
  EXPIRED_REFERENCE: 'its checkout was requested more than 30 days before it was paid',
  USED_REFERENCE: 'its checkout reference was already used by another subscription',
};

/** A subscription that waits for the operator, as the newest message shows it. */
export interface UnlinkedSubscription {
  readonly subscriptionId: string;
  readonly reason: UnlinkedReason;
  /** The organization that its checkout named: a claim of the person who opened it. */
  readonly namedOrganizationId: string | undefined;
  readonly status: SubscriptionStatus;
  readonly plan: PlanCode;
  readonly customerId: string | undefined;
  /** Time of the message that is shown; normalised. */
  readonly occurredAt: string;
}
