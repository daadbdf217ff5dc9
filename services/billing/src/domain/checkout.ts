import { DomainError, invalidField } from '@invoicecontrol/errors';
import { intervals, planCodes, priceOf } from './prices.js';
import type { Interval, PlanCode, Prices } from './prices.js';

/** The provider's largest quantity of a price, and the limit of the specification, 2.13. */
export const ADDITIONAL_LEGAL_ENTITIES_MAX = 100;

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
