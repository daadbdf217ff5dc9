import { MongoBulkWriteError } from 'mongodb';
import type { Collection, OptionalUnlessRequiredId } from 'mongodb';

/** Stores documents with derived ids. One that is there already was stored before and stays as it is. */
export async function insertOnce<D extends { readonly _id: string }>(
  collection: Collection<D>,
  documents: readonly D[],
): Promise<void> {
  if (documents.length === 0) return;
  try {
    await collection.insertMany([...documents] as OptionalUnlessRequiredId<D>[], { ordered: false });
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
}

function isAlreadyThere(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return false;
  return [error.writeErrors].flat().every(({ code }) => code === 11000);
}
