import { count } from '@invoicecontrol/runtime/telemetry';

/** Counts a completed history scan and its rows in the metrics. */
export function scanCompleted(rowsAnalyzed: number, rowsSkipped: number): void {
  count('scan.ended', { outcome: 'COMPLETED' });
  count('scan.rows', { outcome: 'ANALYZED' }, rowsAnalyzed);
  count('scan.rows', { outcome: 'SKIPPED' }, rowsSkipped);
}

/** Counts a history scan that was removed completely, because no row was new or the analysis refused the rows. */
export function scanWithdrawn(): void {
  count('scan.ended', { outcome: 'WITHDRAWN' });
}

/** Counts a history scan that the operator ended without a result. */
export function scanAbandoned(): void {
  count('scan.ended', { outcome: 'ABANDONED' });
}

/** Counts a failed attempt of a history scan, which waits for a retry or was set aside. */
export function tryFailed(reason: 'OUTAGE' | 'DELETED' | 'FAULT', isSetAside: boolean): void {
  count('scan.tries_failed', { reason, set_aside: isSetAside });
}
