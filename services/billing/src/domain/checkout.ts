import { createHash, randomBytes } from 'node:crypto';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import { intervals, planCodes, priceOf } from './prices.js';
import type { Interval, PlanCode, Prices } from './prices.js';

/** The provider's largest quantity of a price, and the limit of the specification, 2.13. */
export const ADDITIONAL_LEGAL_ENTITIES_MAX = 100;

const REFERENCE_BYTES = 32;

/**
 * Time after the request of a checkout in which a subscription may begin and still be linked by it. A buyer pays within hours; one who left
 * is reminded by the provider for weeks.
 */
export const CHECKOUT_REFERENCE_MS = 30 * 24 * 3_600_000;

/**
 * A reference that nobody can guess. It goes through the buyer's browser to the provider and comes back in `custom_data`,
 * where it proves that the organization itself asked for the checkout. Only its hash is stored.
 */
export function newCheckoutReference(): string {
  return `chk_${randomBytes(REFERENCE_BYTES).toString('hex')}`;
}

/** Returns the hash of a reference that is stored, as hexadecimal digits. It has 256 random bits, so it needs neither salt nor key. */
export function hashOfReference(reference: string): string {
  return createHash('sha256').update(reference).digest('hex');
}

export interface CheckoutRequest {
  readonly planCode: PlanCode;
  readonly interval: Interval;
  readonly additionalLegalEntities: number;
}

export interface CheckoutItem {
  readonly priceId: string;
  readonly quantity: number;
}

/** @throws DomainError invalid */
export function readCheckoutRequest(input: {
  planCode: string;
  billingInterval: string;
  additionalLegalEntities: number;
}): CheckoutRequest {
  const planCode = planCodes.find((code) => code === input.planCode);
  if (planCode === undefined) throw invalidField('plan_code', `must be one of ${planCodes.join(', ')}.`);
  const interval = intervals.find((known) => known === input.billingInterval);
  if (interval === undefined) throw invalidField('billing_interval', `must be one of ${intervals.join(', ')}.`);
  const { additionalLegalEntities } = input;
  if (additionalLegalEntities < 0 || additionalLegalEntities > ADDITIONAL_LEGAL_ENTITIES_MAX) {
    throw invalidField('additional_legal_entities', `must be from 0 to ${ADDITIONAL_LEGAL_ENTITIES_MAX}.`);
  }
  return { planCode, interval, additionalLegalEntities };
}

/** All items of a checkout have the same interval, and no item has the quantity 0 (billing reference, section 2). */
export function checkoutItems(
  prices: Prices,
  { planCode, interval, additionalLegalEntities }: CheckoutRequest,
): readonly CheckoutItem[] {
  const plan = { priceId: priceOf(prices, planCode, interval), quantity: 1 };
  if (additionalLegalEntities === 0) return [plan];
  return [plan, { priceId: priceOf(prices, 'ENTITY', interval), quantity: additionalLegalEntities }];
}

export function alreadySubscribed(): DomainError {
  return new DomainError(
    'wrong_state',
    'The organization has a subscription that is not canceled. Change it with POST /v1/billing/portal-session, or cancel it first.',
  );
}
