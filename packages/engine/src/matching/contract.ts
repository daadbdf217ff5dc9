import type { Candidate } from '../facts/invoice.js';
import { compareByArrival } from '../facts/record-order.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { differences } from '../supplier/statistics.js';
import { showsHabit } from '../supplier/suspicion.js';
import { isDigitRun } from './similar-numbers.js';

/**
 * Selects, among earlier records with the same number, the records that may show that the supplier uses one number for
 * many bills. Suspected copies are left out, unless they are unreviewed rows of the scan that contains the checked row,
 * because no one can review one row before the next. If a person confirmed that the number of a record belongs to
 * another bill, that record and all later records are left out.
 */
export function habitOf(records: readonly Candidate[], { scanId }: Pick<Candidate, 'scanId'>): ReadonlySet<Candidate> {
  const misused = records.filter(({ confirmedAs }) => confirmedAs === 'REUSED_NUMBER').sort(compareByArrival)[0];
  const isUnreviewedRow = (record: Candidate): boolean =>
    scanId !== undefined && record.scanId === scanId && record.confirmedAs === undefined;
  return new Set(
    records.filter(
      (record) =>
        (showsHabit(record) || isUnreviewedRow(record)) &&
        (misused === undefined || compareByArrival(record, misused) < 0),
    ),
  );
}

/**
 * Checks whether a number contains the year or the date of its bill. Such a number identifies the bill and not a
 * contract.
 */
export function namesItsBill({ number, issueDate }: Candidate): boolean {
  const [year = '', month = '', day = ''] = issueDate.split('-');
  const short = year.slice(2);
  const dates = [short + month + day, day + month + short, day + month + year];
  const digits = number.runs.filter(isDigitRun);
  const isGlued = (run: string, part: string): boolean =>
    run.length > part.length && (run.startsWith(part) || run.endsWith(part));
  return digits.some(
    (run) =>
      dates.some((date) => run === date || isGlued(run, date)) ||
      isGlued(run, year) ||
      (digits.length > 1 && (run === year || run === short)),
  );
}

/**
 * Returns the minimum number of days between bills for a contract whose supplier states the contract number as the
 * invoice number: a month, a quarter or a year. The shortest interval between two consecutive issue days decides.
 * Undefined if the bills show no contract.
 * @param issueDays issue days of earlier records that all have the same number and amount
 */
export function contractStepDays(issueDays: readonly number[], parameters: DuplicateParameters): number | undefined {
  const days = issueDays.toSorted((left, right) => left - right);
  if (days.length < parameters.contractRecordsMin) return undefined;
  const steps = differences(days)
    .map((gapDays) => stepDays(gapDays, parameters))
    .filter((step) => step !== undefined);
  return steps.length === 0 ? undefined : Math.min(...steps);
}

/**
 * Returns the minimum number of days between two bills for a contract. A bill that arrives sooner repeats the earlier
 * bill or bills the same period twice.
 */
export function contractNeighbourDays(
  step: number,
  { contractSameBillDays, contractOffRhythmPercent }: DuplicateParameters,
): number {
  return Math.max(contractSameBillDays, Math.floor((step * contractOffRhythmPercent) / 100)) + 1;
}

/**
 * Checks whether a second bill may continue a contract: the supplier has sent only one bill so far, with the same
 * number and amount, a month or a quarter earlier. If a supplier also sends other numbers, they identify bills and not
 * contracts.
 */
export function isSecondOfContract(
  issueDays: readonly number[],
  { issueDay, billsBefore }: { readonly issueDay: number; readonly billsBefore: number },
  parameters: DuplicateParameters,
): boolean {
  const [only] = issueDays;
  return (
    issueDays.length === 1 && billsBefore === 1 && only !== undefined && isContractGap(issueDay - only, parameters)
  );
}

/**
 * Checks whether several bills have the same number although they are weeks apart and have different amounts. The
 * number then identifies the customer. The checked bill is one of them, after at least two others.
 */
export function isCustomerNumber(issueDays: readonly number[], parameters: DuplicateParameters): boolean {
  if (issueDays.length <= parameters.contractRecordsMin) return false;
  const days = issueDays.toSorted((left, right) => left - right);
  return differences(days).every((gapDays) => gapDays >= parameters.customerNumberGapDaysMin);
}

const DAY_MS = 24 * 3_600_000;

/**
 * Checks whether two bills with the same number and amount are the bills of two years, as for memberships and insurance
 * policies. They must be a year apart, and each must have been received soon after its issue date. The second condition
 * excludes a copy with a mistyped year, which arrives soon after its original.
 */
export function isYearlyBill(invoice: Candidate, other: Candidate, parameters: DuplicateParameters): boolean {
  if (!isYear(invoice.issueDay - other.issueDay, parameters) || namesItsBill(other)) return false;
  return [invoice, other].every(
    ({ issueDay, receivedAtMs }) => Math.abs(receivedAtMs / DAY_MS - issueDay) <= parameters.contractReceivedDaysMax,
  );
}

function stepDays(gapDays: number, { contractGapsDays, contractYearDays }: DuplicateParameters): number | undefined {
  return [...contractGapsDays, contractYearDays].find(({ min, max }) => gapDays >= min && gapDays <= max)?.min;
}

function isYear(gapDays: number, { contractYearDays: { min, max } }: DuplicateParameters): boolean {
  return gapDays >= min && gapDays <= max;
}

/** Checks whether two bills are a month or a quarter apart. */
export function isContractGap(gapDays: number, { contractGapsDays }: DuplicateParameters): boolean {
  return contractGapsDays.some(({ min, max }) => gapDays >= min && gapDays <= max);
}
