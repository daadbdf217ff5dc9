import { MongoBulkWriteError, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import type { AnyBulkWriteOperation, BulkWriteResult, Collection, OptionalUnlessRequiredId } from 'mongodb';
import { bindToCurrentWork } from '../trace-context.js';

/** Maximum time that an item waits for the batch ahead of it. A batch that hangs does not hold up later items. */
const WAIT_MS_MAX = 100;

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Groups concurrent calls into batches (ADR 0127). While one batch is in progress, later items collect for the next
 * one. Without concurrent calls, an item waits only for the current turn of the event loop.
 *
 * A batch starts when the one ahead of it has ended, when it has `itemsMax` items, or when its first item has waited
 * for 100 ms. If the work rejects, every item of the batch rejects.
 * @param work returns one result for each item, in the order of the items. A result that is an Error rejects that item
 * alone.
 */
export function grouped<T, R>(
  itemsMax: number,
  work: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = [];
  let batchesInProgress = 0;
  let immediate: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;

  const begin = (): void => {
    clearImmediate(immediate);
    clearTimeout(timer);
    immediate = undefined;
    timer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    batchesInProgress++;
    work(batch.map(({ item }) => item))
      .then(
        (results) => {
          for (const [index, { resolve, reject }] of batch.entries()) {
            const result = results[index] as R | Error;
            if (result instanceof Error) reject(result);
            else resolve(result);
          }
        },
        (error: unknown) => {
          for (const { reject } of batch) reject(error);
        },
      )
      .finally(() => {
        batchesInProgress--;
        beginSoon();
      });
  };
  const beginSoon = (): void => {
    if (batchesInProgress === 0 && waiting.length > 0) immediate ??= setImmediate(start);
  };
  /** The batch belongs to the request of its first item, as far as traces are concerned. */
  let start = begin;
  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) start = bindToCurrentWork(begin);
      waiting.push({ item, resolve, reject });
      if (waiting.length === itemsMax) start();
      else if (batchesInProgress === 0) beginSoon();
      else timer ??= setTimeout(start, WAIT_MS_MAX);
    });
}

/**
 * Returns a function that inserts documents in batches. A document that the database refuses, such as one whose id
 * exists, rejects alone. The driver does not report which index refused it.
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

/** The result of a bulk write. */
export interface BulkWritten {
  /** Number of operations that matched or inserted a document. */
  readonly storedCount: number;
  /** Errors of single operations, by the index of the operation. */
  readonly refused: ReadonlyMap<number, Error>;
}

/**
 * Runs write operations in one command. The error of an operation does not affect the others.
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
    // The driver sends nothing if one document is too large.
    if (error instanceof MongoInvalidArgumentError && operations.length > 1) return oneByOne(collection, operations);
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const refused = [error.writeErrors].flat();
    // Without errors of single operations, or without a majority, the outcome of every operation is unknown.
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
