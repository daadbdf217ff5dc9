import type { Logger } from '@invoicecontrol/runtime/logger';
import { count } from '@invoicecontrol/runtime/telemetry';

interface DecidedInvoice {
  readonly organizationId: string;
  readonly invoiceId: string;
  readonly source: string;
  readonly durationMs: number;
  readonly analysis: {
    readonly analysisId: string;
    readonly number: number;
    readonly decision: string;
    readonly riskScore: number;
    readonly findings: readonly { readonly type: string; readonly disposition: string }[];
    readonly versions: { readonly riskEngine: string; readonly policy: string };
  };
}

/** An invoice has a decision, which is stored: its one log line. Names, amounts and accounts stay out of it. */
export function invoiceDecided(logger: Logger, { analysis, durationMs, ...invoice }: DecidedInvoice): void {
  const { analysisId, number, decision, riskScore, findings, versions } = analysis;
  const reason = number === 1 ? 'INITIAL' : 'REANALYSIS';
  count('analysis.decisions', { decision, source: invoice.source, reason });
  for (const { type, disposition } of findings) {
    count('analysis.findings', { type, disposition, source: invoice.source, reason });
  }
  logger.info(
    {
      ...invoice,
      analysisId,
      decision,
      riskScore,
      findings: findings.length,
      riskEngine: versions.riskEngine,
      policy: versions.policy,
      durationMs: Math.round(durationMs),
    },
    'an invoice was decided',
  );
}

/** The rows of a scan have their decisions; the log line of a scan covers all of them. */
export function rowsDecided({
  decisionCounts,
  findingCounts,
}: {
  readonly decisionCounts: Readonly<Record<string, number>>;
  readonly findingCounts: Readonly<Record<string, number>>;
}): void {
  for (const [decision, rows] of Object.entries(decisionCounts)) {
    if (rows > 0) count('analysis.decisions', { decision, source: 'SCAN', reason: 'INITIAL' }, rows);
  }
  // Those that people have cleared before are not among them.
  for (const [type, findings] of Object.entries(findingCounts)) {
    count('analysis.findings', { type, disposition: 'OPEN', source: 'SCAN', reason: 'INITIAL' }, findings);
  }
}

/** A person gave a finding another disposition. */
export function findingReviewed(type: string, disposition: string): void {
  count('analysis.reviews', { type, disposition });
}

/** A page of records of an ERP is stored. */
export function recordsImported(
  entity: string,
  provider: string,
  {
    created,
    updated,
    unchanged,
    failures,
  }: {
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
    readonly failures: readonly unknown[];
  },
): void {
  const outcomes = { CREATED: created, UPDATED: updated, UNCHANGED: unchanged, FAILED: failures.length };
  for (const [outcome, records] of Object.entries(outcomes)) {
    if (records > 0) count('analysis.erp_records', { entity, provider, outcome }, records);
  }
}

/** Reports that records which an ERP no longer has were marked. */
export function recordsDeleted(entity: string, provider: string, deleted: number): void {
  if (deleted > 0) count('analysis.erp_records', { entity, provider, outcome: 'DELETED' }, deleted);
}

/** Records of an ERP that were not compared because a bound was reached. Ids and amounts stay out of the metric. */
export function recordsLeftOut(
  logger: Logger,
  records: 'BILLS' | 'PAYMENTS' | 'BILLS_ON_ORDERS' | 'INVOICES_ON_ORDERS',
  { number, ...of }: { readonly organizationId: string; readonly companyId?: string; readonly number: number },
): void {
  count('analysis.erp_left_out', { records }, number);
  logger.warn({ ...of, records, number }, 'records of an ERP were not compared: a limit was reached');
}

/** Something is new in the books of a company that is about no invoice. */
export function booksFindingRaised(type: string): void {
  count('analysis.findings', { type, disposition: 'OPEN', source: 'ERP', reason: 'INITIAL' });
}
