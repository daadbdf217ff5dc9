import { catalogue } from '@invoicecontrol/engine/explanation/catalogue';
import type { Family } from '@invoicecontrol/engine/explanation/catalogue';
import { moneyIn } from '@invoicecontrol/engine/explanation/money';
import type { Decision } from '@invoicecontrol/engine/scoring/decision';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { ScanFinding, ScanInvoice } from '../../records/domain/scan-records.js';
import { CONFIRMED, isAtRisk, OPEN, tally, valuedIn } from '../../records/domain/finding-summary.js';
import { groupedBy } from '../../records/domain/grouped-by.js';

/** Number of suppliers in the report about a history scan. */
const SUPPLIERS_MAX = 10;
const DECISIONS: readonly Decision[] = ['PASS', 'REVIEW', 'BLOCK'];

/** Number of findings in one group of a report, with their invoices and their amount at risk. */
export interface ReportedGroup {
  readonly key: string;
  readonly findings: number;
  /** Number of different invoices that the findings of the group are about. */
  readonly invoices: number;
  readonly amountAtRisk: DecimalAmount;
}

/** The figures of a history scan as they are after all reviews. */
export interface ScanReport {
  readonly byDecision: readonly {
    readonly decision: Decision;
    readonly invoices: number;
    readonly amount: DecimalAmount;
  }[];
  /** Families of which the scan raised findings, largest amount at risk first. */
  readonly byFamily: readonly ReportedGroup[];
  /** Months in which invoices of the scan were issued, oldest first. */
  readonly byMonth: readonly {
    readonly month: string;
    readonly invoices: number;
    readonly amount: DecimalAmount;
    readonly amountAtRisk: DecimalAmount;
  }[];
  /** The suppliers with the largest amounts at risk. */
  readonly topSuppliers: readonly (ReportedGroup & { readonly supplierName: string })[];
  readonly savings: Savings;
}

/**
 * Amounts that a history scan may save. No amount counts twice: a group of duplicates counts once, with the smallest
 * gross amount of its invoices.
 */
export interface Savings {
  /** Amount of open findings beyond the confirmed amount. */
  readonly potential: DecimalAmount;
  readonly confirmed: DecimalAmount;
  /** Amount of dismissed findings beyond the confirmed and the potential amount. */
  readonly dismissed: DecimalAmount;
}

/**
 * Computes the report about a history scan from its invoices and findings.
 * @param currency base currency at the time of the scan, in which all amounts are
 */
export function scanReport(
  invoices: readonly ScanInvoice[],
  findings: readonly ScanFinding[],
  currency: string,
): ScanReport {
  const grossOf = new Map(
    invoices.map(({ invoiceId, base }) => [invoiceId, base?.currency === currency ? toMicro(base.amount) : 0n]),
  );
  const months = new Map(invoices.map((invoice) => [invoice.invoiceId, monthOf(invoice)]));
  const money = (micro: bigint): DecimalAmount => moneyIn(currency, microToDecimal(micro));
  const sumOf = (of: readonly ScanInvoice[]) => ({
    invoices: of.length,
    amount: money(of.reduce((sum, { invoiceId }) => sum + (grossOf.get(invoiceId) ?? 0n), 0n)),
  });
  const byMonth = groupedBy(invoices, monthOf);
  const ofMonths = groupsOf(findings, currency, ({ invoiceId = '' }) => months.get(invoiceId));
  const atRiskIn = new Map(ofMonths.map(({ key, amountAtRisk }) => [key, amountAtRisk]));
  const names = new Map(findings.map(({ supplierId = '', supplierName = '' }) => [supplierId, supplierName]));
  return {
    byDecision: DECISIONS.map((decision) => ({
      decision,
      ...sumOf(invoices.filter((invoice) => invoice.decision === decision)),
    })),
    byFamily: groupsOf(findings, currency, ({ type }) => familyOf(type)).sort(byAmountAtRisk),
    byMonth: [...byMonth]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([month, of]) => ({ month, ...sumOf(of), amountAtRisk: atRiskIn.get(month) ?? money(0n) })),
    topSuppliers: groupsOf(findings, currency, ({ supplierId }) => supplierId)
      .sort(byAmountAtRisk)
      .slice(0, SUPPLIERS_MAX)
      .map((group) => ({ ...group, supplierName: names.get(group.key) ?? '' })),
    savings: savingsOf(findings, { grossOf, currency, money }),
  };
}

/** Returns the month in which an invoice was issued, as `YYYY-MM`. */
function monthOf({ issueDay }: ScanInvoice): string {
  return dateOfDayNumber(issueDay).slice(0, 'YYYY-MM'.length);
}

function familyOf(type: ScanFinding['type']): Family {
  return catalogue[type].family;
}

