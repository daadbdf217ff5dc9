import { severities, severityRank } from '@invoicecontrol/engine/explanation/catalogue';
import type { FindingType, Severity } from '@invoicecontrol/engine/explanation/catalogue';
import { moneyIn } from '@invoicecontrol/engine/explanation/money';
import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { AmountAtRisk } from './amount-at-risk.js';
import type { Disposition } from './finding-disposition.js';
import { dispositions } from './finding-disposition.js';

/** The fields of a finding that a summary reads. */
export interface SummarizedFinding {
  readonly type: FindingType;
  readonly severity: Severity;
  readonly disposition: Disposition;
  readonly createdAt: Date;
  /** Absent when the finding is about a scan or the books as a whole. */
  readonly invoiceId?: string;
  /** Absent when the finding is not of a scan. */
  readonly scanId?: string;
  /** Absent when no rate existed, or when it was stored before amounts were. */
  readonly amountAtRisk?: AmountAtRisk;
}

/** Figures of some findings. */
export interface FindingTotals {
  /** The type, severity, disposition or month, `YYYY-MM`, that they share; empty for all. */
  readonly key: string;
  readonly count: number;
  /** Number of findings that wait for a person: OPEN and UNDER_REVIEW. */
  readonly open: number;
  /** Amount at risk of open findings that send an invoice to review: {@link RISK_SEVERITY_MIN} and above. */
  readonly amountAtRisk: DecimalAmount;
  /** Amount of findings that a review confirmed: CONFIRMED and RESOLVED. */
  readonly amountConfirmed: DecimalAmount;
  /** The part of it that scans found: bills of the past, which may be paid already. */
  readonly amountConfirmedInScans: DecimalAmount;
}

export interface FindingSummary {
  /** Base currency of all amounts. */
  readonly baseCurrency: string;
  readonly total: FindingTotals;
  /** Findings that add to no amount: none is known, or it is in an earlier base currency. */
  readonly withoutAmount: number;
  /** Types that were raised: the largest amount at risk first, then the most open findings. */
  readonly byType: readonly FindingTotals[];
  /** Every severity that is asked for, most severe first. */
  readonly bySeverity: readonly FindingTotals[];
  /** Every disposition. */
  readonly byDisposition: readonly FindingTotals[];
  /** Months of creation in UTC in which findings were raised, oldest first. */
  readonly byMonth: readonly FindingTotals[];
}

/**
 * Counts findings and adds up their amounts. Within one row of figures an invoice counts once: its largest confirmed
 * amount as confirmed, and what its largest open amount exceeds that by as at risk.
 * @param minSeverity what the findings were chosen by
 * Many findings take long: it yields after each small step, so that its caller can let others have their turn.
 */
export function* summarizeFindings(
  findings: readonly SummarizedFinding[],
  baseCurrency: string,
  minSeverity: Severity = 'INFO',
): Generator<undefined, FindingSummary> {
  const total = tally(() => '', ['']);
  const byType = tally(({ type }) => type);
  const bySeverity = tally(({ severity }) => severity, severities.slice(severityRank(minSeverity)).toReversed());
  const byDisposition = tally(({ disposition }) => disposition, dispositions);
  const byMonth = tally(({ createdAt }) => createdAt.toISOString().slice(0, 'YYYY-MM'.length));
  const tallies = [total, byType, bySeverity, byDisposition, byMonth];
  const ofInvoices = new Map<string, Valued[]>();
  let withoutAmount = 0;
  for (const finding of findings) {
    yield;
    for (const { count } of tallies) count(finding);
    const { invoiceId, amountAtRisk } = finding;
    if (invoiceId === undefined || amountAtRisk?.currency !== baseCurrency) {
      withoutAmount++;
      continue;
    }
    const valued = { ...finding, micro: toMicro(amountAtRisk.amount) };
    const others = ofInvoices.get(invoiceId);
    if (others === undefined) ofInvoices.set(invoiceId, [valued]);
    else others.push(valued);
  }
  for (const ofInvoice of ofInvoices.values()) {
    yield;
    for (const { add } of tallies) add(ofInvoice);
  }
  const [all] = total.rows(baseCurrency);
  if (all === undefined) throw new Error('the total is always counted');
  return {
    baseCurrency,
    total: all,
    withoutAmount,
    byType: byType.rows(baseCurrency).sort(byAmountAtRisk),
    bySeverity: bySeverity.rows(baseCurrency),
    byDisposition: byDisposition.rows(baseCurrency),
    byMonth: byMonth.rows(baseCurrency).sort((left, right) => (left.key < right.key ? -1 : 1)),
  };
}

type Valued = SummarizedFinding & { readonly micro: bigint };

/** Lowest severity that counts as risk. A milder finding alone lets an invoice pass, so its money is not at risk. */
const RISK_SEVERITY_MIN: Severity = 'MEDIUM';
const OPEN: ReadonlySet<Disposition> = new Set(['OPEN', 'UNDER_REVIEW']);
const CONFIRMED: ReadonlySet<Disposition> = new Set(['CONFIRMED', 'RESOLVED']);

/** @param keys that have a row even if nothing was raised */
function tally(keyOf: (finding: SummarizedFinding) => string, keys: readonly string[] = []) {
  const newRow = () => ({ count: 0, open: 0, atRisk: 0n, confirmed: 0n, inScans: 0n });
  const rows = new Map(keys.map((key) => [key, newRow()]));
  const rowOf = (key: string) => {
    const row = rows.get(key) ?? newRow();
    rows.set(key, row);
    return row;
  };
  return {
    count(finding: SummarizedFinding): void {
      const row = rowOf(keyOf(finding));
      row.count++;
      if (OPEN.has(finding.disposition)) row.open++;
    },
    /** Adds the amounts of one invoice. */
    add(findings: readonly Valued[]): void {
      const largest = new Map<string, { open: bigint; confirmed: bigint; inScans: bigint }>();
      for (const finding of findings) {
        const key = keyOf(finding);
        const amounts = largest.get(key) ?? { open: 0n, confirmed: 0n, inScans: 0n };
        largest.set(key, amounts);
        const { disposition, severity, scanId, micro } = finding;
        const isRisk = severityRank(severity) >= severityRank(RISK_SEVERITY_MIN);
        if (isRisk && OPEN.has(disposition) && micro > amounts.open) amounts.open = micro;
        if (!CONFIRMED.has(disposition)) continue;
        if (micro > amounts.confirmed) amounts.confirmed = micro;
        if (scanId !== undefined && micro > amounts.inScans) amounts.inScans = micro;
      }
      for (const [key, { open, confirmed, inScans }] of largest) {
        const row = rowOf(key);
        row.confirmed += confirmed;
        row.inScans += inScans;
        if (open > confirmed) row.atRisk += open - confirmed;
      }
    },
    rows: (currency: string): FindingTotals[] =>
      [...rows].map(([key, { count, open, atRisk, confirmed, inScans }]) => ({
        key,
        count,
        open,
        amountAtRisk: moneyIn(currency, microToDecimal(atRisk)),
        amountConfirmed: moneyIn(currency, microToDecimal(confirmed)),
        amountConfirmedInScans: moneyIn(currency, microToDecimal(inScans)),
      })),
  };
}

function byAmountAtRisk(left: FindingTotals, right: FindingTotals): number {
  const difference = toMicro(right.amountAtRisk) - toMicro(left.amountAtRisk);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return right.open - left.open || (left.key < right.key ? -1 : 1);
}
