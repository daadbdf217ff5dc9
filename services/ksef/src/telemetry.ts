import { count, record, reportGauges } from '@invoicecontrol/runtime/telemetry';
import { inWords } from '@invoicecontrol/runtime/telemetry/in-words';
import type { Environment } from './domain/connection.js';
import type { RunStatus } from './domain/inbox.js';
import type { SubmissionStatus } from './domain/submission.js';

/** Counts a call to KSeF with its outcome: `OK`, or what its refusal means. */
export function ksefCalled(
  environment: Environment,
  operation: string,
  outcome: 'OK' | 'TRANSIENT' | 'UNKNOWN' | 'BLOCKED' | 'SESSION' | 'PERMANENT',
): void {
  count('invoicecontrol.ksef.calls', { environment: inWords(environment), operation, outcome: inWords(outcome) });
}

/** Counts a call of KSeF that was put off, because the limits of KSeF leave no place for it. */
export function ksefCallLimited(environment: Environment, operation: string): void {
  count('invoicecontrol.ksef.limited_calls', { environment: inWords(environment), operation });
}

/**
 * Counts a checked confirmation of an accepted invoice by result: sealed by a trusted holder, sealed by an unknown
 * holder, or refused.
 */
export function confirmationChecked(environment: Environment, outcome: 'TRUSTED' | 'UNKNOWN_HOLDER' | 'REFUSED'): void {
  count('invoicecontrol.ksef.confirmations', { environment: inWords(environment), outcome: inWords(outcome) });
}

/** Counts a KSeF submission that reached a final state. */
export function submissionEnded(status: 'ACCEPTED' | 'REJECTED' | 'FAILED', seconds: number): void {
  const state = inWords(status);
  count('invoicecontrol.submissions', { state });
  record('invoicecontrol.submission.duration', Math.max(0, seconds), { state });
}

const runOutcomes = { SUCCEEDED: 'complete', PARTIAL: 'partial', FAILED: 'failed' } as const satisfies Record<
  Exclude<RunStatus, 'RUNNING'>,
  string
>;

/** Counts a completed inbox run in the metrics. */
export function inboxRunEnded(environment: Environment, role: string, status: RunStatus): void {
  if (status === 'RUNNING') return;
  count('invoicecontrol.inbox.runs', {
    environment: inWords(environment),
    role: inWords(role),
    outcome: runOutcomes[status],
  });
}

/** Counts an invoice of a KSeF inbox by outcome: received for the first time, received before, or refused. */
export function inboxInvoice(environment: Environment, outcome: 'RECEIVED' | 'REPEATED' | 'REFUSED'): void {
  count('invoicecontrol.inbox.invoices', { environment: inWords(environment), outcome: inWords(outcome) });
}

/** Reports by how many seconds this service is late with processing inboxes. */
export function reportInboxes({ lagSeconds }: { readonly lagSeconds: () => Promise<number> }): () => void {
  return reportGauges(['invoicecontrol.jobs.oldest_age'], async () => [
    {
      attributes: { 'job.name': 'inboxes' as const },
      values: { 'invoicecontrol.jobs.oldest_age': await lagSeconds() },
    },
  ]);
}

/**
 * Reports how many submissions have remaining work, and by how many seconds this service is late with processing them.
 */
export function reportSubmissions({
  countUnfinished,
  lagSeconds,
}: {
  readonly countUnfinished: () => Promise<Readonly<Partial<Record<SubmissionStatus, number>>>>;
  readonly lagSeconds: () => Promise<number>;
}): () => void {
  const closeCounts = reportGauges(['invoicecontrol.submissions.unfinished'], async () =>
    (Object.entries(await countUnfinished()) as [SubmissionStatus, number][]).map(([status, submissions]) => ({
      attributes: { status: inWords(status) },
      values: { 'invoicecontrol.submissions.unfinished': submissions },
    })),
  );
  const closeLag = reportGauges(['invoicecontrol.jobs.oldest_age'], async () => [
    {
      attributes: { 'job.name': 'submissions' as const },
      values: { 'invoicecontrol.jobs.oldest_age': await lagSeconds() },
    },
  ]);
  return () => {
    closeCounts();
    closeLag();
  };
}
