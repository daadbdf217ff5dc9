import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import type { ScanStore, StuckScan } from './scan-store.js';

/** Scans that were accepted before a time and still run, as the operator is told about them. */
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
  const tries = faults === 0 ? 'the last try did not complete it' : `${faults} tries in a row failed by a fault`;
  if (nextTryAt !== undefined) return `${tries}${error}; the next try is due ${nextTryAt.toISOString()}`;
  if (leaseUntil > now) return `a worker has it and prolongs its lease${error}`;
  return `its worker fell silent and no other one took it over${error}`;
}
