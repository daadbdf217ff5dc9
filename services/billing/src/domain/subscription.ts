import type { Interval, PlanCode } from './prices.js';

export const subscriptionStatuses = ['trialing', 'active', 'past_due', 'paused', 'canceled'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

export const changeActions = ['cancel', 'pause', 'resume'] as const;

/** A change that the provider makes later; until then the status stays. */
export interface ScheduledChange {
  readonly action: (typeof changeActions)[number];
  readonly effectiveAt: Date;
}

/** The bought plan and its additions. */
export interface Purchase {
  readonly plan: PlanCode;
  readonly interval: Interval;
  readonly additionalLegalEntities: number;
}

/** A subscription as one message of the provider shows it. */
export interface Snapshot {
  readonly id: string;
  readonly status: SubscriptionStatus;
  /** Undefined when no item has the price of a plan. */
  readonly purchase: Purchase | undefined;
  /** An item has a price that the configuration does not name. */
  readonly hasUnknownPrice: boolean;
  /** Items have the prices of several plans; the highest of them is the purchase. */
  readonly hasSeveralPlans: boolean;
  readonly customerId: string | undefined;
  readonly periodStart: Date | undefined;
  readonly periodEnd: Date | undefined;
  /** Time when the trial ends; undefined unless `trialing`. */
  readonly trialEnd: Date | undefined;
  readonly scheduledChange: ScheduledChange | undefined;
  /** The organization that the checkout was given. It went through a browser, so it claims and does not prove. */
  readonly claimedOrganizationId: string | undefined;
  /** The reference that the checkout was given. It proves the organization when it belongs to that organization and is unused. */
  readonly checkoutReference: string | undefined;
}
