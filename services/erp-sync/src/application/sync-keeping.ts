import type { Clock } from '@invoicecontrol/runtime/clock';
import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import type { RunStore, SyncedConnections } from './sync-stores.js';

/** Runs are kept so long after their end. */
const RUN_DAYS_MAX = 90;
const DAY_MS = 24 * 3_600_000;
const STUCK_MAX = 100;

/** Deletes runs that ended long ago, the next thousand each time. */
export const deleteOldRuns =
  ({ runs, clock }: { readonly runs: Pick<RunStore, 'deleteFinishedBefore'>; readonly clock: Clock }) =>
  async (signal: AbortSignal): Promise<void> => {
    const before = new Date(clock.now().getTime() - RUN_DAYS_MAX * DAY_MS);
    while (!signal.aborted && (await runs.deleteFinishedBefore(before)) > 0);
  };

/** Connections that have been due for too long, as the operator is told about them. */
export const stuckRuns =
  ({ connections }: { readonly connections: Pick<SyncedConnections, 'dueBefore'> }) =>
  async (before: Date): Promise<readonly StuckItem[]> =>
    (await connections.dueBefore(before, STUCK_MAX)).map(({ id, organizationId, dueSince, lastError }) => ({
      kind: 'erp_sync',
      what: `ERP connection ${id} of organization ${organizationId}`,
      since: dueSince,
      why: lastError === undefined ? 'no worker has run it' : `${lastError.code}: ${lastError.message}`,
      resolution: 'docs/runbooks/erp-sync.md',
    }));
