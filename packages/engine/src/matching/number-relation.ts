import type { Candidate, InvoiceNumber } from '../facts/invoice.js';
import { digitCount, withoutLeadingZeros } from '../normalisation/invoice-number.js';
import { isOwnDate, isPlaceholder } from '../normalisation/placeholder-number.js';
import { editDistance, isAdjacentSwap } from '../normalisation/similarity.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { isRoundedNumber, withMonthInDigits } from './notations.js';
import {
  areEqualButForYear,
  areOfDifferentSeries,
  areReordered,
  hasExtraParts,
  isDigitRun,
} from './similar-numbers.js';

/**
 * Tells in which of the fields amount, date and order two bills agree. This decides how much their invoice numbers may
 * differ.
 */
export interface Agreement {
  readonly amountAndDate: boolean;
  /** True for bills with equal amounts and dates a few days apart, or weeks apart under one order. */
  readonly amountAndDays: boolean;
}

export type NumberRelation = keyof DuplicateParameters['halfPoints']['number'];

/**
 * Returns the first relation between two invoice numbers that applies (detection reference, section 5). CONTRACT is
 * decided in contract.ts, which compares the whole series.
 */
export function numberRelation(
  left: Candidate,
  right: Candidate,
  agreement: Agreement,
  parameters: DuplicateParameters,
): NumberRelation {
  const a = left.number;
  const b = right.number;
  // A placeholder such as `-` or `n/a` in place of an invoice number contains no information, and the copy of such a
  // bill may state a real number.
  if (isPlaceholder(a) || isPlaceholder(b)) {
    if (!agreement.amountAndDate) return 'DIFF';
    return a.raw0 === b.raw0 && (a.raw0 !== '' || left.invoiceNumber === right.invoiceNumber) ? 'IDENT' : 'MISSING';
  }
  const relation = relationInOneNotation(left, right, agreement, parameters);
  if (relation !== 'DIFF' || !agreement.amountAndDate) return relation;
  return isOwnDate(a, left.issueDate) || isOwnDate(b, right.issueDate) ? 'MISSING' : 'DIFF';
}

/** Compares two invoice numbers after their months are written in one notation: `FV/12/III/2026` and `FV/12/03/2026`. */
function relationInOneNotation(
  left: Candidate,
  right: Candidate,
  agreement: Agreement,
  parameters: DuplicateParameters,
): NumberRelation {
  const relation = relationOfNumbers(left, right, agreement, parameters);
  if (relation === 'IDENT' || relation === 'FORMAT') return relation;
  const [one, other] = [withMonthInDigits(left), withMonthInDigits(right)];
  if ((one === undefined) === (other === undefined)) return relation;
  const inDigits = relationOfNumbers(one ?? left, other ?? right, agreement, parameters);
  return inDigits === 'IDENT' ? 'FORMAT' : inDigits;
}

function relationOfNumbers(
  left: Candidate,
  right: Candidate,
  agreement: Agreement,
  parameters: DuplicateParameters,
): NumberRelation {
  const a = left.number;
  const b = right.number;
  const { amountAndDate: sameAmountAndDate } = agreement;
  if (a.raw0 === b.raw0) return 'IDENT';
  if (a.f1 === b.f1 || a.f2 === b.f2 || differByPrefix(a, b, parameters)) return 'FORMAT';
  if (a.o1 === b.o1 || a.o2 === b.o2) return 'OCR';
  if (isRoundedNumber(left, right)) return 'ROUNDED';
  const differing = differingNumericRuns(left, right);
  // The check for a wrong month precedes the check for the relation PARTS, because a month after a year looks like the
  // number of a part of an invoice.
  if (sameAmountAndDate && differing !== undefined && isWrongDate(differing, left)) return 'TYPO';
  const haveOneBase = a.b1 !== undefined && b.b1 !== undefined && (a.b1 === b.b1 || a.b2 === b.b2);
  if (haveOneBase && !(hasMonthBehindYear(a) && hasMonthBehindYear(b))) return 'PARTS';
  if (isBaseOf(a, b) || isBaseOf(b, a)) return 'SUFFIX';
  if (differing === undefined && areOfDifferentSeries(a, b)) return 'PARTS';
  // Two invoice numbers with the same structure can have the relation YEARLESS only if one of them writes the year in a
  // shorter form.
  const mayDifferInYear = differing?.every((run) => run.left.length !== run.right.length) ?? true;
  if (mayDifferInYear && areEqualButForYear(left, right, parameters)) return 'YEARLESS';
  if (sameAmountAndDate && areReordered(a, b)) return 'REORDERED';
  if (hasExtraParts(a, b, sameAmountAndDate, parameters) || hasExtraParts(b, a, sameAmountAndDate, parameters))
    return 'EXTRA';
  if (differing !== undefined) {
    if (isWrongYear(differing, left, right, sameAmountAndDate)) return 'TYPO';
    if (areOfDifferentPeriods(differing, left, right)) return 'PERIOD';
    if (areOfDifferentDays(differing, left, right)) return 'SEQ';
    if (sameAmountAndDate && areSwapped(differing)) return 'TYPO';
    if (isLaterCounter(differing, left, right, parameters)) return 'SEQ';
    if (areNeighbours(differing, left.issueDay !== right.issueDay, parameters)) return 'SEQ';
    if (isDigitSlip(differing, agreement, parameters)) return 'TYPO';
  }
  return similarNumbers(a, b, { sameAmountAndDate, isJump: isCounterJump(differing, parameters) }, parameters);
}

