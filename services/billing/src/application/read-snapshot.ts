import { z } from 'zod';
import { ADDITIONAL_LEGAL_ENTITIES_MAX } from '../domain/checkout.js';
import { normaliseInstant, toDate } from '../domain/instant.js';
import { findPrice, planCodes } from '../domain/prices.js';
import type { Interval, KnownPrice, PlanCode, Prices } from '../domain/prices.js';
import { changeActions, subscriptionStatuses } from '../domain/subscription.js';
import type { Purchase, Snapshot } from '../domain/subscription.js';

const ITEMS_MAX = 100;
const ID_LENGTH_MAX = 100;
const providerId = (prefix: string) =>
  z
    .string()
    .max(ID_LENGTH_MAX)
    .regex(new RegExp(`^${prefix}_[0-9A-Za-z_-]+$`));

/**
 * If a field of a subscription at the payment provider cannot be read and no decision depends on it, the field is left
 * out.
 */
const instant = z
  .string()
  .transform((text) => {
    const normalised = normaliseInstant(text);
    return normalised === undefined ? undefined : toDate(normalised);
  })
  .nullish()
  .catch(undefined);

const item = z.object({
  price: z.object({ id: z.string().max(ID_LENGTH_MAX) }),
  quantity: z.number().int().min(0).nullish(),
});

const customData = z
  .object({
    organization_id: z
      .uuid()
      .transform((id) => id.toLowerCase())
      .optional()
      .catch(undefined),
    checkout_reference: z.string().max(ID_LENGTH_MAX).optional().catch(undefined),
  })
  .nullish()
  .catch(undefined);

const entity = z.object({
  id: providerId('sub'),
  status: z.enum(subscriptionStatuses),
  items: z.array(item).max(ITEMS_MAX),
  customer_id: providerId('ctm').nullish().catch(undefined),
  current_billing_period: z.object({ starts_at: instant, ends_at: instant }).nullish().catch(undefined),
  next_billed_at: instant,
  scheduled_change: z
    .object({ action: z.enum(changeActions), effective_at: instant })
    .nullish()
    .catch(undefined),
  custom_data: customData,
});

/**
 * Reads a subscription from a payment notification or the API. Returns undefined if the id, the status or the items
 * cannot be read.
 */
export function readSnapshot(data: unknown, prices: Prices | undefined): Snapshot | undefined {
  const read = entity.safeParse(data);
  if (!read.success) return undefined;
  const { id, status, items, customer_id, current_billing_period, next_billed_at, scheduled_change, custom_data } =
    read.data;
  const known = items.map(({ price, quantity }) => ({ price: findPrice(prices, price.id), quantity: quantity ?? 1 }));
  const periodEnd = current_billing_period?.ends_at ?? undefined;
  const effectiveAt = scheduled_change?.effective_at ?? undefined;
  return {
    id,
    status,
    purchase: readPurchase(known),
    hasUnknownPrice: known.some(({ price }) => price === undefined),
    hasSeveralPlans: new Set(known.flatMap(planOf)).size > 1,
    customerId: customer_id ?? undefined,
    periodStart: current_billing_period?.starts_at ?? undefined,
    periodEnd,
    trialEnd: status === 'trialing' ? (next_billed_at ?? periodEnd) : undefined,
    scheduledChange:
      !scheduled_change || effectiveAt === undefined ? undefined : { action: scheduled_change.action, effectiveAt },
    claimedOrganizationId: custom_data?.organization_id,
    checkoutReference: custom_data?.checkout_reference,
  };
}

interface KnownItem {
  readonly price: KnownPrice | undefined;
  readonly quantity: number;
}

function planOf({ price, quantity }: KnownItem): PlanCode[] {
  return price === undefined || price.product === 'ENTITY' || quantity === 0 ? [] : [price.product];
}

/** Returns the highest plan among the items of a subscription, and the sum of the additional legal entities. */
function readPurchase(items: readonly KnownItem[]): Purchase | undefined {
  let best: { plan: PlanCode; interval: Interval } | undefined;
  let entities = 0;
  for (const { price, quantity } of items) {
    if (price === undefined || quantity === 0) continue;
    const { product, interval } = price;
    if (product === 'ENTITY') entities += quantity;
    else if (best === undefined || planCodes.indexOf(product) > planCodes.indexOf(best.plan)) {
      best = { plan: product, interval };
    }
  }
  return best && { ...best, additionalLegalEntities: Math.min(entities, ADDITIONAL_LEGAL_ENTITIES_MAX) };
}
