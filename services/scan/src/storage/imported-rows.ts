import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Collection } from 'mongodb';
import type { ImportedRows } from '../application/imported-rows.js';
import { importedRowIdFor } from '../application/scan-ids.js';

/** External ids that one command stores or reads. */
const BATCH_ROWS_MAX = 1_000;

/** An external id that a scan of a company has imported, under an id that is derived from it. */
export interface ImportedRowDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly companyId: string;
  readonly scanId: string;
  /** Index of the row in the scan's request. */
  readonly position: number;
  readonly createdAt: Date;
}

export async function createImportedRowIndexes(collection: Collection<ImportedRowDocument>): Promise<void> {
  await collection.createIndexes([{ key: { organizationId: 1, scanId: 1 }, name: 'of_scan' }]);
}

export function importedRowStore(collection: Collection<ImportedRowDocument>): ImportedRows {
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
        const there = await insertMissing(collection, documents.slice(at, at + BATCH_ROWS_MAX));
        if (there.size === 0) continue;
        const owned = await collection
          .find({ _id: { $in: [...there] }, organizationId }, { projection: { scanId: 1 } })
          .toArray();
        // What this very scan took before a crash is its own.
        for (const { _id, scanId: owner } of owned) {
          const externalId = externalIds.get(_id);
          if (owner !== scanId && externalId !== undefined) ofOthers.add(externalId);
        }
      }
      return ofOthers;
    },
    async release({ organizationId, scanId }) {
      await collection.deleteMany({ organizationId, scanId });
    },
  };
}
