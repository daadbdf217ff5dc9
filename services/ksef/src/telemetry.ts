import { count, reportGauges } from '@invoicecontrol/runtime/telemetry';

/** A confirmation of an accepted invoice was checked: its seal is of a trusted holder, of one that nobody named, or it is refused. */
export function confirmationChecked(environment: string, outcome: 'TRUSTED' | 'UNKNOWN_HOLDER' | 'REFUSED'): void {
  count('ksef.confirmations', { environment, outcome });
}

/** A run of an inbox ended. */
export function inboxRunEnded(environment: string, role: string, status: string): void {
  count('ksef.inbox_runs', { environment, role, status });
}

/** An invoice of an inbox was new, or received before, or is not stored. */
export function inboxInvoice(environment: string, outcome: 'RECEIVED' | 'REPEATED' | 'REFUSED'): void {
  count('ksef.inbox_invoices', { environment, outcome });
}

/** Reports how late this service is with inboxes. */
export function reportInboxes({ lagSeconds }: { readonly lagSeconds: () => Promise<number> }): () => void {
  return reportGauges(
    {
      'ksef.inbox_lag': { unit: 's', description: 'Time for which the inbox that has waited longest has been due.' },
    },
    async () => [{ attributes: {}, values: { 'ksef.inbox_lag': await lagSeconds() } }],
  );
}

/** Reports how many submissions have something left to do, and how late this service is with them. */
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
        description: 'Number of submissions that are not finished: still to be sent, followed, closed or confirmed.',
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
        description: 'Time for which the submission that has waited longest has been due.',
      },
    },
    async () => [{ attributes: {}, values: { 'ksef.submission_lag': await lagSeconds() } }],
  );
  return () => {
    closeCounts();
    closeLag();
  };
}
