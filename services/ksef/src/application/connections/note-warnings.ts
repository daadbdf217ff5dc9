import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { withWarnings } from '../../domain/connection-warnings.js';
import type { SystemWarning } from '../../domain/connection-warnings.js';
import { isSameSecret } from '../../domain/connection.js';
import type { NoteWarnings } from '../ksef-calls.js';
import type { ConnectionStore } from './stores.js';

/**
 * Period in which one process stores a repeated KSeF warning only once, because KSeF sends some warnings with every
 * response.
 */
const REPEATED_AFTER_MS = 60_000;
/**
 * Maximum number of stored KSeF warnings that a process keeps in memory, so that it does not store them again. The
 * oldest warning is dropped first.
 */
export const NOTED_MAX = 10_000;

interface NoteDeps {
  readonly connections: Pick<ConnectionStore, 'find' | 'save'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Stores a warning from KSeF with the KSeF connection that the call was made for. A warning about a secret that was
 * replaced since is dropped.
 */
export function noteWarnings({ connections, clock, logger }: NoteDeps): NoteWarnings {
  const notedAtMs = new Map<string, number>();

  async function store(used: Parameters<NoteWarnings>[0], warnings: readonly SystemWarning[]): Promise<void> {
    const { organizationId, connectionId } = used;
    await retryOnConflict(async () => {
      const current = await connections.find(organizationId, connectionId);
      if (current === undefined || !isSameSecret(current, used)) return;
      const at = clock.now();
      const added = warnings.map((warning) => ({ ...warning, at }));
      await connections.save(current, { warnings: withWarnings(current.warnings ?? [], added) }, []);
    });
  }

  return async (used, warnings) => {
    const nowMs = clock.now().getTime();
    const due = warnings
      .map((warning) => ({ warning, key: JSON.stringify([used.connectionId, used.secretSavedAt, warning]) }))
      .filter(({ key }) => nowMs - (notedAtMs.get(key) ?? -Infinity) >= REPEATED_AFTER_MS);
    if (due.length === 0) return;
    for (const { key } of due) {
      notedAtMs.delete(key);
      notedAtMs.set(key, nowMs);
      const [oldest] = notedAtMs.keys();
      if (notedAtMs.size > NOTED_MAX && oldest !== undefined) notedAtMs.delete(oldest);
    }
    try {
      await store(
        used,
        due.map(({ warning }) => warning),
      );
    } catch (error) {
      for (const { key } of due) notedAtMs.delete(key);
      logger.warn(
        { error, connectionId: used.connectionId },
        'a KSeF warning could not be stored; it is stored when KSeF repeats it',
      );
    }
  };
}
