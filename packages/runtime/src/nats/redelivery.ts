import { DomainError } from '@invoicecontrol/errors';
import { isOutage } from '../outage.js';

/** An event that failed so often through its own fault is put aside. */
const DELIVERIES_MAX = 8;
const PAUSE_MS_MAX = 60_000;
/** What was away comes back at some moment, and then everything that waits for it should not wait long. */
const OUTAGE_PAUSE_MS_MAX = 10_000;

/**
 * How long an event pauses whose handler failed; the pauses grow from delivery to delivery. An outage of a store or of
 * another service says nothing against the event, however long it lasts.
 * @param deliveries how often the event was delivered, this time included
 * @returns milliseconds; undefined when the event is to be put aside as a dead letter
 */
export function pauseAfter(error: unknown, deliveries: number): number | undefined {
  const isAway = isOutage(error) || (error instanceof DomainError && error.kind === 'unavailable');
  if (!isAway && deliveries >= DELIVERIES_MAX) return undefined;
  return Math.min(1000 * 2 ** (deliveries - 1), isAway ? OUTAGE_PAUSE_MS_MAX : PAUSE_MS_MAX);
}
