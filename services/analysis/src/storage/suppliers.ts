import type { Collection } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { SupplierRecord, SupplierStore } from '../application/counted-records.js';
import type { KnownSupplier } from '../domain/supplier/identity.js';
import type { SupplierProfile } from '../domain/supplier/profile.js';

/** Suppliers that share a key with one invoice and are looked at; a factor's account may have hundreds. */
const SUPPLIERS_MAX = 64;

/** A supplier as the invoices tell of it. */
export interface SupplierDocument extends Omit<KnownSupplier, 'supplierId'> {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly profile: SupplierProfile;
  /** The last invoices and scans counted, so that a repeat changes nothing. */
  readonly countedUnits: readonly string[];
  /** Absent where none was ever withdrawn in records of old. */
  readonly withdrawnUnits?: readonly string[];
}

export async function createSupplierIndexes(collection: Collection<SupplierDocument>): Promise<void> {
  await collection.createIndexes([
    { key: { organizationId: 1, keys: 1 }, name: 'identity' },
    { key: { organizationId: 1, lookalikeKeys: 1 }, name: 'lookalikes' },
  ]);
}

export function supplierStore(collection: Collection<SupplierDocument>): SupplierStore {
  return {
    async findByKeys(organizationId, keys) {
      const documents = await collection
        .find({ organizationId, keys: { $in: [...keys] } })
        .limit(SUPPLIERS_MAX)
        .toArray();
      return documents.map(toRecord);
    },
    async findByLookalikeKeys(organizationId, keys) {
      const documents = await collection
        .find({ organizationId, lookalikeKeys: { $in: [...keys] } })
        .limit(SUPPLIERS_MAX)
        .toArray();
      return documents.map(toRecord);
    },
    async find(organizationId, supplierId) {
      const document = await collection.findOne({ _id: supplierId, organizationId });
      return document === null ? undefined : toRecord(document);
    },
    async write(organizationId, { version, identity, profile, countedUnits, withdrawnUnits }) {
      const { supplierId, ...names } = identity;
      const next = { organizationId, version: version + 1, ...names, profile, countedUnits, withdrawnUnits };
      if (version > 0) {
        const { matchedCount } = await collection.replaceOne({ _id: supplierId, organizationId, version }, next);
        return matchedCount === 1;
      }
      try {
        await collection.insertOne({ _id: supplierId, ...next });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}

function toRecord(document: SupplierDocument): SupplierRecord {
  const { _id: supplierId, organizationId, version, profile, countedUnits, withdrawnUnits = [], ...names } = document;
  return { version, identity: { supplierId, ...names }, profile, countedUnits, withdrawnUnits };
}
