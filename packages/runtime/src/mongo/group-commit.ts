import { MongoBulkWriteError, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import type { AnyBulkWriteOperation, BulkWriteResult, Collection, OptionalUnlessRequiredId } from 'mongodb';
import { grouped } from '../batched.js';

/**
 * Returns a function that inserts MongoDB documents in batches. If the database refuses one document, for example
 * because its id exists, only the call that inserts this document rejects. The driver does not report which index
 * refused it.
 */
export function groupedInsert<D extends { readonly _id: string }>(
  collection: Collection<D>,
  documentsMax: number,
): (document: OptionalUnlessRequiredId<D>) => Promise<void> {
  return grouped(documentsMax, async (documents) => {
    const written = await bulkWrite(
      collection,
      documents.map((document) => ({ insertOne: { document } })) as AnyBulkWriteOperation<D>[],
    );
    return documents.map((_, index) => written.refused.get(index));
  });
}

/** Result of a bulk write to MongoDB. */
export interface BulkWritten {
  /** Number of operations of the bulk write that matched or inserted a document. */
  readonly storedCount: number;
  /** Errors of single operations of a bulk write, by the index of the operation. */
  readonly refused: ReadonlyMap<number, Error>;
}

/**
 * Runs write operations in one database command. The error of an operation does not affect the other operations.
 * @throws an error that concerns every operation, such as a lost connection
 */
export async function bulkWrite<D extends { readonly _id: string }>(
  collection: Collection<D>,
  operations: readonly AnyBulkWriteOperation<D>[],
): Promise<BulkWritten> {
  try {
    const result = await collection.bulkWrite([...operations], { ordered: false });
    return { storedCount: storedIn(result), refused: new Map() };
  } catch (error) {
    // If one document of a bulk write is too large, the MongoDB driver sends none of the documents, so each is then
    // written on its own.
    if (error instanceof MongoInvalidArgumentError && operations.length > 1) return oneByOne(collection, operations);
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const refused = [error.writeErrors].flat();
    // If a failed bulk write to MongoDB has no errors of single operations, or was not confirmed by a majority, the
    // outcome of every operation is unknown.
    if (refused.length === 0 || error.result.getWriteConcernError() !== undefined) throw error;
    return {
      storedCount: storedIn(error.result),
      refused: new Map(
        refused.map(({ index, code, errmsg }) => [index, new MongoServerError({ message: errmsg ?? '', code })]),
      ),
    };
  }
}

async function oneByOne<D extends { readonly _id: string }>(
  collection: Collection<D>,
  operations: readonly AnyBulkWriteOperation<D>[],
): Promise<BulkWritten> {
  let storedCount = 0;
  const refused = new Map<number, Error>();
  for (const [index, operation] of operations.entries()) {
    try {
      const written = await bulkWrite(collection, [operation]);
      storedCount += written.storedCount;
      for (const error of written.refused.values()) refused.set(index, error);
    } catch (error) {
      if (!(error instanceof MongoInvalidArgumentError)) throw error;
      refused.set(index, error);
    }
  }
  return { storedCount, refused };
}

function storedIn({ insertedCount, matchedCount, upsertedCount }: BulkWriteResult): number {
  return insertedCount + matchedCount + upsertedCount;
}
