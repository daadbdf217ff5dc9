import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RunStore } from './sync-stores.js';

/** Number of days for which completed ERP import runs are kept. */
const RUN_DAYS_MAX = 90;
const DAY_MS = 24 * 3_600_000;

/** Deletes ERP import runs that were completed long ago, up to a thousand in each call. */
export const deleteOldRuns =
  ({ runs, clock }: { readonly runs: Pick<RunStore, 'deleteFinishedBefore'>; readonly clock: Clock }) =>
  async (signal: AbortSignal): Promise<void> => {
    const before = new Date(clock.now().getTime() - RUN_DAYS_MAX * DAY_MS);
    while (!signal.aborted && (await runs.deleteFinishedBefore(before)) > 0);
  };