/**
 * Checks whether a month follows a year in an invoice number, as in `7712345/2026-08`. Two digits after a year are a
 * month rather than the number of a part of the invoice.
 */
function hasMonthBehindYear({ runs }: InvoiceNumber): boolean {
  const [year = '', month = ''] = runs.slice(-2);
  return runs.length > 2 && /^20[0-9]{2}$/.test(year) && /^0[1-9]$/.test(month);
}

interface Similarity {
  readonly sameAmountAndDate: boolean;
  /**
   * True if only the running counters of two invoice numbers differ, so that two changed characters mean two different
   * bills.
   */
  readonly isJump: boolean;
}

function similarNumbers(
  a: InvoiceNumber,
  b: InvoiceNumber,
  { sameAmountAndDate, isJump }: Similarity,
  parameters: DuplicateParameters,
): NumberRelation {
  const relation = similarTexts(a.o1, b.o1, isJump, parameters);
  if (relation !== 'DIFF' || !sameAmountAndDate) return relation;
  if (editDistance(a.o1, b.o1, 1) === 1 && mayBeShortTypo(a, b, parameters)) return 'TYPO';
  // Leading zeros of an invoice number may be mistyped like any other digit, as in 0000598 and 2000598.
  const [left, right] = [a.runs.join(''), b.runs.join('')];
  const similar = similarTexts(left, right, isJump, parameters);
  return similar === 'DIFF' && isCutOff(left, right, parameters) ? 'CONTAINS' : similar;
}

/**
 * Checks whether the shorter invoice number is the beginning or the end of the longer one, as in `148369` and `1483`.
 */
function isCutOff(left: string, right: string, { containsLengthMinSameAmountAndDate }: DuplicateParameters): boolean {
  const [longer, shorter] = left.length < right.length ? [right, left] : [left, right];
  if (digitCount(shorter) < containsLengthMinSameAmountAndDate) return false;
  return longer.startsWith(shorter) || longer.endsWith(shorter);
}

/**
 * Checks whether two invoice numbers differ in one run of digits, which has exactly one digit more in one of them
 * because a digit was left out, doubled or added. A counter does not grow tenfold within days.
 */
function isDigitSlip(
  differing: readonly DifferingRun[],
  { amountAndDate, amountAndDays }: Agreement,
  { slipDigitsMin, slipDigitsMinSameAmountAndDate }: DuplicateParameters,
): boolean {
  const [run, ...others] = differing;
  if (run === undefined || others.length > 0 || !(amountAndDate || amountAndDays)) return false;
  const { left, right, printedLeft, printedRight } = run;
  const digitsMin = amountAndDate ? slipDigitsMinSameAmountAndDate : slipDigitsMin;
  if (left.length === right.length || Math.min(left.length, right.length) < digitsMin) return false;
  return editDistance(left, right, 1) === 1 || editDistance(printedLeft, printedRight, 1) === 1;
}

function similarTexts(left: string, right: string, isJump: boolean, parameters: DuplicateParameters): NumberRelation {
  const shorter = Math.min(left.length, right.length);
  const edits = editDistance(left, right, 2);
  if (edits === 1 && shorter >= parameters.typoLengthMin) return 'TYPO';
  if (shorter >= parameters.containsLengthMin && (left.includes(right) || right.includes(left))) return 'CONTAINS';
  return edits === 2 && shorter >= parameters.twoTyposLengthMin && !isJump ? 'TYPO2' : 'DIFF';
}

/**
 * Checks whether exactly one invoice number begins with a short letter run that the other lacks and the rest is equal,
 * as in `AB-1042` and `1042`.
 */
