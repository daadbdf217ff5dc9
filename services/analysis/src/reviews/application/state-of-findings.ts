import { createHash } from 'node:crypto';
import type { FindingStore, FindingWrite } from '../../records/application/finding-store.js';

/**
 * Time in milliseconds within which a write of a finding becomes visible after the time that it states, differences
 * between the clocks of replicas included. Writes with an earlier time are not expected.
 */
const VISIBLE_WITHIN_MS = 60_000;
/** Maximum number of writes within that time from which a state is computed. */
export const STATE_WRITES_MAX = 1_000;
/** Version of the summary of findings, which changes when the same findings get another summary. */
const SUMMARY_VERSION = 1;

/**
 * Returns the state of the findings of an organization, which changes with every write of a finding. It covers the last
 * write and all writes in the minute before it, because a concurrent write may become visible later although it states
 * an earlier time. One query of an index finds them, however many findings there are.
 * @param baseCurrency currency of the summary, which is part of the state
 * @returns undefined if more than {@link STATE_WRITES_MAX} findings were written in that minute
 */
export async function stateOfFindings(
  findings: Pick<FindingStore, 'latestChanges'>,
  organizationId: string,
  baseCurrency: string,
): Promise<string | undefined> {
  const latest = await findings.latestChanges(organizationId, STATE_WRITES_MAX + 1);
  const last = latest[0]?.storedAt.getTime() ?? 0;
  const recent = latest.filter(({ storedAt }) => storedAt.getTime() >= last - VISIBLE_WITHIN_MS);
  if (recent.length > STATE_WRITES_MAX) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([SUMMARY_VERSION, organizationId, baseCurrency, recent.map(writeOf)]))
    .digest('base64url')
    .slice(0, 22);
}

function writeOf({ findingId, version, storedAt }: FindingWrite): readonly [string, number, number] {
  return [findingId, version, storedAt.getTime()];
}
