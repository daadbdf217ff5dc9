import { invalidField } from '@invoicecontrol/errors';

export const plans = ['FREE', 'CORE', 'CONTROL', 'SCALE', 'ENTERPRISE'] as const;
export type Plan = (typeof plans)[number];

/**
 * Subscription states of the payment provider (billing reference, section 5). `none` means that there was never a
 * subscription.
 */
export const subscriptionStatuses = ['none', 'trialing', 'active', 'past_due', 'paused', 'canceled'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/**
 * Usage limits of an organization. An undefined limit means that the usage is not limited. Usage is counted per
 * calendar month in UTC.
 */
export interface Limits {
  readonly analysesPerMonth: number | undefined;
  readonly scanRowsPerMonth: number | undefined;
  readonly paymentLinesPerMonth: number | undefined;
  readonly uploadBytesPerMonth: number | undefined;
  readonly companies: number | undefined;
  readonly members: number | undefined;
  readonly erpConnections: number | undefined;
  readonly webhooks: number | undefined;
}

const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;

/** Usage limits by plan. The limit for companies is not included, because it depends on the subscription. */
const limitsByPlan: Readonly<Record<Exclude<Plan, 'ENTERPRISE'>, Omit<Limits, 'companies'>>> = {
  FREE: {
    analysesPerMonth: 25,
    scanRowsPerMonth: 500,
    paymentLinesPerMonth: 500,
    uploadBytesPerMonth: 100 * MEBIBYTE,
    members: 3,
    erpConnections: 0,
    webhooks: 0,
  },
  CORE: {
    analysesPerMonth: 250,
    scanRowsPerMonth: 5_000,
    paymentLinesPerMonth: 5_000,
    uploadBytesPerMonth: GIBIBYTE,
    members: 5,
    erpConnections: 1,
    webhooks: 0,
  },
  CONTROL: {
    analysesPerMonth: 1_000,
    scanRowsPerMonth: 25_000,
    paymentLinesPerMonth: 25_000,
    uploadBytesPerMonth: 5 * GIBIBYTE,
    members: 15,
    erpConnections: 3,
    webhooks: 0,
  },
  SCALE: {
    analysesPerMonth: 5_000,
    scanRowsPerMonth: 100_000,
    paymentLinesPerMonth: 100_000,
    uploadBytesPerMonth: 25 * GIBIBYTE,
    members: 50,
    erpConnections: 10,
    webhooks: 20,
  },
};

const noLimits: Limits = {
  analysesPerMonth: undefined,
  scanRowsPerMonth: undefined,
  paymentLinesPerMonth: undefined,
  uploadBytesPerMonth: undefined,
  companies: undefined,
  members: undefined,
  erpConnections: undefined,
  webhooks: undefined,
};

/** The plan and subscription status of an organization. */
export interface Contract {
  readonly plan: Plan;
  readonly subscriptionStatus: SubscriptionStatus;
  /** Number of companies that the organization may have in addition to the first. */
  readonly additionalLegalEntities: number;
  /**
   * True if the billing service treats the subscription of an organization as active. Undefined if the operator set the
   * subscription status, which then decides whether the subscription is active.
   */
  readonly isSubscriptionActive?: boolean | undefined;
}

/**
 * Combines the contract that the operator granted with the contract that the billing service reports. The result has
 * the higher plan and the larger number of companies. An active subscription also activates the granted plan. An
 * inactive subscription adds no companies.
 */
export function combineContracts(granted: Contract, told: Contract): Contract {
  const { hasActiveSubscription } = entitlements(told);
  const { subscriptionStatus, isSubscriptionActive } = hasActiveSubscription ? told : granted;
  const bought = hasActiveSubscription ? told.additionalLegalEntities : 0;
  return {
    ...(isHigher(granted, told) ? { plan: granted.plan, subscriptionStatus, isSubscriptionActive } : told),
    additionalLegalEntities: Math.max(granted.additionalLegalEntities, bought),
  };
}

/**
 * Combines an organization's granted contract with stated values, and uses the lower of each two values. A stated value
 * that is higher than the granted value has no effect.
 */
export function lowerContract(granted: Contract, stated: Partial<Contract>): Contract {
  const changed = { ...granted, ...stated };
  return {
    ...(isHigher(granted, changed) ? changed : granted),
    additionalLegalEntities: Math.min(granted.additionalLegalEntities, changed.additionalLegalEntities),
  };
}

/** Checks whether the first of two contracts grants the higher effective plan. */
function isHigher(one: Contract, other: Contract): boolean {
  return plans.indexOf(entitlements(one).plan) > plans.indexOf(entitlements(other).plan);
}

/** Plan whose features a test organization has, within the {@link TEST_LIMITS}. */
export const TEST_PLAN: Plan = 'SCALE';

/**
 * Limits of every test organization. They are sufficient for trying an integration, and too small to replace a plan,
 * whatever the plan of the organization is.
 */
export const TEST_LIMITS: Limits = {
  analysesPerMonth: 50,
  scanRowsPerMonth: 500,
  paymentLinesPerMonth: 0,
  uploadBytesPerMonth: 50 * MEBIBYTE,
  companies: 2,
  members: 0,
  erpConnections: 0,
  webhooks: 2,
};

/** Limits and features that a contract grants an organization. */
export interface Entitlements {
  /** Effective plan of an organization. The plan is FREE if there is a subscription that is not active. */
  readonly plan: Plan;
  readonly hasActiveSubscription: boolean;
  readonly limits: Limits;
}

/**
 * Returns the entitlements of a contract (billing reference, sections 5 and 6). Every check whether an organization has
 * a subscription uses `hasActiveSubscription`.
 */
export function entitlements({
  plan,
  subscriptionStatus,
  additionalLegalEntities,
  isSubscriptionActive,
  testOf,
}: Contract & { readonly testOf?: string | undefined }): Entitlements {
  // The plan of a test organization includes webhooks. A test organization has no subscription, even if the
  // organization to which it belongs has one.
  if (testOf !== undefined) return { plan: TEST_PLAN, hasActiveSubscription: false, limits: TEST_LIMITS };
  const isPaidFor = isSubscriptionActive ?? isPaying(subscriptionStatus);
  const isEnded = subscriptionStatus !== 'none' && !isPaidFor;
  const effective = isEnded ? 'FREE' : plan;
  return {
    plan: effective,
    // The operator grants the plan ENTERPRISE without a checkout, so the plan needs no subscription.
    hasActiveSubscription: isPaidFor || (effective === 'ENTERPRISE' && subscriptionStatus === 'none'),
    limits:
      effective === 'ENTERPRISE'
        ? noLimits
        : { ...limitsByPlan[effective], companies: 1 + (isEnded ? 0 : additionalLegalEntities) },
  };
}

/**
 * Checks whether a subscription exists that is not canceled. Such a subscription prevents the deletion of the
 * organization (specification, endpoint 18).
 */
export function isUnderSubscription(status: SubscriptionStatus): boolean {
  return isPaying(status) || status === 'paused';
}

function isPaying(status: SubscriptionStatus): boolean {
  return status === 'trialing' || status === 'active' || status === 'past_due';
}

/**
 * Reads a plan from a request.
 * @throws DomainError invalid
 */
export function readPlan(value: string): Plan {
  const found = plans.find((plan) => plan === value);
  if (found === undefined) throw invalidField('plan', `must be one of ${plans.join(', ')}.`);
  return found;
}

/**
 * Reads a subscription status from a request.
 * @throws DomainError invalid
 */
export function readSubscriptionStatus(value: string): SubscriptionStatus {
  const found = subscriptionStatuses.find((status) => status === value);
  if (found === undefined)
    throw invalidField('subscription_status', `must be one of ${subscriptionStatuses.join(', ')}.`);
  return found;
}

/** Maximum number of additional companies in the checkout (specification 2.13). */
const ADDITIONAL_LEGAL_ENTITIES_MAX = 100;

/**
 * Reads the number of additional companies of a plan from a request.
 * @throws DomainError invalid
 */
export function readAdditionalLegalEntities(value: number): number {
  if (value < 0 || value > ADDITIONAL_LEGAL_ENTITIES_MAX) {
    throw invalidField('additional_legal_entities', `must be from 0 to ${ADDITIONAL_LEGAL_ENTITIES_MAX}.`);
  }
  return value;
}
