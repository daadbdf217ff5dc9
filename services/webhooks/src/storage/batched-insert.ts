import { batched } from '@invoicecontrol/runtime/batched';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Collection } from 'mongodb';

/** Maximum number of webhook events or deliveries that one command inserts, so that other commands do not wait long. */
const DOCUMENTS_MAX = 100;

/**
 * Creates a function that inserts webhook events or deliveries with derived ids. Concurrent callers share a database
 * command.
 * @returns a function that inserts documents and returns the ids of those that already existed
 */
export function batchedInsert<D extends { readonly _id: string }>(
  collection: Collection<D>,
): (documents: readonly D[]) => Promise<ReadonlySet<string>> {
  const insertOne = batched<D, D>(
    ({ _id }) => _id,
    async (documents) => {
      const existing = await insertMissing(collection, documents);
      return new Map(documents.filter(({ _id }) => !existing.has(_id)).map((stored) => [stored._id, stored]));
    },
    { keysMax: DOCUMENTS_MAX },
  );
  return async (documents) => {
    const stored = await Promise.all(documents.map(insertOne));
    return new Set(documents.filter((document, index) => stored[index] !== document).map(({ _id }) => _id));
  };
}
