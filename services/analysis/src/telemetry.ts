import type { Logger } from '@invoicecontrol/runtime/logger';
import { count, record, reportGauges } from '@invoicecontrol/runtime/telemetry';
import { inWords } from '@invoicecontrol/runtime/telemetry/in-words';
import { providerWords } from '@invoicecontrol/runtime/telemetry/schema';
import type { AttributesOf } from '@invoicecontrol/runtime/telemetry/schema';
import type { Decision } from '@invoicecontrol/engine/scoring/decision';
import type { Severity } from '@invoicecontrol/engine/explanation/catalogue';
import type { InvoiceSource } from '@invoicecontrol/engine/facts/invoice';
import type { RunCheck } from './payment-runs/domain/run.js';
import type { Verdict } from './payment-runs/domain/verdict.js';
import type { Disposition } from './records/domain/finding-disposition.js';

interface DecidedInvoice {
  readonly organizationId: string;
  readonly invoiceId: string;
  readonly source: InvoiceSource;
  readonly durationMs: number;
  readonly stagesMs: Readonly<Record<string, number>>;
  readonly analysis: {
    readonly analysisId: string;
    readonly number: number;
    readonly decision: Decision;
    readonly riskScore: number;
    readonly findings: readonly { readonly type: string; readonly severity: Severity }[];
    readonly versions: { readonly riskEngine: string; readonly policy: string };
  };
}

/**
 * Writes the single log line for an invoice when its decision is stored. The line contains no names, amounts or bank
 * accounts.
 */
export function invoiceDecided(logger: Logger, { analysis, durationMs, stagesMs, ...invoice }: DecidedInvoice): void {
  const { analysisId, number, decision, riskScore, findings, versions } = analysis;
  const source = number === 1 ? inWords(invoice.source) : 'reanalysis';
  count('invoicecontrol.decisions', { decision: inWords(decision), source });
  for (const { type, severity } of findings) {
    count('invoicecontrol.findings', { type: inWords(type), severity: inWords(severity), source: 'decision' });
  }
  logger.info(
    {
      ...invoice,
      analysisId,
      decision,
      score: riskScore,
      findingTypes: findings.map(({ type }) => type),
      riskEngine: versions.riskEngine,
      policy: versions.policy,
      durationMs: Math.round(durationMs),
      stagesMs,
    },
    'an invoice was decided',
  );
}

/** Writes the log line for a history scan when all its rows have decisions. */
export function rowsDecided({
  decisionCounts,
  findingCounts,
}: {
  readonly decisionCounts: Readonly<Record<Decision, number>>;
  readonly findingCounts: Readonly<Record<string, number>>;
}): void {
  for (const [decision, rows] of Object.entries(decisionCounts) as [Decision, number][]) {
    if (rows > 0) count('invoicecontrol.decisions', { decision: inWords(decision), source: 'scan' }, rows);
  }
  // The log line of a decision leaves out findings that reviewers have already dismissed.
  for (const [type, findings] of Object.entries(findingCounts)) {
    count('invoicecontrol.findings', { type: inWords(type), severity: 'unknown', source: 'scan' }, findings);
  }
}

/** Counts a change to a finding's disposition. */
export function findingReviewed(type: string, disposition: Disposition): void {
  count('invoicecontrol.reviews', { type: inWords(type), disposition: inWords(disposition) });
}

type Entity = 'BILL' | 'CREDIT_NOTE' | 'PAYMENT' | 'ORDER' | 'VENDOR' | 'VENDOR_ACCOUNT';

/** The ERP provider is a text in the gRPC contract, but the erp-sync service sends only known providers. */
function wordOf(provider: string): AttributesOf<'invoicecontrol.erp_records'>['provider'] {
  return providerWords[provider as keyof typeof providerWords];
}

/** Counts the records of a page that was imported from an ERP, in the metrics. */
export function recordsImported(
  entity: Entity,
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
  const imported = { entity: inWords(entity), provider: wordOf(provider) };
  const counts = { created, updated, unchanged, failed: failures.length };
  for (const outcome of ['created', 'updated', 'unchanged', 'failed'] as const) {
    if (counts[outcome] > 0) count('invoicecontrol.erp_records', { ...imported, outcome }, counts[outcome]);
  }
}

