import type { PublicEventType } from '@invoicecontrol/public-events';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { Delivery, DeliveryState, DeliveryWithAttempts, OpenDelivery, Settlement } from '../domain/delivery.js';
import type { Endpoint, FailingLimits } from '../domain/endpoint.js';
import type { SealedSecret } from '../domain/secrets.js';

// Operations on stored webhooks and webhook deliveries that the use cases need.

/** Last request to replay the failed webhook deliveries of a webhook. */
export interface BulkReplay {
  readonly id: string;
  readonly since: Date;
  readonly startedAt: Date;
  readonly count: number;
  /**
   * True if all webhook deliveries of the replay were made due. While this field is absent, a repeated request makes
   * them due.
   */
  readonly isMarked?: true;
}

/** Fields that a change to a webhook sets. Fields that are absent are not changed. */
export interface EndpointChange {
  readonly url?: string;
  readonly events?: Endpoint['events'];
  readonly status?: Exclude<Endpoint['status'], 'DELETED'>;
  readonly activeSince?: Date;
  readonly secrets?: readonly SealedSecret[];
  readonly noticedAt?: Date;
  readonly replay?: BulkReplay;
  /** True if the change resets the failure count of the webhook. */
  readonly isCountReset?: true;
}

export interface Endpoints {
  insert(endpoint: Endpoint, events: readonly Announcement[]): Promise<void>;
  /** Returns a webhook of the organization, or undefined if it does not exist or was deleted. */
  find(organizationId: string, endpointId: string): Promise<Endpoint | undefined>;
  /** Returns those of the given webhooks that still exist. */
  existing(organizationId: string, endpointIds: readonly string[]): Promise<ReadonlySet<string>>;
  list(organizationId: string, page: PageRequest): Promise<Page<Endpoint>>;
  /** Counts the webhook endpoints of an organization. */
  count(organizationId: string): Promise<number>;
  /** Returns the ACTIVE webhooks that are subscribed to the event type. */
  subscribed(organizationId: string, type: PublicEventType): Promise<readonly Endpoint[]>;
  /**
   * Stores a changed webhook with its events.
   * @throws VersionConflict if another change was made in the meantime
   */
  save(endpoint: Endpoint, change: EndpointChange, events: readonly Announcement[]): Promise<Endpoint>;
  /** Commits the deletion of a webhook; {@link finishDeletion} follows. @throws VersionConflict */
  markDeleted(endpoint: Endpoint, events: readonly Announcement[]): Promise<void>;
  finishDeletion(endpointId: string): Promise<void>;
  /** Returns deletions of webhooks that a crash left unfinished. */
  unfinishedDeletions(before: Date): Promise<readonly { readonly id: string; readonly organizationId: string }[]>;
  /**
   * Removes the records of deleted webhooks.
   * @returns the number of removed records, which is below the limit if no such record is left
   */
  deleteDeletedBefore(before: Date, limit: number): Promise<number>;
  lastReplay(organizationId: string, endpointId: string): Promise<BulkReplay | undefined>;
  replayMarked(endpointId: string, replayId: string): Promise<void>;
  /**
   * Counts failures and successes of the delivery attempts of a webhook. The version of the webhook does not change, so
   * that an attempt never conflicts with a concurrent change of the webhook.
   */
  countResults(results: readonly EndpointResult[]): Promise<void>;
  /**
   * Returns ACTIVE webhooks whose deliveries have failed for so long that the owners must be notified or the webhook
   * must be disabled. If there are many, only some are returned.
   */
  failing(limits: FailingLimits, now: Date): Promise<readonly Endpoint[]>;
  /**
   * Stores a failing webhook as {@link save} does, unless the webhook has succeeded in the meantime.
   * @throws VersionConflict
   */
  saveFailing(endpoint: Endpoint, change: EndpointChange, events: readonly Announcement[]): Promise<Endpoint>;
}

export interface EndpointResult {
  readonly endpointId: string;
  readonly isSuccess: boolean;
  /** True if the receiver of the webhook responded with 410 Gone. */
  readonly isGone: boolean;
  readonly at: Date;
}

/**
 * Reads webhooks directly before their requests are sent. Concurrent readers share one query, and nothing is cached.
 */
export interface CurrentEndpoints {
  read(endpointId: string): Promise<Endpoint | undefined>;
}

export interface StoredEvent {
  readonly id: string;
  readonly organizationId: string;
  readonly type: PublicEventType;
  readonly body: string;
  readonly createdAt: Date;
}

export interface Events {
  /** Stores a webhook event. An existing event is not changed. */
  insert(event: StoredEvent): Promise<void>;
  /** Reads a webhook event. Concurrent readers share one query. */
  read(eventId: string): Promise<StoredEvent | undefined>;
  /**
   * Deletes webhook events that were created before the given time.
   * @returns the number of deleted events, which is below the limit if no such event is left
   */
  deleteBefore(before: Date, limit: number): Promise<number>;
}

/** A webhook delivery that will be stored. */
export interface NewDelivery {
  readonly id: string;
  readonly organizationId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly state: 'PENDING' | 'SKIPPED';
  readonly isTest: boolean;
  /** Id of the invoice that the event is about. Absent for an event about something else, and for a test event. */
  readonly invoiceId?: string;
}

export interface PreparedDelivery extends NewDelivery {
  /** Claim of the worker that sends the webhook delivery at once. */
  readonly claimId: string | undefined;
}

