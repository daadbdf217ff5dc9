import { newId } from './ids.js';
import { findPrice } from './items.js';
import type { Item, Prices } from './items.js';

export type SubscriptionStatus = 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';

/** A subscription as the Paddle API and the payment notifications show it. Only the simulator changes it. */
export interface Subscription {
  id: string;
  status: SubscriptionStatus;
  customer_id: string;
  address_id: string;
  business_id: null;
  currency_code: string;
  created_at: string;
  updated_at: string;
  started_at: string | null;
  first_billed_at: string | null;
  next_billed_at: string | null;
  paused_at: string | null;
  canceled_at: string | null;
  discount: null;
  collection_mode: 'automatic';
  billing_details: null;
  current_billing_period: { starts_at: string; ends_at: string } | null;
  billing_cycle: { interval: 'month' | 'year'; frequency: number };
  scheduled_change: { action: 'cancel' | 'pause' | 'resume'; effective_at: string; resume_at: string | null } | null;
  items: readonly unknown[];
  custom_data: Readonly<Record<string, unknown>> | null;
  import_meta: null;
}

/** Amounts of the prices of the simulated payment provider as strings in minor units. */
const UNIT_AMOUNTS: Readonly<Record<string, number>> = { CORE: 4900, CONTROL: 14900, SCALE: 49900, ENTITY: 1900 };
const MONTHS_PER_YEAR = 12;

export function addInterval(instant: string, interval: 'month' | 'year'): string {
  const date = new Date(instant);
  date.setUTCMonth(date.getUTCMonth() + (interval === 'year' ? MONTHS_PER_YEAR : 1));
  return `${date.toISOString().slice(0, 19)}${instant.slice(19)}`;
}

function priceEntity(prices: Prices, priceId: string): { product: string; amount: number; price: object } {
  const { product, interval } = findPrice(prices, priceId) ?? { product: 'CORE', interval: 'month' };
  const amount = (UNIT_AMOUNTS[product] ?? 0) * (interval === 'year' ? MONTHS_PER_YEAR : 1);
  return {
    product,
    amount,
    price: {
      id: priceId,
      product_id: `pro_${product.toLowerCase().padEnd(26, '0')}`,
      description: `${product} per ${interval}`,
      type: 'standard',
      name: product,
      billing_cycle: { interval, frequency: 1 },
      trial_period: null,
      tax_mode: 'account_setting',
      unit_price: { amount: String(amount), currency_code: 'EUR' },
      unit_price_overrides: [],
      quantity: { minimum: 1, maximum: product === 'ENTITY' ? 100 : 1 },
      status: 'active',
      custom_data: null,
      import_meta: null,
      created_at: '2026-01-01T00:00:00.000000Z',
      updated_at: '2026-01-01T00:00:00.000000Z',
    },
  };
}

export function itemEntities(
  prices: Prices,
  items: readonly Item[],
  { at, nextBilledAt }: { at: string; nextBilledAt: string | null },
): readonly unknown[] {
  return items.map(({ priceId, quantity }) => {
    const { product, price } = priceEntity(prices, priceId);
    return {
      status: 'active',
      quantity,
      recurring: true,
      created_at: at,
      updated_at: at,
      previously_billed_at: at,
      next_billed_at: nextBilledAt,
      trial_dates: null,
      price,
      product: {
        id: `pro_${product.toLowerCase().padEnd(26, '0')}`,
        name: product,
        type: 'standard',
        tax_category: 'standard',
        description: null,
        image_url: null,
        custom_data: null,
        status: 'active',
        import_meta: null,
        created_at: '2026-01-01T00:00:00.000000Z',
        updated_at: '2026-01-01T00:00:00.000000Z',
      },
    };
  });
}

export interface Bought {
  readonly prices: Prices;
  readonly items: readonly Item[];
  readonly customerId: string;
  readonly customData: Readonly<Record<string, unknown>>;
  readonly at: string;
}

export function newSubscription({ prices, items, customerId, customData, at }: Bought): Subscription {
  const interval = findPrice(prices, items[0]?.priceId ?? '')?.interval ?? 'month';
  const endsAt = addInterval(at, interval);
  return {
    id: newId('sub'),
    status: 'active',
    customer_id: customerId,
    address_id: newId('add'),
    business_id: null,
    currency_code: 'EUR',
    created_at: at,
    updated_at: at,
    started_at: at,
    first_billed_at: at,
    next_billed_at: endsAt,
    paused_at: null,
    canceled_at: null,
    discount: null,
    collection_mode: 'automatic',
    billing_details: null,
    current_billing_period: { starts_at: at, ends_at: endsAt },
    billing_cycle: { interval, frequency: 1 },
    scheduled_change: null,
    items: itemEntities(prices, items, { at, nextBilledAt: endsAt }),
    custom_data: customData,
    import_meta: null,
  };
}

/** Returns a transaction, which is an invoice of the payment provider. */
export function transactionEntity(
  { prices, items, customerId, customData, at }: Bought,
  {
    id,
    status,
    subscription,
  }: { readonly id: string; readonly status: string; readonly subscription: Subscription | undefined },
): Readonly<Record<string, unknown>> {
  const total = items.reduce((sum, { priceId, quantity }) => sum + priceEntity(prices, priceId).amount * quantity, 0);
  return {
    id,
    status,
    customer_id: customerId,
    address_id: subscription?.address_id ?? null,
    business_id: null,
    custom_data: customData,
    currency_code: 'EUR',
    origin: subscription === undefined ? 'web' : 'subscription_recurring',
    subscription_id: subscription?.id ?? null,
    invoice_id: null,
    invoice_number: null,
    collection_mode: 'automatic',
    discount_id: null,
    billing_details: null,
    billing_period: subscription?.current_billing_period ?? null,
    items: items.map(({ priceId, quantity }) => ({
      quantity,
      price: priceEntity(prices, priceId).price,
      proration: null,
    })),
    details: { totals: { subtotal: String(total), tax: '0', total: String(total), currency_code: 'EUR' } },
    payments: [],
    checkout: null,
    created_at: at,
    updated_at: at,
    billed_at: status === 'completed' ? at : null,
  };
}
