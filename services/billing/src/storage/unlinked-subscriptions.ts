import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { stored } from '@invoicecontrol/runtime/mongo/stored';
import type { Collection } from 'mongodb';
import type { UnlinkedSubscriptions } from '../application/stores.js';
import type { UnlinkedSubscription } from '../domain/unlinked.js';

/** A stored subscription that was not linked to an organization when a message about it arrived. */
export interface UnlinkedSubscriptionDocument extends Pick<
  UnlinkedSubscription,
  'reason' | 'status' | 'plan' | 'occurredAt'
> {
  /** Id that the subscription has at the payment provider, such as `sub_...`. */
  readonly _id: string;
  /**
   * The organization that an unlinked subscription claims, so that a purge of the organization finds the record. Empty
   * if the subscription claims no organization.
   */
  readonly organizationId: string;
  readonly customerId?: string;
  readonly since: Date;
  /** Time when the TTL index deletes the record of the unlinked subscription. */
  readonly expiresAt: Date;
}

/**
 * Retention period of unlinked subscriptions in milliseconds, the same as for payment notifications. A subscription for
 * which payments continue is found again once a day, so its record does not expire.
 */
const KEPT_MS = 400 * 24 * 3_600_000;
/** Maximum number of unlinked subscriptions that are reported to the operator at once. */
const LISTED_MAX = 200;

export async function createUnlinkedIndexes(collection: Collection<UnlinkedSubscriptionDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1 }, name: 'organization' },
    { key: { since: 1 }, name: 'oldest' },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0, name: 'expiry' },
  ]);
}

export function unlinkedSubscriptions(
  collection: Collection<UnlinkedSubscriptionDocument>,
  clock: Clock,
): UnlinkedSubscriptions {
  return {
    async record({ subscriptionId, namedOrganizationId, customerId, ...shown }) {
      const now = clock.now();
      const set = stored<Partial<UnlinkedSubscriptionDocument>>({
        ...shown,
        organizationId: namedOrganizationId ?? '',
        customerId,
        expiresAt: new Date(now.getTime() + KEPT_MS),
      });
      try {
        const { upsertedCount } = await collection.updateOne(
          { _id: subscriptionId, occurredAt: { $lte: shown.occurredAt } },
          { $set: set, $setOnInsert: { since: now } },
          { upsert: true },
        );
        return { isNew: upsertedCount === 1 };
      } catch (error) {
        // The duplicate key means that a newer message about the unlinked subscription was already recorded.
        if (!isDuplicateKey(error)) throw error;
        return { isNew: false };
      }
    },
    async find(subscriptionId) {
      const found = await collection.findOne({ _id: subscriptionId });
      return found === null ? undefined : toUnlinked(found);
    },
    async remove(subscriptionId) {
      await collection.deleteOne({ _id: subscriptionId });
    },
    async listSince(before) {
      const found = await collection
        .find({ since: { $lte: before }, status: { $ne: 'canceled' } }, { sort: { since: 1 }, limit: LISTED_MAX })
        .toArray();
      return found.map((document) => ({ ...toUnlinked(document), since: document.since }));
    },
  };
}

function toUnlinked(document: UnlinkedSubscriptionDocument): UnlinkedSubscription {
  const { _id: subscriptionId, organizationId, reason, status, plan, customerId, occurredAt } = document;
  const namedOrganizationId = organizationId === '' ? undefined : organizationId;
  return { subscriptionId, reason, namedOrganizationId, status, plan, customerId, occurredAt };
}