function differByPrefix(a: InvoiceNumber, b: InvoiceNumber, parameters: DuplicateParameters): boolean {
  const aPrefix = letterPrefix(a);
  const bPrefix = letterPrefix(b);
  if ((aPrefix === '') === (bPrefix === '')) return false;
  const [longer, other, prefix] = aPrefix === '' ? [b, a, bPrefix] : [a, b, aPrefix];
  if (prefix.length > parameters.prefixLettersMax) return false;
  const printedRest = longer.f1.slice(prefix.length);
  const rest1 = withoutLeadingZeros(printedRest);
  const digits = digitCount(printedRest);
  return digits >= parameters.prefixDigitsMin && (rest1 === other.f1 || longer.f2.slice(prefix.length) === other.f2);
}

function letterPrefix(number: InvoiceNumber): string {
  const first = number.runs[0] ?? '';
  return /^[A-Z]/.test(first) ? first : '';
}

/** Checks whether the invoice number `copy` is the number `original` with a trailing mark. */
function isBaseOf(copy: InvoiceNumber, original: InvoiceNumber): boolean {
  const bases = [copy.b1, copy.b2];
  return bases.includes(original.o1) || bases.includes(original.o2);
}

interface DifferingRun {
  readonly index: number;
  /** Digits of a run in an invoice number, without leading zeros. */
  readonly left: string;
  readonly right: string;
  readonly printedLeft: string;
  readonly printedRight: string;
  /**
   * True for the last run of digits of the invoice number. The year of the issue date at the end, and its month before
   * the year, do not count as the last run.
   */
  readonly isLast: boolean;
}

/**
 * Returns the digit runs in which two invoice numbers with the same structure differ, or undefined if the structure or
 * the letters differ.
 */
function differingNumericRuns(one: Candidate, other: Candidate): DifferingRun[] | undefined {
  const [a, b] = [one.number, other.number];
  if (a.runs.length !== b.runs.length) return undefined;
  const runs = haveCheckDigits(one, other) ? a.runs.slice(0, -1) : a.runs;
  const lastNumeric = lastCounter(runs, one.issueDate);
  const differing: DifferingRun[] = [];
  for (const [index, aRun] of runs.entries()) {
    const bRun = b.runs[index] ?? '';
    if (isDigitRun(aRun) !== isDigitRun(bRun)) return undefined;
    const left = withoutLeadingZeros(aRun);
    const right = withoutLeadingZeros(bRun);
    if (left === right) continue;
    if (!isDigitRun(aRun)) return undefined;
    differing.push({ index, left, right, printedLeft: aRun, printedRight: bRun, isLast: index === lastNumeric });
  }
  return differing;
}

/**
 * Checks whether both invoice numbers end with a check digit: a single digit after a dash, as in `123-456789-5` on
 * freight bills. The check digits and the digits before them both differ. If the last digit were the number of a part
 * of an invoice, only the last digit would differ.
 */
function haveCheckDigits(left: Candidate, right: Candidate): boolean {
  const [one = [], other = []] = [left, right].map(({ invoiceNumber, number: { runs } }) =>
    /-[0-9]$/.test(invoiceNumber.trimEnd()) ? runs.slice(-2) : [],
  );
  const [before = '', digit] = one;
  const isLong = before.length >= CHECKED_DIGITS_MIN && isDigitRun(before);
  return isLong && digit !== undefined && before !== other[0] && other[1] !== undefined && digit !== other[1];
}

/** Minimum number of digits that an invoice number has before its check digit. */
const CHECKED_DIGITS_MIN = 5;

/**
 * Returns the index of the last digit run of an invoice number. If that run is the year of the issue date, returns the
 * run before the year and its month: 40 in `FV/40/09/2026`.
 */
function lastCounter(runs: readonly string[], issueDate: string): number {
  const [year = '', month = ''] = issueDate.split('-');
  const last = runs.findLastIndex(isDigitRun);
  if (runs[last] !== year && runs[last] !== year.slice(2)) return last;
  const before = runs.findLastIndex((run, index) => index < last && isDigitRun(run));
  if (before < 0) return last;
  const counter =
    runs[before] === month ? runs.findLastIndex((run, index) => index < before && isDigitRun(run)) : before;
  return counter < 0 ? before : counter;
}

/**
 * Checks whether the digits in which two invoice numbers differ are the year or month of the issue date in both
 * numbers. The bills then belong to two periods and are not copies.
 */
function areOfDifferentPeriods(differing: readonly DifferingRun[], left: Candidate, right: Candidate): boolean {
  if (left.issueDate.slice(0, 7) === right.issueDate.slice(0, 7)) return false;
  const hasRoomForDate = differing.some((run) => run.left.length >= GLUED_PERIOD_LENGTH_MIN - 1);
  const leftParts = periodParts(left, hasRoomForDate);
  const rightParts = periodParts(right, hasRoomForDate);
  return differing.some((run) => leftParts.some((part, index) => isPeriodOf(run, part, rightParts[index] ?? '')));
}

