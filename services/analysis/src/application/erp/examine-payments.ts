import type { BookedPayment } from '@invoicecontrol/engine/facts/books';
import { compareText } from '@invoicecontrol/engine/facts/record-order';
import { comparableAccounts } from '../../domain/erp/vendor-accounts.js';
import type { BookBill, BookPayment } from './books-store.js';
import { duplicatePairsOf } from './duplicate-pairs.js';
import type { ExaminedPage, Examination } from './examination.js';
import type { StoredVendor } from './vendor-store.js';

const DAY_MS = 86_400_000;

/** Payments that were made twice, to another account, or of more than was open. */
export async function* examinePayments(examination: Examination): AsyncGenerator<ExaminedPage> {
  const { source, window, books } = examination;
  for await (const { records, continueFrom } of books.changedPayments(source, window)) {
    const made = records.filter(({ isReturned }) => !isReturned);
    if (made.length > 0) await examineMade(examination, made);
    yield { recordsCount: records.length, continueFrom };
  }
}

async function examineMade(
  { source, policy, books, raise, logger }: Examination,
  made: readonly BookPayment[],
): Promise<void> {
  const like = distinct(await books.paymentsLike(source, made));
  const ofBills = distinct(await books.paymentsOf(source, [...new Set(like.flatMap(({ billIds }) => billIds))]));
  const [bills, vendors] = await Promise.all([
    books.bills(source, [...new Set(ofBills.flatMap(({ billIds }) => billIds))]),
    books.vendorsByIds(source, [...new Set(made.map(({ vendorId }) => vendorId))]),
  ]);
  const known: Known = {
    bills: new Map(bills.map((bill) => [bill.part.invoiceId, bill])),
    vendors: new Map(vendors.map((vendor) => [vendor.id, vendor])),
    payments: ofBills,
  };
  const isChanged = new Set(made.map(({ id }) => id));
  // What is compared with the changed ones was examined itself when it came.
  const payments = like.map((payment) => bookedPayment(payment, known, isChanged.has(payment.id)));
  const { pairs: duplicatePairs, leftOut } = await duplicatePairsOf(
    bills.map(({ part }) => part),
    policy,
  );
  if (leftOut > 0) {
    const { organizationId, companyId } = source;
    logger.warn({ organizationId, companyId, leftOut }, 'bills were not compared: too many have one amount');
  }
  await raise([{ payments, duplicatePairs, credits: [] }]);
}

interface Known {
  readonly bills: ReadonlyMap<string, BookBill>;
  readonly vendors: ReadonlyMap<string, StoredVendor>;
  /** All payments of the bills. */
  readonly payments: readonly BookPayment[];
}

function bookedPayment(payment: BookPayment, known: Known, isChanged: boolean): BookedPayment {
  const { id, vendorId, day, amountMinor, currency, reference, billIds, account, isReturned } = payment;
  const bills = billIds.flatMap((billId) => known.bills.get(billId) ?? []);
  const vendor = known.vendors.get(vendorId);
  const dueMinor = openBefore(payment, bills, known.payments);
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
    ...(dueMinor === undefined || !isChanged ? {} : { dueMinor }),
    // The numbers of the bills say what a payment is for, its own text often only when it was made.
    ...(stated === '' ? (reference === undefined ? {} : { reference }) : { reference: stated }),
    invoiceIds: bills.map(({ part }) => part.invoiceId),
    ...(account === undefined || isAccountStatedByBill || !isChanged ? {} : { account }),
    ...(vendor === undefined ? {} : { vendorAccountsThen: accountsOn(vendor, day) }),
    isReturned,
  };
}

/** What was open on all bills of a payment before it; undefined where the ERP does not tell which part went to which bill. */
function openBefore(
  payment: BookPayment,
  bills: readonly BookBill[],
  payments: readonly BookPayment[],
): string | undefined {
  if (bills.length === 0 || bills.length < payment.billIds.length) return undefined;
  if (bills.some(({ part }) => part.currency !== payment.currency)) return undefined;
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

/** Accounts of the vendor that it still had on the day. Since when it had them is known by the hour at best. */
function accountsOn({ accounts, accountHistory }: StoredVendor, day: number): string[] {
  const then = accountHistory.filter(({ to }) => to === undefined || to.getTime() >= day * DAY_MS);
  return [...comparableAccounts(accounts), ...then].map(({ key }) => key);
}

function distinct(payments: readonly BookPayment[]): BookPayment[] {
  return [...new Map(payments.map((payment) => [payment.id, payment])).values()];
}
