import { billedTwice } from './detectors/booked-bills.js';
import { pairKey } from './explanation/subject.js';
import type { CreditedBill } from './facts/books.js';
import type { Candidate } from './facts/invoice.js';
import { bookedInvoiceOf, canBook, isSameBill } from './matching/erp-bills.js';
import { creditedNumbers } from './normalisation/match-keys.js';
import type { Policy } from './policy/policy.js';

/**
 * The invoice that a bill of an ERP books, if any (detection reference, section 5).
 * @param candidates what the lookup keys of the bill find, other bills with what they book among them
 */
export function invoiceBookedBy(bill: Candidate, candidates: readonly Candidate[], policy: Policy): string | undefined {
  // Which supplier a bill is of may not be known: then tax id and name say it.
  const compared =
    bill.supplierId === null ? candidates.map((candidate) => ({ ...candidate, supplierId: null })) : candidates;
  return bookedInvoiceOf(bill, bill.supplierId ?? '', compared, policy.duplicates);
}

/** Whether a bill of an ERP books an invoice that it was linked to: the bill may have changed since. */
export function stillBooks(bill: Candidate, invoice: Candidate, { duplicates }: Policy): boolean {
  const compared = bill.supplierId === null ? { ...invoice, supplierId: null } : invoice;
  return canBook(bill, bill.supplierId ?? '', compared, duplicates);
}

/** Whether a bill of an ERP and an invoice agree in number, amount and days, whoever sent them. */
export function isBillOf(bill: Candidate, invoice: Candidate, { duplicates }: Pick<Policy, 'duplicates'>): boolean {
  return isSameBill(bill, invoice, duplicates);
}

/** Those of the bills that a credit note names by its number: it has their number, or contains it. */
export function billsNamedBy(note: Candidate, bills: readonly Candidate[]): CreditedBill[] {
  const named = new Set([note.number.o1, note.number.o2, ...creditedNumbers(note)]);
  const isNamed = (number: string): boolean => number !== '' && named.has(number);
  return bills
    .filter(({ amountMinor, number: { o1, o2 } }) => !amountMinor.startsWith('-') && [o1, o2].some(isNamed))
    .map(({ invoiceId, amountMinor }) => ({ invoiceId, amountMinor }));
}

/** Bills in groups of one amount and currency: only those of a group can be duplicates of each other. */
export function billsByAmount(bills: readonly Candidate[]): readonly (readonly Candidate[])[] {
  const byAmount = new Map<string, Candidate[]>();
  for (const bill of bills) {
    const key = `${bill.currency} ${bill.amountMinor}`;
    const same = byAmount.get(key);
    if (same === undefined) byAmount.set(key, [bill]);
    else same.push(bill);
  }
  return [...byAmount.values()];
}

/** Keys of those pairs of bills of one amount that are duplicates of each other; the time grows faster than the group. */
export function duplicatePairsAmong(others: readonly Candidate[], policy: Policy): readonly string[] {
  return others.flatMap((bill) =>
    billedTwice({ bill, others, paidIds: [], settledIds: [] }, policy).map(({ original, copy }) =>
      pairKey(original.invoiceId, copy.invoiceId),
    ),
  );
}
