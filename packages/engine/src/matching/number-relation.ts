import type { Candidate, InvoiceNumber } from '../facts/invoice.js';
import { digitCount, withoutLeadingZeros } from '../normalisation/invoice-number.js';
import { isOwnDate, isPlaceholder } from '../normalisation/placeholder-number.js';
import { editDistance } from '../normalisation/similarity.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import {
  areEqualButForYear,
  areOfDifferentSeries,
  areReordered,
  hasExtraParts,
  isDigitRun,
} from './similar-numbers.js';

export type NumberRelation = keyof DuplicateParameters['halfPoints']['number'];

/**
 * How two invoice numbers relate; the first that holds (detection reference, section 5). CONTRACT is decided by
 * contract.ts, which sees the whole series.
 */
export function numberRelation(
  left: Candidate,
  right: Candidate,
  sameAmountAndDate: boolean,
  parameters: DuplicateParameters,
): NumberRelation {
  const a = left.number;
  const b = right.number;
  // `-` and `n/a` are placeholders and carry no information; a copy of the bill may have the number.
  if (isPlaceholder(a) || isPlaceholder(b)) {
    if (!sameAmountAndDate) return 'DIFF';
    return a.raw0 === b.raw0 && (a.raw0 !== '' || left.invoiceNumber === right.invoiceNumber) ? 'IDENT' : 'MISSING';
  }
  const relation = relationOfNumbers(left, right, sameAmountAndDate, parameters);
  if (relation !== 'DIFF' || !sameAmountAndDate) return relation;
  return isOwnDate(a, left.issueDate) || isOwnDate(b, right.issueDate) ? 'MISSING' : 'DIFF';
}

function relationOfNumbers(
  left: Candidate,
  right: Candidate,
  sameAmountAndDate: boolean,
  parameters: DuplicateParameters,
): NumberRelation {
  const a = left.number;
  const b = right.number;
  if (a.raw0 === b.raw0) return 'IDENT';
  if (a.f1 === b.f1 || a.f2 === b.f2 || differByPrefix(a, b, parameters)) return 'FORMAT';
  if (a.o1 === b.o1 || a.o2 === b.o2) return 'OCR';
  if (a.b1 !== undefined && b.b1 !== undefined && (a.b1 === b.b1 || a.b2 === b.b2)) return 'PARTS';
  if (isBaseOf(a, b) || isBaseOf(b, a)) return 'SUFFIX';
  const differing = differingNumericRuns(a, b);
  if (differing === undefined && areOfDifferentSeries(a, b)) return 'PARTS';
  // Numbers of one structure differ in the year alone where that is shortened or left out.
  const mayDifferInYear = differing?.every((run) => run.left.length !== run.right.length) ?? true;
  if (mayDifferInYear && areEqualButForYear(left, right)) return 'YEARLESS';
  if (sameAmountAndDate && areReordered(a, b)) return 'REORDERED';
  if (hasExtraParts(a, b, parameters) || hasExtraParts(b, a, parameters)) return 'EXTRA';
  if (differing !== undefined) {
    if (isWrongYear(differing, left, right, sameAmountAndDate)) return 'TYPO';
    if (sameAmountAndDate && isWrongDate(differing, left)) return 'TYPO';
    if (areOfDifferentPeriods(differing, left, right)) return 'PERIOD';
    if (areNeighbours(differing, left.issueDay !== right.issueDay, parameters)) return 'SEQ';
  }
  return similarNumbers(a, b, sameAmountAndDate, parameters);
}

function similarNumbers(
  a: InvoiceNumber,
  b: InvoiceNumber,
  sameAmountAndDate: boolean,
  parameters: DuplicateParameters,
): NumberRelation {
  const relation = similarTexts(a.o1, b.o1, a, b, parameters);
  if (relation !== 'DIFF' || !sameAmountAndDate) return relation;
  if (editDistance(a.o1, b.o1, 1) === 1 && mayBeShortTypo(a, b, parameters)) return 'TYPO';
  // Leading zeros are mistyped like any other digit: 0000598 and 2000598.
  return similarTexts(a.runs.join(''), b.runs.join(''), a, b, parameters);
}

function similarTexts(
  left: string,
  right: string,
  a: InvoiceNumber,
  b: InvoiceNumber,
  parameters: DuplicateParameters,
): NumberRelation {
  const shorter = Math.min(left.length, right.length);
  const edits = editDistance(left, right, 2);
  if (edits === 1 && shorter >= parameters.typoLengthMin) return 'TYPO';
  if (shorter >= parameters.containsLengthMin && (left.includes(right) || right.includes(left))) return 'CONTAINS';
  return edits === 2 && shorter >= parameters.twoTyposLengthMin && !isCounterJump(a, b, parameters) ? 'TYPO2' : 'DIFF';
}

