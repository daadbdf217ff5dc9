import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import type { SyncedConnections } from './sync-stores.js';

const STUCK_MAX = 100;

/** Notifies the operator of ERP connections that have been due for too long. */
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
