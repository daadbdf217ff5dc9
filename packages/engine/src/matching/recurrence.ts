import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { isSameSupplier } from './supplier-relation.js';

/** Other occurrences of the checked amount at its supplier, within the recurrence window. */
export interface AmountHistory {
  /** Days of finished invoices, from the profile. */
  readonly profileDays: readonly number[];
  /** Originals among the candidates, including those still being analyzed; those that may be copies are no habit. */
  readonly present: ReadonlySet<Candidate>;
}

/** Computed once per invoice and used for every pair with this amount. */
export function amountHistory(
  facts: Facts,
  originals: readonly Candidate[],
  { recurrenceDays }: DuplicateParameters,
): AmountHistory {
  const { invoice, supplier } = facts;
  const isInWindow = (day: number): boolean => Math.abs(day - invoice.issueDay) <= recurrenceDays;
  const profileDays = (supplier.profile.amounts[invoice.currency] ?? [])
    .filter((use) => use.minor === invoice.amountMinor && isInWindow(use.day))
    .map((use) => use.day);
  const present = originals.filter(
    (candidate) =>
      candidate.suspectedAs !== 'DUPLICATE' &&
      candidate.amountMinor === invoice.amountMinor &&
      candidate.currency === invoice.currency &&
      isInWindow(candidate.issueDay) &&
      isSameSupplier(supplier.supplierId, invoice, candidate),
  );
  return { profileDays, present: new Set(present) };
}

/**
 * How many other invoices carry the amount, besides the pair itself (detection reference, section 5). Profile and
 * candidates each see only a part, so the larger count holds.
 */
export function recurringOthers({ profileDays, present }: AmountHistory, other: Candidate): number {
  const inProfile = profileDays.length - (profileDays.includes(other.issueDay) ? 1 : 0);
  return Math.max(inProfile, present.size - (present.has(other) ? 1 : 0));
}

/**
 * Whether the supplier, by its profile, bills the amount at most once a day. One day in five may have it twice, because of
 * earlier duplicates.
 * @param other one of the bills
 */
export function isBilledOnceADay({ profileDays, present }: AmountHistory, other: Candidate): boolean {
  const days = new Set(profileDays).size;
  const sameDay = [...present].filter(({ issueDay }) => issueDay === other.issueDay);
  return (profileDays.length - days) * 5 <= days && sameDay.length <= 1;
}
