import { pairKey } from '../explanation/subject.js';
import type { Candidate } from '../facts/invoice.js';
import { compareByArrival } from '../facts/record-order.js';
import type { BooksParameters } from '../policy/books.js';
import { isOfOneSupplier } from './supplier-relation.js';

const DAY_MS = 86_400_000;

/** A credit note of the books, and the ids of the known bills that its number names; without any it may be for each. */
export interface BookedCredit {
  readonly note: Candidate;
  readonly namedIds: ReadonlySet<string>;
}

/**
 * The pairs of bills that a credit note between them clears (detection reference, section 7.6): the earlier bill was taken
 * back, so what comes after the credit note does not repeat it. Each credit note takes back one bill, in the order of issue
 * dates, so that a single one does not clear any number of copies.
 * @param repeatedBy those of some earlier bills that a bill repeats
 * @returns by the key of the pair, the id of its credit note
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
      // One that names the bill can be for no other.
      const credit = takenBack.get(first.invoiceId) ?? free.find(({ namedIds }) => namedIds.size > 0) ?? free[0];
      if (credit === undefined) continue;
      used.add(credit);
      takenBack.set(first.invoiceId, credit);
      cleared.set(pairKey(first.invoiceId, second.invoiceId), credit.note.invoiceId);
    }
  }
  return cleared;
}

/** Tells whether the credit note can be about the bill: it has its supplier, company and amount, and names no other bill. */
function canTakeBack({ note, namedIds }: BookedCredit, bill: Candidate): boolean {
  return (
    note.amountMinor === `-${bill.amountMinor}` &&
    note.currency === bill.currency &&
    note.companyId === bill.companyId &&
    isOfOneSupplier(bill, note) &&
    (namedIds.size === 0 || namedIds.has(bill.invoiceId))
  );
}

/** Tells whether the credit note is dated between the bills, and not dated back: it was imported with the second bill, or soon after. */
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
