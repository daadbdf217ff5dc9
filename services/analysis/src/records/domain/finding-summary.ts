import { severities, severityRank } from '@invoicecontrol/engine/explanation/catalogue';
import type { FindingType, Severity } from '@invoicecontrol/engine/explanation/catalogue';
import { moneyIn } from '@invoicecontrol/engine/explanation/money';
import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { AmountAtRisk } from './amount-at-risk.js';
import type { Disposition } from './finding-disposition.js';
import { dispositions } from './finding-disposition.js';

/** Fields of a finding that the summary of findings uses. */
export interface SummarizedFinding {
  readonly type: FindingType;
  readonly severity: Severity;
  readonly disposition: Disposition;
  readonly createdAt: Date;
  /** Id of the invoice of a finding. Absent if the finding is about a history scan or about ERP records as a whole. */
  readonly invoiceId?: string;
  /** Id of the history scan of a finding. Absent if the finding does not belong to a scan. */
  readonly scanId?: string;
  /**
   * Amount at risk of a finding. Absent if there was no exchange rate, or if the finding was stored before findings had
   * amounts.
   */
  readonly amountAtRisk?: AmountAtRisk;
}

/** Number and amounts of the findings in one group of a summary. */
export interface FindingTotals {
  /**
   * The type, severity, disposition or month (`YYYY-MM`) that a group of findings has in common. Empty for all
   * findings.
   */
  readonly key: string;
  readonly count: number;
  /** Number of findings that are waiting for a person: OPEN and UNDER_REVIEW. */
  readonly open: number;
  /** Amount at risk in open findings that send an invoice to review: {@link RISK_SEVERITY_MIN} and above. */
  readonly amountAtRisk: DecimalAmount;
  /** Total amount of the findings that a review confirmed: CONFIRMED and RESOLVED. */
  readonly amountConfirmed: DecimalAmount;
  /**
   * Amount of confirmed findings on invoices of history scans. These invoices may already be paid.
   */
  readonly amountConfirmedInScans: DecimalAmount;
}

export interface FindingSummary {
  /** Base currency in which all amounts of the summary of findings are stated. */
  readonly baseCurrency: string;
  readonly total: FindingTotals;
  /** Number of findings without a usable amount, because the amount is unknown or in an earlier base currency. */
  readonly withoutAmount: number;
  /** Totals of the findings by type, ordered by amount at risk and then by the number of open findings. */
  readonly byType: readonly FindingTotals[];
  /** Totals of the findings by severity, most severe first, down to the minimum severity that the caller requested. */
  readonly bySeverity: readonly FindingTotals[];
  /** Totals of the findings, one entry for each disposition. */
  readonly byDisposition: readonly FindingTotals[];
  /** Totals of the findings by month of creation in UTC, oldest first. Months without findings are left out. */
  readonly byMonth: readonly FindingTotals[];
}

/**
 * Counts findings and adds up their amounts. Several findings about one invoice do not add up within a group: only the
 * largest confirmed amount counts as confirmed, and only the part by which the largest open amount exceeds it counts as
 * at risk. The generator yields after each small step, so that the caller can handle other work while many findings are
 * counted.
 * @param minSeverity lowest severity by which the findings were selected
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

/**
 * Lowest severity of a finding that counts as risk. An invoice with only less severe findings passes, so its money is
 * not at risk.
 */
const RISK_SEVERITY_MIN: Severity = 'MEDIUM';
/** Dispositions of findings that are waiting for a person. */
export const OPEN: ReadonlySet<Disposition> = new Set(['OPEN', 'UNDER_REVIEW']);
/** Dispositions of findings that a review confirmed. */
export const CONFIRMED: ReadonlySet<Disposition> = new Set(['CONFIRMED', 'RESOLVED']);

/** Checks whether the amount of a finding counts as risk while the finding is open. */
export function isAtRisk({ severity }: Pick<SummarizedFinding, 'severity'>): boolean {
  return severityRank(severity) >= severityRank(RISK_SEVERITY_MIN);
}

/**
 * Creates empty totals of findings for one grouping, such as by severity.
 * @param keys groups that are listed even if they have no findings
 */
export function tally(keyOf: (finding: SummarizedFinding) => string, keys: readonly string[] = []) {
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
    /** Adds the amounts from one invoice to the totals of findings. */
    add(findings: readonly Valued[]): void {
      const largest = new Map<string, { open: bigint; confirmed: bigint; inScans: bigint }>();
      for (const finding of findings) {
        const key = keyOf(finding);
        const amounts = largest.get(key) ?? { open: 0n, confirmed: 0n, inScans: 0n };
        largest.set(key, amounts);
        const { disposition, scanId, micro } = finding;
        if (isAtRisk(finding) && OPEN.has(disposition) && micro > amounts.open) amounts.open = micro;
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
