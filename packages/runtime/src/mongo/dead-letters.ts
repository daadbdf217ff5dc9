import type { Db } from 'mongodb';
import type { DeadLetter, DeadLetters } from '../nats/subscribe.js';
import { isDuplicateKey } from './connection.js';

type DeadLetterDocument = Omit<DeadLetter, 'id'> & { readonly _id: string };

/** Keeps dead letters in the collection `dead_letters` of the consuming service. */
export function deadLetterStore(db: Db): DeadLetters {
  return {
    async store({ id, ...letter }) {
      try {
        await db.collection<DeadLetterDocument>('dead_letters').insertOne({ _id: id, ...letter });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
  };
}
