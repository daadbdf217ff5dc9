import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection, Filter } from 'mongodb';
import type { ListedAccountStore } from '../application/delete-records.js';
import type { DeletableStore } from '../application/delete-records.js';
import { listedAccountKey } from '../application/vendor-store.js';
import type { StoredVendor, VendorOfBills, VendorStore } from '../application/vendor-store.js';
import type { IdRange } from '../application/delete-records.js';
import type { ImportSource } from '../application/import-source.js';
import { importedIndexes, importedStore } from './imported-records.js';
import type { ImportedDocument } from './imported-records.js';
import { inBatches } from '../../records/storage/in-batches.js';

/** Maximum number of keys in one lookup of ERP vendors. */
const LOOKUP_KEYS_MAX = 2_000;
/** Number of ERP vendors that the database returns in one batch. */
const BATCH_DOCUMENTS = 500;
/**
 * The character that sorts after all other characters. It ends ranges of vendor names and of account ids in a query.
 */
const LAST_CHARACTER = '\u{10FFFF}';

/**
 * Projection of the vendor fields that are needed to store ERP bills. A page of bills reads up to a thousand vendors.
 */
const OF_BILLS = {
  'details.taxId': 1,
  'details.isTaxIdMasked': 1,
  'accounts.externalId': 1,
  'accounts.key': 1,
  'accounts.iban': 1,
  'accounts.sortCode': 1,
  'accounts.accountNumber': 1,
  taxKey: 1,
  nameKey: 1,
  supplierId: 1,
} as const;

export type VendorDocument = ImportedDocument<StoredVendor>;

export async function createVendorIndexes(collection: Collection<VendorDocument>): Promise<void> {
  const byName = { nameOrder: 1, _id: 1 } as const;
  await ensureIndexes(collection, [
    ...importedIndexes,
    { key: { organizationId: 1, ...byName }, name: 'names' },
    { key: { organizationId: 1, companyId: 1, ...byName }, name: 'names_of_company' },
    { key: { organizationId: 1, connectionId: 1, ...byName }, name: 'names_of_connection' },
  ]);
}

export function vendorStore(collection: Collection<VendorDocument>): VendorStore & DeletableStore & ListedAccountStore {
  return {
    ...importedStore<StoredVendor>(collection),
    async ofBills(organizationId, ids) {
      const documents = await collection
        .find({ _id: { $in: [...ids] }, organizationId } as Filter<VendorDocument>, {
          projection: OF_BILLS,
          batchSize: ids.length + 1,
        })
        .toArray();
      return new Map(documents.map(({ _id: id, ...vendor }) => [id, { id, ...vendor } as VendorOfBills]));
    },
    async findByKeys({ organizationId, remoteCompanyId }, keys) {
      const found = await inBatches(keys, LOOKUP_KEYS_MAX, (some) =>
        collection
          .find({ organizationId, keys: { $in: [...some] }, remoteCompanyId } as Filter<VendorDocument>, {
            // Each lookup key belongs to one ERP vendor only, so there are at most as many vendors as keys.
            limit: some.length,
            batchSize: some.length + 1,
          })
          .toArray(),
      );
      return found.flat().map(toVendor);
    },
    async noteSuppliers(organizationId, noted) {
      const operations = noted.map(({ id: _id, taxKey, nameKey, supplierId }) => ({
        updateOne: {
          filter: {
            _id,
            organizationId,
            nameKey,
            taxKey: taxKey ?? { $exists: false },
            supplierId: { $exists: false },
          } as Filter<VendorDocument>,
          update: { $set: { supplierId } },
        },
      }));
      await collection.bulkWrite(operations as never, { ordered: false });
    },
    async list(organizationId, { size, after, companyId, connectionId, namePrefix }) {
      const bounds = {
        ...(namePrefix === undefined ? {} : { $gte: namePrefix, $lt: `${namePrefix}${LAST_CHARACTER}` }),
        ...(after === undefined ? {} : { $gte: after.nameOrder }),
      };
      const filter = {
        organizationId,
        ...(connectionId === undefined ? {} : { connectionId }),
        ...(companyId === undefined ? {} : { companyId }),
        ...(Object.keys(bounds).length === 0 ? {} : { nameOrder: bounds }),
        ...(after === undefined ? {} : { $or: [{ nameOrder: { $gt: after.nameOrder } }, { _id: { $gt: after.id } }] }),
        deletedAt: { $exists: false },
      } as Filter<VendorDocument>;
      const documents = await collection
        .find(filter, { sort: { nameOrder: 1, _id: 1 }, limit: size, projection: { accountHistory: 0 } })
        .toArray();
      return documents.map(toVendor);
    },
    async hasListedAccounts(of) {
      const filter = listedIn(of, { after: '', last: undefined });
      return (await collection.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    async *listedAccounts(of, range) {
      const cursor = collection.find<{ _id: string; accounts: readonly { readonly externalId?: string }[] }>(
        listedIn(of, range),
        { projection: { 'accounts.externalId': 1 }, batchSize: BATCH_DOCUMENTS },
      );
      for await (const { _id: vendorId, accounts } of cursor) {
        yield { vendorId, accountIds: accounts.flatMap(({ externalId }) => externalId ?? []) };
      }
    },
  };
}

/** Returns the ERP vendors that have separately listed bank accounts with ids in the range. */
function listedIn({ organizationId, remoteCompanyId }: ImportSource, { after, last }: IdRange): Filter<VendorDocument> {
  const keys = {
    $elemMatch: {
      $gt: listedAccountKey(remoteCompanyId, after),
      $lte: listedAccountKey(remoteCompanyId, last ?? LAST_CHARACTER),
    },
  };
  return { organizationId, keys } as unknown as Filter<VendorDocument>;
}

function toVendor(document: VendorDocument): StoredVendor {
  const { _id: id, organizationId, writeId, ...vendor } = document;
  return { id, ...vendor } as unknown as StoredVendor;
}
