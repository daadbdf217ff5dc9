import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import type { RecentBill } from '../facts/supplier.js';
import { readInvoiceNumber, withoutLeadingZeros } from '../normalisation/invoice-number.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { showAcceptedCopiesHabit } from '../supplier/profile.js';
import { isOfTheSameDays } from './date-relation.js';
import type { PairScore } from './pair.js';
import { isDigitRun } from './similar-numbers.js';
import { isSameSupplier } from './supplier-relation.js';

type Numbered = Pick<Candidate, 'number' | 'issueDate' | 'issueDay'>;
type Compared = Pick<PairScore, 'other' | 'number' | 'amount' | 'date' | 'sameSupplier'>;

/** The checked invoice and the records and facts with which it is compared. */
interface PartContext {
  readonly facts: Facts;
  readonly originals: readonly Candidate[];
  readonly parameters: DuplicateParameters;
}

/**
 * Checks whether a digit after an invoice number counts the supplier's bills and does not mark a copy, as in
 * `5117/2026-07` and, two weeks later, `5117/2026-07-2`. Earlier bills of the supplier with such digits show that the
 * digit counts bills. If the number names only the month, a second bill in the month needs such a digit, so it is
 * accepted unless earlier bills contradict it.
 * @param others the supplier's other bills with the same amount
 */
export function isHabitualPart(context: PartContext, pair: Compared, others: number): boolean {
  const { invoice, supplier } = context.facts;
  const { partHabit } = context.parameters;
  const { other } = pair;
  if (pair.number !== 'SUFFIX' || pair.amount !== 'EQ' || !pair.sameSupplier) return false;
  const [first, second] = invoice.issueDate < other.issueDate ? [invoice, other] : [other, invoice];
  if (isOfTheSameDays(pair.date)) {
    return isCounted(invoice) !== isCounted(other) && others >= partHabit.recurringOthersMin && sendsBoth(context);
  }
  if (isCounted(first) || !isCounted(second)) return false;
  const earlier = (supplier.profile.recentBills ?? []).filter(({ invoiceId }) => invoiceId !== other.invoiceId);
  const counted = earlier.map(numberedOf).filter(isCounted).length;
  if (namesItsMonth(first) && first.issueDate.slice(0, 7) === second.issueDate.slice(0, 7)) {
    return counted >= partHabit.billsOfMonthsMin || earlier.length < partHabit.knownBillsMin;
  }
  return counted >= partHabit.billsMin && others >= partHabit.recurringOthersMin;
}

/**
 * Checks whether the supplier regularly sends two bills within days of each other, where the number of the second bill
 * is the number of the first with a digit added, such as a crew with one bill for each of two shifts. Such a second
 * bill looks like a copy. It is accepted if people have dismissed earlier findings about such bills (two people, or one
 * person over thirty days), or if this history scan has reported enough of them. It is not accepted if a person has
 * confirmed one of the supplier's bills with an added digit as a duplicate.
 */
function sendsBoth({ facts, originals, parameters }: PartContext): boolean {
  const { invoice, supplier, candidates } = facts;
  const { sameDaysMin, sameDaysAskedMin } = parameters.partHabit;
  const isOfSupplier = (record: Candidate): boolean => isSameSupplier(supplier.supplierId, invoice, record);
  if (candidates.some((each) => each.confirmedAs === 'DUPLICATE' && isOfSupplier(each) && isCounted(each)))
    return false;
  const isShown = showAcceptedCopiesHabit(supplier.profile);
  const known = (supplier.profile.recentBills ?? [])
    .filter(({ wasCopy }) => wasCopy === undefined || isShown)
    .map(numberedOf);
  if (pairsWithin(known, known, parameters) >= sameDaysMin) return true;
  if (invoice.scanId === undefined) return false;
  const ofScan = originals.filter(
    (each) => each.scanId === invoice.scanId && each.amountMinor === invoice.amountMinor && isOfSupplier(each),
  );
  const asked = ofScan.filter(({ suspectedAs }) => suspectedAs === 'DUPLICATE');
  return pairsWithin(asked, ofScan, parameters) >= sameDaysAskedMin;
}

/** Counts the bills whose number extends the number of another bill from the same days. */
function pairsWithin(
  bills: readonly Numbered[],
  others: readonly Numbered[],
  { nearDays }: DuplicateParameters,
): number {
  return bills.filter((bill) => {
    if (!isCounted(bill)) return false;
    const { b2 } = bill.number;
    return others.some(({ number, issueDay }) => number.o2 === b2 && Math.abs(issueDay - bill.issueDay) <= nearDays);
  }).length;
}

function numberedOf({ invoiceNumber, day }: RecentBill): Numbered {
  return { number: readInvoiceNumber(invoiceNumber), issueDate: dateOfDayNumber(day), issueDay: day };
}

/**
 * Checks whether an invoice number ends with a count that can be removed, as in `1042-2`. The month in
 * `7712345/2026-09` is not a count.
 */
function isCounted(bill: Numbered): boolean {
  const { base, runs } = bill.number;
  return base !== undefined && isDigitRun(runs.at(-1) ?? '') && !namesItsMonth(bill);
}

/**
 * Checks whether an invoice number ends with the month and the year of its issue date, in either order, with or without
 * a separator.
 */
function namesItsMonth({ number: { runs }, issueDate }: Numbered): boolean {
  const [year = '', month = ''] = issueDate.split('-');
  const years = [year, year.slice(2)];
  const [before = '', last = ''] = runs.slice(-2);
  const isMonth = (run: string): boolean => withoutLeadingZeros(run) === withoutLeadingZeros(month);
  if ((isMonth(last) && years.includes(before)) || (isMonth(before) && years.includes(last))) return true;
  return years.some((text) => runs.at(-1) === text + month || runs.at(-1) === month + text);
}
