import type { Candidate } from '../facts/invoice.js';
import type { DuplicateParameters } from '../policy/duplicates.js';

/**
 * Whether earlier records with one number and one amount, issued on these days, are the bills of a contract that puts
 * its reference where the invoice number belongs: at least two of them, a month, a quarter or a year apart.
 */
export function isContractSeries(issueDays: readonly number[], parameters: DuplicateParameters): boolean {
  const days = issueDays.toSorted((left, right) => left - right);
  if (days.length < parameters.contractRecordsMin) return false;
  return days.some((day, index) => {
    const gapDays = (days[index + 1] ?? day) - day;
    return isContractGap(gapDays, parameters) || isYear(gapDays, parameters);
  });
}

/**
 * Whether a second bill may be the next of a contract: the supplier has sent one bill so far, with this number and
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
 * Whether bill after bill carries one number, each weeks from the next and over amounts that differ: then it names the
 * customer. The checked bill is one of them, and at least two came before.
 */
export function isCustomerNumber(issueDays: readonly number[], parameters: DuplicateParameters): boolean {
  if (issueDays.length <= parameters.contractRecordsMin) return false;
  const days = issueDays.toSorted((left, right) => left - right);
  return days.slice(1).every((day, index) => day - (days[index] ?? day) >= parameters.customerNumberGapDaysMin);
}

const DAY_MS = 24 * 3_600_000;

/**
 * Whether two bills with one number and amount are those of two years, as memberships and policies send them: a year apart,
 * and each received in its own time. A copy on which the year was mistyped comes soon after the bill that it copies.
 */
export function isYearlyBill(invoice: Candidate, other: Candidate, parameters: DuplicateParameters): boolean {
  if (!isYear(invoice.issueDay - other.issueDay, parameters)) return false;
  return [invoice, other].every(
    ({ issueDay, receivedAtMs }) => Math.abs(receivedAtMs / DAY_MS - issueDay) <= parameters.contractReceivedDaysMax,
  );
}

function isYear(gapDays: number, { contractYearDays: { min, max } }: DuplicateParameters): boolean {
  return gapDays >= min && gapDays <= max;
}

function isContractGap(gapDays: number, { contractGapsDays }: DuplicateParameters): boolean {
  return contractGapsDays.some(({ min, max }) => gapDays >= min && gapDays <= max);
}
