import { count } from '@invoicecontrol/runtime/telemetry';

/** A key did not open the door. The reason is for operators alone; the caller hears the same words always. */
export function keyRefused(reason: 'malformed' | 'unknown' | 'dead'): void {
  count('organization.keys_refused', { reason });
}

/** A request did not fit under a rate limit. */
export function requestsRefused(policy: string): void {
  count('organization.requests_refused', { policy });
}

/** A mail was taken by the mail server, or given up. */
export function notificationEnded(kind: string, status: 'SENT' | 'FAILED'): void {
  count('organization.notifications_ended', { kind, status });
}
