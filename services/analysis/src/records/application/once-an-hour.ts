import type { Clock } from '@invoicecontrol/runtime/clock';
import { oncePer } from '@invoicecontrol/runtime/once-per';

const HOUR_MS = 3_600_000;
const KEYS_MAX = 10_000;

/**
 * Returns a function that tells whether a key has not occurred for an hour. It limits the audit events of callers who
 * read the same thing again and again, because one event per request would hide other events.
 */
export function onceAnHour(clock: Clock): (key: string) => boolean {
  return oncePer({ periodMs: HOUR_MS, keysMax: KEYS_MAX, nowMs: () => clock.now().getTime() });
}
