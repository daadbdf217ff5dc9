import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import type { Collection } from 'mongodb';
import type { Checkout, Checkouts } from '../application/stores.js';

/**
 * A stored checkout request. A subscription that has the reference of the checkout is linked to the organization that
 * requested the checkout.
 */
export interface CheckoutDocument extends Aggregate, Omit<Checkout, 'id' | 'organizationId' | 'referenceHash'> {
  /** Hash of the reference of a checkout, with a sparse index. Absent in requests from an earlier release. */
  readonly referenceHash?: string;
  /** Time when the TTL index deletes the checkout reference. */
  readonly expiresAt: Date;
}

const KEPT_MS = 400 * 24 * 3_600_000;

export async function createCheckoutIndexes(collection: Collection<CheckoutDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
    { key: { referenceHash: 1 }, unique: true, sparse: true, name: 'reference' },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0, name: 'expiry' },
  ]);
}

export function checkoutStore(collection: Collection<CheckoutDocument>, outbox: Outbox, clock: Clock): Checkouts {
  const aggregates = aggregateStore(collection, outbox, clock);
  return {
    insert: ({ id, ...checkout }, events) =>
      aggregates.insert(
        { _id: id, ...checkout, expiresAt: new Date(checkout.createdAt.getTime() + KEPT_MS) },
        { events },
      ),
    async findByReference(organizationId, referenceHash) {
      const found = await collection.findOne({ referenceHash, organizationId }, { projection: { createdAt: 1 } });
      return found === null ? undefined : { id: found._id, createdAt: found.createdAt };
    },
  };
}
