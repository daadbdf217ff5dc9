import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import { billDigits, creditedNumbers } from '../normalisation/match-keys.js';
import { isSameSupplier } from './supplier-relation.js';

/**
 * Returns the supplier's credit notes among the originals. They are selected once for all pairs of the checked invoice
 * with another bill. Most invoices have no such credit notes.
 */
export function creditNotesOf(facts: Facts, originals: readonly Candidate[]): Candidate[] {
  return originals.filter(
    (candidate) =>
      candidate.amountMinor.startsWith('-') && isSameSupplier(facts.supplier.supplierId, facts.invoice, candidate),
  );
}

/**
 * Checks whether a credit note from this source may be for the bill. A credit note from an ERP must belong to the same
 * company and name the bill, because otherwise anyone who enters a credit note in the ERP could hide a duplicate.
 */
function isOfBooksOf(other: Candidate, note: Candidate): boolean {
  return note.source !== 'ERP' || (note.companyId === other.companyId && namesBill(note, other));
}

/** Checks whether the number of a credit note equals or contains the number of the bill. */
export function namesBill(note: Candidate, { number: { o1, o2 } }: Candidate): boolean {
  const named = new Set([note.number.o1, note.number.o2, ...creditedNumbers(note)]);
  return [o1, o2].some((number) => number !== '' && named.has(number));
}

/**
 * Checks whether a credit note between the two bills cancels the earlier bill. The credit note takes back the whole
 * amount. If the new bill states that it replaces the earlier bill, it is enough that the credit note names the earlier
 * bill. The new bill then does not claim the amount a second time.
 */
export function isTakenBack(
  { invoice }: Facts,
  creditNotes: readonly Candidate[],
  other: Candidate,
  isReplaced: boolean,
): boolean {
  const from = Math.min(other.issueDay, invoice.issueDay);
  const to = Math.max(other.issueDay, invoice.issueDay);
  return creditNotes.some(
    (note) =>
      note.currency === other.currency &&
      note.issueDay >= from &&
      note.issueDay <= to &&
      isOfBooksOf(other, note) &&
      (note.amountMinor === `-${other.amountMinor}` || (isReplaced && namesDigitsOf(note, other))),
  );
}

function namesDigitsOf(note: Candidate, other: Candidate): boolean {
  const digits = billDigits(other.number.f1);
  return namesBill(note, other) || (digits !== undefined && creditedNumbers(note).includes(digits));
}

/**
 * Checks whether a credit note cancelled the earlier record before the checked invoice arrived, and no other bill has
 * used up this credit note (detection reference, section 5). Suppliers often credit a bill and issue it again, so the
 * checked invoice is then not a duplicate.
 */
export function hasOpenCredit(
  facts: Facts,
  originals: readonly Candidate[],
  creditNotes: readonly Candidate[],
  other: Candidate,
): boolean {
  const { invoice, supplier } = facts;
  const from = Math.min(other.issueDay, invoice.issueDay);
  const to = Math.max(other.issueDay, invoice.issueDay);
  const credits = creditNotes.filter(
    (note) =>
      note.amountMinor === `-${other.amountMinor}` &&
      note.currency === other.currency &&
      isOfBooksOf(other, note) &&
      note.issueDay >= from &&
      note.issueDay <= to,
  );
  if (credits.length === 0) return false;
  const firstCreditDay = Math.min(...credits.map((credit) => credit.issueDay));
  const reissues = originals.filter(
    (candidate) =>
      candidate !== other &&
      candidate.amountMinor === other.amountMinor &&
      candidate.currency === other.currency &&
      candidate.issueDay >= firstCreditDay &&
      candidate.issueDay <= to &&
      isSameSupplier(supplier.supplierId, invoice, candidate),
  );
  return credits.length > reissues.length;
}
