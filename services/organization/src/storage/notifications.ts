import type { Collection, Filter, UpdateFilter } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { claim, countLostLease, FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Claimable } from '@invoicecontrol/runtime/mongo/claims';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import type { Stored } from '@invoicecontrol/runtime/mongo/stored';
import type { Notifications } from '../application/notifications.js';
import type { NotificationQueue } from '../application/send-notifications.js';
import { COUNTED_MAX } from '../domain/notification.js';
import type { Notification, NotificationStatus, Occasion } from '../domain/notification.js';

/** A mail that is queued or was sent. `claim`, `leaseUntil` and `dueAt` exist only while the status is QUEUED. */
export interface NotificationDocument extends Claimable {
  /** Id of a mail, derived from the invitation or event that caused the mail. */
  readonly _id: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly subject: string;
  readonly occasion: Occasion;
  readonly status: NotificationStatus;
  /** Number of started attempts to send the mail. */
  readonly tries: number;
  readonly dueAt?: Date;
  readonly createdAt: Date;
  readonly sendAt?: Date;
  readonly submissionIds?: readonly string[];
  /** Time when the mail server accepted the mail, or when the last attempt failed. */
  readonly endedAt?: Date;
  /** Code for the reason of the last failure to send the mail. It never contains text of the mail server. */
  readonly reason?: string;
}

/**
 * Duration of the lease of a claimed mail in milliseconds. It is more than twice the longest attempt (see
 * `clients/mail-server.ts`).
 */
const LEASE_MS = 120_000;
/** Maximum number of waiting mails that are counted for the operator. */
const WAITING_MAX = 1_000;

export async function createNotificationIndexes(collection: Collection<NotificationDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
    { key: { status: 1, dueAt: 1 }, name: 'due' },
  ]);
}

export function toQueuedDocument({ id, sendAt, submissionIds, ...own }: Notification): Stored<NotificationDocument> {
  return {
    _id: id,
    ...own,
    sendAt,
    submissionIds,
    status: 'QUEUED',
    tries: 0,
    dueAt: sendAt ?? own.createdAt,
    leaseUntil: FREE,
  };
}

/**
 * Creates the store of e-mail notifications.
 * @param onDue called with the time at which a mail that this process has stored becomes due
 */
export function notificationStore(
  collection: Collection<NotificationDocument>,
  clock: Clock,
  onDue: (dueAt: Date) => void,
): Notifications & NotificationQueue {
  return {
    async enqueue(notifications) {
      const documents = notifications.map(toQueuedDocument);
      await insertMissing(collection, documents);
      for (const { dueAt } of documents) if (dueAt !== undefined) onDue(dueAt);
    },
    async find(ids) {
      const found = await collection.find({ _id: { $in: [...ids] } }).toArray();
      return found.map(fromDocument);
    },
    async list(organizationId, request) {
      const { items, nextPageToken } = await findPage(collection, { organizationId }, request);
      return {
        items: items.map((document) => ({ ...fromDocument(document), status: document.status })),
        nextPageToken,
      };
    },
    async countSubmission(ids, submissionId) {
      const counting = {
        _id: { $in: [...ids] },
        status: 'QUEUED',
        tries: 0,
        submissionIds: { $ne: submissionId },
        [`submissionIds.${COUNTED_MAX - 1}`]: { $exists: false },
      } as Filter<NotificationDocument>;
      await collection.updateMany(counting, {
        $push: { submissionIds: submissionId },
      } as UpdateFilter<NotificationDocument>);
    },
    async waitingSince(before) {
      const found = await collection
        .find(
          {
            status: 'QUEUED',
            createdAt: { $lte: before },
            $or: [{ sendAt: { $exists: false } }, { sendAt: { $lte: before } }],
          },
          { projection: { createdAt: 1, sendAt: 1, reason: 1 }, limit: WAITING_MAX },
        )
        .toArray();
      const waiting = found.map(({ createdAt, sendAt = createdAt, reason }) => ({ since: sendAt, reason }));
      const [oldest] = waiting.toSorted((left, right) => left.since.getTime() - right.since.getTime());
      return oldest && { count: waiting.length, oldest: oldest.since, reason: oldest.reason };
    },
    async listDue(countMax) {
      const now = clock.now();
      const found = await collection
        .find(
          { status: 'QUEUED', dueAt: { $lte: now }, leaseUntil: { $lte: now } },
          { projection: { _id: 1 }, sort: { dueAt: 1 }, limit: countMax },
        )
        .toArray();
      if (found.length === countMax) onDue(now);
      return found.map(({ _id }) => _id);
    },
    async claim(id) {
      const claimed = await claim(
        collection,
        { _id: id, status: 'QUEUED', dueAt: { $lte: clock.now() } },
        { clock, leaseMs: LEASE_MS, change: { $inc: { tries: 1 } } },
      );
      if (claimed === undefined) return undefined;
      const { document, claimId } = claimed;
      const updateClaimed = async (update: UpdateFilter<NotificationDocument>): Promise<void> => {
        const { matchedCount } = await collection.updateOne({ _id: id, claim: claimId }, update);
        if (matchedCount === 0) countLostLease(collection);
      };
      return {
        notification: fromDocument(document),
        tries: document.tries,
        complete: (ending) =>
          updateClaimed({
            $set: { ...ending, endedAt: clock.now() },
            $unset: { claim: '', leaseUntil: '', dueAt: '' },
          }),
        async retryLater(dueAt, reason) {
          await updateClaimed({ $set: { dueAt, reason, leaseUntil: FREE }, $unset: { claim: '' } });
          onDue(dueAt);
        },
      };
    },
  };
}

function fromDocument(document: NotificationDocument): Notification {
  const { _id: id, organizationId, userId, subject, occasion, createdAt, sendAt, submissionIds } = document;
  return { id, organizationId, userId, subject, occasion, createdAt, sendAt, submissionIds };
}
