import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Collection } from 'mongodb';
import type { CanaryStore } from './canaries.js';

/** The stored canary of a sealing key, by which a process recognizes that it has the same key. */
export interface SealingKeyDocument {
  /** Id of the sealing key, which is also the document id. */
  readonly _id: string;
  readonly sealed: string;
}

const KEYS_MAX = 100;

/**
 * Stores the canaries of a service in its collection `sealing_keys`.
 * @param keyIdsInUse returns the key ids with which secrets are sealed, for the records that contain a secret sealed
 * with none of the given keys. An id may be repeated. If such a record contains several secrets, ids of given keys may
 * be included.
 */
export function canaryStore(
  collection: Collection<SealingKeyDocument>,
  keyIdsInUse: (besides: readonly string[]) => Promise<readonly string[]>,
): CanaryStore {
  return {
    async keyIdsBesides(known) {
      return [...new Set(await keyIdsInUse(known))].filter((keyId) => !known.includes(keyId));
    },
    async list() {
      const found = await collection.find({}).sort({ _id: 1 }).limit(KEYS_MAX).toArray();
      return found.map(({ _id: keyId, sealed }) => ({ keyId, sealed }));
    },
    async insertMissing({ keyId, sealed }) {
      await insertMissing(collection, [{ _id: keyId, sealed }]);
    },
    async delete(keyId) {
      await collection.deleteOne({ _id: keyId });
    },
  };
}