/** Fields of a webhook delivery that are needed to send it. */
export type SendableDelivery = Pick<
  Delivery,
  'id' | 'organizationId' | 'endpointId' | 'eventId' | 'isTest' | 'series' | 'failures' | 'tries'
>;

/** A webhook delivery that one worker may send. After its lease has expired, the worker's writes change nothing. */
export interface ClaimedDelivery {
  readonly delivery: SendableDelivery;
  readonly claimId: string;
}

/** A due webhook delivery that a search found. It can be claimed if it has not changed since. */
export interface DueDelivery extends SendableDelivery {
  readonly nextAttemptAt: Date;
}

/** Conditions of a search for due webhook deliveries. */
export interface DueSearch {
  /** Earliest due time of the webhook deliveries to find. */
  readonly from: Date;
  readonly before: Date;
  readonly limit: number;
  readonly exceptEndpointIds: readonly string[];
}

/** An overdue webhook delivery, as it is reported to the operator. */
export interface OverdueDelivery {
  readonly id: string;
  readonly organizationId: string;
  readonly endpointId: string;
  readonly nextAttemptAt: Date;
  readonly tries: number;
  /** End of the last lease, which is in the past because no worker holds the webhook delivery. */
  readonly leaseUntil: Date;
}

/** Outcome of a webhook delivery that one worker had claimed. */
export interface Completion {
  readonly claimed: ClaimedDelivery;
  readonly settlement: Settlement;
  /** True if the webhook already had failures when it was read for the attempt. */
  readonly hadFailures: boolean;
}

export interface DeliveryQueue {
  /**
   * Stores new webhook deliveries.
   * @returns the ids of the deliveries that already existed
   */
  insert(deliveries: readonly PreparedDelivery[]): Promise<ReadonlySet<string>>;
  /**
   * Lists webhook deliveries without a valid claim that are due before a given time, earliest first. The time may be in
   * the future, so that deliveries that become due soon are included.
   */
  listDue(search: DueSearch): Promise<readonly DueDelivery[]>;
  /**
   * Claims a webhook delivery. Returns undefined if the delivery has changed: another worker has claimed it, it was
   * sent, or it ended.
   */
  claim(delivery: SendableDelivery): Promise<ClaimedDelivery | undefined>;
  /**
   * Stores the results of webhook delivery attempts.
   * @returns the number of deliveries that were no longer claimed
   */
  complete(completions: readonly Completion[]): Promise<number>;
  /**
   * Releases the claim on a webhook delivery if its last attempt was interrupted and the receiver was not the cause.
   * Such an attempt does not count as failed.
   */
  release(claimed: ClaimedDelivery, nextAttemptAt: Date): Promise<void>;
  close(claimed: ClaimedDelivery, state: 'CANCELED' | 'SKIPPED'): Promise<void>;
}

export interface DeliveryFilter {
  readonly endpointId: string | undefined;
  readonly state: DeliveryState | undefined;
  /** Type of the delivered event. */
  readonly type: string | undefined;
  /** Invoice that the delivered event is about. */
  readonly invoiceId: string | undefined;
  readonly createdFrom: Date | undefined;
  /** Time before which the webhook deliveries must have been created. This time itself is not included. */
  readonly createdTo: Date | undefined;
}

export interface Deliveries {
  find(organizationId: string, deliveryId: string): Promise<DeliveryWithAttempts | undefined>;
  /**
   * Returns webhook deliveries of all organizations that have been due since before the given time, longest first, for
   * the operator.
   */
  dueSince(before: Date, limit: number): Promise<readonly OverdueDelivery[]>;
  /** Returns the latest webhook deliveries that match a query, newest first. */
  latest(organizationId: string, filter: DeliveryFilter, limit: number): Promise<readonly Delivery[]>;
  /**
   * Starts another series of attempts for a webhook delivery.
   * @throws VersionConflict if another request has replayed the delivery first
   */
  replay(delivery: Delivery, events: readonly Announcement[]): Promise<OpenDelivery>;
  /** Returns the ids of FAILED webhook deliveries that were created since the given time, oldest first. */
  failedSince(endpointId: string, since: Date, closedBefore: Date, limit: number): Promise<readonly string[]>;
  /**
   * Marks the webhook deliveries that are still FAILED as due again.
   * @returns their number
   */
  replayAll(ids: readonly string[], replayId: string): Promise<number>;
  isReplaying(endpointId: string, replayId: string): Promise<boolean>;
  cancelPending(endpointId: string): Promise<void>;
  /**
   * Skips the webhook deliveries of a deleted organization that were pending at the time of the deletion. The
   * organization may have been restored since.
   */
  skipPendingOf(organizationId: string, at: Date): Promise<void>;
  use(endpointId: string, since: Date): Promise<{ delivered: number; failed: number; durationsMs: readonly number[] }>;
  /**
   * Deletes webhook deliveries that were completed before a time.
   * @returns the number of deleted deliveries, which is below the limit if no such delivery is left
   */
  deleteClosedBefore(before: Date, limit: number): Promise<number>;
  /**
   * Deletes response excerpts of webhook deliveries that were completed before a time.
   * @returns the number of deleted excerpts, which is below the limit if no such excerpt is left
   */
  deleteExcerptsBefore(before: Date, limit: number): Promise<number>;
}
