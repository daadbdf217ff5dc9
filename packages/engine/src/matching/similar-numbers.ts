import type { Candidate, InvoiceNumber } from '../facts/invoice.js';
import { digitCount, isLabel, withoutLeadingZeros } from '../normalisation/invoice-number.js';
import { isAdjacentSwap } from '../normalisation/similarity.js';
import type { DuplicateParameters } from '../policy/duplicates.js';

/**
 * Checks whether two invoice numbers are equal except for the year of the bill, which one number shortens or leaves
 * out: `RE-2026-0113` and `RE-0113`, `F/2026/01/31` and `F/26/01/31`. The rule applies only to bills of the same
 * calendar year, because counters restart with a new year. If both bills are from the same month, one number may also
 * leave out the month, the date, or the letters before them: `FV/40/09/2026` and `FV/40/2026`.
 */
export function areEqualButForYear(left: Candidate, right: Candidate, parameters: DuplicateParameters): boolean {
  if (left.issueDate.slice(0, 4) !== right.issueDate.slice(0, 4)) return false;
  const [leftWhole = '', ...leftYearless] = formsWithoutYear(left);
  const [rightWhole = '', ...rightYearless] = formsWithoutYear(right);
  if (
    leftYearless.some((form) => form === rightWhole || rightYearless.includes(form)) ||
    rightYearless.includes(leftWhole)
  ) {
    return true;
  }
  // The number that leaves out the year has fewer sequences of letters and digits than the other number.
  if (left.number.runs.length === right.number.runs.length) return false;
  if (left.issueDate.slice(0, 7) !== right.issueDate.slice(0, 7)) return false;
  return left.number.runs.length > right.number.runs.length
    ? formsWithoutPeriod(left, parameters).includes(rightWhole)
    : formsWithoutPeriod(right, parameters).includes(leftWhole);
}

/** Returns the whole invoice number, and its forms without the year of the issue date. */
function formsWithoutYear({ number, issueDate }: Candidate): string[] {
  const year = issueDate.slice(0, 4);
  const runs = plainRuns(number);
  const forms = [runs.join('.')];
  for (const [index, run] of runs.entries()) {
    const left = withoutYear(run, year);
    if (left === undefined) continue;
    const rest = [...runs.slice(0, index), ...(left === '' ? [] : [left]), ...runs.slice(index + 1)];
    if (rest.some(isDigitRun)) forms.push(rest.join('.'));
  }
  return forms;
}

/**
 * Returns shorter forms of an invoice number: without the month next to the year, without both, or without a digit run
 * that contains both. A form with too few digits is left out.
 */
function formsWithoutPeriod({ number, issueDate }: Candidate, { periodlessDigitsMin }: DuplicateParameters): string[] {
  const [year = '', month = '', day = ''] = issueDate.split('-');
  const short = year.slice(2);
  const years = [year, short];
  const glued = [year + month, short + month, month + year, year + month + day, short + month + day].map(
    withoutLeadingZeros,
  );
  const runs = plainRuns(number);
  const forms: string[] = [];
  const leaveOut = (from: number, to: number): void => {
    // The letters before the year and month in an invoice number may be left out with them: `FA2609-0040` and `0040`.
    for (const start of from === 1 && !isDigitRun(runs[0] ?? '') ? [1, 0] : [from]) {
      const isKept = (_: string, index: number): boolean => index < start || index >= to;
      if (digitCount(number.runs.filter(isKept).join('')) < periodlessDigitsMin) continue;
      forms.push(runs.filter(isKept).join('.'));
    }
  };
  for (const [index, run] of runs.entries()) {
    const next = runs[index + 1] ?? '';
    const plainMonth = withoutLeadingZeros(month);
    if (glued.includes(run) || years.includes(run)) leaveOut(index, index + 1);
    if (years.includes(run) && next === plainMonth) {
      leaveOut(index + 1, index + 2);
      leaveOut(index, index + 2);
    }
    if (run === plainMonth && years.includes(next)) {
      leaveOut(index, index + 1);
      leaveOut(index, index + 2);
    }
  }
  return forms;
}

/**
 * Removes the year from a digit run of an invoice number: `2026` and `26` become empty, and `20260113` becomes `113`.
 * Undefined if the run contains no year.
 */
