import { addInterval, itemEntities, newSubscription, transactionEntity } from './entities.js';
import type { Bought, Subscription } from './entities.js';
import type { CheckoutOptions } from './checkout-options.js';
import { instantSource, newId } from './ids.js';
import { findPrice } from './items.js';
import type { Item, Prices } from './items.js';
import type { EventToSend } from './notifier.js';
import { ApiRefusal, invalid } from './refusal.js';

/** An event of a subscription with the notification that the payment provider sends about it. */
export interface Happened {
  readonly subscription: Subscription;
  readonly sequence: readonly EventToSend[];
}

export type EffectiveFrom = 'immediately' | 'next_billing_period';

/** A customer as the Paddle API and the payment notifications show it. */
export interface Customer {
  readonly id: string;
  readonly name: null;
  readonly email: string;
  readonly status: 'active';
  readonly custom_data: null;
}

interface Kept {
  subscription: Subscription;
  items: readonly Item[];
}

/** The subscriptions at the payment provider, and the events that their changes cause. */
export class Subscriptions {
  readonly #prices: Prices;
  readonly #kept = new Map<string, Kept>();
  readonly #customers = new Map<string, Customer>();
  readonly #nextInstant = instantSource();

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  list(): readonly Subscription[] {
    return [...this.#kept.values()].map(({ subscription }) => subscription);
  }

  /**
   * Returns the Paddle subscription with this id.
   * @throws ApiRefusal
   */
  get(id: string): Subscription {
    return this.#require(id).subscription;
  }

  /**
   * Returns the Paddle customer with this id.
   * @throws ApiRefusal
   */
  customer(customerId: string): Customer {
    const customer = this.#customers.get(customerId);
    if (customer === undefined) throw new ApiRefusal(404, 'not_found', `There is no customer ${customerId}.`);
    return customer;
  }

  checkOut({ items, email, customData }: CheckoutOptions): Happened & { transactionId: string } {
    const at = this.#nextInstant();
    const customerId = newId('ctm');
    const transactionId = newId('txn');
    const bought = { prices: this.#prices, items, customerId, customData, at };
    const subscription = newSubscription(bought);
    this.#kept.set(subscription.id, { subscription, items });
    const customer = newCustomer(customerId, email);
    this.#customers.set(customerId, customer);
    const bill = (status: string, billed: Subscription | undefined): Readonly<Record<string, unknown>> =>
      transactionEntity(bought, { id: transactionId, status, subscription: billed });
    const sequence = [
      { eventType: 'transaction.created', data: bill('draft', undefined) },
      { eventType: 'customer.created', data: { ...customer } },
      { eventType: 'transaction.ready', data: bill('ready', undefined) },
      { eventType: 'transaction.paid', data: bill('paid', undefined) },
      { eventType: 'subscription.created', data: { ...subscription, transaction_id: transactionId } },
      { eventType: 'subscription.activated', data: { ...subscription } },
      { eventType: 'transaction.completed', data: bill('completed', subscription) },
    ];
    return { subscription, transactionId, sequence };
  }

  pause(id: string, from: EffectiveFrom): Happened {
    return this.#change(id, (subscription, at) => {
      if (subscription.status === 'paused') throw locked('The subscription is paused.');
      if (from === 'next_billing_period') return this.#schedule(subscription, 'pause');
      return { event: 'subscription.paused', next: { ...subscription, ...pausedAt(at) } };
    });
  }

  resume(id: string, from: EffectiveFrom): Happened {
    return this.#change(id, (subscription, at) => {
      const isPaused = subscription.status === 'paused';
      if (!isPaused && subscription.scheduled_change?.action !== 'pause')
        throw locked('The subscription is not paused.');
      if (!isPaused) return { event: 'subscription.updated', next: { ...subscription, scheduled_change: null } };
      if (from === 'next_billing_period') return this.#schedule(subscription, 'resume');
      return { event: 'subscription.resumed', next: { ...subscription, ...this.#activeFrom(subscription, at) } };
    });
  }

