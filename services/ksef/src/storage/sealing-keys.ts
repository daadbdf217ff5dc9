import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { CanaryStore } from '@invoicecontrol/secretbox/canaries';
import type { Collection } from 'mongodb';
import { sealedWithOthers } from './connections.js';
import type { ConnectionDocument } from './connections.js';

/** A canary of each key that has sealed. */
export interface SealingKeyDocument {
  /** The id of the key. */
  readonly _id: string;
  readonly sealed: string;
}

const KEYS_MAX = 100;

export function canaryStore(
  collection: Collection<SealingKeyDocument>,
  connections: Collection<ConnectionDocument>,
): CanaryStore & { delete(keyId: string): Promise<void> } {
  return {
    async keyIdsBesides(known) {
      const found = (await connections.distinct('token.keyId', sealedWithOthers(known))) as string[];
      return found.filter((keyId) => !known.includes(keyId));
    },
    async list() {
      const found = await collection.find({}).limit(KEYS_MAX).toArray();
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
