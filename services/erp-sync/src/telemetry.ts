import { count, record, reportGauges } from '@invoicecontrol/runtime/telemetry';
import { inWords } from '@invoicecontrol/runtime/telemetry/in-words';
import { providerWords } from '@invoicecontrol/runtime/telemetry/schema';
import type { AttributesOf } from '@invoicecontrol/runtime/telemetry/schema';
import type { FaultCode } from './domain/faults.js';
import type { ProviderCode } from './domain/provider-code.js';
import type { RunStatus } from './domain/run.js';
import type { StreamName } from './domain/streams.js';

/** Reports the number of ERP connections by status, and the number of ERP connections whose deletion is unfinished. */
export function reportConnections({
  unfinishedDeletions,
  countByStatus,
}: {
  readonly unfinishedDeletions: () => Promise<number>;
  readonly countByStatus: () => Promise<
    readonly { readonly provider: string; readonly status: string; readonly count: number }[]
  >;
}): () => void {
  const closeDeletions = reportGauges(['invoicecontrol.connections.deletions_unfinished'], async () => [
    { attributes: {}, values: { 'invoicecontrol.connections.deletions_unfinished': await unfinishedDeletions() } },
  ]);
  const closeConnections = reportGauges(['invoicecontrol.connections'], async () => {
    const counted = await countByStatus();
    return Object.entries(providerWords).flatMap(([code, provider]) =>
      (['PENDING', 'CONNECTED', 'ERROR'] as const).map((status) => {
        const found = counted.find((one) => one.provider === code && one.status === status);
        return {
          attributes: { provider, status: inWords(status) },
          values: { 'invoicecontrol.connections': found?.count ?? 0 },
        };
      }),
    );
  });
  return () => {
    closeDeletions();
    closeConnections();
  };
}

const outcomes = {
  SUCCEEDED: 'complete',
  PARTIAL: 'partial',
  FAILED: 'failed',
  CANCELED: 'canceled',
} as const satisfies Record<Exclude<RunStatus, 'RUNNING'>, string>;

/** Counts a completed import run in the metrics, by its status. */
export function runEnded(
  code: ProviderCode,
  status: keyof typeof outcomes,
  { seconds, throttledMs }: { readonly seconds: number; readonly throttledMs: number },
): void {
  const provider = providerWords[code];
  count('invoicecontrol.runs', { provider, outcome: outcomes[status] });
  record('invoicecontrol.run.duration', seconds, { provider });
  if (throttledMs > 0) count('invoicecontrol.run.throttled', { provider }, throttledMs / 1_000);
}

type RowCounts = Readonly<Record<'created' | 'updated' | 'unchanged' | 'deleted' | 'failed', number>>;

const streamWords = {
  vendors: 'vendors',
  bankAccounts: 'bank_accounts',
  bills: 'bills',
  creditNotes: 'credit_notes',
  payments: 'payments',
  orders: 'orders',
} as const satisfies Record<StreamName, string>;

/** Counts the results for the rows of one ERP stream in a completed import run. */
export function rowsImported(code: ProviderCode, name: StreamName, counts: RowCounts): void {
  const provider = providerWords[code];
  const stream = streamWords[name];
  for (const outcome of ['created', 'updated', 'unchanged', 'deleted', 'failed'] as const) {
    if (counts[outcome] > 0) count('invoicecontrol.rows', { provider, stream, outcome }, counts[outcome]);
  }
}

/** Counts an error that occurred in a completed import run. */
export function faultMet(provider: ProviderCode, code: FaultCode): void {
  count('invoicecontrol.run.faults', { provider: providerWords[provider], code: inWords(code) });
}

/** Reports how late the import runs of each ERP are, and the number of import runs in this process. */
export function reportRuns({
  lagSeconds,
  underWay,
}: {
  readonly lagSeconds: () => Promise<readonly { readonly provider: ProviderCode; readonly seconds: number }[]>;
  readonly underWay: () => number;
}): () => void {
  const closeLag = reportGauges(['invoicecontrol.connection.lag'], async () =>
    (await lagSeconds()).map(({ provider, seconds }) => ({
      attributes: { provider: providerWords[provider] },
      values: { 'invoicecontrol.connection.lag': seconds },
    })),
  );
  const closeRuns = reportGauges(['invoicecontrol.runs.active'], async () => [
    { attributes: {}, values: { 'invoicecontrol.runs.active': underWay() } },
  ]);
  return () => {
    closeLag();
    closeRuns();
  };
}

/** Counts a browser that returned from an OAuth consent. */
export function consentEnded(
  provider: ProviderCode,
  outcome: AttributesOf<'invoicecontrol.consents'>['outcome'],
): void {
  count('invoicecontrol.consents', { provider: providerWords[provider], outcome });
}

/** Counts an OAuth token refresh by result: `refreshed`, or the fault code. */
export function tokensRefreshed(provider: ProviderCode, outcome: string): void {
  count('invoicecontrol.token.refresh', { provider: providerWords[provider], outcome: inWords(outcome) });
}

/** Counts an OAuth token revocation by result: `revoked`, `failed` (will be retried), or `given_up`. */
export function tokensRevoked(provider: ProviderCode, outcome: 'revoked' | 'failed' | 'given_up'): void {
  count('invoicecontrol.token.revocations', { provider: providerWords[provider], outcome });
}
