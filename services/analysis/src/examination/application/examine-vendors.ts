import type { BookedVendor, VendorAccountChange } from '@invoicecontrol/engine/facts/books';
import pLimit from 'p-limit';
import { comparableAccounts, passingAccounts } from '../../books/domain/vendor-accounts.js';
import type { AccountChange } from '../../books/domain/vendor-accounts.js';
import type { ExaminedPage, Examination } from './examination.js';
import { examinePaymentsTo } from './examine-payments.js';
import type { ErpSource } from '../../books/application/import-source.js';
import type { StoredVendor } from '../../books/application/vendor-store.js';

const DAY_MS = 86_400_000;
/** Maximum number of findings about vendors that are looked up at the same time. */
const LOOKED_UP_AT_ONCE_MAX = 8;
/** Number of days after its last bill during which an ERP vendor counts as active. */
const BILLED_DAYS = 365;

/** Finds vendors for which the ERP has several vendor records. */
export async function* examineVendors(examination: Examination): AsyncGenerator<ExaminedPage> {
  const { source, window, books, raise } = examination;
  for await (const { records, continueFrom } of books.changedVendors(source, window)) {
    const vendors = records.filter(isLive);
    await raise([{ vendors: await comparedVendors(examination, vendors) }]);
    await examinePaymentsTo(examination, vendorsWithPassedAccounts(vendors, examination.source));
    yield { recordsCount: records.length, continueFrom };
  }
}

/**
 * Returns the ERP vendors that had another bank account for a short time, if this account was removed since the last
 * examination.
 */
function vendorsWithPassedAccounts(
  vendors: readonly StoredVendor[],
  { completedThrough }: Pick<ErpSource, 'completedThrough'>,
): string[] {
  return vendors
    .filter(({ accountHistory }) =>
      passingAccounts(accountHistory).some(
        ({ to }) => completedThrough === undefined || (to !== undefined && to > completedThrough),
      ),
    )
    .map(({ id }) => id);
}

/**
 * Examines the changed bank accounts of ERP vendors that have open bills. A migration, in which the accounts of many
 * vendors change at once, is only recognizable from all changes together. An interrupted examination therefore starts
 * again.
 */
export async function* examineVendorAccounts(examination: Examination): AsyncGenerator<ExaminedPage> {
  const { source, window, books, raise } = examination;
  const accountChanges: VendorAccountChange[] = [];
  let recordsCount = 0;
  for await (const { records } of books.changedVendorAccounts(source, window)) {
    accountChanges.push(...(await changesOf(examination, records.filter(isLive))));
    recordsCount += records.length;
  }
  if (accountChanges.length > 0) await raise([{ accountChanges, vendorCount: await books.countVendors(source) }]);
  yield { recordsCount, continueFrom: undefined };
}

function isLive({ deletedAt }: StoredVendor): boolean {
  return deletedAt === undefined;
}

/**
 * Returns the changed ERP vendors that share a tax id or a bank account with another vendor, together with those other
 * vendors. Vendors that have only another value in common, such as a name, are not compared.
 */
async function comparedVendors(
  { source, window, books }: Examination,
  changed: readonly StoredVendor[],
): Promise<BookedVendor[]> {
  const keys = new Set(changed.filter(isActive).flatMap(sharableKeysOf));
  if (keys.size === 0) return [];
  const sharing = (await books.vendorsByKeys(source, [...keys])).filter(isActive);
  const counts = new Map<string, number>();
  for (const key of sharing.flatMap(sharableKeysOf)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const isShared = (key: string): boolean => keys.has(key) && (counts.get(key) ?? 0) > 1;
  const compared = sharing.filter((vendor) => sharableKeysOf(vendor).some(isShared));
  if (compared.length === 0) return [];
  const since = Math.floor(window.until.getTime() / DAY_MS) - BILLED_DAYS;
  const ids = compared.map(({ id }) => id);
  const billed = await books.billedVendors(source, ids, since);
  return compared.map((vendor) => ({
    vendorId: vendor.id,
    name: vendor.details.name,
    ...(vendor.details.number === undefined ? {} : { number: vendor.details.number }),
    nameKey: vendor.nameKey,
    ...(vendor.taxKey !== undefined && isShared(`t:${vendor.taxKey}`)
      ? { taxKey: vendor.taxKey, ...(vendor.taxCountry === undefined ? {} : { taxCountry: vendor.taxCountry }) }
      : {}),
    isActive: true,
    accounts: comparableAccounts(vendor.accounts).filter(({ key }) => isShared(`b:${key}`)),
    hasOtherAccounts: comparableAccounts(vendor.accounts).some(({ key }) => !isShared(`b:${key}`)),
    isBilled: billed.has(vendor.id),
  }));
}

function isActive({ details }: StoredVendor): boolean {
  return details.status === 'ACTIVE';
}

/** Returns the keys by which two vendor records in the ERP are recognized as one vendor. */
function sharableKeysOf({ taxKey, accounts }: StoredVendor): string[] {
  return [
    ...(taxKey === undefined ? [] : [`t:${taxKey}`]),
    ...comparableAccounts(accounts).map(({ key }) => `b:${key}`),
  ];
}

/**
 * Returns the bank accounts of ERP vendors that were changed since the last examination and belong to vendors with open
 * bills.
 */
async function changesOf(
  { source, books, reviewed, confirmedBefore }: Examination,
  vendors: readonly StoredVendor[],
): Promise<VendorAccountChange[]> {
  const changed = vendors.flatMap((vendor) => {
    const change = vendor.accountChange;
    if (change === undefined || change.before.length === 0) return [];
    // Only changes of bank accounts since the last examination are compared, because the changes of two periods
    // together would look like one migration.
    const { completedThrough } = source;
    if (completedThrough !== undefined && change.seenAfter <= completedThrough) return [];
    return [{ vendor, change }];
  });
  if (changed.length === 0) return [];
  const ids = changed.map(({ vendor }) => vendor.id);
  const open = await books.openBills(source, ids);
  const asked = changed.flatMap(({ vendor, change }) => addedAccounts(vendor, change).map((key) => ({ vendor, key })));
  const accepted = await reviewed(
    source.organizationId,
    asked.filter(({ vendor }) => open.has(vendor.id)),
  );
  const isAccepted = new Set([...accepted].map(({ vendor, key }) => `${vendor.id}|${key}`));
  const inTurn = pLimit(LOOKED_UP_AT_ONCE_MAX);
  const withOpenBills = changed.filter(({ vendor }) => (open.get(vendor.id) ?? 0) > 0);
  return Promise.all(
    withOpenBills.map(async ({ vendor, change }) => {
      const added = addedAccounts(vendor, change);
      return {
        vendorId: vendor.id,
        vendorName: vendor.details.name,
        before: change.before,
        after: comparableAccounts(vendor.accounts),
        openBills: open.get(vendor.id) ?? 0,
        // If the change of a vendor only removes bank accounts, no review can have accepted it.
        isReviewed: added.length > 0 && added.every((key) => isAccepted.has(`${vendor.id}|${key}`)),
        isAgain: await inTurn(() => confirmedBefore(source.organizationId, vendor, change)),
        seenBefore: change.seenBefore.toISOString(),
        seenAfter: change.seenAfter.toISOString(),
      };
    }),
  );
}

/** Returns the keys of the bank accounts that the last change of an ERP vendor added. */
function addedAccounts({ accounts }: StoredVendor, { before }: AccountChange): string[] {
  const had = new Set(before.map(({ key }) => key));
  return comparableAccounts(accounts).flatMap(({ key }) => (had.has(key) ? [] : key));
}
