import { DomainError } from '@invoicecontrol/errors';

/** An event whose handler failed this often becomes a dead letter. */
const DELIVERIES_MAX = 8;
const PAUSE_MS_MAX = 60_000;
/** Longest pause during an outage, so that the waiting events are handled soon after its end. */
const OUTAGE_PAUSE_MS_MAX = 10_000;

/**
 * Returns the pause before an event whose handler failed is delivered again; the pauses grow from delivery to delivery.
 * While a store or another service is unavailable the event is not at fault, however long that lasts.
 * @param deliveries number of deliveries of the event, this one included
 * @param isOutage tells whether an error means that a store is unavailable
 * @returns milliseconds; undefined when the event becomes a dead letter
 */
export function redeliveryPauseMs(
  error: unknown,
  deliveries: number,
  isOutage: (error: unknown) => boolean,
): number | undefined {
  const isUnavailable = isOutage(error) || (error instanceof DomainError && error.kind === 'unavailable');
  if (!isUnavailable && deliveries >= DELIVERIES_MAX) return undefined;
  return Math.min(1000 * 2 ** (deliveries - 1), isUnavailable ? OUTAGE_PAUSE_MS_MAX : PAUSE_MS_MAX);
}
