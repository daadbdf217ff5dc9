import type { Candidate } from '../facts/invoice.js';
import { compareByArrival } from '../facts/record-order.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { differences } from '../supplier/statistics.js';
import { showsHabit } from '../supplier/suspicion.js';
import { isDigitRun } from './similar-numbers.js';

/**
 * Earlier records with one number that may show a habit of the supplier: not those that may be copies, and none from the
 * first on of which a person has confirmed that the number was not its own.
 */
export function habitOf(records: readonly Candidate[]): ReadonlySet<Candidate> {
  const misused = records.filter(({ confirmedAs }) => confirmedAs === 'REUSED_NUMBER').sort(compareByArrival)[0];
  return new Set(
    records.filter((record) => showsHabit(record) && (misused === undefined || compareByArrival(record, misused) < 0)),
  );
}

/** Tells whether a number has the year or the date of its own bill. It names this bill then, and no contract. */
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
 * The days between the bills of a contract that puts its reference where the invoice number belongs, at least: of a month, a quarter or a
 * year, the shortest at which two of these days follow each other. Undefined when they show no contract.
 * @param issueDays of earlier records with one number and one amount
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
 * Minimum days between two bills of a contract. A bill that comes sooner is the earlier one again, or bills one
 * period twice.
 */
export function contractNeighbourDays(
  step: number,
  { contractSameBillDays, contractOffRhythmPercent }: DuplicateParameters,
): number {
  return Math.max(contractSameBillDays, Math.floor((step * contractOffRhythmPercent) / 100)) + 1;
}

/**
 * Tells whether a second bill may be the next of a contract: the supplier has sent one bill so far, with this number and
 * this amount, a month or a quarter before. A supplier who sends other numbers too names bills, not contracts.
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
 * Tells whether several bills have one number, each weeks from the next and for amounts that differ. It names the
 * customer then. The checked bill is one of them, and at least two came before.
 */
export function isCustomerNumber(issueDays: readonly number[], parameters: DuplicateParameters): boolean {
  if (issueDays.length <= parameters.contractRecordsMin) return false;
  const days = issueDays.toSorted((left, right) => left - right);
  return differences(days).every((gapDays) => gapDays >= parameters.customerNumberGapDaysMin);
}

const DAY_MS = 24 * 3_600_000;

/**
 * Tells whether two bills with one number and amount are those of two years, as memberships and policies send them: a year apart,
 * and each received in its own time. A copy on which the year was mistyped comes soon after the bill that it copies.
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

/** A month or a quarter. */
export function isContractGap(gapDays: number, { contractGapsDays }: DuplicateParameters): boolean {
  return contractGapsDays.some(({ min, max }) => gapDays >= min && gapDays <= max);
}
