import { randomUUID } from 'node:crypto';
import type { NamedIndex } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { AnyBulkWriteOperation, Collection, Document, Filter, UpdateFilter } from 'mongodb';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { DeletableStore } from '../application/delete-records.js';
import type { ImportedRecord, ImportedStore } from '../application/imported-record.js';
import { inBatches } from '../../records/storage/in-batches.js';

/**
 * Maximum number of imported ERP records in one database write, so that other database commands can run between two
 * writes.
 */
const WRITE_DOCUMENTS_MAX = 250;

/** Fields of a stored ERP record that are needed to write a page of ERP records ({@link writePage}). */
interface Written {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
}

/** An ERP record in its stored form. */
export type ImportedDocument<R extends ImportedRecord> = Omit<R, 'id'> &
  Written & {
    /**
     * Id of the write that created this version of an ERP record. If some writes in a bulk failed, it shows which ones
     * succeeded.
     */
    readonly writeId: string;
  };

/** Database indexes that imported records of every kind have. */
export const importedIndexes: readonly NamedIndex[] = [
  { key: { organizationId: 1, _id: 1 }, name: 'of_organization' },
  { key: { organizationId: 1, keys: 1 }, name: 'keys' },
  { key: { organizationId: 1, remoteCompanyId: 1, externalId: 1 }, name: 'list_of_remote_company' },
  { key: { organizationId: 1, connectionId: 1, changedAt: 1 }, name: 'changes' },
];

/** Creates a store for imported records of an ERP. The records are read and written page by page. */
export function importedStore<R extends ImportedRecord>(
  collection: Collection<ImportedDocument<R>>,
): ImportedStore<R> & DeletableStore {
  const liveFilter = (of: object): Filter<ImportedDocument<R>> =>
    ({ ...of, deletedAt: { $exists: false } }) as Filter<ImportedDocument<R>>;
  return {
    async find(organizationId, ids) {
      const documents = await collection
        .find({ _id: { $in: [...ids] }, organizationId } as Filter<ImportedDocument<R>>, { batchSize: ids.length + 1 })
        .toArray();
      return new Map(documents.map((document) => [String(document._id), toRecord<R>(document)]));
    },
    write(organizationId, records) {
      const documents = records.map(({ id, ...record }) => ({ _id: id, organizationId, ...record }));
      return writePage(collection as unknown as Collection<Written>, organizationId, documents, ({ _id, ...next }) => ({
        replaceOne: {
          filter: { _id, organizationId, version: next.version - 1 },
          replacement: next,
        },
      }));
    },
    async hasLive({ organizationId, remoteCompanyId }) {
      const filter = liveFilter({ organizationId, remoteCompanyId });
      return (await collection.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    async live({ organizationId, remoteCompanyId }, { after, last }, limit) {
      const externalId = { $gt: after, ...(last === undefined ? {} : { $lte: last }) };
      const documents = await collection
        .find<{ _id: string; externalId: string }>(liveFilter({ organizationId, remoteCompanyId, externalId }), {
          projection: { externalId: 1 },
          sort: { externalId: 1 },
          limit,
          batchSize: limit + 1,
        })
        .toArray();
      return documents.map(({ _id: id, externalId: name }) => ({ id, externalId: name }));
    },
    async markDeleted({ organizationId, connectionId }, ids, now) {
      const update = {
        $set: { connectionId, deletedAt: now, changedAt: now, keys: [] },
        $unset: { contentHash: '' },
        $inc: { version: 1 },
      } as unknown as UpdateFilter<ImportedDocument<R>>;
      const { modifiedCount } = await collection.updateMany(
        liveFilter({ _id: { $in: [...ids] }, organizationId }),
        update,
      );
      return modifiedCount;
    },
  };
}

function toRecord<R extends ImportedRecord>(document: Document): R {
  const { _id: id, organizationId, writeId, ...record } = document;
  return { id, ...record } as unknown as R;
}

/**
 * Writes imported records in bulk. The first version is inserted, and a later version replaces the previous one.
 * @param operationOf creates the conditional write of a later version, which must set `writeId`
 * @returns ids of the documents that another writer changed in the meantime
 */
export async function writePage<D extends Written>(
  collection: Collection<Written>,
  organizationId: string,
  documents: readonly D[],
  operationOf: (document: D & { readonly writeId: string }) => object,
): Promise<ReadonlySet<string>> {
  const writeId = randomUUID();
  const marked = documents.map((document) => ({ ...document, writeId }));
  const missed = new Set<string>();
  const first = marked.filter(({ version }) => version === 1);
  for (const refused of await inBatches(first, WRITE_DOCUMENTS_MAX, (some) => insertMissing(collection, some))) {
    for (const id of refused) missed.add(id);
  }
  const later = marked.filter(({ version }) => version > 1);
  await inBatches(later, WRITE_DOCUMENTS_MAX, async (some) => {
    const operations = some.map(operationOf) as AnyBulkWriteOperation<Written>[];
    const { matchedCount } = await collection.bulkWrite(operations, { ordered: false });
    if (matchedCount === some.length) return;
    const written = await collection
      .find({ _id: { $in: some.map(({ _id }) => _id) }, organizationId, writeId } as Filter<Written>, {
        projection: { _id: 1 },
      })
      .toArray();
    const there = new Set(written.map(({ _id }) => _id));
    for (const { _id } of some) if (!there.has(_id)) missed.add(_id);
  });
  return missed;
}