/**
 * Checks whether two invoice numbers differ in only one run of digits, and in both numbers this run is the day and
 * month of the issue date, alone or with the year. For example, `0202/24/2` is the second bill of 2 February. Such
 * bills are not copies, because a copy would need the same error in its date and in its number.
 */
function areOfDifferentDays([run, ...others]: readonly DifferingRun[], left: Candidate, right: Candidate): boolean {
  if (run === undefined || others.length > 0 || left.issueDate === right.issueDate) return false;
  const rightParts = dayParts(right);
  return dayParts(left).some((part, index) => part === run.printedLeft && rightParts[index] === run.printedRight);
}

function dayParts({ issueDate }: Candidate): string[] {
  const [year = '', month = '', day = ''] = issueDate.split('-');
  const short = year.slice(2);
  const days = [day + month, month + day];
  return [...days, year + month + day, short + month + day, day + month + year, day + month + short];
}

/**
 * Checks whether two invoice numbers differ in one run of digits that states the period of each bill. The run may be
 * the period alone, or the period before or after digits that both numbers share, such as a customer number or a
 * counter.
 */
function isPeriodOf({ left, right }: DifferingRun, leftPart: string, rightPart: string): boolean {
  if (withoutLeadingZeros(leftPart) === left && withoutLeadingZeros(rightPart) === right) return true;
  if (leftPart.length < GLUED_PERIOD_LENGTH_MIN || left.length !== right.length) return false;
  const isBehind = left.endsWith(leftPart) && right.endsWith(rightPart);
  const isBefore = left.startsWith(leftPart) && right.startsWith(rightPart);
  return (
    (isBehind && left.slice(0, -leftPart.length) === right.slice(0, -rightPart.length)) ||
    (isBefore && left.slice(leftPart.length) === right.slice(rightPart.length))
  );
}

/**
 * Minimum length of a period inside a longer run of digits of an invoice number. In many numbers, two digits equal the
 * month or the year by chance.
 */
const GLUED_PERIOD_LENGTH_MIN = 4;

/** Lists the year, the month, both together and the whole date in the notations used in invoice numbers. */
function periodParts({ issueDate }: Candidate, hasRoomForDate: boolean): string[] {
  const [year, month, day] = [issueDate.slice(0, 4), issueDate.slice(5, 7), issueDate.slice(8)];
  const short = year.slice(2);
  if (!hasRoomForDate) return [year, short, month];
  const months = [year + month, short + month, month + year, month + short];
  const dates = [year + month + day, short + month + day, day + month + year, day + month + short];
  return [year, short, month, ...months, ...dates];
}

/**
 * Checks whether two invoice numbers differ only in the year, and one of the two years is the issue year of its bill.
 * The other number has a typing error, or still contains the previous year, as is common in January. A year of two
 * digits may also be a counter, so it counts only if the bills agree in all other fields.
 */
function isWrongYear(
  differing: readonly DifferingRun[],
  left: Candidate,
  right: Candidate,
  sameAmountAndDate: boolean,
): boolean {
  const [run, ...others] = differing;
  if (run === undefined || others.length > 0 || left.number.runs.filter(isDigitRun).length < 2) return false;
  if (left.issueDate.slice(0, 7) !== right.issueDate.slice(0, 7)) return false;
  const year = left.issueDate.slice(0, 4);
  // Two digits are read as the year only if the invoice number has no four-digit year. In 2026.0026, the last digits
  // are the counter.
  const mayBeShort = sameAmountAndDate && run.printedLeft.length === 2 && !left.number.runs.includes(year);
  const own = mayBeShort ? [year, year.slice(2)] : [year];
  return run.left.length === run.right.length && (own.includes(run.left) || own.includes(run.right));
}

/**
 * Checks whether the numbers of two bills from one day differ only in digits that are the month or the date of one of
 * the bills. The number of the other bill then has a typing error. Digits count as the month if they are next to the
 * year, or if no other run can be the month.
 */