function withoutYear(run: string, year: string): string | undefined {
  if (run === year || run === year.slice(2)) return '';
  return isDigitRun(run) && run.length >= year.length + 2 && run.startsWith(year)
    ? withoutLeadingZeros(run.slice(year.length))
    : undefined;
}

/**
 * Checks whether two invoice numbers have the same runs in another order, ignoring labels: `FA/2026/00011` and
 * `00011/2026/FA`.
 */
export function areReordered(a: InvoiceNumber, b: InvoiceNumber): boolean {
  const [left, right] = [a, b].map((number) => plainRuns(number).filter((run) => !isLabel(run)));
  return left !== undefined && left.length > 0 && left.sort().join('.') === right?.sort().join('.');
}

/**
 * Checks whether two invoice numbers have the same digits, and differ in exactly one group of letters, which is
 * completely different: `W-24159` and `S-24159`, or `250602-01/N` and `250602-01/S`. Suppliers that number each site or
 * department separately have such numbers. After a typing error, the two groups would still share letters (`AB` and
 * `B`, `YU` and `UY`).
 */
export function areOfDifferentSeries(a: InvoiceNumber, b: InvoiceNumber): boolean {
  if (a.runs.length !== b.runs.length) return false;
  const [left, right] = [plainRuns(a), plainRuns(b)];
  const differing = left.flatMap((run, index) => (run === right[index] ? [] : [[run, right[index] ?? ''] as const]));
  const [only, ...others] = differing;
  if (only === undefined || others.length > 0 || only.some(isDigitRun)) return false;
  const [one, other] = only;
  return (
    one.length <= SERIES_LETTERS_MAX &&
    other.length <= SERIES_LETTERS_MAX &&
    [...one].every((letter, at) => letter !== other[at]) &&
    !one.includes(other) &&
    !other.includes(one) &&
    !isAdjacentSwap(one, other)
  );
}

const SERIES_LETTERS_MAX = 3;

/**
 * Checks whether the invoice number `longer` contains everything that `shorter` contains, in the same order, and in
 * addition either only letters (`0011/HH/26` and `0011/26`) or a reference at its end (`2600024 PO 4571824` and
 * `2600024`). If amount and date are equal, the reference may also be at its beginning (`104872/20` and `20`).
 */
export function hasExtraParts(
  longer: InvoiceNumber,
  shorter: InvoiceNumber,
  sameAmountAndDate: boolean,
  { extraDigitsMin, extraDigitsMinSameAmountAndDate, extraReferenceMin }: DuplicateParameters,
): boolean {
  const digitsMin = sameAmountAndDate ? extraDigitsMinSameAmountAndDate : extraDigitsMin;
  // Printed digits are counted, because leading zeros show how long an invoice number is.
  if (longer.runs.length <= shorter.runs.length || digitCount(shorter.runs.join('')) < digitsMin) return false;
  const all = plainRuns(longer);
  const some = plainRuns(shorter);
  const extra: string[] = [];
  let matched = 0;
  for (const run of all) {
    if (run === some[matched]) matched += 1;
    else extra.push(run);
  }
  if (matched < some.length) return false;
  const isBehind = some.every((run, index) => run === all[index]);
  // If amount and date are equal, another reference, such as a customer number, may also precede the invoice number.
  const isBeside = isBehind || (sameAmountAndDate && some.every((run, index) => run === all[extra.length + index]));
  return !extra.some(isDigitRun) || (isBeside && extra.join('').length >= extraReferenceMin);
}

/** Returns the letter runs and digit runs of an invoice number. Digit runs lose their leading zeros. */
function plainRuns({ runs }: InvoiceNumber): string[] {
  return runs.map((run) => (isDigitRun(run) ? withoutLeadingZeros(run) : run));
}

/** Checks whether a run of an invoice number consists of digits. A run consists only of digits or only of letters. */
export function isDigitRun(run: string): boolean {
  const code = run.charCodeAt(0);
  return code >= DIGIT_ZERO && code <= DIGIT_NINE;
}

const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;

/**
 * Counts the digits in an invoice number that distinguish it from other numbers. Digits of its own year and month do
 * not count.
 */
export function tellingDigits({ number, issueDate }: Candidate): number {
  const year = issueDate.slice(0, 4);
  const month = withoutLeadingZeros(issueDate.slice(5, 7));
  const telling = plainRuns(number)
    .filter(isDigitRun)
    .filter((run) => run !== month)
    .map((run) => withoutYear(run, year) ?? run);
  return digitCount(telling.join(''));
}
