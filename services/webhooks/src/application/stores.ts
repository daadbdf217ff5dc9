import type { PublicEventType } from '@invoicecontrol/public-events';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { Delivery, DeliveryState, DeliveryWithAttempts, OpenDelivery, Settlement } from '../domain/delivery.js';
import type { Endpoint, FailingLimits } from '../domain/endpoint.js';
import type { SealedSecret } from '../domain/secrets.js';

// The operations of the use cases on the collections.

/** The replay of failed deliveries that an endpoint began last. */
export interface BulkReplay {
  readonly id: string;
  readonly since: Date;
  readonly startedAt: Date;
  readonly count: number;
  /** All its deliveries are due; until then a repeat makes them so. */
  readonly isMarked?: true;
}

/** The fields that a change of an endpoint sets; absent ones stay. */
export interface EndpointChange {
  readonly url?: string;
  readonly events?: Endpoint['events'];
  readonly status?: Exclude<Endpoint['status'], 'DELETED'>;
  readonly activeSince?: Date;
  readonly secrets?: readonly SealedSecret[];
  readonly noticedAt?: Date;
  readonly replay?: BulkReplay;
  /** Forgets the failures so far. */
  readonly isCountReset?: true;
}

export interface Endpoints {
  insert(endpoint: Endpoint, events: readonly Announcement[]): Promise<void>;
  /** Finds an endpoint that was not deleted. */
  find(organizationId: string, endpointId: string): Promise<Endpoint | undefined>;
  /** Those of these endpoints that were not deleted. */
  existing(organizationId: string, endpointIds: readonly string[]): Promise<ReadonlySet<string>>;
  list(organizationId: string, page: PageRequest): Promise<Page<Endpoint>>;
  /** Counts the endpoints of an organization. */
  count(organizationId: string): Promise<number>;
  /** ACTIVE ones that have subscribed to the event. */
  subscribed(organizationId: string, type: PublicEventType): Promise<readonly Endpoint[]>;
  /** @throws VersionConflict when another change came between */
  save(endpoint: Endpoint, change: EndpointChange, events: readonly Announcement[]): Promise<Endpoint>;
  /** Commits the deletion; {@link finishDeletion} follows. @throws VersionConflict */
  markDeleted(endpoint: Endpoint, events: readonly Announcement[]): Promise<void>;
  finishDeletion(endpointId: string): Promise<void>;
  /** Deletions that a crash left unfinished. */
  unfinishedDeletions(before: Date): Promise<readonly { readonly id: string; readonly organizationId: string }[]>;
  /** Removes the records of deleted endpoints. @returns how many; fewer than the limit: none is left */
  deleteDeletedBefore(before: Date, limit: number): Promise<number>;
  lastReplay(organizationId: string, endpointId: string): Promise<BulkReplay | undefined>;
  replayMarked(endpointId: string, replayId: string): Promise<void>;
  /** Counts failures and successes of attempts; apart from the version, because attempts must not disturb changes. */
  countResults(results: readonly EndpointResult[]): Promise<void>;
  /** ACTIVE ones about which something has to be done because they only fail; some of them, when there are many. */
  failing(limits: FailingLimits, now: Date): Promise<readonly Endpoint[]>;
  /** Same as {@link save}, unless the endpoint has succeeded in the meantime. @throws VersionConflict */
  saveFailing(endpoint: Endpoint, change: EndpointChange, events: readonly Announcement[]): Promise<Endpoint>;
}

export interface EndpointResult {
  readonly endpointId: string;
  readonly isSuccess: boolean;
  /** It answered 410 Gone. */
  readonly isGone: boolean;
  readonly at: Date;
}

/** Reads endpoints at the moment of sending; concurrent readers share one query, and nothing is kept. */
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
  /** One that is there stays as it is. */
  insert(event: StoredEvent): Promise<void>;
  /** Concurrent readers share one query. */
  read(eventId: string): Promise<StoredEvent | undefined>;
  /** @returns how many; fewer than the limit: none is left */
  deleteBefore(before: Date, limit: number): Promise<number>;
}

/** A delivery that is about to be stored. */
export interface NewDelivery {
  readonly id: string;
  readonly organizationId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly state: 'PENDING' | 'SKIPPED';
  readonly isTest: boolean;
}

