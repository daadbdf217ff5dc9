import { recordFault } from '@invoicecontrol/books/check-record';
import { vendor } from '@invoicecontrol/books/records';
import type { VendorRecord } from '@invoicecontrol/books/records';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { accountTimesAfter, readAccount } from '../domain/vendor-accounts.js';
import type { VendorAccount } from '../domain/vendor-accounts.js';
import { isSameIdentity, nameOrderOf, readVendorIdentity, vendorKeysOf } from '../domain/vendor-identity.js';
import { recordsImported } from '../../telemetry.js';
import { importPage } from './import-page.js';
import type { Arrival, PageCounts } from './import-page.js';
import { openSource } from './import-source.js';
import type { ErpSource, ErpSourceStore, ImportSource } from './import-source.js';
import { contentHashOf, importedIdOf, isUnchanged, nextRecord } from './imported-record.js';
import { listedAccountKey, vendorNumberKey } from './vendor-store.js';
import type { StoredVendor, VendorStore } from './vendor-store.js';

interface Deps {
  readonly sources: ErpSourceStore;
  readonly vendors: VendorStore;
  readonly clock: Clock;
}

/**
 * Stores a page of vendors of an ERP.
 * @throws DomainError wrong_state if the connection was disconnected
 */
export type ImportVendors = (of: ImportSource, records: readonly VendorRecord[]) => Promise<PageCounts>;

export const importVendors =
  ({ sources, vendors, clock }: Deps): ImportVendors =>
  async (of, records) => {
    const now = clock.now();
    const source = await openSource(sources, of, now);
    const { organizationId } = source;
    const counts = await importPage(records, {
      idOf: ({ externalId }) => importedIdOf(source, 'vendor', externalId),
      faultOf: (record) => recordFault(vendor, record),
      stored: (ids) => vendors.find(organizationId, ids),
      changes: async (arrivals) => arrivals.flatMap((arrival) => vendorAfter(source, arrival, now) ?? []),
      write: (changes) => vendors.write(organizationId, changes),
    });
    recordsImported('VENDOR', source.provider, counts);
    return counts;
  };

/** Returns the ERP vendor as stated in the page of ERP records, or undefined if nothing changes. */
function vendorAfter(
  source: ErpSource,
  { id, record, stored }: Arrival<VendorRecord, StoredVendor>,
  now: Date,
): StoredVendor | undefined {
  const contentHash = contentHashOf(record);
  if (isUnchanged(stored, contentHash, source)) return undefined;
  const { externalId, accounts: stated, ...details } = record;
  // If a deleted ERP vendor reappears, its earlier bank accounts are not kept. Accounts that the ERP lists separately
  // are imported again with the pages of accounts.
  const kept = stored?.deletedAt === undefined ? (stored?.accounts ?? []) : [];
  const accounts = stated?.map(readAccount) ?? kept;
  const identity = readVendorIdentity(details);
  return {
    ...nextRecord(source, stored, { id, externalId, contentHash }, now),
    ...identity,
    details,
    ...withAccounts(source, stored, accounts, now),
    // If the tax id or name of an ERP vendor changed, the vendor may belong to another supplier, so the stored supplier
    // id is removed. The next bill of the vendor shows to which supplier the vendor belongs.
    supplierId: stored !== undefined && isSameIdentity(stored, identity) ? stored.supplierId : undefined,
    nameOrder: nameOrderOf(details.name),
    keys: vendorKeys(source, identity, details.number, accounts),
  };
}

/** Adds bank accounts to an ERP vendor, with the periods in which the vendor had them. */
export function withAccounts(
  { completedThrough }: ErpSource,
  stored: StoredVendor | undefined,
  accounts: readonly VendorAccount[],
  now: Date,
): Pick<StoredVendor, 'accounts' | 'accountHistory' | 'accountChange'> {
  const isKnown = stored !== undefined && completedThrough !== undefined && stored.createdAt <= completedThrough;
  const times = {
    accountHistory: stored?.accountHistory ?? [],
    accountChange: stored?.accountChange,
  };
  const seenBefore = isKnown ? completedThrough : undefined;
  return { accounts, ...accountTimesAfter(times, stored?.accounts ?? [], accounts, { now, seenBefore }) };
}

/** Returns all keys by which an ERP vendor is found. */
export function vendorKeys(
  { remoteCompanyId }: ErpSource,
  identity: Parameters<typeof vendorKeysOf>[0],
  number: string | undefined,
  accounts: readonly VendorAccount[],
): string[] {
  return [
    ...vendorKeysOf(identity, accounts),
    ...(number === undefined ? [] : [vendorNumberKey(remoteCompanyId, number)]),
    ...accounts.flatMap(({ externalId }) =>
      externalId === undefined ? [] : [listedAccountKey(remoteCompanyId, externalId)],
    ),
  ];
}
