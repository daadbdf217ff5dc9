import { billedTwice, creditedPairs } from './detectors/booked-bills.js';
import { pairKey } from './explanation/subject.js';
import type { CreditedBill } from './facts/books.js';
import type { Candidate } from './facts/invoice.js';
import { namesBill } from './matching/credit.js';
import { bookedInvoiceOf, canBook, isSameBill } from './matching/erp-bills.js';
import type { Policy } from './policy/policy.js';

/**
 * Returns the invoice that an ERP bill books, if there is one (detection reference, section 5).
 * @param candidates records found by the bill's lookup keys, including other bills and the invoices that those bills
 * book
 */
export function invoiceBookedBy(bill: Candidate, candidates: readonly Candidate[], policy: Policy): string | undefined {
  // The supplier of a bill may be unknown. In this case, the tax id and the name identify the supplier.
  const compared =
    bill.supplierId === null ? candidates.map((candidate) => ({ ...candidate, supplierId: null })) : candidates;
  return bookedInvoiceOf(bill, bill.supplierId ?? '', compared, policy.duplicates);
}

/**
 * Checks whether an ERP bill still books the invoice to which it was linked. The bill may have been changed after it
 * was linked.
 */
export function stillBooks(bill: Candidate, invoice: Candidate, { duplicates }: Policy): boolean {
  const compared = bill.supplierId === null ? { ...invoice, supplierId: null } : invoice;
  return canBook(bill, bill.supplierId ?? '', compared, duplicates);
}

/**
 * Checks whether an ERP bill and an invoice have the same number and amount, and dates that are close to each other.
 * The suppliers of the two are not compared.
 */
export function isBillOf(bill: Candidate, invoice: Candidate, { duplicates }: Pick<Policy, 'duplicates'>): boolean {
  return isSameBill(bill, invoice, duplicates);
}

/**
 * Returns the bills that a credit note names. A credit note names a bill if its number equals or contains the number of
 * the bill.
 */
export function billsNamedBy(note: Candidate, bills: readonly Candidate[]): CreditedBill[] {
  return bills
    .filter((bill) => !bill.amountMinor.startsWith('-') && namesBill(note, bill))
    .map(({ invoiceId, amountMinor }) => ({ invoiceId, amountMinor }));
}

/** Groups bills by amount and currency. Only bills in the same group can be duplicates of each other. */
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

/** A pair of ERP bills of which one may be a duplicate of the other. */
export interface DuplicatePair {
  readonly key: string;
  readonly bills: readonly [Candidate, Candidate];
}

const NONE_CREDITED: ReadonlyMap<string, string> = new Map();

/**
 * Returns the pairs formed by a bill and other bills that may be duplicates of it.
 * @param credited pairs that a credit note clears
 */
export function duplicatePairsOf(
  bill: Candidate,
  others: readonly Candidate[],
  policy: Policy,
  credited: ReadonlyMap<string, string> = NONE_CREDITED,
): readonly DuplicatePair[] {
  return billedTwice({ bill, others }, policy, credited).map(({ original, copy }) => ({
    key: pairKey(original.invoiceId, copy.invoiceId),
    bills: [original, copy],
  }));
}

/**
 * Returns the duplicate pairs among all bills with the same amount. The running time grows faster than the number of
 * bills.
 */
export function duplicatePairsAmong(
  bills: readonly Candidate[],
  policy: Policy,
  credited: ReadonlyMap<string, string> = NONE_CREDITED,
): readonly DuplicatePair[] {
  const pairs = bills.flatMap((bill) => duplicatePairsOf(bill, bills, policy, credited));
  return [...new Map(pairs.map((pair) => [pair.key, pair])).values()];
}

/**
 * Returns the pairs of equal bills that are not duplicates, because a credit note among the records explains them. The
 * result maps the key of each pair to the id of its credit note.
 */
export function pairsClearedAmong(
  bills: readonly Candidate[],
  { notes, creditedIds }: CreditNotes,
  policy: Policy,
): ReadonlyMap<string, string> {
  return notes.length === 0 ? NONE_CREDITED : creditedPairs([...bills, ...notes], policy, creditedIds);
}

/** Credit notes of vendors that are booked in the ERP. */
export interface CreditNotes {
  readonly notes: readonly Candidate[];
  /** Maps the id of each credit note to the ids of the bills that its number names. */
  readonly creditedIds: ReadonlyMap<string, readonly string[]>;
}
