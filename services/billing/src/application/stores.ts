import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Account } from '../domain/account.js';
import type { CheckoutRequest } from '../domain/checkout.js';
import type { UnlinkedSubscription } from '../domain/unlinked.js';
import type { Mentioned } from './read-notification.js';

// Operations on the collections of the billing service that use cases need.

/**
 * Stores the billing accounts of organizations. Without an account, the billing service treats an organization as
 * unknown.
 */
export interface Accounts {
  /** Creates an empty billing account if the organization has none. */
  ensure(organizationId: string): Promise<void>;
  find(organizationId: string): Promise<Account | undefined>;
  /**
   * Stores the changed billing account of an organization with its events.
   * @throws VersionConflict if another change was made in the meantime
   */
  save(changed: Account, events: readonly Announcement[]): Promise<Account>;
  /** Returns billing accounts whose trial ends soon or whose grace period is over, up to a maximum number. */
  listDue(now: Date): Promise<readonly Account[]>;
}

/** Stores to which organization each subscription belongs. A stored link never changes. */
export interface SubscriptionLinks {
  find(subscriptionId: string): Promise<string | undefined>;
  /**
   * Links a subscription to an organization, only once. One checkout can link only one subscription, and a repeated
   * call changes nothing.
   * @param checkoutId undefined if the operator links the subscription
   * @returns the organization to which the subscription was linked first, or undefined if another subscription was
   * linked by the checkout
   */
  link(
    subscriptionId: string,
    to: { readonly organizationId: string; readonly checkoutId: string | undefined },
  ): Promise<string | undefined>;
}

/**
 * Subscriptions that the operator must link. The organization that such a subscription names is only a claim of the
 * buyer, so the subscription is not shown to any organization.
 */
export interface UnlinkedSubscriptions {
  /**
   * Stores the state of an unlinked subscription, as the newest message describes it. An older message changes nothing.
   */
  record(unlinked: UnlinkedSubscription): Promise<{ readonly isNew: boolean }>;
  find(subscriptionId: string): Promise<UnlinkedSubscription | undefined>;
  remove(subscriptionId: string): Promise<void>;
  /**
   * Returns unlinked subscriptions that are not canceled and were first seen before the given time, oldest first, up to
   * a maximum number.
   */
  listSince(before: Date): Promise<readonly (UnlinkedSubscription & { readonly since: Date })[]>;
}

/** Outcomes of payment notifications. The operator must check every outcome that is listed from `UNLINKED` on. */
export const notificationOutcomes = [
  'APPLIED',
  'STALE',
  'KEPT',
  'IGNORED',
  'UNLINKED',
  'UNKNOWN_ORGANIZATION',
  'UNKNOWN_PRICE',
  'UNREADABLE',
  'TOO_MANY_SUBSCRIPTIONS',
  'PURGED_ORGANIZATION',
] as const;
export type NotificationOutcome = (typeof notificationOutcomes)[number];

/** Result of applying a notification of the payment provider. */
export type NotificationResult =
  | {
      readonly outcome: Exclude<NotificationOutcome, 'UNLINKED' | 'PURGED_ORGANIZATION'>;
      /** Id of the organization that the payment notification concerns, or empty if there is none. */
      readonly organizationId: string;
    }
  /**
   * The subscription is linked to no organization, so the stored organization remains the one that the payment
   * notification names.
   */
  | { readonly outcome: 'UNLINKED' | 'UNKNOWN_PRICE' | 'UNREADABLE'; readonly organizationId?: undefined };

/** Notification of the payment provider, as it is stored before it is applied. */
export interface StoredNotification extends Mentioned {
  readonly eventId: string;
  readonly type: string;
  /** Time of a payment event at the payment provider, in a normalized form that sorts by time. */
  readonly occurredAt: string;
  /** Body of a payment notification as text, exactly as the payment provider signed it. */
  readonly body: string;
}

/**
 * A payment notification that a worker has claimed. If another worker takes over the notification, writes of the first
 * worker change nothing.
 */
export interface ClaimedNotification {
  readonly notification: StoredNotification;
  /** Number of attempts to apply the payment notification, including the current attempt. */
  readonly attempts: number;
  complete(result: NotificationResult): Promise<void>;
  retryAt(at: Date, reason: string): Promise<void>;
}

export interface Notifications {
  /**
   * Stores a new payment notification, and claims it for the caller.
   * @returns undefined if the event was stored before
   */
  insert(notification: StoredNotification): Promise<ClaimedNotification | undefined>;
  /**
   * Records only that a payment event was received. The organization that the event names was purged, so its name must
   * not be stored again.
   */
  insertEmpty(event: Pick<StoredNotification, 'eventId' | 'type' | 'occurredAt'>): Promise<{ readonly isNew: boolean }>;
  /** Returns the ids of payment notifications that are due and not claimed, oldest first. */
  listDue(countMax: number): Promise<readonly string[]>;
  /**
   * Claims a pending payment notification for this worker.
   * @returns undefined if the notification is completed or another worker has claimed it
   */
  claim(eventId: string): Promise<ClaimedNotification | undefined>;
  /** Returns the ids of the pending payment notifications of an organization or its subscriptions. */
  listWaiting(mentioned: { organizationId: string; subscriptionIds: readonly string[] }): Promise<readonly string[]>;
  /**
   * Makes payment notifications due again if they arrived before their subscription was linked.
   * @returns their ids, at most 1000
   */
  reopenUnlinked(subscriptionId: string): Promise<readonly string[]>;
  /**
   * Counts the payment notifications that have been pending since before the given time, and returns the oldest of
   * them.
   */
  waitingSince(before: Date): Promise<{ count: number; oldest: Date; reason: string | undefined } | undefined>;
}

/** A stored request of an organization for a checkout. */
export interface Checkout extends CheckoutRequest {
  readonly id: string;
  readonly organizationId: string;
  /** Hash of the reference of a checkout (see `hashOfReference`). */
  readonly referenceHash: string;
  readonly actorId: string;
  readonly createdAt: Date;
}

export interface Checkouts {
  insert(checkout: Checkout, events: readonly Announcement[]): Promise<void>;
  /** Returns the organization's checkout with the given reference. */
  findByReference(
    organizationId: string,
    referenceHash: string,
  ): Promise<Pick<Checkout, 'id' | 'createdAt'> | undefined>;
}