/** Groups findings by a key, and adds up each group as the summary of findings does. */
function groupsOf(
  findings: readonly ScanFinding[],
  currency: string,
  keyOf: (finding: ScanFinding) => string | undefined,
): ReportedGroup[] {
  const groups = groupedBy(findings, keyOf);
  return [...groups].flatMap(([key, of]) => {
    if (key === undefined) return [];
    const total = tally(() => key, [key]);
    const ofInvoices = groupedBy(of, ({ invoiceId }) => invoiceId);
    ofInvoices.delete(undefined);
    for (const ofInvoice of ofInvoices.values()) total.add(valuedIn(currency, ofInvoice), 1);
    const [row] = total.rows(currency);
    const amountAtRisk = row?.amountAtRisk ?? moneyIn(currency, '0');
    return [{ key, findings: of.length, invoices: ofInvoices.size, amountAtRisk }];
  });
}

function byAmountAtRisk(left: ReportedGroup, right: ReportedGroup): number {
  const difference = toMicro(right.amountAtRisk) - toMicro(left.amountAtRisk);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return right.findings - left.findings || (left.key < right.key ? -1 : 1);
}

interface Valuation {
  readonly grossOf: ReadonlyMap<string, bigint>;
  readonly currency: string;
  readonly money: (micro: bigint) => DecimalAmount;
}

function savingsOf(findings: readonly ScanFinding[], valuation: Valuation): Savings {
  const { money } = valuation;
  const isConfirmed = ({ disposition }: ScanFinding): boolean => CONFIRMED.has(disposition);
  const isPotential = (finding: ScanFinding): boolean => isAtRisk(finding) && OPEN.has(finding.disposition);
  const isDismissed = (finding: ScanFinding): boolean =>
    isAtRisk(finding) && (finding.disposition === 'FALSE_POSITIVE' || finding.disposition === 'ACCEPTED_RISK');
  const worthOf = (...of: ((finding: ScanFinding) => boolean)[]): bigint =>
    worth(
      findings.filter((finding) => of.some((matches) => matches(finding))),
      valuation,
    );
  const confirmed = worthOf(isConfirmed);
  const withPotential = worthOf(isConfirmed, isPotential);
  const all = worthOf(isConfirmed, isPotential, isDismissed);
  return {
    potential: money(beyond(confirmed, withPotential)),
    confirmed: money(confirmed),
    dismissed: money(beyond(withPotential > confirmed ? withPotential : confirmed, all)),
  };
}

/** Returns the part of `total` that exceeds `part`. Two groups of duplicates may become one smaller group. */
function beyond(part: bigint, total: bigint): bigint {
  return total > part ? total - part : 0n;
}

/**
 * Adds up the amounts of findings without counting an amount twice. Invoices that findings of duplicates connect are one
 * group, which counts once with its smallest gross amount, or with the amounts of its other findings if they are larger.
 */
function worth(findings: readonly ScanFinding[], { grossOf, currency }: Valuation): bigint {
  const groupOf = groupsOfDuplicates(findings, grossOf);
  const groups = new Map<string, { duplicates: bigint; others: Map<string, bigint> }>();
  for (const finding of valuedIn(currency, findings)) {
    const { invoiceId, type, micro } = finding;
    if (micro === 0n) continue;
    const name = groupOf(invoiceId);
    const group = groups.get(name) ?? { duplicates: 0n, others: new Map<string, bigint>() };
    groups.set(name, group);
    if (familyOf(type) === 'DUP') {
      const smallest = smallestGross([invoiceId, ...finding.relatedInvoiceIds], grossOf) ?? micro;
      if (group.duplicates === 0n || smallest < group.duplicates) group.duplicates = smallest;
    } else if (micro > (group.others.get(invoiceId) ?? 0n)) group.others.set(invoiceId, micro);
  }
  let sum = 0n;
  for (const { duplicates, others } of groups.values()) {
    const ofOthers = [...others.values()].reduce((total, micro) => total + micro, 0n);
    sum += ofOthers > duplicates ? ofOthers : duplicates;
  }
  return sum;
}

/** Returns the smallest gross amount above zero of invoices that belong to the scan. */
function smallestGross(invoiceIds: readonly string[], grossOf: ReadonlyMap<string, bigint>): bigint | undefined {
  return invoiceIds
    .flatMap((id) => grossOf.get(id) ?? [])
    .filter((gross) => gross > 0n)
    .reduce<bigint | undefined>((least, gross) => (least === undefined || gross < least ? gross : least), undefined);
}

/**
 * Returns a function that names the group of duplicates to which an invoice belongs. Findings of duplicates connect
 * their invoice with the related invoices of the same scan, directly or by other invoices.
 */
function groupsOfDuplicates(
  findings: readonly ScanFinding[],
  grossOf: ReadonlyMap<string, bigint>,
): (invoiceId: string) => string {
  const parents = new Map<string, string>();
  const rootOf = (invoiceId: string): string => {
    let root = invoiceId;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    if (root !== invoiceId) parents.set(invoiceId, root);
    return root;
  };
  for (const { invoiceId, type, relatedInvoiceIds } of findings) {
    if (invoiceId === undefined || familyOf(type) !== 'DUP') continue;
    for (const related of relatedInvoiceIds) {
      const [left, right] = [rootOf(invoiceId), rootOf(related)];
      if (grossOf.has(related) && left !== right) parents.set(left, right);
    }
  }
  return rootOf;
}
