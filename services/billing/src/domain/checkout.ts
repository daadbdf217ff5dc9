import { createHash, randomBytes } from 'node:crypto';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import { intervals, planCodes, priceOf } from './prices.js';
import type { Interval, PlanCode, Prices } from './prices.js';

/**
 * Maximum quantity of a price at the payment provider, which is also the limit in section 2.13 of the specification.
 */
export const ADDITIONAL_LEGAL_ENTITIES_MAX = 100;

const REFERENCE_BYTES = 32;

/**
 * Time after the checkout request during which a new subscription can still be linked by the checkout. A buyer usually
 * pays within hours. A buyer who leaves the checkout gets reminders from the payment provider for weeks.
 */
export const CHECKOUT_REFERENCE_MS = 30 * 24 * 3_600_000;

/**
 * Creates an unguessable reference for a checkout. The reference is passed through the buyer's browser to the payment
 * provider and returned in `custom_data`, where it proves that the organization requested the checkout. Only its hash
 * is stored.
 */
export function newCheckoutReference(): string {
  return `chk_${randomBytes(REFERENCE_BYTES).toString('hex')}`;
}

/**
 * Returns the hash of a checkout reference in hexadecimal digits. Only this hash is stored. The reference has 256
 * random bits, so the hash needs neither salt nor key.
 */
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

/**
 * Reads and checks the options of a checkout that a caller requests.
 * @throws DomainError invalid
 */
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

/**
 * Returns the items of a checkout. All items have the same billing interval, and no item has the quantity 0 (billing
 * reference, section 2).
 */
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
    'The organization has a subscription that is not canceled. Change the subscription with POST /v1/billing/portal-session, or cancel it first.',
  );
}