function isWrongDate(differing: readonly DifferingRun[], { number, issueDate }: Candidate): boolean {
  const [run, ...others] = differing;
  if (run === undefined || others.length > 0) return false;
  const sides = [run.left, run.right];
  const [year = '', month = '', day = ''] = issueDate.split('-');
  const short = year.slice(2);
  const dates = [year + month + day, day + month + year, year + month, month + year].map(withoutLeadingZeros);
  if (sides.some((side) => dates.includes(side))) return true;
  const hasOtherDigits = number.runs.filter(isDigitRun).length > 1;
  const shortDates = [short + month + day, day + month + short, short + month].map(withoutLeadingZeros);
  if (hasOtherDigits && !run.isLast && sides.some((side) => shortDates.includes(side))) return true;
  if (hasOwnMonth(run, { year, short, month })) return true;
  const rest = number.runs.filter(isDigitRun).map(withoutLeadingZeros);
  const plainMonth = withoutLeadingZeros(month);
  if (rest.length <= 2 || !rest.includes(year) || !sides.includes(plainMonth)) return false;
  // Two digits next to the year of an invoice number are the month. A counter in this place would have more leading
  // zeros.
  const isBesideYear = [number.runs[run.index - 1], number.runs[run.index + 1]].includes(year);
  if (isBesideYear && run.printedLeft.length === 2 && run.printedRight.length === 2) return true;
  return rest.filter((text) => text === run.left || text === plainMonth).length === 1;
}

/**
 * Checks whether two runs of digits of invoice numbers differ only in the month next to the year of the issue date, as
 * in `77123452609`. One of the two months must be the month of the issue date.
 */
function hasOwnMonth(
  { left, right }: DifferingRun,
  { year, short, month }: { readonly year: string; readonly short: string; readonly month: string },
): boolean {
  const years = `(?:${year}|${short})`;
  const months = '(0[1-9]|1[0-2])';
  const forms = [`^([0-9]{4,}${years})${months}()$`, `^([0-9]{4,})${months}(${years})$`];
  return forms.some((form) => {
    const [one, other] = [left, right].map((text) => new RegExp(form).exec(text));
    if (one === undefined || one === null || other === undefined || other === null) return false;
    return one[1] === other[1] && one[3] === other[3] && [one[2], other[2]].includes(month);
  });
}

/**
 * Checks whether two invoice numbers differ only in two neighbouring digits that are swapped. Two separate bills with
 * equal amounts and dates rarely have such numbers.
 */
function areSwapped(differing: readonly DifferingRun[]): boolean {
  const [run, ...others] = differing;
  return run !== undefined && others.length === 0 && isAdjacentSwap(run.left, run.right);
}

/**
 * Checks whether the counter in an invoice number is higher on the bill that was issued weeks later, and has the same
 * number of digits on both bills. Such a difference is not a typing error.
 */
function isLaterCounter(
  differing: readonly DifferingRun[],
  left: Candidate,
  right: Candidate,
  { nearDays, counterJumpMax }: DuplicateParameters,
): boolean {
  const [run, ...others] = differing;
  const days = left.issueDay - right.issueDay;
  if (run === undefined || others.length > 0 || !run.isLast || Math.abs(days) <= nearDays) return false;
  if (run.left.length !== run.right.length || distance(run) >= BigInt(counterJumpMax)) return false;
  return BigInt(run.left) > BigInt(run.right) === days > 0;
}

/**
 * Checks whether two invoice numbers differ only in the counter, and only by a few steps. The two records are then two
 * bills from a busy day rather than one invoice whose number has two typing errors.
 */
function isCounterJump(
  differing: readonly DifferingRun[] | undefined,
  { counterJumpMax }: DuplicateParameters,
): boolean {
  const [run, ...others] = differing ?? [];
  return run !== undefined && others.length === 0 && run.isLast && distance(run) < BigInt(counterJumpMax);
}

function distance({ left, right }: DifferingRun): bigint {
  const difference = BigInt(left) - BigInt(right);
  return difference < 0n ? -difference : difference;
}

function areNeighbours(
  differing: readonly DifferingRun[],
  datesDiffer: boolean,
  parameters: DuplicateParameters,
): boolean {
  const [run, ...others] = differing;
  if (run === undefined || others.length > 0 || Math.abs(run.left.length - run.right.length) > 1) return false;
  const limit = run.isLast && datesDiffer ? parameters.lastRunDifferenceMax : parameters.sequenceDifferenceMax;
  return distance(run) <= BigInt(limit);
}

function mayBeShortTypo(a: InvoiceNumber, b: InvoiceNumber, parameters: DuplicateParameters): boolean {
  const shorter = Math.min(a.o1.length, b.o1.length);
  if (shorter >= parameters.typoLengthMinSameAmountAndDate) return true;
  return [a.o1, b.o1].every(
    (text) =>
      /^[0-9]+$/.test(text) &&
      text.length >= parameters.typoDigitsMinSameAmountAndDate &&
      text.length <= parameters.typoDigitsMaxSameAmountAndDate,
  );
}
