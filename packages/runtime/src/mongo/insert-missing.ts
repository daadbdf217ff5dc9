import { MongoBulkWriteError } from 'mongodb';
import type { Collection, OptionalUnlessRequiredId } from 'mongodb';
import type { Stored } from './stored.js';

const DUPLICATE_KEY = 11000;

/**
 * Stores documents with derived ids. A document that already exists is not changed.
 * @returns the ids of the documents that existed
 */
export async function insertMissing<D extends { readonly _id: string }>(
  collection: Collection<D>,
  documents: readonly Stored<D>[],
): Promise<ReadonlySet<string>> {
  if (documents.length === 0) return new Set();
  try {
    await collection.insertMany([...documents] as OptionalUnlessRequiredId<D>[], { ordered: false });
    return new Set();
  } catch (error) {
    const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (refused.length === 0 || refused.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    return new Set(refused.flatMap(({ index }) => documents[index]?._id ?? []));
  }
}
