import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { ErpFault } from '../domain/faults.js';
import type { AccessTokens } from './access-tokens.js';
import type { ConnectionTokenStore, ConsentedConnections } from './consent-stores.js';

export interface RefreshDeps {
  readonly tokens: Pick<ConnectionTokenStore, 'dueForRefresh' | 'stopRefreshing'>;
  readonly access: Pick<AccessTokens, 'refresh'>;
  readonly connections: Pick<ConsentedConnections, 'endAccess'>;
  readonly refreshMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum number of ERP connections that one run of the refresh job handles. */
const CONNECTIONS_MAX = 100;
/** Maximum number of ERP connections with failed token refreshes that one process keeps in memory. */
const WAITING_MAX = 1_000;
const BACKOFF_MS = 60_000;
const BACKOFF_MS_MAX = 3_600_000;

/**
 * Refreshes OAuth tokens that have not been refreshed for a day, because tokens of paused connections would otherwise
 * expire. In this process, the delay for a failing connection increases with each failure.
 */
export function refreshTokens({
  tokens,
  access,
  connections,
  refreshMs,
  clock,
  logger,
}: RefreshDeps): (signal: AbortSignal) => Promise<void> {
  const waiting = new Map<string, { readonly failures: number; readonly until: number }>();
  return async (signal) => {
    const before = new Date(clock.now().getTime() - refreshMs);
    for (const [id, { until }] of waiting) {
      // Retry entries of ERP connections that were deleted, or that another process handles, are removed.
      if (until + BACKOFF_MS_MAX < performance.now() || waiting.size > WAITING_MAX) waiting.delete(id);
    }
    const later = [...waiting].flatMap(([id, { until }]) => (until > performance.now() ? [id] : []));
    const due = await tokens.dueForRefresh(before, later, CONNECTIONS_MAX);
    for (const holder of due) {
      if (signal.aborted) return;
      try {
        await access.refresh(holder);
        waiting.delete(holder.id);
      } catch (error) {
        const { id: connectionId, provider } = holder;
        const failures = (waiting.get(connectionId)?.failures ?? 0) + 1;
        const pauseMs = Math.min(BACKOFF_MS * 2 ** (failures - 1), BACKOFF_MS_MAX);
        waiting.set(connectionId, { failures, until: performance.now() + pauseMs });
        logger.warn({ error, connectionId, provider, failures }, 'tokens could not be refreshed');
        if (error instanceof ErpFault && error.needsAPerson) {
          await connections.endAccess(holder, { code: error.code, message: error.message });
          await tokens.stopRefreshing(holder);
          waiting.delete(connectionId);
        }
      }
    }
  };
}
