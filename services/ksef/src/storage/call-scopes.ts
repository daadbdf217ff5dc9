import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection, WithId } from 'mongodb';
import type { CallScope, CallScopeStore, StoredScope } from '../application/call-limits.js';

/**
 * The stored record of KSeF calls for one taxpayer, or of calls to one environment from an IP address. The record
 * belongs to no organization, because KSeF counts the calls of all organizations together.
 */
export interface CallScopeDocument extends CallScope {
  /**
   * Id of the record of counted KSeF calls: an environment with a NIP, such as `TEST:5265877635`, or `TEST:address`.
   */
  readonly _id: string;
  readonly version: number;
  /** Time after which a TTL index removes the record of KSeF calls. A missing record means that no calls count. */
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
