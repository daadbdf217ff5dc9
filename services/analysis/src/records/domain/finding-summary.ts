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
  const counted = findingTallies(baseCurrency);
  const ofInvoices = new Map<string, SummarizedFinding[]>();
  for (const finding of findings) {
    yield;
    const { invoiceId } = finding;
    const others = invoiceId === undefined ? undefined : ofInvoices.get(invoiceId);
    if (others !== undefined) others.push(finding);
    else if (invoiceId !== undefined) ofInvoices.set(invoiceId, [finding]);
    else counted.change([finding], 1);
  }
  for (const ofInvoice of ofInvoices.values()) {
    yield;
    counted.change(ofInvoice, 1);
  }
  return counted.summary(minSeverity);
}

/** One row of stored totals of findings. Amounts are decimal strings with six decimals. */
export interface StoredRow {
  readonly group: 'total' | 'type' | 'severity' | 'disposition' | 'month';
  readonly key: string;
  readonly count: number;
  readonly open: number;
  readonly atRisk: string;
  readonly confirmed: string;
  readonly inScans: string;
}

/** Totals of findings in the form in which they are stored. */
export interface StoredTallies {
  readonly withoutAmount: number;
  readonly rows: readonly StoredRow[];
}

/** Totals of findings that change invoice by invoice. */
export interface FindingTallies {
  /**
   * Adds (1) or takes away (-1) findings. They are all findings of one invoice, because amounts count once for each
   * invoice, or one finding without an invoice.
   */
  change(findings: readonly SummarizedFinding[], sign: 1 | -1): void;
  summary(minSeverity?: Severity): FindingSummary;
  stored(): StoredTallies;
}

/**
 * Returns totals of findings to which findings can be added, and from which they can be taken away.
 * @param before totals to begin with, as {@link FindingTallies.stored} returned them
 */
export function findingTallies(baseCurrency: string, before?: StoredTallies): FindingTallies {
  const rowsBefore = (group: StoredRow['group']) => before?.rows.filter((row) => row.group === group);
  const tallies = {
    total: tally(() => '', [''], rowsBefore('total')),
    type: tally(({ type }) => type, [], rowsBefore('type')),
    severity: tally(({ severity }) => severity, severities, rowsBefore('severity')),
    disposition: tally(({ disposition }) => disposition, dispositions, rowsBefore('disposition')),
    month: tally(({ createdAt }) => createdAt.toISOString().slice(0, 'YYYY-MM'.length), [], rowsBefore('month')),
  };
  const all = Object.values(tallies);
  let withoutAmount = before?.withoutAmount ?? 0;
  return {
    change(findings, sign) {
      for (const finding of findings) for (const { count } of all) count(finding, sign);
      const valued = valuedIn(baseCurrency, findings);
      withoutAmount += sign * (findings.length - valued.length);
      for (const { add } of all) add(valued, sign);
    },
    summary(minSeverity = 'INFO') {
      const [total] = tallies.total.rows(baseCurrency);
      if (total === undefined) throw new Error('the total is always counted');
      const least = severities.slice(severityRank(minSeverity)) as readonly string[];
      return {
        baseCurrency,
        total,
        withoutAmount,
        byType: tallies.type.rows(baseCurrency).sort(byAmountAtRisk),
        bySeverity: tallies.severity
          .rows(baseCurrency)
          .filter(({ key }) => least.includes(key))
          .sort((left, right) => least.indexOf(right.key) - least.indexOf(left.key)),
        byDisposition: tallies.disposition.rows(baseCurrency),
        byMonth: tallies.month.rows(baseCurrency).sort((left, right) => (left.key < right.key ? -1 : 1)),
      };
    },
    stored: () => ({
      withoutAmount,
      rows: Object.entries(tallies).flatMap(([group, { stored }]) =>
        stored().map((row) => ({ group: group as StoredRow['group'], ...row })),
      ),
    }),
  };
}

/** A finding about an invoice, with its amount at risk in millionths of the base currency. */
type Valued<F extends SummarizedFinding = SummarizedFinding> = F & {
  readonly invoiceId: string;
  readonly micro: bigint;
};

/** Returns the findings about invoices that have an amount at risk in the base currency. */
export function valuedIn<F extends SummarizedFinding>(baseCurrency: string, findings: readonly F[]): Valued<F>[] {
  return findings.flatMap((finding) => {
    const { invoiceId, amountAtRisk } = finding;
    if (invoiceId === undefined || amountAtRisk?.currency !== baseCurrency) return [];
    return [{ ...finding, invoiceId, micro: toMicro(amountAtRisk.amount) }];
  });
}

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
 * Creates totals of findings for one grouping, such as by type.
 * @param keys groups that are listed even if they have no findings
 * @param before rows to begin with
 */
export function tally(
  keyOf: (finding: SummarizedFinding) => string,
  keys: readonly string[] = [],
  before: readonly Omit<StoredRow, 'group'>[] = [],
) {
  const newRow = () => ({ count: 0, open: 0, atRisk: 0n, confirmed: 0n, inScans: 0n });
  const rows = new Map(keys.map((key) => [key, newRow()]));
  for (const { key, count, open, atRisk, confirmed, inScans } of before) {
    rows.set(key, { count, open, atRisk: toMicro(atRisk), confirmed: toMicro(confirmed), inScans: toMicro(inScans) });
  }
  const rowOf = (key: string) => {
    const row = rows.get(key) ?? newRow();
    rows.set(key, row);
    return row;
  };
  /** Groups are listed while they have findings, because findings may also be taken away. */
  const listed = () => [...rows].filter(([key, { count }]) => count > 0 || keys.includes(key));
  return {
    count(finding: SummarizedFinding, sign: 1 | -1): void {
      const row = rowOf(keyOf(finding));
      row.count += sign;
      if (OPEN.has(finding.disposition)) row.open += sign;
    },
    /** Adds the amounts from one invoice to the totals of findings, or takes them away. */
    add(findings: readonly Valued[], sign: 1 | -1): void {
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
        row.confirmed += BigInt(sign) * confirmed;
        row.inScans += BigInt(sign) * inScans;
        if (open > confirmed) row.atRisk += BigInt(sign) * (open - confirmed);
      }
    },
    rows: (currency: string): FindingTotals[] =>
      listed().map(([key, { count, open, atRisk, confirmed, inScans }]) => ({
        key,
        count,
        open,
        amountAtRisk: moneyIn(currency, microToDecimal(atRisk)),
        amountConfirmed: moneyIn(currency, microToDecimal(confirmed)),
        amountConfirmedInScans: moneyIn(currency, microToDecimal(inScans)),
      })),
    stored: (): Omit<StoredRow, 'group'>[] =>
      listed().map(([key, { count, open, atRisk, confirmed, inScans }]) => ({
        key,
        count,
        open,
        atRisk: microToDecimal(atRisk),
        confirmed: microToDecimal(confirmed),
        inScans: microToDecimal(inScans),
      })),
  };
}

function byAmountAtRisk(left: FindingTotals, right: FindingTotals): number {
  const difference = toMicro(right.amountAtRisk) - toMicro(left.amountAtRisk);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return right.open - left.open || (left.key < right.key ? -1 : 1);
}
