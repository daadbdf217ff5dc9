import { duplicatePairsOf, invoiceBookedBy, stillBooks } from '@invoicecontrol/engine/booked-bills';
import type { BookedBill, BookedPayment } from '@invoicecontrol/engine/facts/books';
import type { Candidate, MatchPart } from '@invoicecontrol/engine/facts/invoice';
import { compareByArrival } from '@invoicecontrol/engine/facts/record-order';

import { applyCandidateCaps, lookupKeys } from '@invoicecontrol/engine/normalisation/match-keys';
import type { LookupKey } from '@invoicecontrol/engine/normalisation/match-keys';
import type { VendorAccount } from '../../books/domain/vendor-accounts.js';
import { hitsByKey } from '../../scans/application/row-history.js';
import type { Hits } from '../../scans/application/row-history.js';
import type { BillLink, BookBill, SharingRecord } from './books-store.js';
import type { ExaminedPage, Examination } from './examination.js';
import { creditsBetweenBills } from './credit-notes.js';
import { examinePaymentsTo } from './examine-payments.js';
import { withReviews } from './reviewed-accounts.js';
import type { StoredVendor } from '../../books/application/vendor-store.js';
import { listedAccountKey } from '../../books/application/vendor-store.js';

const DAY_MS = 86_400_000;
/**
 * Maximum number of ERP bills from one vendor that are compared at the same time, because all compared records are in
 * memory.
 */
const BILLS_COMPARED_AT_ONCE = 100;

/**
 * Finds the invoices that are entered in the ERP as bills, the ERP bills that were entered twice, and errors in the
 * payments of ERP bills.
 */
export async function* examineBills(examination: Examination): AsyncGenerator<ExaminedPage> {
  const { source, window, books } = examination;
  const hasPayments = await books.hasPayments(source);
  for await (const { records, continueFrom } of books.changedBills(source, window)) {
    const changed = await withoutStaleLinks(examination, records);
    const vendorIds = vendorsOfChangedCredits(records);
    await examinePaymentsTo(examination, hasPayments ? vendorIds : []);
    await examineBillsOf(examination, vendorIds, hasPayments);
    const bills = changed.filter(isEntered).toSorted((left, right) => compareByArrival(left.part, right.part));
    if (bills.length > 0) await examineEntered(examination, bills, hasPayments);
    yield { recordsCount: records.length, continueFrom };
  }
}

async function examineEntered(
  examination: Examination,
  bills: readonly BookBill[],
  hasPayments: boolean,
): Promise<void> {
  const compared = await compareBills(examination, bills);
  await link(examination, compared);
  const settled = await settledBills(examination, compared, hasPayments);
  await examination.raise([
    { bills: await billedTwice(examination, compared, settled) },
    ...(await paymentsStatedOn(examination, bills, settled)).map((payment) => ({ payments: [payment] })),
  ]);
}

/**
 * Compares the newest bills of ERP vendors with each other again after the vendors' credit notes have changed. Two
 * bills that a credit note explained are duplicates again when the credit note is voided.
 */
async function examineBillsOf(
  examination: Examination,
  vendorIds: readonly string[],
  hasPayments: boolean,
): Promise<void> {
  const { source, books } = examination;
  for (const vendorId of vendorIds) {
    const newest = await books.billsOf(source, vendorId);
    for (let from = 0; from < newest.length; from += BILLS_COMPARED_AT_ONCE) {
      const compared = await compareBills(examination, newest.slice(from, from + BILLS_COMPARED_AT_ONCE));
      const settled = await settledBills(examination, compared, hasPayments);
      await examination.raise([{ bills: await billedTwice(examination, compared, settled) }]);
    }
  }
}

/** Returns the ERP bills that may have been entered twice, with the credit notes that may explain them. */
async function billedTwice(
  examination: Examination,
  compared: readonly ComparedBill[],
  settled: ReadonlyMap<string, string>,
): Promise<readonly BookedBill[]> {
  const found = compared
    .map((one) => bookedBill(one, settled))
    .map((booked) => ({ booked, pairs: duplicatePairsOf(booked.bill, booked.others, examination.policy) }))
    .filter(({ pairs }) => pairs.length > 0);
  const { notes, creditedIds } = await creditsBetweenBills(
    examination,
    found.flatMap(({ pairs }) => pairs),
  );
  return found.map(({ booked }) => {
    const known = new Set(booked.others.map(({ invoiceId }) => invoiceId));
    const others = [...booked.others, ...notes.filter(({ invoiceId }) => !known.has(invoiceId))];
    return { ...booked, others, creditedIds };
  });
}

/**
 * Returns the ERP vendors whose credit notes changed after their first import. Such a credit note may no longer explain
 * a duplicate.
 */
