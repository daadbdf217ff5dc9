import type { ServerHeartbeatSucceededEvent } from 'mongodb';
import type { SilenceWatch } from '../silence-watch.js';

/** Interval at which each server of the database is checked; the driver allows no shorter one. */
export const HEARTBEAT_EACH_MS = 500;
/** A database whose primary was not heard of for this long is silent. With the time between two looks below three seconds. */
export const SILENT_AFTER_MS = 2_200;
const LOOK_EACH_MS = 100;

export interface DatabaseSilence extends SilenceWatch {
  hearHeartbeat(event: Pick<ServerHeartbeatSucceededEvent, 'reply'>): void;
  /** The primary has responded to a command. */
  hearReply(): void;
  stop(): void;
}

/**
 * Watches whether the primary of the database responds: to commands, or to the heartbeats that the driver sends over connections
 * of their own, which get a response however long the running commands take. Silent means a stopped process, a network
 * that loses everything, a refused connection, and a set without a primary; not a database that is busy and responds late.
 *
 * Time in which this process itself stood still does not count: nothing could be heard in it.
 */
export function watchSilence(): DatabaseSilence {
  const waiting = new Set<() => void>();
  /** Undefined before the first response; a load balancer sends none, and is never taken for silent. */
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