/** Exactly one begins with a short letter run that the other lacks, and the rest agrees: `AB-1042` and `1042`. */
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

/** `copy` is the number `original` with a trailing mark. */
function isBaseOf(copy: InvoiceNumber, original: InvoiceNumber): boolean {
  const bases = [copy.b1, copy.b2];
  return bases.includes(original.o1) || bases.includes(original.o2);
}

interface DifferingRun {
  readonly left: string;
  readonly right: string;
  readonly isLast: boolean;
}

/** The numeric runs in which two numbers of one structure differ; undefined when the structure or letters differ. */
function differingNumericRuns(a: InvoiceNumber, b: InvoiceNumber): DifferingRun[] | undefined {
  if (a.runs.length !== b.runs.length) return undefined;
  const lastNumeric = a.runs.findLastIndex(isDigitRun);
  const differing: DifferingRun[] = [];
  for (const [index, aRun] of a.runs.entries()) {
    const bRun = b.runs[index] ?? '';
    if (isDigitRun(aRun) !== isDigitRun(bRun)) return undefined;
    const left = withoutLeadingZeros(aRun);
    const right = withoutLeadingZeros(bRun);
    if (left === right) continue;
    if (!isDigitRun(aRun)) return undefined;
    differing.push({ left, right, isLast: index === lastNumeric });
  }
  return differing;
}

/** A differing run that is the own year or month on both sides tells two periods apart, not two copies. */
function areOfDifferentPeriods(differing: readonly DifferingRun[], left: Candidate, right: Candidate): boolean {
  if (left.issueDate.slice(0, 7) === right.issueDate.slice(0, 7)) return false;
  const hasRoomForDate = differing.some((run) => run.left.length >= GLUED_PERIOD_LENGTH_MIN - 1);
  const leftParts = periodParts(left, hasRoomForDate);
  const rightParts = periodParts(right, hasRoomForDate);
  return differing.some((run) => leftParts.some((part, index) => isPeriodOf(run, part, rightParts[index] ?? '')));
}

/** The runs are the two periods, or these stand before or behind digits that both have: a customer number, a counter. */
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

/** Many numbers hold two digits that equal the month or the year by chance. */
const GLUED_PERIOD_LENGTH_MIN = 4;

/** Year, month, both together, and the whole date, in the notations that numbers use. */
function periodParts({ issueDate }: Candidate, hasRoomForDate: boolean): string[] {
  const [year, month, day] = [issueDate.slice(0, 4), issueDate.slice(5, 7), issueDate.slice(8)];
  const short = year.slice(2);
  if (!hasRoomForDate) return [year, short, month];
  const months = [year + month, short + month, month + year, month + short];
  const dates = [year + month + day, short + month + day, day + month + year, day + month + short];
  return [year, short, month, ...months, ...dates];
}

/**
 * Only the year differs, which is the own one of one bill: the other has a slip in it, or last year's, as January does to
 * people. Two digits may as well count something, unless the bills agree in all else.
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
  const own = sameAmountAndDate ? [year, year.slice(2)] : [year];
  return run.left.length === run.right.length && (own.includes(run.left) || own.includes(run.right));
}

/**
 * Bills of one day differ in the run alone that is the month or the date of one of them: the other has a slip in it. A
 * month is known by the year beside it, and by no other run that may be the month.
 */
function isWrongDate(differing: readonly DifferingRun[], { number, issueDate }: Candidate): boolean {
  const [run, ...others] = differing;
  if (run === undefined || others.length > 0) return false;
  const sides = [run.left, run.right];
  const [year = '', month = '', day = ''] = issueDate.split('-');
  const dates = [year + month + day, day + month + year, year + month, month + year].map(withoutLeadingZeros);
  if (sides.some((side) => dates.includes(side))) return true;
  const rest = number.runs.filter(isDigitRun).map(withoutLeadingZeros);
  const plainMonth = withoutLeadingZeros(month);
  return (
    rest.length > 2 &&
    rest.includes(year) &&
    sides.includes(plainMonth) &&
    rest.filter((text) => text === run.left || text === plainMonth).length === 1
  );
}

/** Only the counter at the end differs, and not by much: another bill of a busy day, not two slips in one number. */
function isCounterJump(a: InvoiceNumber, b: InvoiceNumber, { counterJumpMax }: DuplicateParameters): boolean {
  const [run, ...others] = differingNumericRuns(a, b) ?? [];
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
