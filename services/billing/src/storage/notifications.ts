import { randomUUID } from 'node:crypto';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { claim, countLostLease, FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Claimable } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { stored } from '@invoicecontrol/runtime/mongo/stored';
import type { Collection, UpdateFilter } from 'mongodb';
import type {
  ClaimedNotification,
  NotificationOutcome,
  Notifications,
  StoredNotification,
} from '../application/stores.js';

/**
 * A stored notification from the payment provider. `claim`, `leaseUntil` and `dueAt` exist only while it is PENDING.
 */
export interface NotificationDocument extends Claimable {
  /** Event id at the payment provider. A repeated notification has the same id. */
  readonly _id: string;
  readonly type: string;
  readonly occurredAt: string;
  /** Signed text of the payment notification. The text is empty if it must not be stored. */
  readonly body: string;
  readonly subscriptionId?: string;
  /**
   * Id of the organization that the payment notification concerns. While the notification is PENDING or UNLINKED, it is
   * the organization that the notification claims. Empty if there is no organization.
   */
  readonly organizationId: string;
  readonly state: 'PENDING' | 'DONE';
  readonly outcome?: NotificationOutcome;
  readonly attempts: number;
  readonly dueAt?: Date;
  readonly reason?: string;
  readonly receivedAt: Date;
  /** Time when the TTL index deletes the payment notification. */
  readonly expiresAt: Date;
}

/**
 * Duration of the lease of a payment notification in milliseconds, a hundred times longer than applying a payment
 * notification takes. If the worker with the lease is only slow, the notification is applied a second time, which
 * changes nothing.
 */
const LEASE_MS = 10_000;
/**
 * Retention period of payment notifications in milliseconds. During this time, invoices of the payment provider can be
 * looked up, and repeated notifications are recognized.
 */
const KEPT_MS = 400 * 24 * 3_600_000;
/**
 * Maximum number of pending payment notifications that are applied before the billing service responds to a question
 * about one organization.
 */
const WAITING_MAX = 100;
/** Maximum number of pending payment notifications that are counted for the operator. */
const COUNTED_MAX = 1_000;
const REOPENED_MAX = 1_000;
/**
 * Outcomes of a payment notification whose subscription is not linked to an organization. Only earlier releases stored
 * the outcome UNKNOWN_ORGANIZATION.
 */
export const WITHOUT_ORGANIZATION = ['UNLINKED', 'UNKNOWN_ORGANIZATION'] as const satisfies NotificationOutcome[];

export async function createNotificationIndexes(collection: Collection<NotificationDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { state: 1, dueAt: 1 }, name: 'due' },
    { key: { organizationId: 1, state: 1, outcome: 1 }, name: 'organization' },
    { key: { organizationId: 1, _id: 1 }, name: 'archive' },
    { key: { subscriptionId: 1, state: 1 }, sparse: true, name: 'subscription' },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0, name: 'expiry' },
  ]);
}

/**
 * Creates the store of payment notifications.
 * @param onDue called with the time at which a notification is to be applied again
 */
