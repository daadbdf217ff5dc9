import { count } from '@invoicecontrol/runtime/telemetry';

/** A scan has its result. */
export function scanCompleted(rowsAnalyzed: number, rowsSkipped: number): void {
  count('scan.ended', { outcome: 'COMPLETED' });
  count('scan.rows', { outcome: 'ANALYZED' }, rowsAnalyzed);
  count('scan.rows', { outcome: 'SKIPPED' }, rowsSkipped);
}

/** Nothing remains of a scan: no row was new, or analysis refused them. */
export function scanWithdrawn(): void {
  count('scan.ended', { outcome: 'WITHDRAWN' });
}

/** The operator ended a scan without a result. */
export function scanAbandoned(): void {
  count('scan.ended', { outcome: 'ABANDONED' });
}

/** A scan could not be completed and waits for its next try, set aside when it gave up its organization's turn. */
export function tryFailed(reason: 'OUTAGE' | 'DELETED' | 'FAULT', isSetAside: boolean): void {
  count('scan.tries_failed', { reason, set_aside: isSetAside });
}
