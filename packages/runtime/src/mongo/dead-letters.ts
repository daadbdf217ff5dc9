import type { Db } from 'mongodb';
import type { DeadLetter, DeadLetterStore } from '../dead-letters.js';
import type { DeadLetters } from '../nats/subscribe.js';
import { isDuplicateKey } from './connection.js';

type DeadLetterDocument = Omit<DeadLetter, 'id'> & { readonly _id: string };

/** Highest number of dead letters that is counted, so that counting stays cheap. */
const COUNT_MAX = 10_000;

/** Stores dead letters in the collection `dead_letters` of the consuming service. */
export function deadLetterStore(db: Db): DeadLetters & DeadLetterStore {
  const letters = db.collection<DeadLetterDocument>('dead_letters');
  return {
    async store({ id, ...letter }) {
      try {
        await letters.insertOne({ _id: id, ...letter });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async list(size, after) {
      const filter = after === undefined ? {} : { _id: { $gt: after } };
      return (await letters.find(filter, { sort: { _id: 1 }, limit: size }).toArray()).map(fromDocument);
    },
    async find(id) {
      const document = await letters.findOne({ _id: id });
      return document === null ? undefined : fromDocument(document);
    },
    async remove(id) {
      await letters.deleteOne({ _id: id });
    },
    async noteFailure(id, error, at) {
      const changed = await letters.findOneAndUpdate(
        { _id: id },
        { $inc: { resends: 1 }, $set: { error, resentAt: at } },
        { returnDocument: 'after' },
      );
      return changed?.resends ?? 0;
    },
    count(consumer) {
      // Ids of the dead letters of a consumer begin with the name of the consumer and a colon. All of them sort before
      // the name with a semicolon, which is the next character after the colon.
      const ofConsumer = { _id: { $gte: `${consumer}:`, $lt: `${consumer};` } };
      return letters.countDocuments(ofConsumer, { limit: COUNT_MAX, hint: '_id_' });
    },
  };
}

function fromDocument({ _id: id, ...letter }: DeadLetterDocument): DeadLetter {
  return { id, ...letter };
}
