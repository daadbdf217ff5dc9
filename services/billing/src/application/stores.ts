import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Account } from '../domain/account.js';
import type { CheckoutRequest } from '../domain/checkout.js';
import type { UnlinkedSubscription } from '../domain/unlinked.js';
import type { Mentioned } from './read-notification.js';

// The operations of the use cases on the collections.

/** The accounts of organizations. An organization without an account is not known to this service. */
export interface Accounts {
  /** Creates an empty account unless there is one. */
  ensure(organizationId: string): Promise<void>;
  find(organizationId: string): Promise<Account | undefined>;
  /** @throws VersionConflict when another change came between */
  save(changed: Account, events: readonly Announcement[]): Promise<Account>;
  /** Accounts whose trial ends soon or whose grace ended before now, a bounded number. */
  listDue(now: Date): Promise<readonly Account[]>;
}

/** The organization that a subscription belongs to; decided once. */
export interface SubscriptionLinks {
  find(subscriptionId: string): Promise<string | undefined>;
  /**
   * Links a subscription once, and by one checkout only one subscription; a repeat changes nothing.
   * @param checkoutId undefined when the operator links it
   * @returns the organization that the subscription was linked to first; undefined when the checkout has another one
   */
  link(
    subscriptionId: string,
    to: { readonly organizationId: string; readonly checkoutId: string | undefined },
  ): Promise<string | undefined>;
}

/** Subscriptions that wait for the operator to link them. What they name is a claim, and no organization is shown them. */
export interface UnlinkedSubscriptions {
  /** Records what the newest message shows; an older one changes nothing. */
  record(unlinked: UnlinkedSubscription): Promise<{ readonly isNew: boolean }>;
  find(subscriptionId: string): Promise<UnlinkedSubscription | undefined>;
  remove(subscriptionId: string): Promise<void>;
  /** Those that are not canceled and were seen first before a time; the oldest first, a bounded number. */
  listSince(before: Date): Promise<readonly (UnlinkedSubscription & { readonly since: Date })[]>;
}

/** Outcomes of notifications. The operator must check those from `UNLINKED` on. */
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

/** The result of applying a notification. */
export type NotificationResult =
  | {
      readonly outcome: Exclude<NotificationOutcome, 'UNLINKED' | 'PURGED_ORGANIZATION'>;
      /** The organization that it is about; empty where it is about none. */
      readonly organizationId: string;
    }
  /** The owner was not decided: the organization that it names stays. */
  | { readonly outcome: 'UNLINKED' | 'UNKNOWN_PRICE' | 'UNREADABLE'; readonly organizationId?: undefined };

/** A notification as it is stored before anything follows from it. */
export interface StoredNotification extends Mentioned {
  readonly eventId: string;
  readonly type: string;
  /** Normalised. */
  readonly occurredAt: string;
  /** The text as it was signed. */
  readonly body: string;
}

/** A notification that one worker has claimed. After a takeover its writes change nothing. */
export interface ClaimedNotification {
  readonly notification: StoredNotification;
  /** Attempts to apply it, this one included. */
  readonly attempts: number;
  complete(result: NotificationResult): Promise<void>;
  retryAt(at: Date, reason: string): Promise<void>;
}

export interface Notifications {
  /**
   * Stores a new notification, claimed by the caller.
   * @returns undefined when its event was stored before
   */
  insert(notification: StoredNotification): Promise<ClaimedNotification | undefined>;
  /** Records only that an event came: its organization was purged, and nothing that names it is stored again. */
  insertEmpty(event: Pick<StoredNotification, 'eventId' | 'type' | 'occurredAt'>): Promise<{ readonly isNew: boolean }>;
  /** Ids of notifications that are due and not claimed, oldest first. */
  listDue(countMax: number): Promise<readonly string[]>;
  /** @returns undefined when it is completed or another worker has it */
  claim(eventId: string): Promise<ClaimedNotification | undefined>;
  /** Ids of notifications of an organization or its subscriptions that wait. */
  listWaiting(mentioned: { organizationId: string; subscriptionIds: readonly string[] }): Promise<readonly string[]>;
  /** Makes those due that came before their subscription was linked. @returns their ids, at most 1000 */
  reopenUnlinked(subscriptionId: string): Promise<readonly string[]>;
  /** Counts those that have waited since before, with the oldest of them. */
  waitingSince(before: Date): Promise<{ count: number; oldest: Date; reason: string | undefined } | undefined>;
}

/** A request for a checkout, as it is recorded. */
export interface Checkout extends CheckoutRequest {
  readonly id: string;
  readonly organizationId: string;
  /** See `hashOfReference`. */
  readonly referenceHash: string;
  readonly actorId: string;
  readonly createdAt: Date;
}

export interface Checkouts {
  insert(checkout: Checkout, events: readonly Announcement[]): Promise<void>;
  /** The checkout of this organization that has the reference. */
  findByReference(
    organizationId: string,
    referenceHash: string,
  ): Promise<Pick<Checkout, 'id' | 'createdAt'> | undefined>;
}
