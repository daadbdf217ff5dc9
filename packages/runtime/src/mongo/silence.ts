import type { ServerHeartbeatSucceededEvent } from 'mongodb';
import type { SilenceWatch } from '../silence-watch.js';

/** Interval at which the MongoDB driver checks each server of the database. The driver allows no shorter one. */
export const HEARTBEAT_EACH_MS = 500;
/**
 * Time without a response of the primary after which the database counts as silent. Together with the check interval it
 * is below three seconds.
 */
export const SILENT_AFTER_MS = 2_200;
const LOOK_EACH_MS = 100;

export interface DatabaseSilence extends SilenceWatch {
  hearHeartbeat(event: Pick<ServerHeartbeatSucceededEvent, 'reply'>): void;
  /** Function to call when the primary database server has responded to a command. */
  hearReply(): void;
  stop(): void;
}

/**
 * Watches whether the primary of the database responds: to commands, or to the heartbeats of the driver. Heartbeats
 * have separate connections, so they get a response even while commands run for a long time. A database is silent if
 * its process is stopped, the network loses everything, connections are refused, or the replica set has no primary. A
 * busy database that responds late is not silent. Time during which this process itself was stopped is not counted,
 * because it could not receive responses.
 */
export function watchSilence(): DatabaseSilence {
  const waiting = new Set<() => void>();
  /**
   * Time since the last heartbeat response of the database. Undefined before the first one. A load balancer sends no
   * heartbeat responses, so it never counts as silent.
   */
  let unheardMs: number | undefined;
  let lookedAt = performance.now();
  const isSilent = (): boolean => (unheardMs ?? 0) > SILENT_AFTER_MS;

  const looking = setInterval(() => {
    const now = performance.now();
    if (unheardMs !== undefined) unheardMs += Math.min(now - lookedAt, 2 * LOOK_EACH_MS);
    lookedAt = now;
    if (!isSilent()) return;
    for (const tell of waiting) tell();
    waiting.clear();
  }, LOOK_EACH_MS);
  looking.unref();

  return {
    isSilent,
    whenSilent(tell) {
      waiting.add(tell);
      return () => waiting.delete(tell);
    },
    hearHeartbeat({ reply }) {
      const { isWritablePrimary, ismaster } = reply as { isWritablePrimary?: boolean; ismaster?: boolean };
      if (isWritablePrimary === true || ismaster === true) unheardMs = 0;
    },
    hearReply() {
      if (unheardMs !== undefined) unheardMs = 0;
    },
    stop: () => clearInterval(looking),
  };
}
