import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { grouped } from '@invoicecontrol/runtime/batched';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { changeBetween } from '@invoicecontrol/runtime/mongo/document-change';
import { bulkWrite } from '@invoicecontrol/runtime/mongo/group-commit';
import type { BulkWritten } from '@invoicecontrol/runtime/mongo/group-commit';

/**
 * Maximum number of database documents in one write. Supplier documents are large, and small writes let other commands
 * run in between.
 */
const WRITE_DOCUMENTS_MAX = 25;

/** A database document with a version. A write replaces the document only if it still has the version that was read. */
interface Versioned {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
}

/** A database document that lists the invoices and history scans that it has counted. */
interface Counted extends Versioned {
  readonly countedUnits: readonly string[];
}

/** The next version of a database document to write and, if known, the version that was read. */
interface VersionWrite<D extends Versioned> {
  readonly document: D;
  readonly before?: D | undefined;
}

/**
 * Writes database documents in one command. If the version that was read is known, only the difference is sent. A first
 * version is an upsert that matches no version, so an existing document with the same id causes a refusal.
 * @returns how many documents were stored (the driver does not report which), and the errors of single documents by
 *   their index
 */
async function writeVersions<D extends Versioned>(
  collection: Collection<D>,
  writes: readonly VersionWrite<D>[],
): Promise<BulkWritten> {
  const operations = writes.map(({ document, before }) => {
    const { _id, ...replacement } = document;
    const { organizationId, version } = document;
    const filter = { _id, organizationId, version: version - 1 };
    if (before !== undefined) return { updateOne: { filter, update: changeBetween(before, document) } };
    return { replaceOne: { filter, replacement, upsert: version === 1 } };
  }) as unknown as AnyBulkWriteOperation<D>[];
  const { storedCount, refused } = await bulkWrite(collection, operations);
  return { storedCount, refused: new Map([...refused].filter(([, error]) => !isDuplicateKey(error))) };
}

/**
 * Writes versioned database documents, and returns how many of them were written.
 * @throws the first error of a single document
 */
async function countStored<D extends Versioned>(collection: Collection<D>, documents: readonly D[]): Promise<number> {
  const { storedCount, refused } = await writeVersions(
    collection,
    documents.map((document) => ({ document })),
  );
  for (const error of refused.values()) throw error;
  return storedCount;
}

/**
 * Returns a function that replaces a database document by its next version. It resolves to false if another writer has
 * replaced the document since it was read.
 */
export function versionWriter<D extends Versioned>(collection: Collection<D>): (document: D) => Promise<boolean> {
  return async (document) => (await countStored(collection, [document])) === 1;
}

/**
 * The next version of a supplier, bank account or order record. In this version, the invoice or history scan with the
 * id `unitId` is counted.
 */
interface CountedWrite<D extends Counted> extends VersionWrite<D> {
  readonly unitId: string;
}

/**
 * Returns a function that writes the next version of the record of a supplier, bank account or order, after one more
 * invoice or history scan was counted in it. Concurrent writes are batched (ADR 0127). The function resolves to false
 * if another writer has changed the record in the meantime without counting the same invoice or scan.
 */
export function countWriter<D extends Counted>(
  collection: Collection<D>,
): (write: CountedWrite<D>) => Promise<boolean> {
  return grouped(WRITE_DOCUMENTS_MAX, async (writes: readonly CountedWrite<D>[]) => {
    const { storedCount, refused } = await writeVersions(collection, writes);
    if (storedCount === writes.length) return writes.map(() => true);
    if (writes.length === 1) return [refused.get(0) ?? false];
    // The database reports how many documents were stored, but not which ones, so the documents are read again.
    const ids = writes.map(({ document }) => document._id);
    const found = await collection
      .find({ _id: { $in: ids } } as unknown as Filter<D>, { projection: { organizationId: 1, countedUnits: 1 } })
      .toArray();
    return writes.map(({ document: { _id, organizationId }, unitId }, index) => {
      const isCounted = found.some(
        (stored) =>
          String(stored._id) === _id &&
          stored.organizationId === organizationId &&
          stored.countedUnits.includes(unitId),
      );
      return isCounted || (refused.get(index) ?? false);
    });
  });
}

/**
 * Writes the records of suppliers, bank accounts or orders of an organization after an invoice or a history scan was
 * counted in them. Each record is written only if it still has the version that was read.
 * @returns ids of records that another writer changed in the meantime; those changes are kept
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
    if ((await countStored(collection, batch)) === batch.length) continue;
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
