import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { MongoBulkWriteError } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';

/** Documents of one write: those of suppliers are large, and nobody else gets in between. */
const WRITE_DOCUMENTS_MAX = 25;

/** A document that counts what it has counted, written under its version. */
interface Counted {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly countedUnits: readonly string[];
}

/**
 * Writes many documents of one organization, each as the version after the one it was read at, and each having counted
 * the unit.
 * @returns ids of those that somebody else has changed meanwhile; they are as the other left them
 */
export async function writeGuarded<D extends Counted>(
  collection: Collection<D>,
  organizationId: string,
  documents: readonly D[],
  unitId: string,
): Promise<ReadonlySet<string>> {
  const missed = new Set<string>();
  for (let from = 0; from < documents.length; from += WRITE_DOCUMENTS_MAX) {
    const batch = documents.slice(from, from + WRITE_DOCUMENTS_MAX);
    if ((await write(collection, batch)) === batch.length) continue;
    // Which of them were missed is not told.
    const ids = batch.map(({ _id }) => _id);
    const written = await collection
      .find({ _id: { $in: ids }, organizationId, countedUnits: unitId } as unknown as Filter<D>, {
        projection: { _id: 1 },
      })
      .toArray();
    const there = new Set(written.map(({ _id }) => String(_id)));
    for (const id of ids) if (!there.has(id)) missed.add(id);
  }
  return missed;
}

async function write<D extends Counted>(collection: Collection<D>, batch: readonly D[]): Promise<number> {
  const operations = batch.map((document) => {
    const { _id, organizationId, version } = document;
    return version === 1
      ? { insertOne: { document } }
      : { replaceOne: { filter: { _id, organizationId, version: version - 1 }, replacement: document } };
  }) as unknown as AnyBulkWriteOperation<D>[];
  try {
    const { insertedCount, matchedCount } = await collection.bulkWrite(operations, { ordered: false });
    return insertedCount + matchedCount;
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
    return error.result.insertedCount + error.result.matchedCount;
  }
}
