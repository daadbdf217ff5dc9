import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection, Filter } from 'mongodb';
import type { SupplierRecord, SupplierStore } from '../application/counted-records.js';
import type { KnownSupplier, SupplierProfile } from '@invoicecontrol/engine/facts/supplier';
import { countWriter, versionWriter, writeGuarded } from './guarded-writes.js';
import { inBatches } from './in-batches.js';
import { groupedReads, readSharing } from './records-by-keys.js';
import { beginsWith } from './search-filter.js';

/**
 * Maximum number of suppliers that are read for one identity key. The account of a factoring company may belong to
 * hundreds of suppliers.
 */
const SUPPLIERS_PER_KEY_MAX = 64;
/**
 * Maximum number of keys in one lookup of suppliers for many invoices, and the usual maximum number of suppliers for a
 * key.
 */
const LOOKUP_KEYS_MAX = 500;
const SUPPLIERS_PER_KEY_USUAL = 4;
/** Maximum number of keys in one lookup that reads only the identities of suppliers. */
const IDENTITY_KEYS_MAX = 2_000;
const IDENTITY = {
  name: 1,
  keys: 1,
  nameKey: 1,
  nameFold: 1,
  taxKey: 1,
  taxCountry: 1,
  taxCountryPresumed: 1,
  taxValid: 1,
} as const;

/** A stored supplier, whose record is derived from its invoices. */
export interface SupplierDocument extends Omit<KnownSupplier, 'supplierId'> {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly profile: SupplierProfile;
  /**
   * Newest invoices and scans that a supplier record has counted, so that a repeated call does not count them again.
   */
  readonly countedUnits: readonly string[];
  /** Ids of invoices that are no longer counted for the supplier. Absent in old records without such invoices. */
  readonly withdrawnUnits?: readonly string[];
}

export async function createSupplierIndexes(collection: Collection<SupplierDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, keys: 1 }, name: 'identity' },
    { key: { organizationId: 1, _id: 1 }, name: 'of_organization' },
    { key: { organizationId: 1, lookalikeKeys: 1 }, name: 'lookalikes' },
  ]);
}

const limitOf = (keysCount: number): number => Math.max(SUPPLIERS_PER_KEY_MAX, SUPPLIERS_PER_KEY_USUAL * keysCount);

export function supplierStore(collection: Collection<SupplierDocument>): SupplierStore {
  const findMany: SupplierStore['findMany'] = async (organizationId, by, keys) => {
    const found = await inBatches(keys, LOOKUP_KEYS_MAX, (batch) =>
      readSharing(batch, limitOf, (some, limit) =>
        collection
          .find({ organizationId, [by]: { $in: [...some] } })
          .limit(limit)
          .toArray(),
      ),
    );
    return [...new Map(found.flat().map((document) => [document._id, document])).values()].map(toRecord);
  };
  const findBy = (by: 'keys' | 'lookalikeKeys') =>
    groupedReads<SupplierRecord>({
      read: (organizationId, keys) => findMany(organizationId, by, keys),
      readTogether: async (organizationId, keys, limit) => {
        const documents = await collection
          .find({ organizationId, [by]: { $in: [...keys] } })
          .limit(limit)
          .toArray();
        return documents.map(toRecord);
      },
      keysOf: ({ identity }) => identity[by] ?? [],
      limitOf,
    });
  const write = versionWriter(collection);
  const writeCounted = countWriter(collection);
  return {
    findMany,
    findByKeys: findBy('keys'),
    findByLookalikeKeys: findBy('lookalikeKeys'),
    async identitiesByKeys(organizationId, keys) {
      const limit = SUPPLIERS_PER_KEY_USUAL * IDENTITY_KEYS_MAX;
      const found = await inBatches(keys, IDENTITY_KEYS_MAX, (some) =>
        collection
          .find<Omit<KnownSupplier, 'supplierId'> & { _id: string }>(
            { organizationId, keys: { $in: [...some] } },
            { projection: IDENTITY, limit, batchSize: limit + 1 },
          )
          .toArray(),
      );
      return found.flat().map(({ _id: supplierId, ...identity }) => ({ supplierId, ...identity }));
    },
    async paidSuppliers(organizationId, supplierIds) {
      const found = await inBatches(supplierIds, LOOKUP_KEYS_MAX, (some) =>
        collection
          .find<{ _id: string; nameKey: string; profile: Pick<SupplierProfile, 'accounts' | 'names'> }>(
            { _id: { $in: [...some] }, organizationId },
            { projection: { nameKey: 1, 'profile.accounts': 1, 'profile.names': 1 } },
          )
          .toArray(),
      );
      return new Map(found.flat().map(({ _id, nameKey, profile }) => [_id, { nameKey, ...profile }]));
    },
    async find(organizationId, supplierId) {
      const document = await collection.findOne({ _id: supplierId, organizationId });
      return document === null ? undefined : toRecord(document);
    },
    async searchByKeys(organizationId, { key, prefix }, limit) {
      const ways = [
        ...(key === undefined ? [] : [{ keys: key }]),
        // A search by prefix compares the keys with two bounds. Without `$elemMatch`, one key of a supplier could
        // satisfy the lower bound and another key the upper bound.
        ...(prefix === undefined ? [] : [{ keys: { $elemMatch: beginsWith(prefix) } }]),
      ];
      if (ways.length === 0) return [];
      const documents = await collection
        .find({ organizationId, $or: ways } as Filter<SupplierDocument>, { projection: { _id: 1 }, limit })
        .toArray();
      return documents.map(({ _id }) => _id);
    },
    async existing(organizationId, supplierIds) {
      if (supplierIds.length === 0) return [];
      const filter = { _id: { $in: [...supplierIds] }, organizationId };
      const documents = await collection.find(filter, { projection: { _id: 1 } }).toArray();
      return documents.map(({ _id }) => _id);
    },
    write: (organizationId, record) => write(nextDocument(organizationId, record)),
    writeCounted: (organizationId, { before, record, unitId }) =>
      writeCounted({
        document: nextDocument(organizationId, record),
        before: before && documentOf(organizationId, before),
        unitId,
      }),
    writeMany: (organizationId, records, unitId) =>
      writeGuarded(
        collection,
        organizationId,
        records.map((record) => nextDocument(organizationId, record)),
        unitId,
      ),
  };
}

/** Returns the database document of a supplier with the version that follows the version that was read. */
function nextDocument(organizationId: string, record: SupplierRecord): SupplierDocument {
  return documentOf(organizationId, { ...record, version: record.version + 1 });
}

function documentOf(
  organizationId: string,
  { version, identity, profile, countedUnits, withdrawnUnits }: SupplierRecord,
): SupplierDocument {
  const { supplierId, ...names } = identity;
  return { _id: supplierId, organizationId, version, ...names, profile, countedUnits, withdrawnUnits };
}

export function toRecord(document: SupplierDocument): SupplierRecord {
  const { _id: supplierId, organizationId, version, profile, countedUnits, withdrawnUnits = [], ...names } = document;
  return { version, identity: { supplierId, ...names }, profile, countedUnits, withdrawnUnits };
}
