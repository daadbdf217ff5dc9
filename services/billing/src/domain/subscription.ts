import type { Interval, PlanCode } from './prices.js';

export const subscriptionStatuses = ['trialing', 'active', 'past_due', 'paused', 'canceled'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

export const changeActions = ['cancel', 'pause', 'resume'] as const;

/** A change of a subscription that the payment provider will make later. The status remains the same until then. */
export interface ScheduledChange {
  readonly action: (typeof changeActions)[number];
  readonly effectiveAt: Date;
}

/** The plan that a subscription bought, with additional legal entities. */
export interface Purchase {
  readonly plan: PlanCode;
  readonly interval: Interval;
  readonly additionalLegalEntities: number;
}

/** The state of a subscription according to one message from the payment provider. */
export interface Snapshot {
  readonly id: string;
  readonly status: SubscriptionStatus;
  /** The purchased plan. Undefined if no item of the subscription has the price of a plan. */
  readonly purchase: Purchase | undefined;
  /** True if an item of the subscription has a price that is not in the configuration. */
  readonly hasUnknownPrice: boolean;
  /** True if the items of the subscription have the prices of several plans. The highest plan is used. */
  readonly hasSeveralPlans: boolean;
  readonly customerId: string | undefined;
  readonly periodStart: Date | undefined;
  readonly periodEnd: Date | undefined;
  /** Time when the trial of the subscription ends. Undefined unless the status is `trialing`. */
  readonly trialEnd: Date | undefined;
  readonly scheduledChange: ScheduledChange | undefined;
  /**
   * The organization that the checkout of a subscription named. The name was passed through a browser, so it is only a
   * claim.
   */
  readonly claimedOrganizationId: string | undefined;
  /**
   * Reference that was passed to the checkout. If the reference belongs to an organization and was not used before, it
   * proves that this organization bought the subscription.
   */
  readonly checkoutReference: string | undefined;
}
