import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { isDuplicateKey } from './connection.js';
import { bulkWrite } from './group-commit.js';
import type { Stored } from './stored.js';

/**
 * Stores documents with derived ids. A document that already exists is not changed.
 * @returns the ids of the documents that existed
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
