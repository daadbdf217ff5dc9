import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { KeyRing } from '@invoicecontrol/secretbox/key-ring';
import { finishDeletion } from './change-connections.js';
import type { DeleteDeps } from './change-connections.js';
import type { ConnectionSecrets } from './secrets.js';
import { secretFields } from './stores.js';
import type { SealedConnections } from './stores.js';

/** Younger deletions are still in the hands of the request. */
const DELETION_AGE_MS_MIN = 10_000;
const REWRAPPED_AT_ONCE = 100;

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

/**
 * Wraps secrets that an older key has sealed with the newest one, and says when none is left: then the older key may leave
 * the ring. Says as well when another replica seals with a key that this one lacks.
 */
export const rewrapSecrets = ({
  connections,
  secrets,
  ring,
  forgetKey,
  logger,
}: {
  connections: SealedConnections;
  secrets: Pick<ConnectionSecrets, 'rewrap'>;
  ring: KeyRing;
  /** Removes the canary of a key that seals nothing any more. */
  forgetKey: (keyId: string) => Promise<void>;
  logger: Logger;
}): (() => Promise<void>) => {
  const [, ...older] = ring;
  const lastLeft = new Map<string, number>();
  let lastUnopenable = 0;
  return async () => {
    const unopenable = await connections.countSealedWithOthers(ring.map(({ id }) => id));
    if (unopenable > 0 && unopenable !== lastUnopenable) {
      logger.error(
        { connections: unopenable },
        'secrets of connections are sealed with a key that SECRETBOX_KEYS lacks',
      );
    }
    lastUnopenable = unopenable;
    for (const { id: keyId } of older) {
      for (const owner of await connections.sealedWith(keyId, REWRAPPED_AT_ONCE)) {
        for (const field of secretFields) {
          const before = owner.secrets[field];
          if (before?.keyId !== keyId) continue;
          await connections.replaceSealed(owner.id, field, before, secrets.rewrap(owner, field, before));
        }
      }
      const left = await connections.countSealedWith(keyId);
      // Counted again and again: a replica that has not got the newer key yet seals with the older one.
      if (left === lastLeft.get(keyId)) continue;
      lastLeft.set(keyId, left);
      logger.info({ keyId, left }, 'connections whose secrets an older key has sealed');
      if (left === 0) await forgetKey(keyId);
    }
  };
};
