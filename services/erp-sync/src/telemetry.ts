import { count, reportGauges } from '@invoicecontrol/runtime/telemetry';

/** Reports deletions that are not finished, and which keys seal secrets. */
export function reportConnections({
  unfinishedDeletions,
  secretsOfKey,
  unopenable,
  keyIds,
}: {
  unfinishedDeletions: () => Promise<number>;
  /** Connections with a secret that this key seals. */
  secretsOfKey: (keyId: string) => Promise<number>;
  /** Connections with a secret under a key that this process lacks. */
  unopenable: () => Promise<number>;
  keyIds: readonly string[];
}): () => void {
  const closeConnections = reportGauges(
    {
      'erp.unfinished_deletions': {
        unit: '{connection}',
        description: 'Deleted connections whose vendors still count as a master.',
      },
      'erp.unopenable_connections': {
        unit: '{connection}',
        description: 'Connections with a secret under a key that this process lacks.',
      },
    },
    async () => [
      {
        attributes: {},
        values: {
          'erp.unfinished_deletions': await unfinishedDeletions(),
          'erp.unopenable_connections': await unopenable(),
        },
      },
    ],
  );
  const closeSecrets = reportGauges(
    { 'erp.sealed_connections': { unit: '{connection}', description: 'Connections with a secret under the key.' } },
    () =>
      Promise.all(
        keyIds.map(async (keyId) => ({
          attributes: { key_id: keyId },
          values: { 'erp.sealed_connections': await secretsOfKey(keyId) },
        })),
      ),
  );
  return () => {
    closeConnections();
    closeSecrets();
  };
}

/** A run ended. */
export function runEnded(provider: string, status: string): void {
  count('erp.runs', { provider, status });
}

type RowCounts = Readonly<Record<'created' | 'updated' | 'unchanged' | 'deleted' | 'failed', number>>;

/** What became of the rows of one stream of a run that ended. */
export function rowsImported(
  provider: string,
  stream: string,
  { created, updated, unchanged, deleted, failed }: RowCounts,
): void {
  for (const [outcome, rows] of Object.entries({ created, updated, unchanged, deleted, failed })) {
    if (rows > 0) count('erp.rows', { provider, stream, outcome: outcome.toUpperCase() }, rows);
  }
}

/** An error of a run that ended. */
export function faultMet(provider: string, code: string): void {
  count('erp.faults', { provider, code });
}

/** Reports how late the runs of each ERP are, and how many this process does. */
export function reportRuns({
  lagSeconds,
  underWay,
}: {
  readonly lagSeconds: () => Promise<readonly { readonly provider: string; readonly seconds: number }[]>;
  readonly underWay: () => number;
}): () => void {
  const closeLag = reportGauges(
    { 'erp.sync_lag': { unit: 's', description: 'How long the longest waiting connection has been due for a run.' } },
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
        description: 'Runs that this process does, or that wait for their turn in it.',
      },
    },
    async () => [{ attributes: {}, values: { 'erp.runs_under_way': underWay() } }],
  );
  return () => {
    closeLag();
    closeRuns();
  };
}
