import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { stored } from '@invoicecontrol/runtime/mongo/stored';
import type { Collection } from 'mongodb';
import type { SubscriptionLinks } from '../application/stores.js';

/** The organization that a subscription of the provider belongs to. Its state is in the organization's account. */
export interface SubscriptionDocument {
  /** `sub_...`, as the provider names it. */
  readonly _id: string;
  readonly organizationId: string;
  /** The checkout whose reference it has; absent where the operator linked it, or an earlier release. Unique index. */
  readonly checkoutId?: string;
  readonly linkedAt: Date;
}

export async function createSubscriptionIndexes(collection: Collection<SubscriptionDocument>): Promise<void> {
  await collection.createIndexes([
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
        // Either the subscription was linked before, or the checkout has linked another one.
        return find(subscriptionId);
      }
    },
  };
}
