import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { stored } from '@invoicecontrol/runtime/mongo/stored';
import type { Collection } from 'mongodb';
import type { SubscriptionLinks } from '../application/stores.js';

/**
 * The organization to which a subscription at the payment provider belongs. The state of the subscription is stored in
 * the billing account of the organization.
 */
export interface SubscriptionDocument {
  /** Id that the subscription has at the payment provider, such as `sub_...`. */
  readonly _id: string;
  readonly organizationId: string;
  /**
   * Id of the checkout whose reference a subscription has. The index is unique. Absent if the operator or an earlier
   * release linked the subscription.
   */
  readonly checkoutId?: string;
  readonly linkedAt: Date;
}

export async function createSubscriptionIndexes(collection: Collection<SubscriptionDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1 }, name: 'organization' },
    { key: { checkoutId: 1 }, unique: true, sparse: true, name: 'checkout' },
  ]);
}

export function subscriptionLinks(collection: Collection<SubscriptionDocument>, clock: Clock): SubscriptionLinks {
  const find = async (subscriptionId: string): Promise<string | undefined> =>
    (await collection.findOne({ _id: subscriptionId }))?.organizationId;
  return {
    find,
    async link(subscriptionId, { organizationId, checkoutId }) {
      const link = { _id: subscriptionId, organizationId, checkoutId, linkedAt: clock.now() };
      try {
        await collection.insertOne(stored<SubscriptionDocument>(link));
        return organizationId;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // A duplicate key means that the subscription was linked before, or that the checkout has already linked
        // another subscription.
        return find(subscriptionId);
      }
    },
  };
}
