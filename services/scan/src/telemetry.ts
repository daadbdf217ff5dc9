import { count, record } from '@invoicecontrol/runtime/telemetry';
import { inWords } from '@invoicecontrol/runtime/telemetry/in-words';

/**
 * Counts a completed history scan and its rows in the metrics.
 * @param seconds time since the history scan was accepted
 */
export function scanCompleted(rowsAnalyzed: number, rowsSkipped: number, seconds: number): void {
  count('invoicecontrol.scans', { outcome: 'completed' });
  record('invoicecontrol.scan.duration', Math.max(0, seconds), {});
  count('invoicecontrol.scan.rows', { result: 'analyzed' }, rowsAnalyzed);
  count('invoicecontrol.scan.rows', { result: 'skipped' }, rowsSkipped);
}

/** Counts a history scan that was removed completely, because no row was new or the analysis refused the rows. */
export function scanWithdrawn(): void {
  count('invoicecontrol.scans', { outcome: 'withdrawn' });
}

/** Counts a history scan that the operator ended without a result. */
export function scanAbandoned(): void {
  count('invoicecontrol.scans', { outcome: 'abandoned' });
}

/** Counts a failed attempt of a history scan, which waits for a retry or was set aside. */
export function tryFailed(reason: 'OUTAGE' | 'DELETED' | 'FAULT', isSetAside: boolean): void {
  count('invoicecontrol.scan.tries_failed', {
    reason: inWords(reason),
    set_aside: isSetAside ? 'true' : 'false',
  });
}
