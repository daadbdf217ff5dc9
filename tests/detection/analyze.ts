import { compareText } from '@invoicecontrol/engine/facts/record-order';
import type { Company } from '@invoicecontrol/engine/facts/companies';
import { severityRank } from '@invoicecontrol/engine/explanation/catalogue';
import type { Severity } from '@invoicecontrol/engine/explanation/catalogue';
import { inMemoryHistory } from '@invoicecontrol/engine/testing/in-memory-history';
import type { Billed, BillOptions } from '@invoicecontrol/engine/testing/in-memory-history';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { scaleAmount } from '@invoicecontrol/values/decimal-amount';
import { companies } from './bill.js';
import type { Bill } from './bill.js';

/**
 * The way in which the bills of a history arrive: posted one by one on the day of arrival, or all at the end as the
 * rows of one history scan.
 */
export type Road = 'posts' | 'scan';

export interface AnalyzeOptions {
  readonly road?: Road;
  /**
   * Reviews every finding about a clean bill as FALSE_POSITIVE some days later. Findings of rows in a history scan are
   * not reviewed before the scan ends.
   */
  readonly hasReviewer?: boolean;
  /** Companies of the organization to which the bills are addressed. */
  readonly companies?: readonly Company[];
  /**
   * Number of units of each currency per euro. Without these rates, every amount counts as euros, whatever its
   * currency.
   */
  readonly ratesPerEuro?: Readonly<Record<string, string>>;
}

/** An analyzed bill with its decision and findings. */
export interface AnalyzedBill {
  readonly bill: Bill;
  readonly decision: string;
  readonly findings: readonly Raised[];
}

export interface Raised {
  readonly type: string;
  readonly severity: Severity;
  /** Confidence of the finding in percent. */
  readonly confidence: number;
  /** The earlier bills of the test history that the finding names. */
  readonly others: readonly Bill[];
}

/** The companies to which the generated bills are addressed. */
export const ownCompanies: readonly Company[] = [
  { companyId: companies.main, name: 'Buyer Group GmbH', taxId: 'DE811907980' },
  { companyId: companies.second, name: 'Buyer Polska Sp. z o.o.', taxId: 'PL5260250995' },
];

const REVIEW_DAYS = 3;
const SCAN_ID = '0192a000-0000-7000-8000-00000000d001';

/** Analyzes a labelled history bill by bill, each with the history before it. */
export function analyze(bills: readonly Bill[], options: AnalyzeOptions = {}): AnalyzedBill[] {
  const { road = 'posts', companies: known = ownCompanies, ratesPerEuro } = options;
  const history = inMemoryHistory();
  const byId = new Map<string, Bill>();
  const waiting: { readonly answeredOn: string; readonly billed: Billed }[] = [];
  const ordered = road === 'posts' ? inOrderOfArrival(bills) : inOrderOfIssue(bills);
  const lastDay = inOrderOfArrival(bills).at(-1)?.arrival ?? '2026-01-01';
  return ordered.map((bill, index) => {
    while (waiting[0] !== undefined && waiting[0].answeredOn <= bill.arrival) {
      const answered = waiting.shift();
      if (answered !== undefined) history.dismiss(answered.billed);
    }
    const billed = history.bill(road === 'posts' ? bill.invoice : rowOf(bill), {
      companies: known,
      ...(ratesPerEuro && valuedIn(ratesPerEuro, bill)),
      ...(road === 'posts' ? posted(bill, index) : scanned(bill, index, lastDay)),
    });
    const { facts, analysis } = billed;
    byId.set(facts.invoice.invoiceId, bill);
    if (options.hasReviewer && road === 'posts' && isClean(bill) && analysis.decision !== 'PASS') {
      waiting.push({ answeredOn: addDays(bill.arrival, REVIEW_DAYS), billed });
    }
    const findings = analysis.findings.map(({ type, severity, confidence, relatedInvoiceIds }) => ({
      type,
      severity,
      confidence,
      others: relatedInvoiceIds.flatMap((id) => byId.get(id) ?? []),
    }));
    return { bill, decision: analysis.decision, findings };
  });
}

/** Tells whether a bill is neither a copy nor an anomaly, so that it should get no finding. */
export function isClean({ mutation, anomaly }: Bill): boolean {
  return mutation === undefined && anomaly === undefined;
}

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severityRank(severity) >= severityRank(least);
}

function inOrderOfArrival(bills: readonly Bill[]): Bill[] {
  return [...bills].sort((left, right) => compareText(left.arrival, right.arrival));
}

/**
 * Returns the bills in the order in which the rows of a history scan are analyzed: by issue date. Bills with the same
 * issue date stay in the order of their arrival, which is also the order of the rows in the file.
 */
function inOrderOfIssue(bills: readonly Bill[]): Bill[] {
  return inOrderOfArrival(bills).sort((left, right) => compareText(left.invoice.issue_date, right.invoice.issue_date));
}

/** Returns the invoice with only those fields that a row of a history scan can have. */
function rowOf({ invoice }: Bill): Bill['invoice'] {
  const { due_date: _due, net_amount: _net, tax_amount: _tax, buyer: _buyer, ...stated } = invoice;
  return stated;
}

function posted({ arrival, companyId }: Bill, index: number): BillOptions {
  return { asOf: arrival, origin: { companyId, receivedAtMs: Date.parse(arrival) + index } };
}

function scanned({ companyId }: Bill, index: number, lastDay: string): BillOptions {
  return {
    asOf: lastDay,
    scanStatesAccounts: true,
    facts: { firstScanRowsBefore: index },
    origin: {
      companyId,
      source: 'SCAN',
      scanId: SCAN_ID,
      rowNo: index + 1,
      position: index,
      receivedAtMs: Date.parse(lastDay),
    },
  };
}

function valuedIn(ratesPerEuro: Readonly<Record<string, string>>, { invoice }: Bill): BillOptions {
  const { currency, gross_amount: gross, issue_date: rateDate } = invoice;
  if (currency === 'EUR') return { ratesPerEuro };
  const perEuro = ratesPerEuro[currency];
  if (perEuro === undefined) return { ratesPerEuro, base: null };
  const base = {
    currency: 'EUR',
    amount: scaleAmount(gross, '1', perEuro),
    rate: scaleAmount('1', '1', perEuro),
    rateDate,
    source: 'ECB',
  } as const;
  return { ratesPerEuro, base };
}
