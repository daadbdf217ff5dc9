import type { Clock } from '@invoicecontrol/runtime/clock';
import { finishDeletion } from './change-endpoints.js';
import type { EndpointDeps } from './change-endpoints.js';
import type { Deliveries, Endpoints, Events } from './stores.js';

const DAY_MS = 24 * 3_600_000;
const CLOSED_KEPT_MS = 30 * DAY_MS;
/**
 * Retention of webhook events, longer than the retention of webhook deliveries, because a replay of a delivery needs
 * its event.
 */
const EVENTS_KEPT_MS = 35 * DAY_MS;
const EXCERPTS_KEPT_MS = 7 * DAY_MS;
/** Retention of deleted webhooks, longer than the retention of their deliveries. */
const ENDPOINTS_KEPT_MS = 35 * DAY_MS;
/**
 * Minimum age of a webhook deletion that the sweep finishes. The request that began a more recent deletion is still
 * completing it.
 */
const DELETION_AGE_MS_MIN = 30_000;

/** Maximum number of expired webhook records that one command deletes. */
const DELETED_AT_ONCE = 1_000;

interface DeleteOldDeps {
  readonly deliveries: Pick<Deliveries, 'deleteExcerptsBefore' | 'deleteClosedBefore'>;
  readonly events: Pick<Events, 'deleteBefore'>;
  readonly endpoints: Pick<Endpoints, 'deleteDeletedBefore'>;
  readonly clock: Clock;
}

/**
 * Deletes expired events, deliveries and webhooks in batches, because a single command for all of them would delay the
 * webhook deliveries.
 */
export const deleteOld =
  ({ deliveries, events, endpoints, clock }: DeleteOldDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    const now = clock.now().getTime();
    const deleteAll = async (keptMs: number, deleteSome: (before: Date, limit: number) => Promise<number>) => {
      const before = new Date(now - keptMs);
      while (!signal.aborted && (await deleteSome(before, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
    };
    await deleteAll(EXCERPTS_KEPT_MS, deliveries.deleteExcerptsBefore);
    await deleteAll(CLOSED_KEPT_MS, deliveries.deleteClosedBefore);
    await deleteAll(EVENTS_KEPT_MS, events.deleteBefore);
    await deleteAll(ENDPOINTS_KEPT_MS, endpoints.deleteDeletedBefore);
  };

/** Finishes deletions of webhooks that a crash interrupted. */
export const finishDeletions =
  (deps: Pick<EndpointDeps, 'endpoints' | 'places' | 'deliveries' | 'clock'>) => async (): Promise<void> => {
    const before = new Date(deps.clock.now().getTime() - DELETION_AGE_MS_MIN);
    for (const deletion of await deps.endpoints.unfinishedDeletions(before)) await finishDeletion(deps)(deletion);
  };
