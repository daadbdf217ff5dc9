import type { Clock } from '@invoicecontrol/runtime/clock';
import type { MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { ScanRunStore } from '../../records/application/scan-run-store.js';

/**
 * Time in milliseconds after which a history scan counts as abandoned. A scan that will be completed is analyzed again
 * at least every 15 minutes (ADR 0016).
 */
const ABANDONED_AFTER_MS = 3_600_000;
/** Maximum number of completed history scans that are cached. A completed scan remains completed. */
const COMPLETE_SCANS_MAX = 10_000;

/** Removes rows of abandoned history scans from the invoices with which an invoice is compared. */
export type WithoutAbandonedScans = (
  organizationId: string,
  candidates: readonly MatchPart[],
) => Promise<readonly MatchPart[]>;

/**
 * Leaves out the rows of abandoned history scans. A scan counts as abandoned if it has no result and its analysis last
 * started at least an hour ago: its rows are in no supplier profile, and the same file is sent again as a new scan.
 * Rows of a scan that is still being analyzed are not left out, because that scan does not compare its rows with
 * invoices that arrive after it.
 */
export function withoutAbandonedScans({
  runs,
  clock,
}: {
  readonly runs: Pick<ScanRunStore, 'begunWithoutResult'>;
  readonly clock: Clock;
}): WithoutAbandonedScans {
  const complete = new Set<string>();
  return async (organizationId, candidates) => {
    const unknown = new Set(
      candidates.flatMap(({ scanId }) => (scanId === undefined || complete.has(scanId) ? [] : [scanId])),
    );
    if (unknown.size === 0) return candidates;
    const begun = await runs.begunWithoutResult(organizationId, [...unknown]);
    if (complete.size + unknown.size > COMPLETE_SCANS_MAX) complete.clear();
    for (const scanId of unknown) if (!begun.has(scanId)) complete.add(scanId);
    const abandonedBefore = clock.now().getTime() - ABANDONED_AFTER_MS;
    return candidates.filter(({ scanId }) => {
      const begunAt = scanId === undefined ? undefined : begun.get(scanId);
      return begunAt === undefined || begunAt.getTime() > abandonedBefore;
    });
  };
}