function vendorsOfChangedCredits(bills: readonly BookBill[]): string[] {
  const changed = bills.filter(({ kind, importedAt, changedAt }) => kind === 'CREDIT_NOTE' && changedAt > importedAt);
  return [...new Set(changed.map(({ vendorId }) => vendorId))];
}

/** Checks whether a bill is entered in the ERP. A draft or a canceled bill books no invoice. */
function isEntered({ state }: BookBill): boolean {
  return state !== 'VOID' && state !== 'DRAFT';
}

/**
 * Removes the links between ERP bills and invoices that no longer apply, and returns the bills. A link no longer
 * applies if the bill is not entered, or if it has changed and no longer matches the invoice.
 */
async function withoutStaleLinks(
  { source: { organizationId }, policy, books }: Examination,
  bills: readonly BookBill[],
): Promise<readonly BookBill[]> {
  const linked = bills.flatMap(({ part }) => part.bookedInvoiceId ?? []);
  if (linked.length === 0) return bills;
  const invoices = new Map((await books.parts(organizationId, linked)).map((part) => [part.invoiceId, part]));
  const stale: BillLink[] = [];
  const kept = bills.map((bill) => {
    const { bookedInvoiceId: invoiceId, ...part } = bill.part;
    if (invoiceId === undefined) return bill;
    const invoice = invoices.get(invoiceId);
    if (invoice !== undefined && isEntered(bill) && stillBooks(bill.part, invoice, policy)) return bill;
    stale.push({ billId: part.invoiceId, invoiceId, changedAt: bill.changedAt });
    return { ...bill, part };
  });
  if (stale.length > 0) await books.unlink(organizationId, stale);
  return kept;
}

/** An ERP bill with the earlier and later invoices that share a lookup key with it. */
interface ComparedBill {
  readonly bill: BookBill;
  readonly candidates: readonly Candidate[];
  /** Those of the invoices to compare that are themselves ERP bills. */
  readonly booked: ReadonlyMap<string, NonNullable<SharingRecord['booked']>>;
}

async function compareBills(
  { source, books }: Examination,
  bills: readonly BookBill[],
): Promise<readonly ComparedBill[]> {
  const lookups = bills.map(({ part }) => withoutDayKey(lookupKeys(part)));
  const keys = new Set(lookups.flat().map(({ key }) => key));
  // Every ERP bill has its own lookup keys, so bills that are already loaded are not read again.
  const atHand = bills.map(sharingRecord);
  const others = await books.sharing(
    source.organizationId,
    [...keys],
    atHand.map(({ part }) => part.invoiceId),
  );
  const records = [...atHand, ...others];
  const hits = hitsByKey(records.map(({ part }) => part));
  const booked = new Map(
    records.flatMap((one) => (one.booked === undefined ? [] : [[one.part.invoiceId, one.booked]])),
  );
  return bills.map((bill, index) => {
    const wanted = lookups[index] ?? [];
    // For the comparison with invoices, each ERP bill is treated as the last one that was entered. The order of entry
    // is determined later.
    const last = { ...bill.part, receivedAtMs: Number.MAX_SAFE_INTEGER };
    return { bill, candidates: applyCandidateCaps(last, hitsOf(hits, wanted), wanted).candidates, booked };
  });
}

function sharingRecord({ part, state, vendorId }: BookBill): SharingRecord {
  return { part: { ...part, status: 'RECEIVED' }, booked: { state, vendorId } };
}

/**
 * Removes the lookup key that consists of the day and the amount of an ERP bill, because bills of different suppliers
 * can share this key by chance.
 */
function withoutDayKey(lookups: readonly LookupKey[]): readonly LookupKey[] {
  return lookups.filter(({ kind }) => kind !== 4);
}

function hitsOf(hits: Hits, lookups: readonly LookupKey[]): MatchPart[] {
  return [...new Set(lookups.flatMap(({ key }) => hits.get(key) ?? []))];
}

/**
 * Links ERP bills to the earlier invoices that they match, at most one bill to each invoice (detection reference,
 * section 5).
 */
async function link({ source, policy, books }: Examination, compared: readonly ComparedBill[]): Promise<void> {
  const links = new Map<string, BillLink>();
  for (const { bill, candidates } of compared) {
    const { part, kind, changedAt } = bill;
    if (kind !== 'BILL' || part.bookedInvoiceId !== undefined) continue;
    const known = candidates.map((candidate) => {
      const bookedInvoiceId = links.get(candidate.invoiceId)?.invoiceId;
      return bookedInvoiceId === undefined ? candidate : { ...candidate, bookedInvoiceId };
    });
    const invoiceId = invoiceBookedBy(part, known, policy);
    if (invoiceId !== undefined) links.set(part.invoiceId, { billId: part.invoiceId, invoiceId, changedAt });
  }
  if (links.size > 0) await books.link(source.organizationId, [...links.values()]);
}

