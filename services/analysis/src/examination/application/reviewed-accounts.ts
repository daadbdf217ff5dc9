import { accountChangeKey } from '@invoicecontrol/engine/explanation/account-changes';
import type { BookedPayment } from '@invoicecontrol/engine/facts/books';
import { comparableAccounts } from '../../books/domain/vendor-accounts.js';
import type { AccountChange } from '../../books/domain/vendor-accounts.js';
import type { Disposition } from '../../records/domain/finding-disposition.js';
import type { BankLinkStore } from '../../records/application/counted-records.js';
import { findingIdFor } from '../../records/application/derived-ids.js';
import type { FindingStore } from '../../records/application/finding-store.js';
import type { StoredVendor } from '../../books/application/vendor-store.js';

interface Deps {
  readonly findings: Pick<FindingStore, 'find'>;
  readonly bankLinks: Pick<BankLinkStore, 'findMany'>;
}

/** A bank account and the ERP vendor to which it may belong. */
export interface AskedAccount {
  readonly vendor: StoredVendor;
  readonly key: string;
}

/**
 * Returns those of the given bank accounts that reviewers accepted for their vendors (detection reference, section 10).
 * An account is accepted by a FALSE_POSITIVE or ACCEPTED_RISK review of a finding about an invoice with this account,
 * or of a finding about the change that gave the vendor its current accounts. An account that was confirmed as fraud is
 * never accepted.
 */
export type ReviewedAccounts = (
  organizationId: string,
  asked: readonly AskedAccount[],
) => Promise<ReadonlySet<AskedAccount>>;

export const reviewedAccounts =
  ({ findings, bankLinks }: Deps): ReviewedAccounts =>
  async (organizationId, asked) => {
    if (asked.length === 0) return new Set();
    const links = await bankLinks.findMany(organizationId, [...new Set(asked.map(({ key }) => key))]);
    const accepted = new Set<AskedAccount>();
    const changes = new Map<string, Promise<boolean>>();
    for (const one of asked) {
      const { vendor, key } = one;
      const link = links.get(key)?.link;
      if (link?.fraud !== undefined) continue;
      const isAcceptedForSupplier = link?.suppliers.some(
        (linked) => linked.supplierId === vendor.supplierId && linked.accepted === true,
      );
      if (isAcceptedForSupplier || (await isOfAcceptedChange(one))) accepted.add(one);
    }
    return accepted;

    async function isOfAcceptedChange({ vendor, key }: AskedAccount): Promise<boolean> {
      const accounts = comparableAccounts(vendor.accounts);
      if (!accounts.some((account) => account.key === key)) return false;
      const known = changes.get(vendor.id);
      if (known !== undefined) return known;
      const againAt = vendor.accountChange?.seenAfter.toISOString();
      const isAccepted = Promise.all(
        [undefined, againAt].map((at) => dispositionOf(accountChangeKey(vendor.id, accounts, at))),
      ).then(([first, again = first]) => again === 'FALSE_POSITIVE' || again === 'ACCEPTED_RISK');
      changes.set(vendor.id, isAccepted);
      return isAccepted;
    }

    async function dispositionOf(key: string): Promise<Disposition | undefined> {
      return (await findings.find(organizationId, findingIdFor(organizationId, key)))?.disposition;
    }
  };

/**
 * Checks whether a review confirmed a finding about an earlier change of a vendor to the same bank accounts. The case
 * of a confirmed finding is closed, so without this check a second change to these accounts would go unnoticed. A
 * finding about the earlier change that is waiting for a review, or was accepted, also covers the second change.
 */
export type ConfirmedBefore = (organizationId: string, vendor: StoredVendor, change: AccountChange) => Promise<boolean>;

export const confirmedBefore =
  ({ findings }: Pick<Deps, 'findings'>): ConfirmedBefore =>
  async (organizationId, { id, accounts }, { seenAfter }) => {
    const key = accountChangeKey(id, comparableAccounts(accounts));
    const finding = await findings.find(organizationId, findingIdFor(organizationId, key));
    if (finding?.disposition !== 'CONFIRMED' && finding?.disposition !== 'RESOLVED') return false;
    const { changedBetween } = finding.evidence;
    return !(Array.isArray(changedBetween) && changedBetween.includes(seenAfter.toISOString()));
  };

/**
 * Returns the payments, and marks each payment to a bank account that did not belong to the vendor but that a review
 * accepted.
 */
export async function withReviews(
  reviewed: ReviewedAccounts,
  organizationId: string,
  payments: readonly BookedPayment[],
  vendors: ReadonlyMap<string, StoredVendor>,
): Promise<readonly BookedPayment[]> {
  const asked = new Map<BookedPayment, AskedAccount>();
  for (const payment of payments) {
    const vendor = vendors.get(payment.vendorId);
    const { account, vendorAccountsThen = [] } = payment;
    if (vendor === undefined || account === undefined || vendorAccountsThen.includes(account.key)) continue;
    asked.set(payment, { vendor, key: account.key });
  }
  const accepted = await reviewed(organizationId, [...asked.values()]);
  return payments.map((payment) => {
    const one = asked.get(payment);
    return one !== undefined && accepted.has(one) ? { ...payment, isAccountReviewed: true } : payment;
  });
}
