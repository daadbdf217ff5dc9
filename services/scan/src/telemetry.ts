import { count } from '@invoicecontrol/runtime/telemetry';

/** A scan could not be completed and waits for its next try, set aside when it gave up its organization's turn. */
export function tryFailed(reason: 'OUTAGE' | 'DELETED' | 'FAULT', isSetAside: boolean): void {
  count('scan.tries_failed', { reason, set_aside: isSetAside });
}
