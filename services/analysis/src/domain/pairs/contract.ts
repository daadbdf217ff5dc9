import type { DuplicateParameters } from '../policy.js';

/**
 * Whether earlier records with one number and one amount, issued on these days, are the bills of a contract that puts
 * its reference where the invoice number belongs: at least two of them, a month or a quarter apart.
 */
export function isContractSeries(issueDays: readonly number[], parameters: DuplicateParameters): boolean {
  const days = issueDays.toSorted((left, right) => left - right);
  if (days.length < parameters.contractRecordsMin) return false;
  return days.some((day, index) => {
    const gap = (days[index + 1] ?? day) - day;
    return parameters.contractGapsDays.some(({ min, max }) => gap >= min && gap <= max);
  });
}
