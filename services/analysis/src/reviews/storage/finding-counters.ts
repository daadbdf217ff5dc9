import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { stored } from '@invoicecontrol/runtime/mongo/stored';
import type { Collection } from 'mongodb';
import type { CounterStore, FindingCounters } from '../application/count-findings.js';

/** The stored totals of the findings of an organization, under the id of the organization. */
export interface FindingCountersDocument extends FindingCounters {
  readonly _id: string;
}

export function findingCounterStore(collection: Collection<FindingCountersDocument>): CounterStore {
  return {
    async find(organizationId) {
      const document = await collection.findOne({ _id: organizationId }, { projection: { _id: 0 } });
      return document ?? undefined;
    },
    async save(organizationId, counters) {
      const document = stored({ ...counters });
      if (counters.version > 1) {
        const guard = { _id: organizationId, version: counters.version - 1 };
        return (await collection.replaceOne(guard, document)).matchedCount === 1;
      }
      try {
        await collection.insertOne({ _id: organizationId, ...document });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}
