import type { Db } from 'mongodb';
import type { ConsumerPosition, ConsumerPositions } from '../nats/subscribe.js';

type PositionDocument = ConsumerPosition & { readonly _id: string };

/**
 * Stores the positions of event consumers in the collection `consumer_positions` of the consuming service, so that they
 * are part of a backup.
 */
export function consumerPositions(db: Db): ConsumerPositions {
  const collection = db.collection<PositionDocument>('consumer_positions');
  return {
    async find(consumer) {
      return (await collection.findOne({ _id: consumer })) ?? undefined;
    },
    async store(consumer, position) {
      await collection.updateOne({ _id: consumer }, { $set: position }, { upsert: true });
    },
  };
}
