import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { Collection } from 'mongodb';
import type { SubscriptionLinks } from '../application/stores.js';

/** Which organization a subscription of the provider belongs to. Its state is in the organization's account. */
export interface SubscriptionDocument {
  /** `sub_...`, as the provider names it. */
  readonly _id: string;
  readonly organizationId: string;
  readonly linkedAt: Date;
}

export async function createSubscriptionIndexes(collection: Collection<SubscriptionDocument>): Promise<void> {
  await collection.createIndexes([{ key: { organizationId: 1 }, name: 'organization' }]);
}

export function subscriptionLinks(collection: Collection<SubscriptionDocument>, clock: Clock): SubscriptionLinks {
  const find = async (subscriptionId: string): Promise<string | undefined> =>
    (await collection.findOne({ _id: subscriptionId }))?.organizationId;
  return {
    find,
    async link(subscriptionId, organizationId) {
      try {
        await collection.insertOne({ _id: subscriptionId, organizationId, linkedAt: clock.now() });
        return organizationId;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (await find(subscriptionId)) ?? organizationId;
      }
    },
  };
}
