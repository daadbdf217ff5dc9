import type { Clock } from '@invoicecontrol/runtime/clock';
import { finishDeletion } from './change-connections.js';
import type { DeleteDeps } from './change-connections.js';

/**
 * Minimum age of a deletion of an ERP connection that the sweep completes. The request that began a more recent
 * deletion is still completing it.
 */
const DELETION_AGE_MS_MIN = 10_000;

/**
 * Completes deletions of ERP connections that a crash or an outage interrupted. A failed deletion does not delay the
 * other deletions.
 */
export const finishDeletions =
  (deps: DeleteDeps & { readonly clock: Clock }) =>
  async (signal: AbortSignal): Promise<void> => {
    const before = new Date(deps.clock.now().getTime() - DELETION_AGE_MS_MIN);
    for (const deletion of await deps.connections.unfinishedDeletions(before)) {
      if (signal.aborted) return;
      try {
        await finishDeletion(deps)(deletion);
      } catch (error) {
        deps.logger.warn({ error, connectionId: deletion.id }, 'a deletion could not be finished; it is retried');
      }
    }
  };