export interface PreparedDelivery extends NewDelivery {
  /** The worker that sends it at once. */
  readonly claimId: string | undefined;
}

/** The fields of a delivery that sending it requires. */
export type SendableDelivery = Pick<
  Delivery,
  'id' | 'organizationId' | 'endpointId' | 'eventId' | 'isTest' | 'series' | 'failures' | 'tries'
>;

/** A delivery that one worker may send. What it writes after its lease lapsed changes nothing. */
export interface ClaimedDelivery {
  readonly delivery: SendableDelivery;
  readonly claimId: string;
}

/** A delivery as it was when it was found: it can be claimed as long as it is still so. */
export interface DueDelivery extends SendableDelivery {
  readonly nextAttemptAt: Date;
}

/** Search for due deliveries. */
export interface DueSearch {
  /** Due then or later. */
  readonly from: Date;
  readonly before: Date;
  readonly limit: number;
  readonly exceptEndpointIds: readonly string[];
}

/** A delivery that is late, as the operator is told of it. */
export interface OverdueDelivery {
  readonly id: string;
  readonly organizationId: string;
  readonly endpointId: string;
  readonly nextAttemptAt: Date;
  readonly tries: number;
  /** End of the last lease; in the past, since no worker holds it. */
  readonly leaseUntil: Date;
}

/** Outcome of a claimed delivery. */
export interface Completion {
  readonly claimed: ClaimedDelivery;
  readonly settlement: Settlement;
  /** The endpoint had failures when it was read for this attempt. */
  readonly hadFailures: boolean;
}

export interface DeliveryQueue {
  /** @returns the ids of those that were there */
  insert(deliveries: readonly PreparedDelivery[]): Promise<ReadonlySet<string>>;
  /**
   * Lists deliveries without a live claim that are due before a time, the earliest first; one that is not due yet is listed with its time.
   */
  listDue(search: DueSearch): Promise<readonly DueDelivery[]>;
  /** Undefined when it is no longer as it was found: another worker has it, it was sent, or it ended. */
  claim(delivery: SendableDelivery): Promise<ClaimedDelivery | undefined>;
  /** @returns how many of them were no longer claimed */
  complete(completions: readonly Completion[]): Promise<number>;
  /** Nothing came of the attempt, through no fault of the endpoint: it does not count. */
  release(claimed: ClaimedDelivery, nextAttemptAt: Date): Promise<void>;
  close(claimed: ClaimedDelivery, state: 'CANCELED' | 'SKIPPED'): Promise<void>;
}

export interface DeliveryFilter {
  readonly endpointId: string | undefined;
  readonly state: DeliveryState | undefined;
}

export interface Deliveries {
  find(organizationId: string, deliveryId: string): Promise<DeliveryWithAttempts | undefined>;
  /** Those that have been due since before, the longest first, of all organizations: for the operator. */
  dueSince(before: Date, limit: number): Promise<readonly OverdueDelivery[]>;
  /** The latest that match, newest first. */
  latest(organizationId: string, filter: DeliveryFilter, limit: number): Promise<readonly Delivery[]>;
  /** @throws VersionConflict when another replay came before */
  replay(delivery: Delivery, events: readonly Announcement[]): Promise<OpenDelivery>;
  /** Ids of FAILED ones that were created since, the oldest first. */
  failedSince(endpointId: string, since: Date, closedBefore: Date, limit: number): Promise<readonly string[]>;
  /** Those of them that are still FAILED become due. @returns how many */
  replayAll(ids: readonly string[], replayId: string): Promise<number>;
  isReplaying(endpointId: string, replayId: string): Promise<boolean>;
  cancelPending(endpointId: string): Promise<void>;
  /** Those that were there at a time: the organization was deleted then, and may be back. */
  skipPendingOf(organizationId: string, at: Date): Promise<void>;
  use(endpointId: string, since: Date): Promise<{ delivered: number; failed: number; durationsMs: readonly number[] }>;
  /** @returns how many; fewer than the limit: none is left */
  deleteClosedBefore(before: Date, limit: number): Promise<number>;
  /** @returns how many; fewer than the limit: none is left */
  deleteExcerptsBefore(before: Date, limit: number): Promise<number>;
}
