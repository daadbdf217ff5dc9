import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { RowResult } from './decide-rows.js';
import type { StoredFinding } from '../../records/application/invoice-store.js';
import type { RowsOutcome } from '../../records/application/scan-run-store.js';

/**
 * Adds up the decisions and findings of a history scan.
 * @param scanFindings findings about the history scan as a whole
 */
export function outcomeOf(rows: readonly RowResult[], scanFindings: readonly StoredFinding[]): RowsOutcome {
  const decisionCounts = { PASS: 0, REVIEW: 0, BLOCK: 0 };
  const findingCounts: Record<string, number> = {};
  let total = 0n;
  let unconvertedInvoices = 0;
  const count = ({ type, disposition }: StoredFinding): void => {
    // Findings about scan rows that reviewers have dismissed as false positives are not counted.
    if (disposition !== 'FALSE_POSITIVE') findingCounts[type] = (findingCounts[type] ?? 0) + 1;
  };
  for (const { analysis, base } of rows) {
    decisionCounts[analysis.decision]++;
    for (const finding of analysis.findings) count(finding);
    if (base === null) unconvertedInvoices++;
    else total += toMicro(base.amount);
  }
  for (const finding of scanFindings) count(finding);
  return {
    invoicesAnalyzed: rows.length,
    decisionCounts,
    findingCounts,
    convertedTotal: microToDecimal(total),
    unconvertedInvoices,
  };
}