/** Returns the paid ERP bills whose payments are imported as well, grouped by vendor. */
async function settledBills(
  { source, books }: Examination,
  compared: readonly ComparedBill[],
  hasPayments: boolean,
): Promise<ReadonlyMap<string, string>> {
  if (!hasPayments) return new Map();
  const paid = new Set<string>();
  for (const { bill, booked } of compared) {
    if (isPaidInPart(bill)) paid.add(bill.part.invoiceId);
    for (const [id, { state }] of booked) if (state === 'PAID') paid.add(id);
  }
  if (paid.size === 0) return new Map();
  const { payments } = await books.paymentsOf(source, [...paid]);
  return new Map(payments.flatMap(({ billIds, vendorId }) => billIds.map((id) => [id, vendorId] as const)));
}

function bookedBill({ bill, candidates, booked }: ComparedBill, settled: ReadonlyMap<string, string>): BookedBill {
  const others = candidates.filter(({ invoiceId }) => booked.has(invoiceId));
  const paidIds = others
    .filter(({ invoiceId }) => booked.get(invoiceId)?.state === 'PAID')
    .map(({ invoiceId }) => invoiceId);
  const ids = [bill.part.invoiceId, ...others.map(({ invoiceId }) => invoiceId)];
  return {
    bill: bill.part,
    others,
    paidIds: bill.state === 'PAID' ? [...paidIds, bill.part.invoiceId] : paidIds,
    // ERP payments to different vendor records are not compared with each other.
    settledIds: ids.filter((id) => settled.get(id) === bill.vendorId),
  };
}

function isPaidInPart({ state, paidMinor = '0' }: BookBill): boolean {
  return state === 'PAID' || BigInt(paidMinor) > 0n;
}

/** Reads the amount and the bank account of the payments that ERP bills state themselves. */
async function paymentsStatedOn(
  { source, window, books, reviewed }: Examination,
  bills: readonly BookBill[],
  settled: ReadonlyMap<string, string>,
): Promise<readonly BookedPayment[]> {
  const paid = bills.filter((bill) => bill.kind === 'BILL' && isPaidInPart(bill));
  const toAccounts = paid.flatMap(({ paidAccountExternalId }) => paidAccountExternalId ?? []);
  const accountKeys = toAccounts.map((externalId) => listedAccountKey(source.remoteCompanyId, externalId));
  const [holders, vendors] =
    accountKeys.length === 0
      ? [[], []]
      : await Promise.all([
          books.vendorsByKeys(source, [...new Set(accountKeys)]),
          books.vendorsByIds(source, [...new Set(paid.map(({ vendorId }) => vendorId))]),
        ]);
  const accounts = new Map(
    holders.flatMap((holder) => holder.accounts.map((account) => [account.externalId, account] as const)),
  );
  const vendorsById = new Map(vendors.map((vendor) => [vendor.id, vendor]));
  const day = Math.floor(window.until.getTime() / DAY_MS);
  const stated = paid.map(({ part, vendorId, paidMinor, paidAccountExternalId }): BookedPayment => {
    const account = paidAccountExternalId === undefined ? undefined : accounts.get(paidAccountExternalId);
    const vendor = vendorsById.get(vendorId);
    return {
      paymentId: part.invoiceId,
      vendorId,
      vendorName: part.supplierName,
      day,
      amountMinor: paidMinor ?? part.amountMinor,
      currency: part.currency,
      // An ERP payment that has a record of its own is compared with the open amount of its bills in another step.
      ...(settled.has(part.invoiceId) ? {} : { dueMinor: part.amountMinor }),
      reference: part.invoiceNumber,
      invoiceIds: [part.invoiceId],
      ...(account === undefined ? {} : { account: { key: keyOf(account), masked: account.masked } }),
      ...(vendor === undefined ? {} : { vendorAccountsThen: accountsEver(vendor) }),
      isDayUnknown: true,
      isReturned: false,
    };
  });
  return withReviews(reviewed, source.organizationId, stated, vendorsById);
}

/** Returns the key of a bank account, or the id of the account in the ERP if its number cannot be compared. */
function keyOf({ key, externalId }: VendorAccount): string {
  return key ?? `listed:${externalId ?? ''}`;
}

/** An ERP bill does not state its payment day, so no account that the vendor ever had counts as wrong. */
function accountsEver({ accounts, accountHistory }: StoredVendor): string[] {
  return [...accounts.map(keyOf), ...accountHistory.map(({ key }) => key)];
}
