import type { Candidate } from '../invoice.js';
import { withoutLeadingZeros } from '../normalisation/invoice-number.js';
import type { InvoiceNumber } from '../normalisation/invoice-number.js';
import { editDistance } from '../normalisation/similarity.js';
import type { DuplicateParameters } from '../policy/duplicates.js';

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
  // `-` stands where a number was required and says nothing by itself; on the same bill it is still the same number.
  if (a.raw0 === '' || b.raw0 === '') {
    return sameAmountAndDate && left.invoiceNumber === right.invoiceNumber ? 'IDENT' : 'DIFF';
  }
  if (a.raw0 === b.raw0) return 'IDENT';
  if (a.f1 === b.f1 || a.f2 === b.f2 || differByPrefix(a, b, parameters)) return 'FORMAT';
  if (a.o1 === b.o1 || a.o2 === b.o2) return 'OCR';
  if (a.b1 !== undefined && b.b1 !== undefined && (a.b1 === b.b1 || a.b2 === b.b2)) return 'PARTS';
  if (isBaseOf(a, b) || isBaseOf(b, a)) return 'SUFFIX';
  const differing = differingNumericRuns(a, b);
  if (differing !== undefined) {
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
  const shorter = Math.min(a.o1.length, b.o1.length);
  const edits = editDistance(a.o1, b.o1, 2);
  if (edits === 1 && (shorter >= parameters.typoLengthMin || (sameAmountAndDate && mayBeShortTypo(a, b, parameters)))) {
    return 'TYPO';
  }
  if (shorter >= parameters.containsLengthMin && (a.o1.includes(b.o1) || b.o1.includes(a.o1))) return 'CONTAINS';
  return edits === 2 && shorter >= parameters.twoTyposLengthMin ? 'TYPO2' : 'DIFF';
}

/** Exactly one begins with a short letter run that the other lacks, and the rest agrees: `AB-1042` and `1042`. */
function differByPrefix(a: InvoiceNumber, b: InvoiceNumber, parameters: DuplicateParameters): boolean {
  const aPrefix = letterPrefix(a);
  const bPrefix = letterPrefix(b);
  if ((aPrefix === '') === (bPrefix === '')) return false;
  const [longer, other, prefix] = aPrefix === '' ? [b, a, bPrefix] : [a, b, aPrefix];
  if (prefix.length > parameters.prefixLettersMax) return false;
  const rest1 = withoutLeadingZeros(longer.f1.slice(prefix.length));
  const digits = rest1.replace(/[^0-9]/g, '').length;
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
  const lastNumeric = a.runs.findLastIndex(isNumeric);
  const differing: DifferingRun[] = [];
  for (const [index, aRun] of a.runs.entries()) {
    const bRun = b.runs[index] ?? '';
    if (isNumeric(aRun) !== isNumeric(bRun)) return undefined;
    const left = withoutLeadingZeros(aRun);
    const right = withoutLeadingZeros(bRun);
    if (left === right) continue;
    if (!isNumeric(aRun)) return undefined;
    differing.push({ left, right, isLast: index === lastNumeric });
  }
  return differing;
}

/** A differing run that is the own year or month on both sides tells two periods apart, not two copies. */
function areOfDifferentPeriods(differing: readonly DifferingRun[], left: Candidate, right: Candidate): boolean {
  if (left.issueDate.slice(0, 7) === right.issueDate.slice(0, 7)) return false;
  const leftParts = periodParts(left);
  const rightParts = periodParts(right);
  return differing.some((run) => leftParts.some((part, index) => part === run.left && rightParts[index] === run.right));
}

/** Year, two-digit year, month and year with month, as they stand in a number without leading zeros. */
function periodParts({ issueDate }: Candidate): string[] {
  const year = issueDate.slice(0, 4);
  const month = issueDate.slice(5, 7);
  return [year, year.slice(2), month, year + month].map(withoutLeadingZeros);
}

function areNeighbours(
  differing: readonly DifferingRun[],
  datesDiffer: boolean,
  parameters: DuplicateParameters,
): boolean {
  const [run, ...others] = differing;
  if (run === undefined || others.length > 0 || Math.abs(run.left.length - run.right.length) > 1) return false;
  const difference = BigInt(run.left) - BigInt(run.right);
  const distance = difference < 0n ? -difference : difference;
  const limit = run.isLast && datesDiffer ? parameters.lastRunDifferenceMax : parameters.sequenceDifferenceMax;
  return distance <= BigInt(limit);
}

function mayBeShortTypo(a: InvoiceNumber, b: InvoiceNumber, parameters: DuplicateParameters): boolean {
  const shorter = Math.min(a.o1.length, b.o1.length);
  if (shorter >= parameters.typoLengthMinSameAmountAndDate) return true;
  return [a.o1, b.o1].every(
    (text) =>
      isNumeric(text) &&
      text.length >= parameters.typoDigitsMinSameAmountAndDate &&
      text.length <= parameters.typoDigitsMaxSameAmountAndDate,
  );
}

function isNumeric(text: string): boolean {
  return /^[0-9]+$/.test(text);
}
