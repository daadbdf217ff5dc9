import type { Candidate } from '@invoicecontrol/engine/facts/invoice';
import type { ScanParameters } from '@invoicecontrol/engine/policy/scans';
import { compareByArrival, compareText } from '@invoicecontrol/engine/facts/record-order';

/** A row of a scan that is already in an earlier scan of the company. */
export interface ReimportedRow {
  /** The first scan that contained it. */
  readonly scanId: string;
  /** The row of that scan. */
  readonly invoiceId: string;
}

/** An earlier scan of the company, and which rows of a new one are identical to which of its rows. */
export interface EarlierScan {
  readonly scanId: string;
  /** Earlier invoice ids by those of the new rows, each used once. */
  readonly identical: ReadonlyMap<string, string>;
}

/**
 * The earlier scan that shares most rows with a new one; of two that share as many, the one received first.
 * @param candidates earlier records that share a lookup key with one of the rows
 * @param hitsMax so many identical records may have been found of more: then each further row is taken for one of those
 */
export function nearestScan(
  rows: readonly Candidate[],
  candidates: readonly Candidate[],
  hitsMax: number,
): EarlierScan | undefined {
  const byScan = new Map<string, { receivedAtMs: number; groups: Map<string, Candidate[]> }>();
  for (const candidate of candidates) {
    const { scanId, receivedAtMs } = candidate;
    if (scanId === undefined) continue;
    const scan = byScan.get(scanId) ?? { receivedAtMs, groups: new Map<string, Candidate[]>() };
    byScan.set(scanId, scan);
    const group = scan.groups.get(contentOf(candidate));
    if (group === undefined) scan.groups.set(contentOf(candidate), [candidate]);
    else group.push(candidate);
  }
  for (const { groups } of byScan.values()) for (const group of groups.values()) group.sort(compareByArrival);
  const [nearest] = [...byScan]
    .map(([scanId, { receivedAtMs, groups }]) => ({
      scanId,
      receivedAtMs,
      identical: identicalRows(rows, groups, hitsMax),
    }))
    .sort(
      (left, right) =>
        right.identical.size - left.identical.size ||
        left.receivedAtMs - right.receivedAtMs ||
        compareText(left.scanId, right.scanId),
    );
  return nearest === undefined ? undefined : { scanId: nearest.scanId, identical: nearest.identical };
}

/** Rows by the earlier record that each repeats; every record is repeated once, but for those of a group that is cut. */
function identicalRows(
  rows: readonly Candidate[],
  groups: ReadonlyMap<string, readonly Candidate[]>,
  hitsMax: number,
): ReadonlyMap<string, string> {
  const taken = new Map<string, number>();
  const identical = new Map<string, string>();
  for (const row of rows) {
    const content = contentOf(row);
    const group = groups.get(content) ?? [];
    const used = taken.get(content) ?? 0;
    const earlier = group[used] ?? (group.length >= hitsMax ? group.at(-1) : undefined);
    if (earlier === undefined) continue;
    taken.set(content, used + 1);
    identical.set(row.invoiceId, earlier.invoiceId);
  }
  return identical;
}

/** Tells whether enough rows of a scan are in an earlier one to make it a reimport (detection reference, section 5). */
export function isReimport(
  rows: number,
  identicalRows: number,
  { reimportedRowsMin, reimportedPercent }: Pick<ScanParameters, 'reimportedRowsMin' | 'reimportedPercent'>,
): boolean {
  return rows >= reimportedRowsMin && identicalRows * 100 >= rows * reimportedPercent;
}

/**
 * Removes candidates of a reimported row: those of its own scan and of any scan that contained it, because those comparisons were made
 * before.
 */
export function withoutKnownScans<C extends Candidate>(row: Candidate, candidates: readonly C[]): C[] {
  const content = contentOf(row);
  const known = new Set([row.scanId]);
  for (const candidate of candidates) if (contentOf(candidate) === content) known.add(candidate.scanId);
  known.delete(undefined);
  return candidates.filter(({ scanId }) => !known.has(scanId));
}

/** Builds the text that is equal when two rows state the same invoice of one company. */
function contentOf(row: Candidate): string {
  return [
    row.companyId,
    row.invoiceNumber,
    row.issueDay,
    row.amountMinor,
    row.currency,
    row.supplierName,
    row.taxKey,
    row.bankKey,
    row.poKey,
  ].join('\n');
}
