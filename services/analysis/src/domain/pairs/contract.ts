import type { DuplicateParameters } from '../policy/duplicates.js';

/**
 * Whether earlier records with one number and one amount, issued on these days, are the bills of a contract that puts
 * its reference where the invoice number belongs: at least two of them, a month or a quarter apart.
 */
export function isContractSeries(issueDays: readonly number[], parameters: DuplicateParameters): boolean {
  const days = issueDays.toSorted((left, right) => left - right);
  if (days.length < parameters.contractRecordsMin) return false;
  return days.some((day, index) => isContractGap((days[index + 1] ?? day) - day, parameters));
}

/**
 * Whether a second bill looks like the next of a contract: the supplier has sent one bill so far, with this number and
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

function isContractGap(gapDays: number, { contractGapsDays }: DuplicateParameters): boolean {
  return contractGapsDays.some(({ min, max }) => gapDays >= min && gapDays <= max);
}
