import type { BookedPayment, VendorCredit } from '@invoicecontrol/engine/facts/books';
import { compareText } from '@invoicecontrol/engine/facts/record-order';
import { creditKeys, supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import { accountsAt } from '../../books/domain/vendor-accounts.js';
import { vendorKeysOf } from '../../books/domain/vendor-identity.js';
import { recordsLeftOut } from '../../telemetry.js';
import type { BookBill, BookCredit, BookPayment, FoundPayments } from './books-store.js';
import { billsNamedByCredits, creditsBetweenBills } from './credit-notes.js';
import { duplicatePairsAmongBills } from './duplicate-pairs.js';
import type { ExaminedPage, Examination } from './examination.js';
import { withReviews } from './reviewed-accounts.js';
import type { StoredVendor } from '../../books/application/vendor-store.js';
import { groupedBy } from '../../records/domain/grouped-by.js';

/**
 * Maximum number of ERP bills whose payments are compared at the same time. Payments of the same amount to the same
 * vendor stay together.
 */
export const BILLS_AT_ONCE_MAX = 2_000;

/**
 * Finds ERP payments that were made twice, were made to another bank account, or exceed the open amount of their bills.
 */
export async function* examinePayments(examination: Examination): AsyncGenerator<ExaminedPage> {
  const { source, window, books } = examination;
  for await (const { records, continueFrom } of books.changedPayments(source, window)) {
    await comparePayments(examination, records);
    yield { recordsCount: records.length, continueFrom };
  }
}

/**
 * Compares the newest ERP payments to vendors again after related records have changed. A duplicate that a credit note
 * explained is raised when the credit note is voided, and a payment to a temporarily changed account is found when the
 * account is changed back.
 */
export async function examinePaymentsTo(examination: Examination, vendorIds: readonly string[]): Promise<void> {
  if (vendorIds.length === 0) return;
  const { source, books } = examination;
  for (const vendorId of vendorIds) {
    const found = await books.paymentsTo(source, [vendorId]);
    reportCut(examination, found);
    await comparePayments(examination, found.payments);
  }
}

/**
 * Compares ERP payments with other payments of the same amount to the same vendor, and with the open amount of the
 * bills that they pay.
 */
async function comparePayments(examination: Examination, changed: readonly BookPayment[]): Promise<void> {
  const { source, books } = examination;
  const made = changed.filter(({ isReturned }) => !isReturned);
  if (made.length === 0) return;
  const like = await books.paymentsLike(source, made);
  reportCut(examination, like);
  // An ERP payment that too many other payments resemble is not compared with them, but still with the open amount of
  // its bills.
  const groups = groupsOf(distinct([...like.payments, ...made]));
  const isChanged = new Set(made.map(({ id }) => id));
  for (const batch of batchesOf(groups)) await compareGroups(examination, batch, isChanged);
}

/** Groups ERP payments of the same amount to the same vendor, which are the only ones that can be duplicates. */
function groupsOf(payments: readonly BookPayment[]): readonly (readonly BookPayment[])[] {
  const keyOf = ({ vendorId, currency, amountMinor }: BookPayment): string => `${vendorId}|${currency}|${amountMinor}`;
  return [...groupedBy(payments, keyOf).values()];
}

type Groups = readonly (readonly BookPayment[])[];

/** Combines groups of ERP payments into batches that pay a limited number of bills. */
export function batchesOf(groups: Groups): Groups[] {
  const batches: (readonly BookPayment[])[][] = [];
  let billsInBatch = Number.POSITIVE_INFINITY;
  for (const group of groups) {
    const bills = group.reduce((sum, { billIds }) => sum + billIds.length, 0);
    if (billsInBatch + bills > BILLS_AT_ONCE_MAX) {
      batches.push([]);
      billsInBatch = 0;
    }
    batches.at(-1)?.push(group);
    billsInBatch += bills;
  }
  return batches;
}

async function compareGroups(examination: Examination, groups: Groups, isChanged: ReadonlySet<string>): Promise<void> {
  const { source, policy, books, raise, reviewed, logger } = examination;
  const like = groups.flat();
  const ofBills = await books.paymentsOf(source, [...new Set(like.flatMap(({ billIds }) => billIds))]);
  reportCut(examination, ofBills);
  const [bills, vendors] = await Promise.all([
    books.bills(source, [...new Set(like.flatMap(({ billIds }) => billIds))]),
    books.vendorsByIds(source, [...new Set(like.map(({ vendorId }) => vendorId))]),
  ]);
  const known: Known = {
    bills: new Map(bills.map((bill) => [bill.part.invoiceId, bill])),
    vendors: new Map(vendors.map((vendor) => [vendor.id, vendor])),
    ofBills: { ...ofBills, payments: distinct([...ofBills.payments, ...like]) },
  };
  // The unchanged ERP payments are only compared with the changed payments, because they were examined when they were
  // imported.
  const booked = like.map((payment) => bookedPayment(payment, known, isChanged.has(payment.id)));
  const parts = bills.map(({ part }) => part);
  const {
    pairs: duplicatePairs,
    credited: creditedPairs,
    leftOut,
  } = await duplicatePairsAmongBills(parts, policy, (pairs) => creditsBetweenBills(examination, pairs));
  const { organizationId, companyId } = source;
  const payments = await withReviews(reviewed, organizationId, booked, known.vendors);
  if (leftOut > 0) recordsLeftOut(logger, 'BILLS', { organizationId, companyId, number: leftOut });
  const credits = await creditsBetween(examination, groups, known);
  await raise([{ payments, duplicatePairs, creditedPairs, credits }]);
}

interface Known {
  readonly bills: ReadonlyMap<string, BookBill>;
  readonly vendors: ReadonlyMap<string, StoredVendor>;
  /** All ERP payments of the bills that are being examined. */
  readonly ofBills: FoundPayments;
}

function reportCut({ source, logger }: Examination, { cutKeys }: FoundPayments): void {
  const { organizationId, companyId } = source;
  if (cutKeys.size > 0) recordsLeftOut(logger, 'PAYMENTS', { organizationId, companyId, number: cutKeys.size });
}

/**
 * Returns credit notes issued between payments of the same amount to the same vendor, with the bills that they name.
 */
async function creditsBetween(
  examination: Examination,
  groups: Groups,
  { bills, vendors }: Known,
): Promise<readonly VendorCredit[]> {
  const { source, policy, books } = examination;
  const { duplicatePaymentDays } = policy.books;
  const vendorIds = new Set<string>();
  const keys = new Set<string>();
  for (const group of groups) {
    const [payment] = group;
    if (payment === undefined || group.length < 2) continue;
    const days = group.map(({ day }) => day).sort((left, right) => left - right);
    const vendor = vendors.get(payment.vendorId);
    const parts = group.flatMap(({ billIds }) => billIds.flatMap((id) => bills.get(id)?.part ?? []));
    const supplierKeys = new Set([
      ...(vendor === undefined ? [] : vendorKeysOf(vendor, [])),
      ...parts.flatMap(supplierKeysOf),
    ]);
    for (const [index, to] of days.entries()) {
      const from = days[index - 1];
      if (from === undefined || to - from > duplicatePaymentDays) continue;
      vendorIds.add(payment.vendorId);
      for (const key of creditKeys([...supplierKeys], payment, { from, to })) keys.add(key);
    }
  }
  if (keys.size === 0) return [];
  const credits = await books.credits(source, [...vendorIds], [...keys]);
  const named = await billsNamedByCredits(
    examination,
    credits.map(({ part }) => part),
  );
  return credits.map((credit) => vendorCredit(credit, named.get(credit.part.invoiceId) ?? []));
}

function vendorCredit({ part, vendorId }: BookCredit, bills: VendorCredit['bills']): VendorCredit {
  const { invoiceId: creditId, invoiceNumber: number, issueDay: day, amountMinor, currency } = part;
  return { creditId, number, vendorId, day, amountMinor, currency, bills };
}

function bookedPayment(payment: BookPayment, known: Known, isChanged: boolean): BookedPayment {
  const { id, vendorId, day, amountMinor, currency, reference, billIds, account, isReturned } = payment;
  const bills = billIds.flatMap((billId) => known.bills.get(billId) ?? []);
  const vendor = known.vendors.get(vendorId);
  const dueMinor = openBefore(payment, bills, known.ofBills);
  const stated = bills
    .map(({ part }) => part.invoiceNumber)
    .sort(compareText)
    .join(' ');
  const isAccountStatedByBill = bills.some(({ paidAccountExternalId }) => paidAccountExternalId !== undefined);
  return {
    paymentId: id,
    vendorId,
    vendorName: vendor?.details.name ?? bills[0]?.part.supplierName ?? '',
    day,
    amountMinor,
    currency,
    ...(dueMinor === undefined ? {} : { dueMinor }),
    // The numbers of the paid bills show what an ERP payment is for. The text of the payment often states only its
    // date.
    ...(stated === '' ? (reference === undefined ? {} : { reference }) : { reference: stated }),
    invoiceIds: bills.map(({ part }) => part.invoiceId),
    ...(account === undefined || isAccountStatedByBill || !isChanged ? {} : { account }),
    ...(vendor === undefined ? {} : accountFacts(vendor, payment)),
    isReturned,
  };
}

/**
 * Returns the total open amount that the bills paid by an ERP payment had before the payment. Undefined if the ERP does
 * not state which part of the payment paid which bill, or if not all payments of the bills were read.
 */
function openBefore(
  payment: BookPayment,
  bills: readonly BookBill[],
  { payments, cutKeys }: FoundPayments,
): string | undefined {
  if (bills.length === 0 || bills.length < payment.billIds.length) return undefined;
  if (bills.some(({ part }) => part.currency !== payment.currency || cutKeys.has(part.invoiceId))) return undefined;
  const settled = new Set(payment.billIds);
  const earlier = payments.filter(
    (other) =>
      other.id !== payment.id &&
      !other.isReturned &&
      other.billIds.some((billId) => settled.has(billId)) &&
      (other.day < payment.day || (other.day === payment.day && other.id < payment.id)),
  );
  if (earlier.some(({ billIds }) => billIds.some((billId) => !settled.has(billId)))) return undefined;
  const total = bills.reduce((sum, { part }) => sum + BigInt(part.amountMinor), 0n);
  const open = total - earlier.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);
  return String(open < 0n ? 0n : open);
}

/** Returns the facts in the vendor master about the bank account to which an ERP payment was made. */
function accountFacts(
  { accountHistory, createdAt }: StoredVendor,
  { day, account }: BookPayment,
): Pick<BookedPayment, 'vendorAccountsThen' | 'accountInMaster' | 'vendorKnownSince'> {
  const period = accountHistory.findLast(({ key }) => key === account?.key);
  return {
    vendorAccountsThen: accountsAt(accountHistory, day),
    ...(period === undefined ? {} : { accountInMaster: { from: dateOf(period.from), to: dateOf(period.to) } }),
    vendorKnownSince: dateOf(createdAt),
  };
}

function dateOf(at: Date): string;
function dateOf(at: Date | undefined): string | undefined;
function dateOf(at: Date | undefined): string | undefined {
  return at?.toISOString().slice(0, 10);
}

function distinct(payments: readonly BookPayment[]): BookPayment[] {
  return [...new Map(payments.map((payment) => [payment.id, payment])).values()];
}
