import { recordFault } from '@invoicecontrol/books/check-record';
import { ACCOUNTS_PER_VENDOR_MAX, vendorAccount } from '@invoicecontrol/books/records';
import type { VendorAccountRecord } from '@invoicecontrol/books/records';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import { readAccount } from '../domain/vendor-accounts.js';
import type { VendorAccount } from '../domain/vendor-accounts.js';
import { recordsImported } from '../../telemetry.js';
import type { ImportFailure, PageCounts } from './import-page.js';
import { vendorKeys, withAccounts } from './import-vendors.js';
import { openSource } from './import-source.js';
import type { ErpSource, ErpSourceStore, ImportSource } from './import-source.js';
import { importedIdOf } from './imported-record.js';
import { listedAccountKey, vendorNumberKey } from './vendor-store.js';
import type { StoredVendor, VendorStore } from './vendor-store.js';

const ATTEMPTS_MAX = 5;

interface Deps {
  readonly sources: ErpSourceStore;
  readonly vendors: VendorStore;
  readonly clock: Clock;
}

/**
 * Stores a page of vendor bank accounts, for ERPs that list them separately. Each account becomes part of its vendor;
 * an account that the ERP assigned to another vendor is moved. The vendors of a page are read by two commands and
 * written in bulk.
 * @throws DomainError wrong_state if the connection was disconnected
 */
export type ImportVendorAccounts = (of: ImportSource, records: readonly VendorAccountRecord[]) => Promise<PageCounts>;

export const importVendorAccounts =
  ({ sources, vendors, clock }: Deps): ImportVendorAccounts =>
  async (of, records) => {
    const now = clock.now();
    const source = await openSource(sources, of, now);
    const failures: ImportFailure[] = [];
    let open = new Map<string, VendorAccountRecord>();
    for (const record of records) {
      const message = recordFault(vendorAccount, record);
      if (message === undefined) open.set(record.externalId, record);
      else failures.push({ externalId: record.externalId, message });
    }
    let created = 0;
    let updated = 0;
    for (let attempts = 1; open.size > 0; attempts++) {
      if (attempts > ATTEMPTS_MAX) {
        throw new DomainError(
          'concurrent_change',
          'Another page of the ERP import is changing the vendors of this page right now. Send this page again.',
        );
      }
      const placed = placeAccounts(source, [...open.values()], await loadVendors(vendors, source, open));
      failures.push(...placed.failures);
      const changed = placed.changed.map((change) => vendorWith(source, change, now));
      const missed = changed.length === 0 ? new Set<string>() : await vendors.write(source.organizationId, changed);
      const isMissed = ({ vendorIds }: Placement): boolean => vendorIds.some((id) => missed.has(id));
      created += placed.placements.filter((one) => one.isNew && !isMissed(one)).length;
      updated += placed.placements.filter((one) => !one.isNew && !isMissed(one)).length;
      open = new Map(placed.placements.filter(isMissed).map(({ record }) => [record.externalId, record]));
    }
    const counts = { created, updated, unchanged: records.length - failures.length - created - updated, failures };
    recordsImported('VENDOR_ACCOUNT', source.provider, counts);
    return counts;
  };

/**
 * Loads the ERP vendors to which imported bank accounts now belong, and the vendors to which the accounts belonged
 * before.
 */
async function loadVendors(
  vendors: VendorStore,
  source: ErpSource,
  records: ReadonlyMap<string, VendorAccountRecord>,
): Promise<readonly StoredVendor[]> {
  const { organizationId, remoteCompanyId } = source;
  const ids = [...records.values()].flatMap(({ vendorExternalId }) =>
    vendorExternalId === undefined ? [] : [importedIdOf(source, 'vendor', vendorExternalId)],
  );
  const keys = [...records.values()].flatMap(({ externalId, vendorNumber }) => [
    listedAccountKey(remoteCompanyId, externalId),
    ...(vendorNumber === undefined ? [] : [vendorNumberKey(remoteCompanyId, vendorNumber)]),
  ]);
  const [named, found] = await Promise.all([
    vendors.find(organizationId, [...new Set(ids)]),
    vendors.findByKeys(source, [...new Set(keys)]),
  ]);
  return [...new Map([...found, ...named.values()].map((vendor) => [vendor.id, vendor])).values()];
}

