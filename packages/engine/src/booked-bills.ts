import { billedTwice, creditedPairs } from './detectors/booked-bills.js';
import { pairKey } from './explanation/subject.js';
import type { CreditedBill } from './facts/books.js';
import type { Candidate } from './facts/invoice.js';
import { namesBill } from './matching/credit.js';
import { bookedInvoiceOf, canBook, isSameBill } from './matching/erp-bills.js';
import type { Policy } from './policy/policy.js';

/**
 * The invoice that a bill of an ERP books, if any (detection reference, section 5).
 * @param candidates what the lookup keys of the bill find, other bills with what they book among them
 */
export function invoiceBookedBy(bill: Candidate, candidates: readonly Candidate[], policy: Policy): string | undefined {
  // The supplier of a bill may not be known. Tax id and name identify it then.
  const compared =
    bill.supplierId === null ? candidates.map((candidate) => ({ ...candidate, supplierId: null })) : candidates;
  return bookedInvoiceOf(bill, bill.supplierId ?? '', compared, policy.duplicates);
}

/** Tells whether a bill of an ERP books an invoice that it was linked to: the bill may have changed since. */
export function stillBooks(bill: Candidate, invoice: Candidate, { duplicates }: Policy): boolean {
  const compared = bill.supplierId === null ? { ...invoice, supplierId: null } : invoice;
  return canBook(bill, bill.supplierId ?? '', compared, duplicates);
}

/** Tells whether a bill of an ERP and an invoice agree in number, amount and days. Their suppliers are not compared. */
export function isBillOf(bill: Candidate, invoice: Candidate, { duplicates }: Pick<Policy, 'duplicates'>): boolean {
  return isSameBill(bill, invoice, duplicates);
}

/** Returns the bills that a credit note names by its number: it has their number, or contains it. */
export function billsNamedBy(note: Candidate, bills: readonly Candidate[]): CreditedBill[] {
  return bills
    .filter((bill) => !bill.amountMinor.startsWith('-') && namesBill(note, bill))
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

/** A bill and the bill that it repeats, or that repeats it. */
export interface DuplicatePair {
  readonly key: string;
  readonly bills: readonly [Candidate, Candidate];
}

const NONE_CREDITED: ReadonlyMap<string, string> = new Map();

/**
 * The pairs in which a bill is with others that it may be a duplicate of.
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

/** The same of all bills of one amount; the time grows faster than their number. */
export function duplicatePairsAmong(
  bills: readonly Candidate[],
  policy: Policy,
  credited: ReadonlyMap<string, string> = NONE_CREDITED,
): readonly DuplicatePair[] {
  const pairs = bills.flatMap((bill) => duplicatePairsOf(bill, bills, policy, credited));
  return [...new Map(pairs.map((pair) => [pair.key, pair])).values()];
}

/** The pairs that a credit note among the records clears, by the key of the pair the id of the credit note. */
export function pairsClearedAmong(
  bills: readonly Candidate[],
  { notes, creditedIds }: CreditNotes,
  policy: Policy,
): ReadonlyMap<string, string> {
  return notes.length === 0 ? NONE_CREDITED : creditedPairs([...bills, ...notes], policy, creditedIds);
}

/** Credit notes of the books. */
export interface CreditNotes {
  readonly notes: readonly Candidate[];
  /** Ids of bills that the number of a credit note names, by the id of the credit note. */
  readonly creditedIds: ReadonlyMap<string, readonly string[]>;
}