  cancel(id: string, from: EffectiveFrom): Happened {
    return this.#change(id, (subscription, at) => {
      if (from === 'next_billing_period' && subscription.status !== 'paused') {
        return this.#schedule(subscription, 'cancel');
      }
      return { event: 'subscription.canceled', next: { ...subscription, ...canceledAt(at) } };
    });
  }

  /**
   * Starts the next billing period of a Paddle subscription: a scheduled change takes effect, or the period is paid.
   */
  renew(id: string): Happened {
    const { scheduled_change: scheduled } = this.#require(id).subscription;
    if (scheduled?.action === 'cancel') return this.cancel(id, 'immediately');
    if (scheduled?.action === 'pause') return this.pause(id, 'immediately');
    if (scheduled?.action === 'resume') return this.resume(id, 'immediately');
    const happened = this.#change(id, (subscription) => {
      const start = subscription.current_billing_period?.ends_at ?? subscription.updated_at;
      return { event: 'subscription.updated', next: { ...subscription, ...this.#activeFrom(subscription, start) } };
    });
    const bill = this.#billOf(id);
    return {
      ...happened,
      sequence: [
        { eventType: 'transaction.created', data: bill('ready') },
        ...happened.sequence,
        { eventType: 'transaction.completed', data: bill('completed') },
      ],
    };
  }

  failPayment(id: string): Happened {
    const happened = this.#change(id, (subscription) => ({
      event: 'subscription.past_due',
      next: { ...subscription, status: 'past_due' },
    }));
    const bill = this.#billOf(id);
    return {
      ...happened,
      sequence: [{ eventType: 'transaction.payment_failed', data: bill('past_due') }, ...happened.sequence],
    };
  }

  changeItems(id: string, items: readonly Item[]): Happened {
    return this.#change(id, (subscription, at) => {
      const interval = findPrice(this.#prices, items[0]?.priceId ?? '')?.interval ?? 'month';
      const kept = this.#require(id);
      kept.items = items;
      const next = {
        ...subscription,
        billing_cycle: { interval, frequency: 1 },
        items: itemEntities(this.#prices, items, { at, nextBilledAt: subscription.next_billed_at }),
      };
      return { event: 'subscription.updated', next };
    });
  }

  #change(
    id: string,
    decide: (subscription: Subscription, at: string) => { event: string; next: Subscription },
  ): Happened {
    const kept = this.#require(id);
    if (kept.subscription.status === 'canceled') throw locked('The subscription is canceled.');
    const at = this.#nextInstant();
    const { event, next } = decide(kept.subscription, at);
    kept.subscription = { ...next, updated_at: at };
    return { subscription: kept.subscription, sequence: [{ eventType: event, data: { ...kept.subscription } }] };
  }

  #schedule(subscription: Subscription, action: 'cancel' | 'pause' | 'resume'): { event: string; next: Subscription } {
    const effectiveAt = subscription.current_billing_period?.ends_at ?? addInterval(subscription.updated_at, 'month');
    const next = { ...subscription, scheduled_change: { action, effective_at: effectiveAt, resume_at: null } };
    return { event: 'subscription.updated', next };
  }

  #activeFrom(subscription: Subscription, start: string): Partial<Subscription> {
    const endsAt = addInterval(start, subscription.billing_cycle.interval);
    return {
      status: 'active',
      paused_at: null,
      scheduled_change: null,
      next_billed_at: endsAt,
      current_billing_period: { starts_at: start, ends_at: endsAt },
    };
  }

  #billOf(id: string): (status: string) => Readonly<Record<string, unknown>> {
    const { subscription, items } = this.#require(id);
    const bought: Bought = {
      prices: this.#prices,
      items,
      customerId: subscription.customer_id,
      customData: subscription.custom_data ?? {},
      at: subscription.updated_at,
    };
    const transactionId = newId('txn');
    return (status) => transactionEntity(bought, { id: transactionId, status, subscription });
  }

  #require(id: string): Kept {
    const kept = this.#kept.get(id);
    if (kept === undefined) throw new ApiRefusal(404, 'not_found', `There is no subscription ${id}.`);
    return kept;
  }
}

function newCustomer(id: string, email = 'buyer@example.com'): Customer {
  return { id, name: null, email, status: 'active', custom_data: null };
}

/**
 * Reads from a request the time from which a change of the subscription takes effect.
 * @throws ApiRefusal
 */
export function readEffectiveFrom(value: unknown, byDefault: EffectiveFrom): EffectiveFrom {
  if (value === undefined || value === null) return byDefault;
  if (value !== 'immediately' && value !== 'next_billing_period') {
    throw invalid('effective_from: must be immediately or next_billing_period.');
  }
  return value;
}

function pausedAt(at: string): Partial<Subscription> {
  return {
    status: 'paused',
    paused_at: at,
    scheduled_change: null,
    current_billing_period: null,
    next_billed_at: null,
  };
}

function canceledAt(at: string): Partial<Subscription> {
  return {
    status: 'canceled',
    canceled_at: at,
    scheduled_change: null,
    current_billing_period: null,
    next_billed_at: null,
  };
}

function locked(detail: string): ApiRefusal {
  return new ApiRefusal(400, 'subscription_locked', detail);
}
