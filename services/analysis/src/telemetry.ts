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

/**
 * Writes the single log line for an invoice when its decision is stored. The line contains no names, amounts or bank
 * accounts.
 */
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

/** Writes the log line for a history scan when all its rows have decisions. */
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
  // Findings that reviewers cleared earlier are not included.
  for (const [type, findings] of Object.entries(findingCounts)) {
    count('analysis.findings', { type, disposition: 'OPEN', source: 'SCAN', reason: 'INITIAL' }, findings);
  }
}

/** Counts a change to the disposition of a finding in the metrics. */
export function findingReviewed(type: string, disposition: string): void {
  count('analysis.reviews', { type, disposition });
}

/** Counts the records of a page that was imported from an ERP, in the metrics. */
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

/** Counts records that were marked as deleted because the ERP no longer has them. */
export function recordsDeleted(entity: string, provider: string, deleted: number): void {
  if (deleted > 0) count('analysis.erp_records', { entity, provider, outcome: 'DELETED' }, deleted);
}

/** Counts ERP records that were not compared because a limit was reached. The metric contains no ids or amounts. */
export function recordsLeftOut(
  logger: Logger,
  records: 'BILLS' | 'PAYMENTS' | 'BILLS_ON_ORDERS' | 'INVOICES_ON_ORDERS',
  { number, ...of }: { readonly organizationId: string; readonly companyId?: string; readonly number: number },
): void {
  count('analysis.erp_left_out', { records }, number);
  logger.warn({ ...of, records, number }, 'records of an ERP were not compared: a limit was reached');
}

/**
 * Warns that more companies have a KSeF inbox than a process keeps in memory. The rule about missing invoices does not
 * apply to the others.
 */
export function companiesWithoutInbox(logger: Logger, companiesMax: number): void {
  count('analysis.inboxes_left_out', {});
  logger.error(
    { companiesMax },
    'more companies have a KSeF inbox than are looked at: some invoices are not searched for',
  );
}

/** Counts a new finding about ERP records that concerns no invoice. */
export function booksFindingRaised(type: string): void {
  count('analysis.findings', { type, disposition: 'OPEN', source: 'ERP', reason: 'INITIAL' });
}
