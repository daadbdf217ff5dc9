import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Collection } from 'mongodb';
import type { ImportedRows } from '../application/imported-rows.js';
import { importedRowIdFor } from '../application/scan-ids.js';

/** Maximum number of external ids of scan rows that one command stores or reads. */
const BATCH_ROWS_MAX = 1_000;
/**
 * Maximum number of attempts to free the external ids of scan rows, because a worker of an abandoned history scan may
 * still reserve some.
 */
const FREE_ROUNDS_MAX = 3;

/** An external id that a history scan of a company imported. The id of the record is derived from the external id. */
export interface ImportedRowDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly companyId: string;
  readonly scanId: string;
  /** Index of the imported row in the request of the history scan. */
  readonly position: number;
  readonly createdAt: Date;
}

export async function createImportedRowIndexes(collection: Collection<ImportedRowDocument>): Promise<void> {
  await ensureIndexes(collection, [{ key: { organizationId: 1, scanId: 1 }, name: 'of_scan' }]);
}

/**
 * Creates the store for the external ids of imported scan rows.
 * @param failedAmong returns the abandoned history scans, whose external ids are free
 */
export function importedRowStore(
  collection: Collection<ImportedRowDocument>,
  failedAmong: (organizationId: string, scanIds: readonly string[]) => Promise<ReadonlySet<string>>,
): ImportedRows {
  /**
   * Reserves the external ids of scan rows that no other history scan has reserved.
   * @returns the ids that belong to other history scans, except abandoned ones
   */
  const insertFree = async (
    organizationId: string,
    scanId: string,
    batch: readonly ImportedRowDocument[],
  ): Promise<readonly string[]> => {
    for (let round = 1; ; round++) {
      const there = await insertMissing(collection, batch);
      if (there.size === 0) return [];
      const owned = await collection
        .find({ _id: { $in: [...there] }, organizationId }, { projection: { scanId: 1 } })
        .toArray();
      // External ids that a history scan reserved before a crash still belong to that history scan.
      const ofOthers = owned.filter(({ scanId: owner }) => owner !== scanId);
      const owners = [...new Set(ofOthers.map(({ scanId: owner }) => owner))];
      const failed = await failedAmong(organizationId, owners);
      if (failed.size === 0 || round === FREE_ROUNDS_MAX) return ofOthers.map(({ _id }) => _id);
      await collection.deleteMany({ _id: { $in: [...there] }, organizationId, scanId: { $in: [...failed] } });
    }
  };
  return {
    async take({ organizationId, companyId, scanId, createdAt }, positions) {
      const externalIds = new Map(
        [...positions.keys()].map((externalId) => [
          importedRowIdFor(organizationId, companyId, externalId),
          externalId,
        ]),
      );
      const documents = [...externalIds].map(([_id, externalId]) => ({
        _id,
        organizationId,
        companyId,
        scanId,
        position: positions.get(externalId) ?? 0,
        createdAt,
      }));
      const ofOthers = new Set<string>();
      for (let at = 0; at < documents.length; at += BATCH_ROWS_MAX) {
        for (const id of await insertFree(organizationId, scanId, documents.slice(at, at + BATCH_ROWS_MAX))) {
          const externalId = externalIds.get(id);
          if (externalId !== undefined) ofOthers.add(externalId);
        }
      }
      return ofOthers;
    },
    async release({ organizationId, scanId }) {
      await collection.deleteMany({ organizationId, scanId });
    },
  };
}