/** A new or changed bank account of ERP vendors, with the vendors that must be stored again because of it. */
interface Placement {
  readonly record: VendorAccountRecord;
  readonly isNew: boolean;
  readonly vendorIds: readonly string[];
}

interface VendorChange {
  readonly vendor: StoredVendor;
  readonly accounts: readonly VendorAccount[];
}

function placeAccounts(
  source: ErpSource,
  records: readonly VendorAccountRecord[],
  vendors: readonly StoredVendor[],
): {
  readonly placements: readonly Placement[];
  readonly failures: readonly ImportFailure[];
  readonly changed: readonly VendorChange[];
} {
  const live = vendors.filter(({ deletedAt }) => deletedAt === undefined);
  const byId = new Map(live.map((vendor) => [vendor.id, vendor]));
  const byNumber = new Map(
    live.flatMap((vendor) => (vendor.details.number === undefined ? [] : [[vendor.details.number, vendor]])),
  );
  const lists = new Map(live.map(({ id, accounts }) => [id, [...accounts]]));
  const holderOf = new Map(
    live.flatMap(({ id, accounts }) =>
      accounts.flatMap(({ externalId }) => (externalId === undefined ? [] : [[externalId, id] as const])),
    ),
  );
  const placements: Placement[] = [];
  const failures: ImportFailure[] = [];
  for (const record of records) {
    const { externalId, vendorExternalId, vendorNumber } = record;
    const vendor =
      vendorExternalId === undefined
        ? byNumber.get(vendorNumber ?? '')
        : byId.get(importedIdOf(source, 'vendor', vendorExternalId));
    const list = lists.get(vendor?.id ?? '');
    if (vendor === undefined || list === undefined) {
      failures.push({ externalId, message: 'vendor: was not imported.' });
      continue;
    }
    const account = readAccount({ ...record.account, externalId });
    const holderId = holderOf.get(externalId);
    const place = list.findIndex((other) => other.externalId === externalId);
    if (place >= 0) {
      if (canonicalJson(list[place]) === canonicalJson(account)) continue;
      list[place] = account;
    } else {
      if (list.length >= ACCOUNTS_PER_VENDOR_MAX) {
        const message = `vendor: already has ${ACCOUNTS_PER_VENDOR_MAX} accounts, the maximum of one vendor.`;
        failures.push({ externalId, message });
        continue;
      }
      list.push(account);
    }
    const movedFrom = holderId === undefined || holderId === vendor.id ? undefined : holderId;
    if (movedFrom !== undefined) {
      lists.set(
        movedFrom,
        (lists.get(movedFrom) ?? []).filter((other) => other.externalId !== externalId),
      );
    }
    holderOf.set(externalId, vendor.id);
    placements.push({
      record,
      isNew: holderId === undefined,
      vendorIds: movedFrom === undefined ? [vendor.id] : [vendor.id, movedFrom],
    });
  }
  const touched = new Set(placements.flatMap(({ vendorIds }) => vendorIds));
  const changed = live
    .filter(({ id }) => touched.has(id))
    .map((vendor) => ({ vendor, accounts: lists.get(vendor.id) ?? [] }));
  return { placements, failures, changed };
}

/** Returns the next version of an ERP vendor with changed bank accounts. */
export function vendorWith(source: ErpSource, { vendor, accounts }: VendorChange, now: Date): StoredVendor {
  return {
    ...vendor,
    version: vendor.version + 1,
    changedAt: now,
    ...withAccounts(source, vendor, accounts, now),
    keys: vendorKeys(source, vendor, vendor.details.number, accounts),
  };
}
