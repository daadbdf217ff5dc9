import { count, record, reportGauges } from '@invoicecontrol/runtime/telemetry';
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

/** Records how long a history scan waited for another history scan of its organization, if it had to wait. */
export function turnEnded(outcome: 'BEGUN' | 'REFUSED', seconds: number): void {
  record('invoicecontrol.scan.turn_wait', Math.max(0, seconds), { outcome: inWords(outcome) });
}

/** Reports the number of history scans that are running. */
export function reportScans(countRunning: () => Promise<number>): () => void {
  return reportGauges(['invoicecontrol.scans.running'], async () => [
    { attributes: {}, values: { 'invoicecontrol.scans.running': await countRunning() } },
  ]);
}

/** Counts a failed attempt of a history scan, which waits for a retry or was set aside. */
export function tryFailed(reason: 'OUTAGE' | 'DELETED' | 'FAULT', isSetAside: boolean): void {
  count('invoicecontrol.scan.tries_failed', {
    reason: inWords(reason),
    set_aside: isSetAside ? 'true' : 'false',
  });
}
