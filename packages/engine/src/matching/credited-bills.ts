import { pairKey } from '../explanation/subject.js';
import type { Candidate } from '../facts/invoice.js';
import { compareByArrival } from '../facts/record-order.js';
import type { BooksParameters } from '../policy/books.js';
import { isOfOneSupplier } from './supplier-relation.js';

const DAY_MS = 86_400_000;

/**
 * A credit note in the books, with the ids of the known bills that its number names. If the number names no known bill,
 * the credit note may be for any bill.
 */
export interface BookedCredit {
  readonly note: Candidate;
  readonly namedIds: ReadonlySet<string>;
}

/**
 * Returns the pairs of bills that are not duplicates, because a credit note between the two bills cancels the earlier
 * bill (detection reference, section 7.6). A bill that was issued after the credit note then does not repeat the
 * cancelled bill. The credit notes are assigned in order of issue date, and each cancels one bill, so that a single
 * credit note does not clear several copies.
 * @param repeatedBy returns the earlier bills, among the given ones, that a bill repeats
 * @returns a map from the key of the pair to the id of its credit note
 */
export function pairsClearedByCredits(
  bills: readonly Candidate[],
  credits: readonly BookedCredit[],
  repeatedBy: (bill: Candidate, earlier: readonly Candidate[]) => readonly Candidate[],
  parameters: BooksParameters,
): ReadonlyMap<string, string> {
  const cleared = new Map<string, string>();
  if (credits.length === 0) return cleared;
  const takenBack = new Map<string, BookedCredit>();
  const used = new Set<BookedCredit>();
  const byDay = credits.toSorted((left, right) => compareByIssue(left.note, right.note));
  const ordered = bills.toSorted(compareByIssue);
  for (const [index, second] of ordered.entries()) {
    const fitting = (first: Candidate): readonly BookedCredit[] =>
      byDay.filter((credit) => canTakeBack(credit, first) && isBetween(credit, first, second, parameters));
    const credited = ordered.slice(0, index).filter((first) => fitting(first).length > 0);
    if (credited.length === 0) continue;
    for (const first of repeatedBy(second, credited).toSorted(compareByIssue).toReversed()) {
      const free = fitting(first).filter((credit) => !used.has(credit));
      // A credit note that names the bill is preferred, because it cannot cancel another bill.
      const credit = takenBack.get(first.invoiceId) ?? free.find(({ namedIds }) => namedIds.size > 0) ?? free[0];
      if (credit === undefined) continue;
      used.add(credit);
      takenBack.set(first.invoiceId, credit);
      cleared.set(pairKey(first.invoiceId, second.invoiceId), credit.note.invoiceId);
    }
  }
  return cleared;
}

/**
 * Checks whether the credit note can cancel the bill: supplier, company and amount are equal, and the note names no
 * other bill.
 */
function canTakeBack({ note, namedIds }: BookedCredit, bill: Candidate): boolean {
  return (
    note.amountMinor === `-${bill.amountMinor}` &&
    note.currency === bill.currency &&
    note.companyId === bill.companyId &&
    isOfOneSupplier(bill, note) &&
    (namedIds.size === 0 || namedIds.has(bill.invoiceId))
  );
}

/**
 * Checks whether the credit note is dated between the two bills and was received at most a limited number of days after
 * them. A credit note that is received later may be backdated.
 */
function isBetween(
  { note }: BookedCredit,
  first: Candidate,
  second: Candidate,
  { creditEntryDaysMax }: BooksParameters,
): boolean {
  const foundAtMs = Math.max(first.receivedAtMs, second.receivedAtMs);
  return (
    note.issueDay >= first.issueDay &&
    note.issueDay <= second.issueDay &&
    note.receivedAtMs - foundAtMs <= creditEntryDaysMax * DAY_MS
  );
}

function compareByIssue(left: Candidate, right: Candidate): number {
  return left.issueDay - right.issueDay || compareByArrival(left, right);
}
