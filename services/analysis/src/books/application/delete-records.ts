import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { compareText } from '@invoicecontrol/engine/facts/record-order';
import { recordsDeleted } from '../../telemetry.js';
import { vendorWith } from './import-vendor-accounts.js';
import { openSource } from './import-source.js';
import type { ErpSource, ErpSourceStore, ImportSource } from './import-source.js';
import { importedIdOf } from './imported-record.js';
import { listedAccountKey } from './vendor-store.js';
import type { VendorStore } from './vendor-store.js';

/** Kinds of ERP records whose ids are compared with a complete list from the ERP. */
export type ErpEntity = 'VENDOR' | 'VENDOR_ACCOUNT' | 'BILL' | 'CREDIT_NOTE' | 'ORDER' | 'PAYMENT';

/** Maximum number of ERP records that one command reads and marks as deleted. */
const READ_RECORDS_MAX = 5_000;
const MARKED_RECORDS_MAX = 1_000;
const ATTEMPTS_MAX = 5;

/** A range of ids in a sorted list of ERP record ids. */
export interface IdRange {
  /** Id before the first record in a range of ERP record ids. Empty for the first range. */
  readonly after: string;
  /** Last id in a range of ERP record ids, or undefined for the end of the list. */
  readonly last: string | undefined;
}

export interface LiveRecord {
  readonly id: string;
  readonly externalId: string;
}

/** Result of comparing the stored ERP records with a complete list of ids. */
export interface Reconciled {
  readonly deleted: number;
  /**
   * False if the list of ERP record ids is empty while records exist, because the ERP may return an empty list when a
   * permission is missing.
   */
  readonly isBelieved: boolean;
}

/** Finds imported records that an ERP no longer has, and marks them as deleted. */
export interface DeletableStore {
  hasLive(of: ImportSource): Promise<boolean>;
  /** Returns the company's ERP records that are not deleted, sorted by id. */
  live(of: ImportSource, range: IdRange, limit: number): Promise<readonly LiveRecord[]>;
  /**
   * Marks stored ERP records as deleted, because the ERP no longer has them. The next examination of the records of the
   * ERP connection finds the consequences.
   * @returns the number of ERP records that this call marked as deleted
   */
  markDeleted(of: ImportSource, ids: readonly string[], now: Date): Promise<number>;
}

/** A vendor with the ids of the bank accounts that its ERP lists separately. */
export interface ListedAccounts {
  readonly vendorId: string;
  readonly accountIds: readonly string[];
}

export interface ListedAccountStore {
  hasListedAccounts(of: ImportSource): Promise<boolean>;
  /**
   * Returns the ERP vendors with separately listed bank accounts whose ids are in the given range of ids, together with
   * the ids of all separately listed accounts of these vendors.
   */
  listedAccounts(of: ImportSource, range: IdRange): AsyncIterable<ListedAccounts>;
}

interface Deps {
  readonly sources: ErpSourceStore;
  readonly vendors: VendorStore & ListedAccountStore;
  readonly stores: Readonly<Record<Exclude<ErpEntity, 'VENDOR_ACCOUNT'>, DeletableStore>>;
  readonly clock: Clock;
}

export interface ListPart extends IdRange {
  readonly entity: ErpEntity;
  /** Number of record ids in the complete list that the ERP returned. */
  readonly total: number;
  readonly externalIds: readonly string[];
}

/**
 * Receives the complete list of record ids from an ERP, one range of the sorted ids at a time. Compares each range with
 * the imported records, and marks imported records that the list lacks as deleted. An empty list is ignored while
 * records exist, because an ERP also returns an empty list when a permission is missing.
 * @throws DomainError wrong_state if the connection was disconnected
 */
export type ReconcileIds = (of: ImportSource, list: ListPart) => Promise<Reconciled>;

