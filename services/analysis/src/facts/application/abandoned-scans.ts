import type { Clock } from '@invoicecontrol/runtime/clock';
import type { MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { ScanRunStore } from '../../records/application/scan-run-store.js';

/** A scan that is still to be completed is analyzed again every quarter of an hour at least (ADR 0016). */
const ABANDONED_AFTER_MS = 3_600_000;
/** Scans that are known to have their result, and so keep it. */
const COMPLETE_SCANS_MAX = 10_000;

/** Removes rows of abandoned scans from the records that a single invoice is compared with. */
export type WithoutAbandonedScans = (
  organizationId: string,
  candidates: readonly MatchPart[],
) => Promise<readonly MatchPart[]>;

/**
 * Leaves out rows of a scan without a result whose analysis was last begun an hour ago or longer: the operator abandoned
 * it, its rows are in no profile, and the file that is sent again in its place has the originals. Rows of a scan that is
 * being analyzed stay, because it does not see invoices that come after it.
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
