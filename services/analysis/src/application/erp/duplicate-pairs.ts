import { setImmediate } from 'node:timers/promises';
import { billsByAmount, duplicatePairsAmong } from '@invoicecontrol/engine/booked-bills';
import { compareText } from '@invoicecontrol/engine/facts/record-order';
import type { Candidate } from '@invoicecontrol/engine/facts/invoice';
import type { OrganizationPolicy } from '../policy-store.js';

/** Bills of one amount that are compared with each other, the newest of them: the time grows faster than their number. */
export const EQUAL_BILLS_MAX = 100;

export interface DuplicatePairs {
  /** Keys of pairs of bills that are duplicates of each other. */
  readonly pairs: ReadonlySet<string>;
  /** Bills that were not compared, because too many have their amount. */
  readonly leftOut: number;
}

/** Pairs among bills; other requests have their turn between the groups of one amount. */
export async function duplicatePairsOf(
  bills: readonly Candidate[],
  policy: OrganizationPolicy['policy'],
): Promise<DuplicatePairs> {
  const pairs = new Set<string>();
  let leftOut = 0;
  for (const group of billsByAmount(bills)) {
    if (group.length < 2) continue;
    const newest = group
      .toSorted((left, right) => right.issueDay - left.issueDay || compareText(left.invoiceId, right.invoiceId))
      .slice(0, EQUAL_BILLS_MAX);
    leftOut += group.length - newest.length;
    for (const pair of duplicatePairsAmong(newest, policy)) pairs.add(pair);
    await setImmediate();
  }
  return { pairs, leftOut };
}