export const reconcileIds =
  ({ sources, vendors, stores, clock }: Deps): ReconcileIds =>
  async (of, { entity, total, externalIds, ...range }) => {
    const now = clock.now();
    const source = await openSource(sources, of, now);
    const has = new Set(externalIds);
    const isMissing = (id: string): boolean => !has.has(id) && isWithin(id, range);
    if (entity === 'VENDOR_ACCOUNT') {
      if (total === 0 && (await vendors.hasListedAccounts(source))) return { deleted: 0, isBelieved: false };
      const gone = new Map<string, ReadonlySet<string>>();
      for await (const { vendorId, accountIds } of vendors.listedAccounts(source, range)) {
        const missing = accountIds.filter(isMissing);
        if (missing.length > 0) gone.set(vendorId, new Set(missing));
      }
      return { deleted: await removeAccounts(vendors, source, gone, now), isBelieved: true };
    }
    const store = stores[entity];
    if (total === 0 && (await store.hasLive(source))) return { deleted: 0, isBelieved: false };
    let deleted = 0;
    let { after } = range;
    for (;;) {
      const live = await store.live(source, { ...range, after }, READ_RECORDS_MAX);
      const missing = live.filter(({ externalId }) => isMissing(externalId)).map(({ id }) => id);
      deleted += await markAll(store, source, missing, now);
      const last = live.at(-1);
      if (live.length < READ_RECORDS_MAX || last === undefined) break;
      after = last.externalId;
    }
    recordsDeleted(entity, source.provider, deleted);
    return { deleted, isBelieved: true };
  };

/**
 * Marks imported records as deleted that the ERP itself reports as deleted.
 * @returns the number of ERP records that this call marked as deleted
 * @throws DomainError wrong_state if the connection was disconnected
 */
export type DeleteRecords = (of: ImportSource, entity: ErpEntity, externalIds: readonly string[]) => Promise<number>;

export const deleteRecords =
  ({ sources, vendors, stores, clock }: Deps): DeleteRecords =>
  async (of, entity, externalIds) => {
    const now = clock.now();
    const source = await openSource(sources, of, now);
    if (entity === 'VENDOR_ACCOUNT') {
      const wanted = new Set(externalIds);
      const keys = externalIds.map((id) => listedAccountKey(source.remoteCompanyId, id));
      const holders = await vendors.findByKeys(source, keys);
      return removeAccounts(vendors, source, new Map(holders.map(({ id }) => [id, wanted])), now);
    }
    const ids = externalIds.map((externalId) => importedIdOf(source, kinds[entity], externalId));
    const deleted = await markAll(stores[entity], source, ids, now);
    recordsDeleted(entity, source.provider, deleted);
    return deleted;
  };

const kinds = {
  VENDOR: 'vendor',
  BILL: 'bill',
  CREDIT_NOTE: 'credit_note',
  ORDER: 'order',
  PAYMENT: 'payment',
} as const;

/**
 * Ids of ERP records are compared by code units, because the caller sorted the list in this order. A database may sort
 * rare characters differently.
 */
function isWithin(id: string, { after, last }: IdRange): boolean {
  return compareText(id, after) > 0 && (last === undefined || compareText(id, last) <= 0);
}

async function markAll(store: DeletableStore, of: ImportSource, ids: readonly string[], now: Date): Promise<number> {
  let deleted = 0;
  for (let from = 0; from < ids.length; from += MARKED_RECORDS_MAX) {
    deleted += await store.markDeleted(of, ids.slice(from, from + MARKED_RECORDS_MAX), now);
  }
  return deleted;
}

/**
 * Removes deleted bank accounts from their ERP vendors.
 * @param gone ids of the removed accounts by vendor
 */
async function removeAccounts(
  vendors: VendorStore,
  source: ErpSource,
  gone: ReadonlyMap<string, ReadonlySet<string>>,
  now: Date,
): Promise<number> {
  let deleted = 0;
  let open = [...gone.keys()];
  for (let attempts = 1; open.length > 0; attempts++) {
    if (attempts > ATTEMPTS_MAX) {
      throw new DomainError(
        'concurrent_change',
        'Another page of the ERP import is changing the vendors of the deleted bank accounts right now. Retry the call.',
      );
    }
    const missed: string[] = [];
    for (let from = 0; from < open.length; from += MARKED_RECORDS_MAX) {
      const found = await vendors.find(source.organizationId, open.slice(from, from + MARKED_RECORDS_MAX));
      const changed = [...found.values()].flatMap((vendor) => {
        const wanted = gone.get(vendor.id);
        const accounts = vendor.accounts.filter(
          ({ externalId }) => externalId === undefined || !wanted?.has(externalId),
        );
        return accounts.length === vendor.accounts.length ? [] : [{ vendor, accounts }];
      });
      if (changed.length === 0) continue;
      const refused = await vendors.write(
        source.organizationId,
        changed.map((change) => vendorWith(source, change, now)),
      );
      for (const { vendor, accounts } of changed) {
        if (refused.has(vendor.id)) missed.push(vendor.id);
        else deleted += vendor.accounts.length - accounts.length;
      }
    }
    open = missed;
  }
  recordsDeleted('VENDOR_ACCOUNT', source.provider, deleted);
  return deleted;
}
