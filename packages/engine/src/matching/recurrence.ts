import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import type { UnrelatedNumberParameters } from '../policy/unrelated-numbers.js';
import { differences, median } from '../supplier/statistics.js';
import { showsHabit } from '../supplier/suspicion.js';
import { isSameSupplier } from './supplier-relation.js';

/** Other occurrences of the checked amount at its supplier, within the recurrence window. */
export interface AmountHistory {
  /** Days of finished invoices, from the profile. */
  readonly profileDays: readonly number[];
  /** Originals among the candidates, including those still being analyzed; those that may be copies are no habit. */
  readonly present: ReadonlySet<Candidate>;
  /** Days of originals that show no habit: they may be copies. */
  readonly doubtfulDays: readonly number[];
  /** Credit notes over the amount: each takes one bill back. */
  readonly credited: number;
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
  const ofAmount = originals.filter(
    (candidate) =>
      // A bill of the books repeats an invoice, or is forged: it shows no habit of the supplier to what is checked for payment.
      (candidate.source !== 'ERP' || invoice.source === 'ERP') &&
      candidate.amountMinor === invoice.amountMinor &&
      candidate.currency === invoice.currency &&
      isInWindow(candidate.issueDay) &&
      isSameSupplier(supplier.supplierId, invoice, candidate),
  );
  return {
    profileDays,
    present: new Set(ofAmount.filter(showsHabit)),
    credited: originals.filter(
      (candidate) =>
        candidate.amountMinor === `-${invoice.amountMinor}` &&
        candidate.currency === invoice.currency &&
        isInWindow(candidate.issueDay) &&
        isSameSupplier(supplier.supplierId, invoice, candidate),
    ).length,
    doubtfulDays: ofAmount.filter((candidate) => !showsHabit(candidate)).map(({ issueDay }) => issueDay),
  };
}

/**
 * Counts other invoices with the amount, without the pair itself and those that were credited (detection reference,
 * section 5). Profile and candidates each see only a part, so the larger count holds.
 */
export function recurringOthers({ profileDays, present, credited }: AmountHistory, other: Candidate): number {
  const inProfile = profileDays.length - (profileDays.includes(other.issueDay) ? 1 : 0);
  return Math.max(0, Math.max(inProfile, present.size - (present.has(other) ? 1 : 0)) - credited);
}

/**
 * Tells whether the supplier, by its profile, bills the amount at most once a day. One day in five may have it twice, because of
 * earlier duplicates.
 * @param other one of the bills
 */
export function isBilledOnceADay({ profileDays, present }: AmountHistory, other: Candidate): boolean {
  const days = new Set(profileDays).size;
  const sameDay = [...present].filter(({ issueDay }) => issueDay === other.issueDay);
  return (profileDays.length - days) * 5 <= days && sameDay.length <= 1;
}

/**
 * Counts bills with the amount that the supplier sent on the day of the pair, without the pair itself: rooms, policies and
 * tickets at one price.
 */
export function othersOfDay({ profileDays, present }: AmountHistory, other: Candidate): number {
  const inProfile = profileDays.filter((day) => day === other.issueDay).length;
  const known = [...present].filter(({ issueDay }) => issueDay === other.issueDay).length;
  return Math.max(inProfile, known) - 1;
}

/**
 * Tells whether the amount comes at equal intervals of weeks or months, once for each, and the pair is two bills of one interval. A
 * bill that makes up for one that did not come does not count. A supplier that sends two for each is asked about the first such
 * pair.
 */
export function isRegularBillSentTwice(
  { profileDays, present, doubtfulDays }: AmountHistory,
  invoice: Candidate,
  other: Candidate,
  parameters: UnrelatedNumberParameters,
): boolean {
  const known = profileDays.length >= present.size ? profileDays : [...present].map(({ issueDay }) => issueDay);
  const days = known.toSorted((left, right) => left - right);
  const gaps = differences(days);
  const usual = median(gaps);
  const rhythm = parameters.rhythms.findLast(({ daysMin }) => usual >= daysMin);
  if (rhythm === undefined || days.length < rhythm.billsMin) return false;
  const isShort = (gap: number): boolean => gap * 100 <= usual * parameters.rhythmTwicePercent;
  if (gaps.some(isShort) || !isShort(Math.abs(invoice.issueDay - other.issueDay))) return false;
  const isUsual = (gap: number): boolean => Math.abs(gap - usual) * 100 <= usual * parameters.rhythmTolerancePercent;
  if (gaps.filter(isUsual).length * 100 < gaps.length * parameters.rhythmSharePercent) return false;
  const wasAsked = doubtfulDays.some(
    (day) => !isShort(Math.abs(day - other.issueDay)) && days.some((regular) => isShort(Math.abs(day - regular))),
  );
  if (wasAsked) return false;
  const before = days.findLast((day) => day < Math.min(other.issueDay, invoice.issueDay));
  return before !== undefined && days.includes(other.issueDay) && isUsual(other.issueDay - before);
}
