import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Collection } from 'mongodb';
import type { Places } from '../application/stores.js';

/** The endpoints that an organization has; one document, so that taking a place is one guarded write. */
export interface PlacesDocument {
  /** The organization. */
  readonly _id: string;
  readonly used: number;
  /** As many as `used`. */
  readonly endpointIds: readonly string[];
}

export function placeStore(collection: Collection<PlacesDocument>): Places {
  const take = async (organizationId: string, endpointId: string, limit: number): Promise<boolean> => {
    const { matchedCount } = await collection.updateOne(
      { _id: organizationId, used: { $lte: limit - 1 } },
      { $inc: { used: 1 }, $push: { endpointIds: endpointId } },
    );
    return matchedCount === 1;
  };
  return {
    async take(organizationId, endpointId, limit) {
      if (await take(organizationId, endpointId, limit)) return true;
      // A guarded upsert could lose a race against itself, so the document is created once, apart.
      await insertMissing(collection, [{ _id: organizationId, used: 0, endpointIds: [] }]);
      return take(organizationId, endpointId, limit);
    },
    async giveBack(organizationId, endpointId) {
      await collection.updateOne(
        { _id: organizationId, endpointIds: endpointId },
        { $inc: { used: -1 }, $pull: { endpointIds: endpointId } },
      );
    },
    async taken(organizationId) {
      return (await collection.findOne({ _id: organizationId }))?.endpointIds ?? [];
    },
  };
}
