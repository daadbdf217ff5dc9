import { DomainError } from '@invoicecontrol/errors';

/** An event whose handler failed this often becomes a dead letter. */
const DELIVERIES_MAX = 8;
const PAUSE_MS_MAX = 60_000;
/** After an outage the events that waited for its end are handled soon. */
const OUTAGE_PAUSE_MS_MAX = 10_000;

/**
 * How long to wait before an event whose handler failed is delivered again; the pauses grow from delivery to delivery.
 * While a store or another service is unavailable the event is not at fault, however long that lasts.
 * @param deliveries how often the event was delivered, this time included
 * @param isOutage whether an error says that a store is unavailable
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