export function notificationStore(
  collection: Collection<NotificationDocument>,
  clock: Clock,
  onDue: (dueAt: Date) => void,
): Notifications {
  const toClaimed = (document: NotificationDocument, claimId: string): ClaimedNotification => {
    const updateClaimed = async (update: UpdateFilter<NotificationDocument>): Promise<void> => {
      const { matchedCount } = await collection.updateOne({ _id: document._id, claim: claimId }, update);
      if (matchedCount === 0) countLostLease(collection);
    };
    return {
      notification: toNotification(document),
      attempts: document.attempts,
      complete: ({ outcome, organizationId = document.organizationId }) =>
        updateClaimed({
          $set: {
            state: 'DONE',
            outcome,
            organizationId,
            // The text of a payment notification that names no organization is removed. It contains e-mail addresses of
            // customers, and the purge of an organization would not find it.
            ...(organizationId === '' && (outcome === 'KEPT' || outcome === 'IGNORED') ? { body: '' } : {}),
          },
          $unset: { claim: '', leaseUntil: '', dueAt: '', reason: '' },
        }),
      async retryAt(dueAt, reason) {
        await updateClaimed({ $set: { dueAt, reason, leaseUntil: FREE }, $unset: { claim: '' } });
        onDue(dueAt);
      },
    };
  };
  return {
    async insert({ eventId, type, occurredAt, body, subscriptionId, claimedOrganizationId }) {
      const now = clock.now();
      const claimId = randomUUID();
      const document = stored<NotificationDocument>({
        _id: eventId,
        type,
        occurredAt,
        body,
        subscriptionId,
        organizationId: claimedOrganizationId ?? '',
        state: 'PENDING',
        attempts: 1,
        dueAt: now,
        claim: claimId,
        leaseUntil: new Date(now.getTime() + LEASE_MS),
        receivedAt: now,
        expiresAt: new Date(now.getTime() + KEPT_MS),
      });
      try {
        await collection.insertOne(document);
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
      return toClaimed(document, claimId);
    },
    async insertEmpty({ eventId, type, occurredAt }) {
      const now = clock.now();
      try {
        await collection.insertOne({
          _id: eventId,
          type,
          occurredAt,
          body: '',
          organizationId: '',
          state: 'DONE',
          outcome: 'PURGED_ORGANIZATION',
          attempts: 0,
          receivedAt: now,
          expiresAt: new Date(now.getTime() + KEPT_MS),
        });
        return { isNew: true };
      } catch (error) {
        if (isDuplicateKey(error)) return { isNew: false };
        throw error;
      }
    },
    async listDue(countMax) {
      const now = clock.now();
      const found = await collection
        .find(
          { state: 'PENDING', dueAt: { $lte: now }, leaseUntil: { $lte: now } },
          { projection: { _id: 1 }, sort: { dueAt: 1 }, limit: countMax },
        )
        .toArray();
      if (found.length === countMax) onDue(now);
      return found.map(({ _id }) => _id);
    },
    async claim(eventId) {
      const claimed = await claim(
        collection,
        { _id: eventId, state: 'PENDING' },
        { clock, leaseMs: LEASE_MS, change: { $inc: { attempts: 1 } } },
      );
      return claimed && toClaimed(claimed.document, claimed.claimId);
    },
    async listWaiting({ organizationId, subscriptionIds }) {
      const options = { projection: { _id: 1 }, limit: WAITING_MAX } as const;
      const [named, linked] = await Promise.all([
        collection.find({ organizationId, state: 'PENDING' }, options).toArray(),
        collection.find({ subscriptionId: { $in: [...subscriptionIds] }, state: 'PENDING' }, options).toArray(),
      ]);
      return [...new Set([...named, ...linked].map(({ _id }) => _id))];
    },
    async reopenUnlinked(subscriptionId) {
      const found = await collection
        .find(
          { subscriptionId, state: 'DONE', outcome: { $in: [...WITHOUT_ORGANIZATION] } },
          { projection: { _id: 1 }, limit: REOPENED_MAX },
        )
        .toArray();
      if (found.length === 0) return [];
      const ids = found.map(({ _id }) => _id);
      await collection.updateMany(
        { _id: { $in: ids }, state: 'DONE' },
        { $set: { state: 'PENDING', dueAt: clock.now(), leaseUntil: FREE }, $unset: { outcome: '' } },
      );
      return ids;
    },
    async waitingSince(before) {
      const waiting = await collection
        .find(
          { state: 'PENDING', receivedAt: { $lte: before } },
          { projection: { receivedAt: 1, reason: 1 }, limit: COUNTED_MAX },
        )
        .toArray();
      const [oldest] = waiting.toSorted((left, right) => left.receivedAt.getTime() - right.receivedAt.getTime());
      return oldest && { count: waiting.length, oldest: oldest.receivedAt, reason: oldest.reason };
    },
  };
}

function toNotification(document: NotificationDocument): StoredNotification {
  const { _id: eventId, type, occurredAt, body, subscriptionId, organizationId } = document;
  const claimedOrganizationId = organizationId === '' ? undefined : organizationId;
  return { eventId, type, occurredAt, body, subscriptionId, claimedOrganizationId };
}
