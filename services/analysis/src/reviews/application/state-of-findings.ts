import { createHash } from 'node:crypto';
import type { FindingStore, FindingWrite, SummaryQuery } from '../../records/application/finding-store.js';

/**
 * Maximum delay in milliseconds between the stored time of a finding write and the moment when reads see it. It
 * includes differences between the clocks of replicas.
 */
export const VISIBLE_WITHIN_MS = 60_000;
/**
 * Maximum number of writes of findings, within {@link VISIBLE_WITHIN_MS} before the last write, from which a state is
 * computed.
 */
export const STATE_WRITES_MAX = 1_000;
/**
 * Version of the code that computes the summary of findings. It must change whenever the code computes another summary
 * from the same findings.
 */
export const SUMMARY_VERSION = 1;

/**
 * Returns a short text that identifies the current state of an organization's findings: every write of a finding
 * changes it. It is computed from the last write and all writes in the minute before, because a concurrent write may
 * become visible later although it has an earlier time. One index query returns these writes, however many findings
 * there are.
 * @param summary currency and filters of the summary, on which the text depends too
 * @returns undefined if more than {@link STATE_WRITES_MAX} findings were written in that minute
 */
export async function stateOfFindings(
  findings: Pick<FindingStore, 'latestChanges'>,
  organizationId: string,
  summary: { readonly baseCurrency: string; readonly query: SummaryQuery },
): Promise<string | undefined> {
  const latest = await findings.latestChanges(organizationId, STATE_WRITES_MAX + 1);
  const last = latest[0]?.storedAt.getTime() ?? 0;
  const recent = latest.filter(({ storedAt }) => storedAt.getTime() >= last - VISIBLE_WITHIN_MS);
  if (recent.length > STATE_WRITES_MAX) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([SUMMARY_VERSION, organizationId, summary, recent.map(writeOf)]))
    .digest('base64url')
    .slice(0, 22);
}

function writeOf({ findingId, version, storedAt }: FindingWrite): readonly [string, number, number] {
  return [findingId, version, storedAt.getTime()];
}
