import type { Collection } from 'mongodb';
import { MongoBulkWriteError } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { FindingRecord, FindingStore } from '../application/finding-store.js';

/** A finding lives on its own, because people work with it after the decision. */
export interface FindingDocument extends Omit<FindingRecord, 'findingId'> {
  /** UUIDv5 of the invoice and the evidence. */
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
}

export async function createFindingIndexes(collection: Collection<FindingDocument>): Promise<void> {
  await collection.createIndexes([
    { key: { organizationId: 1, invoiceId: 1 }, name: 'of_invoice' },
    { key: { organizationId: 1, createdAt: -1, _id: -1 }, name: 'newest' },
  ]);
}

export function findingStore(collection: Collection<FindingDocument>): FindingStore {
  return {
    async insertAll(organizationId, findings) {
      if (findings.length === 0) return;
      const documents = findings.map(({ findingId, ...finding }) => ({
        _id: findingId,
        organizationId,
        version: 1,
        ...finding,
      }));
      try {
        await collection.insertMany(documents, { ordered: false });
      } catch (error) {
        // Ids are derived: those refused as duplicates are there already, the others were stored.
        const isRepeat = error instanceof MongoBulkWriteError && isDuplicateKey(error) && onlyDuplicates(error);
        if (!isRepeat) throw error;
      }
    },
    async ofInvoice(organizationId, invoiceId) {
      const documents = await collection.find({ organizationId, invoiceId }).toArray();
      return documents.map(({ _id: findingId, organizationId: _organization, version: _version, ...finding }) => ({
        findingId,
        ...finding,
      }));
    },
  };
}

function onlyDuplicates(error: MongoBulkWriteError): boolean {
  return [error.writeErrors].flat().every(({ code }) => code === 11000);
}
