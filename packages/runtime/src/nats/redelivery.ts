import { DomainError } from '@invoicecontrol/errors';

/** Number of failed attempts after which an event becomes a dead letter. */
const DELIVERIES_MAX = 8;
const PAUSE_MS_MAX = 60_000;
/**
 * Maximum delay between two deliveries of an event during an outage, so that waiting events are handled soon after the
 * outage ends.
 */
const OUTAGE_PAUSE_MS_MAX = 10_000;

/**
 * Returns the delay before an event whose handler failed is delivered again. The delays increase with each delivery.
 * While a database or another service is unavailable, the event is retried however long the outage lasts.
 * @param deliveries number of deliveries of the event, including this one
 * @param isOutage checks whether an error means that a database or broker is unavailable
 * @returns milliseconds, or undefined if the event becomes a dead letter
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
