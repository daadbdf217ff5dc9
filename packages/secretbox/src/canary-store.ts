import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Collection } from 'mongodb';
import type { CanaryStore } from './canaries.js';

/** A canary of each key that has sealed. */
export interface SealingKeyDocument {
  /** The id of the key. */
  readonly _id: string;
  readonly sealed: string;
}

const KEYS_MAX = 100;

/**
 * The canaries of a service, in its collection `sealing_keys`.
 * @param keyIdsInUse the key ids of the records with a secret that none of these keys seals; an id may come twice, and one
 * of these keys, too, of a record with several secrets
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
