import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { MongoBulkWriteError } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';

/** Documents of one write: those of suppliers are large, and small writes let other commands run in between. */
const WRITE_DOCUMENTS_MAX = 25;

/** A document that is only ever written as the version after the one it was read at. */
interface Versioned {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
}

/** A document that counts what it has counted. */
interface Counted extends Versioned {
  readonly countedUnits: readonly string[];
}

/**
 * Writes documents by one command. A first version is an upsert on a version that none has: an existing document is refused by its id.
 * @returns how many were stored, but not which ones
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
 * Writes many documents of one organization, each as the version after the one it was read at, and each having counted
 * the unit.
 * @returns ids of those that another writer changed in the meantime; its changes stay
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
