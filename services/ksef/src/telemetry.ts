import type { Logger } from '@invoicecontrol/runtime/logger';
import { count, record, reportGauges } from '@invoicecontrol/runtime/telemetry';
import { inWords } from '@invoicecontrol/runtime/telemetry/in-words';
import { metrics } from '@invoicecontrol/runtime/telemetry/schema';
import type { AttributesOf } from '@invoicecontrol/runtime/telemetry/schema';
import type { AttemptStep } from './domain/attempts.js';
import type { LimitGroup } from './domain/call-limits.js';
import type { Environment } from './domain/connection.js';
import type { RunStatus } from './domain/inbox.js';
import type { Submission, SubmissionStatus, UnfinishedSubmissions } from './domain/submission.js';

/** Counts a call to KSeF with its outcome: `OK`, or what its refusal means. */
export function ksefCalled(
  environment: Environment,
  operation: string,
  outcome: 'OK' | 'TRANSIENT' | 'UNKNOWN' | 'BLOCKED' | 'SESSION' | 'PERMANENT',
): void {
  count('invoicecontrol.ksef.calls', { environment: inWords(environment), operation, outcome: inWords(outcome) });
}

/** Counts a call to KSeF that the ksef service postponed, because the limits of KSeF allow no further call. */
export function ksefCallLimited(environment: Environment, operation: string): void {
  count('invoicecontrol.ksef.limited_calls', { environment: inWords(environment), operation });
}

/**
 * Counts a checked KSeF confirmation of an accepted invoice by result: sealed by a trusted holder, sealed by an unknown
 * holder, or refused.
 */
export function confirmationChecked(environment: Environment, outcome: 'TRUSTED' | 'UNKNOWN_HOLDER' | 'REFUSED'): void {
  count('invoicecontrol.ksef.confirmations', { environment: inWords(environment), outcome: inWords(outcome) });
}

/** Largest used share of each call limit of KSeF since the last export of metrics. */
const sharesUsed = new Map<string, number>();

/** Records the share of a call limit of KSeF that the calls for one taxpayer use. */
export function limitUsed(group: LimitGroup, share: number): void {
  const limit = inWords(group);
  sharesUsed.set(limit, Math.max(share, sharesUsed.get(limit) ?? 0));
}

/** Reports the largest used share of each call limit of KSeF since the last report. */
export function reportLimits(): () => void {
  return reportGauges(['invoicecontrol.limit.used'], async () => {
    const shares = new Map(sharesUsed);
    sharesUsed.clear();
    return metrics['invoicecontrol.limit.used'].attributes.limit.values.map((limit) => ({
      attributes: { limit },
      values: { 'invoicecontrol.limit.used': shares.get(limit) ?? 0 },
    }));
  });
}

type Avoidance = AttributesOf<'invoicecontrol.duplicates_prevented'>['how'];

/** Counts each time that the ksef service avoided submitting an invoice to KSeF twice. */
export function duplicatePrevented(how: Uppercase<Avoidance>): void {
  count('invoicecontrol.duplicates_prevented', { how: inWords(how) });
}

/** Writes the log line of a call that a KSeF submission needed. The line has no number or name of the invoice. */
export function stepEnded(
  logger: Logger,
  {
    submission,
    step,
    status,
    now,
  }: {
    readonly submission: Pick<Submission, 'id' | 'organizationId' | 'connectionId' | 'invoiceId' | 'environment'>;
    readonly step: AttemptStep;
    readonly status: SubmissionStatus;
    readonly now: Date;
  },
): void {
  const { id: submissionId, organizationId, connectionId, invoiceId, environment } = submission;
  logger.info(
    {
      organizationId,
      submissionId,
      connectionId,
      invoiceId,
      environment: inWords(environment),
      step: step.name,
      code: step.code,
      status: inWords(status),
      durationMs: now.getTime() - step.at.getTime(),
    },
    'a step of a submission ended',
  );
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

/** Counts a completed KSeF inbox run in the metrics. */
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

/** Reports by how many seconds the ksef service is late with processing KSeF inboxes. */
export function reportInboxes({ lagSeconds }: { readonly lagSeconds: () => Promise<number> }): () => void {
  return reportGauges(['invoicecontrol.jobs.oldest_age'], async () => [
    {
      attributes: { 'job.name': 'inboxes' as const },
      values: { 'invoicecontrol.jobs.oldest_age': await lagSeconds() },
    },
  ]);
}

/**
 * Reports how many KSeF submissions have remaining work, how many of them were sent without a result, and by how many
 * seconds the ksef service is late with processing them.
 */
export function reportSubmissions({
  summarizeUnfinished,
  lagSeconds,
  now,
}: {
  readonly summarizeUnfinished: () => Promise<UnfinishedSubmissions>;
  readonly lagSeconds: () => Promise<number>;
  readonly now: () => Date;
}): () => void {
  // The two metrics about KSeF submissions that are reported together are computed from the same summary.
  let reading: Promise<UnfinishedSubmissions> | undefined;
  const summarize = (): Promise<UnfinishedSubmissions> =>
    (reading ??= summarizeUnfinished().finally(() => (reading = undefined)));
  const closeCounts = reportGauges(['invoicecontrol.submissions.unfinished'], async () => {
    const { byStatus } = await summarize();
    return metrics['invoicecontrol.submissions.unfinished'].attributes.status.values.map((status) => ({
      attributes: { status },
      values: {
        'invoicecontrol.submissions.unfinished': byStatus[status.toUpperCase() as SubmissionStatus] ?? 0,
      },
    }));
  });
  const closeUnknown = reportGauges(
    ['invoicecontrol.submissions.unknown', 'invoicecontrol.submissions.unknown_age', 'invoicecontrol.sessions.open'],
    async () => {
      const { unknown, openSessions } = await summarize();
      const age = unknown.since === undefined ? 0 : (now().getTime() - unknown.since.getTime()) / 1_000;
      return [
        {
          attributes: {},
          values: {
            'invoicecontrol.submissions.unknown': unknown.count,
            'invoicecontrol.submissions.unknown_age': Math.max(0, age),
            'invoicecontrol.sessions.open': openSessions,
          },
        },
      ];
    },
  );
  const closeLag = reportGauges(['invoicecontrol.jobs.oldest_age'], async () => [
    {
      attributes: { 'job.name': 'submissions' as const },
      values: { 'invoicecontrol.jobs.oldest_age': await lagSeconds() },
    },
  ]);
  return () => {
    closeCounts();
    closeUnknown();
    closeLag();
  };
}
