import type { Clock } from '@invoicecontrol/runtime/clock';

const EACH_MS = 3_600_000;
/** Maximum number of keys for which the last time is kept. The oldest key is removed first, and then counts as new. */
const KEYS_MAX = 10_000;

/**
 * Returns a function that tells whether a key has not occurred for an hour. It limits the audit events of callers who
 * read the same thing again and again, because one event per request would hide other events.
 */
export function onceAnHour(clock: Clock): (key: string) => boolean {
  const lastAtMs = new Map<string, number>();
  return (key) => {
    const nowMs = clock.now().getTime();
    if (nowMs - (lastAtMs.get(key) ?? -Infinity) < EACH_MS) return false;
    const [oldest] = lastAtMs.keys();
    if (lastAtMs.size >= KEYS_MAX && oldest !== undefined) lastAtMs.delete(oldest);
    lastAtMs.delete(key);
    lastAtMs.set(key, nowMs);
    return true;
  };
}
