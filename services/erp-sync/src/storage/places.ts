import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Collection } from 'mongodb';
import type { Places } from '../application/stores.js';

/** The connections that an organization has; one document, so that taking a place is one guarded write. */
export interface PlacesDocument {
  /** The organization. */
  readonly _id: string;
  readonly used: number;
  /** As many as `used`. */
  readonly connectionIds: readonly string[];
}

export function placeStore(collection: Collection<PlacesDocument>): Places {
  const take = async (organizationId: string, connectionId: string, limit: number): Promise<boolean> => {
    const { matchedCount } = await collection.updateOne(
      { _id: organizationId, used: { $lte: limit - 1 } },
      { $inc: { used: 1 }, $push: { connectionIds: connectionId } },
    );
    return matchedCount === 1;
  };
  return {
    async take(organizationId, connectionId, limit) {
      if (await take(organizationId, connectionId, limit)) return true;
      // A guarded upsert could lose a race against itself, so the document is created once, apart.
      await insertMissing(collection, [{ _id: organizationId, used: 0, connectionIds: [] }]);
      return take(organizationId, connectionId, limit);
    },
    async giveBack(organizationId, connectionId) {
      await collection.updateOne(
        { _id: organizationId, connectionIds: connectionId },
        { $inc: { used: -1 }, $pull: { connectionIds: connectionId } },
      );
    },
    async taken(organizationId) {
      return (await collection.findOne({ _id: organizationId }))?.connectionIds ?? [];
    },
  };
}
