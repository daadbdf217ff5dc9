import { setImmediate } from 'node:timers/promises';
import { billsByAmount, duplicatePairsAmong, pairsClearedAmong } from '@invoicecontrol/engine/booked-bills';
import type { CreditNotes, DuplicatePair } from '@invoicecontrol/engine/booked-bills';
import { compareText } from '@invoicecontrol/engine/facts/record-order';
import type { Candidate } from '@invoicecontrol/engine/facts/invoice';
import type { OrganizationPolicy } from '../../policies/application/policy-store.js';

/**
 * Maximum number of ERP bills with the same amount that are compared with each other (the newest bills), because the
 * time for comparing them grows with the square of their number.
 */
export const EQUAL_BILLS_MAX = 100;

export interface DuplicatePairs {
  /** Keys of the pairs of ERP bills that are duplicates. */
  readonly pairs: ReadonlySet<string>;
  /** Ids of the credit notes because of which pairs of ERP bills are not duplicates, by the key of the pair. */
  readonly credited: ReadonlyMap<string, string>;
  /** Number of ERP bills that were not compared, because too many bills have the same amount. */
  readonly leftOut: number;
}

/**
 * Finds duplicate pairs among ERP bills. Other requests can run between the groups of bills with the same amount.
 * @param creditsBetween reads the credit notes that were issued between the two bills of any of these pairs
 */
export async function duplicatePairsAmongBills(
  bills: readonly Candidate[],
  policy: OrganizationPolicy['policy'],
  creditsBetween: (pairs: readonly DuplicatePair[]) => Promise<CreditNotes>,
): Promise<DuplicatePairs> {
  const found: { readonly group: readonly Candidate[]; readonly pairs: readonly DuplicatePair[] }[] = [];
  let leftOut = 0;
  for (const group of billsByAmount(bills)) {
    if (group.length < 2) continue;
    const newest = group
      .toSorted((left, right) => right.issueDay - left.issueDay || compareText(left.invoiceId, right.invoiceId))
      .slice(0, EQUAL_BILLS_MAX);
    leftOut += group.length - newest.length;
    const pairs = duplicatePairsAmong(newest, policy);
    if (pairs.length > 0) found.push({ group: newest, pairs });
    await setImmediate();
  }
  const uncleared = found.flatMap(({ pairs }) => pairs);
  const credits = await creditsBetween(uncleared);
  if (credits.notes.length === 0) {
    return { pairs: new Set(uncleared.map(({ key }) => key)), credited: new Map(), leftOut };
  }
  const pairs = new Set<string>();
  const credited = new Map<string, string>();
  for (const { group } of found) {
    const cleared = pairsClearedAmong(group, credits, policy);
    for (const [key, creditId] of cleared) credited.set(key, creditId);
    for (const { key } of duplicatePairsAmong(group, policy, cleared)) pairs.add(key);
    await setImmediate();
  }
  return { pairs, credited, leftOut };
}
