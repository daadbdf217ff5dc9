import { count } from '@invoicecontrol/runtime/telemetry';

/** Counts refused keys. The reason is for operators only; the caller gets one message for every reason. */
export function countRefusedKey(reason: 'malformed' | 'unknown' | 'dead'): void {
  count('organization.keys_refused', { reason });
}

/** Counts requests that exceed a rate limit. */
export function countRefusedRequest(policy: string): void {
  count('organization.requests_refused', { policy });
}

/** Counts organizations that could not be registered in billing. */
export function countFailedRegistration(): void {
  count('organization.registrations_failed');
}

/** Counts an organization whose purge began, in the metrics. */
export function countPurge(): void {
  count('organization.purges');
}

/** Counts mails that were sent or finally failed. */
export function countCompletedNotification(kind: string, status: 'SENT' | 'FAILED'): void {
  count('organization.notifications_ended', { kind, status });
}
