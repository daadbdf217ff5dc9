import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import type { UnrelatedNumberParameters } from '../policy/unrelated-numbers.js';
import { differences, median } from '../supplier/statistics.js';
import { showsHabit } from '../supplier/suspicion.js';
import { isSameSupplier } from './supplier-relation.js';

/** The supplier's other bills with the checked amount within the recurrence window. */
export interface AmountHistory {
  /** Issue days of the completed invoices with the checked amount, from the profile of the supplier. */
  readonly profileDays: readonly number[];
  /**
   * Original bills among the candidates, including those that are still being analyzed. Suspected copies are left out.
   */
  readonly present: ReadonlySet<Candidate>;
  /**
   * Issue days of bills that are suspected copies, or that have the number of another bill. Such bills show no habit of
   * the supplier.
   */
  readonly doubtfulDays: readonly number[];
  /** Number of credit notes with the checked amount. Each such credit note cancels one bill. */
  readonly credited: number;
}

/**
 * Collects the supplier's other bills with the amount of the checked invoice. Every pair of the invoice and another
 * bill with this amount uses the result.
 */
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
      // A bill in the ERP may be the entry of a received invoice, or be forged, so it does not show how the supplier
      // bills.
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
 * Counts the invoices that have the amount of a pair of bills (detection reference, section 5). The two bills
 * themselves and credited bills are not counted. The supplier profile and the candidates each contain only some of the
 * invoices, so the larger of the two counts is used.
 */
export function recurringOthers({ profileDays, present, credited }: AmountHistory, other: Candidate): number {
  const inProfile = profileDays.length - (profileDays.includes(other.issueDay) ? 1 : 0);
  return Math.max(0, Math.max(inProfile, present.size - (present.has(other) ? 1 : 0)) - credited);
}

/**
 * Checks whether the supplier's profile shows that the supplier bills the checked amount at most once a day. On one day
 * in five there may be two bills, because earlier duplicates are counted too.
 * @param other one of the bills of the pair
 */
export function isBilledOnceADay({ profileDays, present }: AmountHistory, other: Candidate): boolean {
  const days = new Set(profileDays).size;
  const sameDay = [...present].filter(({ issueDay }) => issueDay === other.issueDay);
  return (profileDays.length - days) * 5 <= days && sameDay.length <= 1;
}

/**
 * Counts the supplier's bills with the checked amount on the day of a pair of bills, without the pair itself. Bills for
 * rooms, policies and tickets often have the same price.
 */
export function othersOfDay({ profileDays, present }: AmountHistory, other: Candidate): number {
  const inProfile = profileDays.filter((day) => day === other.issueDay).length;
  const known = [...present].filter(({ issueDay }) => issueDay === other.issueDay).length;
  return Math.max(inProfile, known) - 1;
}

/**
 * Checks whether the supplier bills the amount once in each interval of weeks or months, and both bills of the pair
 * fall into one interval. A bill that makes up for a missing bill does not count. If the supplier starts to send two
 * bills in each interval, only the first such pair is reported.
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
