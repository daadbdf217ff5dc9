import type { Clock } from '@invoicecontrol/runtime/clock';
import { finishDeletion } from './change-connections.js';
import type { DeleteDeps } from './change-connections.js';
import type { ConnectionSecrets } from './secrets.js';
import { secretFields } from './stores.js';
import type { SealedConnections, SealedSecrets } from './stores.js';

/** Younger deletions are still in the hands of the request. */
const DELETION_AGE_MS_MIN = 10_000;

/** Finishes deletions that a crash or an outage interrupted; one that fails does not hold up the others. */
export const finishDeletions =
  (deps: DeleteDeps & { readonly clock: Clock }) =>
  async (signal: AbortSignal): Promise<void> => {
    const before = new Date(deps.clock.now().getTime() - DELETION_AGE_MS_MIN);
    for (const deletion of await deps.connections.unfinishedDeletions(before)) {
      if (signal.aborted) return;
      try {
        await finishDeletion(deps)(deletion);
      } catch (error) {
        deps.logger.warn({ error, connectionId: deletion.id }, 'a deletion could not be finished; it is repeated');
      }
    }
  };

/** Seals the secrets of a connection that this key seals under the newest one; one that was changed meanwhile stays. */
export const rewrapConnection =
  ({
    connections,
    secrets,
  }: {
    connections: Pick<SealedConnections, 'replaceSealed'>;
    secrets: Pick<ConnectionSecrets, 'rewrap'>;
  }) =>
  async (owner: SealedSecrets, keyId: string): Promise<void> => {
    for (const field of secretFields) {
      const before = owner.secrets[field];
      if (before?.keyId !== keyId) continue;
      await connections.replaceSealed(owner.id, field, before, secrets.rewrap(owner, field, before));
    }
  };
