import { count, reportGauges } from '@invoicecontrol/runtime/telemetry';

/**
 * Counts a checked confirmation of an accepted invoice by result: sealed by a trusted holder, sealed by an unknown
 * holder, or refused.
 */
export function confirmationChecked(environment: string, outcome: 'TRUSTED' | 'UNKNOWN_HOLDER' | 'REFUSED'): void {
  count('ksef.confirmations', { environment, outcome });
}

/** Counts a completed inbox run in the metrics. */
export function inboxRunEnded(environment: string, role: string, status: string): void {
  count('ksef.inbox_runs', { environment, role, status });
}

/** Counts an invoice of a KSeF inbox by outcome: received for the first time, received before, or refused. */
export function inboxInvoice(environment: string, outcome: 'RECEIVED' | 'REPEATED' | 'REFUSED'): void {
  count('ksef.inbox_invoices', { environment, outcome });
}

/** Reports by how many seconds this service is late with processing inboxes. */
export function reportInboxes({ lagSeconds }: { readonly lagSeconds: () => Promise<number> }): () => void {
  return reportGauges(
    {
      'ksef.inbox_lag': { unit: 's', description: 'How long the longest-waiting inbox has been due.' },
    },
    async () => [{ attributes: {}, values: { 'ksef.inbox_lag': await lagSeconds() } }],
  );
}

/**
 * Reports how many submissions have remaining work, and by how many seconds this service is late with processing them.
 */
export function reportSubmissions({
  countUnfinished,
  lagSeconds,
}: {
  readonly countUnfinished: () => Promise<Readonly<Partial<Record<string, number>>>>;
  readonly lagSeconds: () => Promise<number>;
}): () => void {
  const closeCounts = reportGauges(
    {
      'ksef.unfinished_submissions': {
        unit: '{submission}',
        description: 'Number of unfinished submissions: those still to be sent, polled, closed or confirmed.',
      },
    },
    async () =>
      Object.entries(await countUnfinished()).map(([status, count = 0]) => ({
        attributes: { status },
        values: { 'ksef.unfinished_submissions': count },
      })),
  );
  const closeLag = reportGauges(
    {
      'ksef.submission_lag': {
        unit: 's',
        description: 'How long the longest-waiting submission has been due.',
      },
    },
    async () => [{ attributes: {}, values: { 'ksef.submission_lag': await lagSeconds() } }],
  );
  return () => {
    closeCounts();
    closeLag();
  };
}
