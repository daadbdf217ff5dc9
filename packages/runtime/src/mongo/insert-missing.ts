import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { isDuplicateKey } from './connection.js';
import { bulkWrite, groupedInsert } from './group-commit.js';
import type { Stored } from './stored.js';

/**
 * Stores database documents with derived ids. A document that already exists is not changed.
 * @returns the ids of the documents that already existed
 */
export async function insertMissing<D extends { readonly _id: string }>(
  collection: Collection<D>,
  documents: readonly Stored<D>[],
): Promise<ReadonlySet<string>> {
  if (documents.length === 0) return new Set();
  const operations = documents.map((document) => ({ insertOne: { document } }));
  const { refused } = await bulkWrite(collection, operations as AnyBulkWriteOperation<D>[]);
  for (const error of refused.values()) if (!isDuplicateKey(error)) throw error;
  return new Set([...refused.keys()].flatMap((index) => documents[index]?._id ?? []));
}

/**
 * Returns a function that stores a document with a derived id, in one command with the documents of concurrent callers
 * (ADR 0127). A document that already exists is not changed.
 */
export function groupedInsertMissing<D extends { readonly _id: string }>(
  collection: Collection<D>,
  documentsMax: number,
): (document: Stored<D>) => Promise<void> {
  const insert = groupedInsert(collection, documentsMax);
  return async (document) => {
    try {
      await insert(document as Parameters<typeof insert>[0]);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  };
}
