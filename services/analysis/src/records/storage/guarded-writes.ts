import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { MongoBulkWriteError } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';

/**
 * Maximum number of documents in one write. Supplier documents are large, and small writes let other commands run in
 * between.
 */
const WRITE_DOCUMENTS_MAX = 25;

/** A database document that is written only as the version after the one that was read. */
interface Versioned {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
}

/** A database document that stores the units it has counted. */
interface Counted extends Versioned {
  readonly countedUnits: readonly string[];
}

/**
 * Writes database documents in one command. A first version is an upsert that matches no version, so an existing
 * document with the same id causes a refusal.
 * @returns the number of stored documents, but not which ones
 */
export async function writeVersions<D extends Versioned>(
  collection: Collection<D>,
  documents: readonly D[],
): Promise<number> {
  const operations = documents.map(({ _id, ...replacement }) => {
    const { organizationId, version } = replacement;
    const filter = { _id, organizationId, version: version - 1 };
    return { replaceOne: { filter, replacement, upsert: version === 1 } };
  }) as unknown as AnyBulkWriteOperation<D>[];
  try {
    const { matchedCount, upsertedCount } = await collection.bulkWrite(operations, { ordered: false });
    return matchedCount + upsertedCount;
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
    return error.result.matchedCount + error.result.upsertedCount;
  }
}

/**
 * Writes many of an organization's database documents that have counted the unit. Each is written as the version after
 * the one that was read.
 * @returns ids of documents that another writer changed in the meantime; those changes are kept
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
    if ((await writeVersions(collection, batch)) === batch.length) continue;
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
