import type { Clock } from '@invoicecontrol/runtime/clock';
import { oncePer } from '@invoicecontrol/runtime/once-per';

const HOUR_MS = 3_600_000;
const KEYS_MAX = 10_000;

/**
 * Returns a function that checks whether a key is given to it for the first time within an hour. Callers who read the
 * same data again and again then cause one audit event an hour, because one event for each request would hide other
 * events.
 */
export function onceAnHour(clock: Clock): (key: string) => boolean {
  return oncePer({ periodMs: HOUR_MS, keysMax: KEYS_MAX, nowMs: () => clock.now().getTime() });
}
