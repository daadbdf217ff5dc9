import { count, reportGauges } from '@invoicecontrol/runtime/telemetry';

/** Reports the number of ERP connections whose deletion is unfinished. */
export function reportConnections({ unfinishedDeletions }: { unfinishedDeletions: () => Promise<number> }): () => void {
  return reportGauges(
    {
      'erp.unfinished_deletions': {
        unit: '{connection}',
        description: 'Number of deleted connections whose vendors still count as a master.',
      },
    },
    async () => [{ attributes: {}, values: { 'erp.unfinished_deletions': await unfinishedDeletions() } }],
  );
}

/** Counts a completed import run in the metrics, by its status. */
export function runEnded(provider: string, status: string): void {
  count('erp.runs', { provider, status });
}

type RowCounts = Readonly<Record<'created' | 'updated' | 'unchanged' | 'deleted' | 'failed', number>>;

/** Counts the results for the rows of one stream in a completed import run. */
export function rowsImported(
  provider: string,
  stream: string,
  { created, updated, unchanged, deleted, failed }: RowCounts,
): void {
  for (const [outcome, rows] of Object.entries({ created, updated, unchanged, deleted, failed })) {
    if (rows > 0) count('erp.rows', { provider, stream, outcome: outcome.toUpperCase() }, rows);
  }
}

/** Counts an error that occurred in a completed import run. */
export function faultMet(provider: string, code: string): void {
  count('erp.faults', { provider, code });
}

/** Reports how late the import runs of each ERP are, and the number of runs in this process. */
export function reportRuns({
  lagSeconds,
  underWay,
}: {
  readonly lagSeconds: () => Promise<readonly { readonly provider: string; readonly seconds: number }[]>;
  readonly underWay: () => number;
}): () => void {
  const closeLag = reportGauges(
    {
      'erp.sync_lag': {
        unit: 's',
        description: 'How long the longest-waiting connection has been due for a run.',
      },
    },
    async () =>
      (await lagSeconds()).map(({ provider, seconds }) => ({
        attributes: { provider },
        values: { 'erp.sync_lag': seconds },
      })),
  );
  const closeRuns = reportGauges(
    {
      'erp.runs_under_way': {
        unit: '{run}',
        description: 'Number of runs that this process executes or has queued.',
      },
    },
    async () => [{ attributes: {}, values: { 'erp.runs_under_way': underWay() } }],
  );
  return () => {
    closeLag();
    closeRuns();
  };
}

/** Counts a browser that returned from an OAuth consent. */
export function consentEnded(provider: string, outcome: string): void {
  count('erp.consents', { provider, outcome });
}

/** Counts an OAuth token refresh by result: `refreshed`, or the fault code. */
export function tokensRefreshed(provider: string, outcome: string): void {
  count('erp.token_refreshes', { provider, outcome });
}

/** Counts an OAuth token revocation by result: `revoked`, `failed` (will be retried), or `given_up`. */
export function tokensRevoked(provider: string, outcome: string): void {
  count('erp.token_revocations', { provider, outcome });
}
