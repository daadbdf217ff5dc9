import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection, WithId } from 'mongodb';
import type { CallScope, CallScopeStore, StoredScope } from '../application/call-limits.js';

/**
 * Stored calls of one KSeF context, or of one environment for an IP address. The record belongs to no organization,
 * because KSeF counts the calls of all organizations together.
 */
export interface CallScopeDocument extends CallScope {
  /**
   * Id of the scope in which KSeF calls are counted: an environment with a NIP, such as `TEST:5265877635`, or
   * `TEST:address`.
   */
  readonly _id: string;
  readonly version: number;
  /** Time after which the count of KSeF calls is removed by a TTL index. A scope without a record has no calls. */
  readonly expiresAt: Date;
}

export async function createCallScopeIndexes(collection: Collection<CallScopeDocument>): Promise<void> {
  await ensureIndexes(collection, [{ key: { expiresAt: 1 }, expireAfterSeconds: 0, name: 'expires' }]);
}

export function callScopeStore(collection: Collection<CallScopeDocument>): CallScopeStore {
  const find = async (id: string): Promise<StoredScope | undefined> => {
    const found = await collection.findOne({ _id: id });
    return found === null ? undefined : toStored(found);
  };
  return {
    find,
    async replace(id, { version, scope, expiresAt }) {
      const next = { ...scope, version: version + 1, expiresAt };
      if (version === 0) {
        try {
          await collection.insertOne({ _id: id, ...next });
          return true;
        } catch (error) {
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      }
      const { matchedCount } = await collection.updateOne({ _id: id, version }, { $set: next });
      return matchedCount === 1;
    },
  };
}

function toStored({ version, counts, blocks, limitsReadAtMs, limits }: WithId<CallScopeDocument>): StoredScope {
  return { version, scope: { counts, blocks, limitsReadAtMs, limits } };
}
