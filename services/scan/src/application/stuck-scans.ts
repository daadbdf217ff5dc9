import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import type { ScanStore, StuckScan } from './scan-store.js';

/** Notifies the operator of history scans that have been running since before a given time. */
export const stuckScans =
  ({ scans }: { scans: Pick<ScanStore, 'runningSince'> }) =>
  async (before: Date, now: Date): Promise<readonly StuckItem[]> =>
    (await scans.runningSince(before)).map((scan) => ({
      kind: 'scan',
      what: `scan ${scan.scanId} of organization ${scan.organizationId}`,
      since: scan.createdAt,
      why: reasonOf(scan, now),
      resolution: `npm run admin -- scans abandon ${scan.scanId} --organization ${scan.organizationId} --reason "..."`,
    }));

function reasonOf({ faults, lastError, nextTryAt, leaseUntil }: StuckScan, now: Date): string {
  const error = lastError === undefined ? '' : `: ${lastError}`;
  const failed = faults === 1 ? '1 attempt' : `${faults} attempts in a row`;
  const tries = faults === 0 ? 'the last attempt did not complete it' : `${failed} failed with an internal error`;
  if (nextTryAt !== undefined) return `${tries}${error}; the next attempt is due ${nextTryAt.toISOString()}`;
  if (leaseUntil > now) return `a worker holds it and keeps extending its lease${error}`;
  return `its worker stopped and no other worker took it over${error}`;
}
