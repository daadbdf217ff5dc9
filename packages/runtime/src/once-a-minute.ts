import { oncePer } from './once-per.js';

const MINUTE_MS = 60_000;
/** Maximum number of keys for which the last time is kept, far more than there are pairs of services and rpcs. */
const KEYS_MAX = 1_000;

/**
 * Returns a function that returns true for each key at most once a minute, for log lines that could otherwise repeat
 * endlessly.
 */
export function onceAMinute(nowMs: () => number = () => performance.now()): (key: string) => boolean {
  return oncePer({ periodMs: MINUTE_MS, keysMax: KEYS_MAX, nowMs });
}