/** Counts records that were marked as deleted because the ERP no longer has them. */
export function recordsDeleted(entity: Entity, provider: string, deleted: number): void {
  const removed = { entity: inWords(entity), provider: wordOf(provider), outcome: 'deleted' } as const;
  if (deleted > 0) count('invoicecontrol.erp_records', removed, deleted);
}

/** Counts ERP records that were not compared because a limit was reached. The metric contains no ids or amounts. */
export function recordsLeftOut(
  logger: Logger,
  records: 'BILLS' | 'PAYMENTS' | 'BILLS_ON_ORDERS' | 'INVOICES_ON_ORDERS' | 'FINDINGS',
  { number, ...of }: { readonly organizationId: string; readonly companyId?: string; readonly number: number },
): void {
  count('invoicecontrol.erp_records.left_out', { records: inWords(records) }, number);
  logger.warn({ ...of, records, number }, 'records of an ERP were not compared: a limit was reached');
}

/**
 * Warns that more companies have a KSeF inbox than a process keeps in memory. The rule about missing invoices does not
 * apply to the companies that are not kept.
 */
export function companiesWithoutInbox(logger: Logger, companiesMax: number): void {
  count('invoicecontrol.inboxes.left_out', {});
  logger.error(
    { companiesMax },
    'more companies have a KSeF inbox than are looked at: some invoices are not searched for',
  );
}

/** Counts a new finding about ERP records that concerns no invoice. */
export function booksFindingRaised(type: string, severity: Severity): void {
  count('invoicecontrol.findings', { type: inWords(type), severity: inWords(severity), source: 'books' });
}

/**
 * Counts an invoice decision that compared only some of the invoices with the same keys, because there were too many.
 */
export function candidatesCut(): void {
  count('invoicecontrol.candidates.hot', {});
}

/** Records how long one stage of an invoice decision took. */
export function stageEnded(stage: 'facts' | 'engine' | 'commit' | 'derived', ms: number): void {
  record('invoicecontrol.decision.duration', ms / 1_000, { stage });
}

/** Reports the age of the newest exchange rates, counted from the end of the day on which they were published. */
export function reportRates(newestDay: () => Promise<string | undefined>, now: () => Date): () => void {
  return reportGauges(['invoicecontrol.rates.age'], async () => {
    const day = await newestDay();
    if (day === undefined) return [];
    const age = (now().getTime() - Date.parse(`${day}T23:59:59Z`)) / 1_000;
    return [{ attributes: {}, values: { 'invoicecontrol.rates.age': Math.max(0, age) } }];
  });
}

/** Counts and logs a stored check of a payment run. The line contains no names, amounts or accounts. */
export function paymentRunChecked(
  logger: Logger,
  {
    trigger,
    counts,
    durationMs,
    ...run
  }: {
    readonly organizationId: string;
    readonly runId: string;
    readonly trigger: RunCheck['trigger'];
    readonly counts: RunCheck['counts'];
    readonly durationMs: number;
  },
): void {
  const check = inWords(trigger);
  const outcome = (['HOLD', 'UNKNOWN'] as const).find((verdict) => counts[verdict].count > 0) ?? 'PAY';
  count('invoicecontrol.payment_runs', { trigger: check, outcome: inWords(outcome) });
  record('invoicecontrol.payment_run.duration', durationMs / 1_000, { trigger: check });
  for (const verdict of ['PAY', 'HOLD', 'UNKNOWN'] as const) {
    const lines = counts[verdict].count;
    if (lines > 0) count('invoicecontrol.payment_run.lines', { trigger: check, verdict: inWords(verdict) }, lines);
  }
  logger.info(
    {
      ...run,
      source: check,
      rows: counts.PAY.count + counts.HOLD.count + counts.UNKNOWN.count,
      decisions: { pay: counts.PAY.count, hold: counts.HOLD.count, unknown: counts.UNKNOWN.count },
      durationMs: Math.round(durationMs),
    },
    'a payment run was checked',
  );
}

/** Counts a download of the file of a payment run. */
export function paymentFileGiven(content: Verdict | 'REPEAT'): void {
  count('invoicecontrol.payment_run.downloads', { content: inWords(content) });
}

/** Counts a stored release of a line of a payment run. */
export function paymentLineReleased(state: 'COMPLETE' | 'PENDING' | 'CONFIRMED'): void {
  count('invoicecontrol.payment_run.releases', { state: inWords(state) });
}
