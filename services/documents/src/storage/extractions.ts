import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import type { Extraction, ExtractionStore } from '../application/extract-document.js';

/** The stored result of reading a document. */
export interface ExtractionDocument {
  /** Id of a stored document reading, derived from the upload, the mode and the reading version. */
  readonly _id: string;
  readonly organizationId: string;
  readonly at: Date;
  /**
   * The document reading in JSON format. It is stored as text, because its field names contain dots and the database
   * never searches in it.
   */
  readonly extraction: string;
}

export async function createExtractionIndexes(collection: Collection<ExtractionDocument>): Promise<void> {
  await ensureIndexes(collection, [{ key: { organizationId: 1 }, name: 'of_organization' }]);
}

export function extractionStore(collection: Collection<ExtractionDocument>): ExtractionStore {
  const find: ExtractionStore['find'] = async (organizationId, id) => {
    const document = await collection.findOne({ _id: id, organizationId });
    return document === null ? undefined : (JSON.parse(document.extraction) as Extraction);
  };
  return {
    find,
    async insert(organizationId, id, extraction, at) {
      const text = JSON.stringify(extraction);
      try {
        await collection.insertOne({ _id: id, organizationId, at, extraction: text });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const first = await find(organizationId, id);
        if (first !== undefined) return first;
      }
      // The result of reading a document is parsed from its stored form, so that the first call returns the same result
      // as a repeated call.
      return JSON.parse(text) as Extraction;
    },
  };
}
