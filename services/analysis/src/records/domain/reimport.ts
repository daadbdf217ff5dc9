import type { Candidate } from '@invoicecontrol/engine/facts/invoice';
import type { ScanParameters } from '@invoicecontrol/engine/policy/scans';
import { compareByArrival, compareText } from '@invoicecontrol/engine/facts/record-order';

/** The row of an earlier history scan that has the same content as a row of a new scan. */
export interface ReimportedRow {
  /** Id of the first history scan that contained the row. */
  readonly scanId: string;
  /** Id of the invoice that was stored for the row of the earlier history scan. */
  readonly invoiceId: string;
}

/** An earlier history scan of the company, with its rows that are identical to rows in a new scan. */
export interface EarlierScan {
  readonly scanId: string;
  /** Maps the ids of new rows to ids of earlier invoices. Each earlier invoice stands for only one new row. */
  readonly identical: ReadonlyMap<string, string>;
}

/**
 * Finds the earlier history scan that shares the most rows with a new history scan. If two earlier scans share equally
 * many rows, the scan that was received first is chosen.
 * @param candidates earlier records that share a lookup key with one of the rows
 * @param hitsMax maximum number of records that were read for each lookup key. If this many records with the same
 *   content were found, more may exist, so further rows with this content count as repeats of the last record
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

/**
 * Maps history scan rows to the earlier records with the same content. Each earlier record is used for one row. If
 * `hitsMax` records have the same content, not all of them may have been read, so the last one is used for all further
 * rows.
 */
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

/**
 * Checks whether a history scan is a reimport, because enough of its rows are in an earlier scan (detection reference,
 * section 5).
 */
export function isReimport(
  rows: number,
  identicalRows: number,
  { reimportedRowsMin, reimportedPercent }: Pick<ScanParameters, 'reimportedRowsMin' | 'reimportedPercent'>,
): boolean {
  return rows >= reimportedRowsMin && identicalRows * 100 >= rows * reimportedPercent;
}

/**
 * Returns the candidates that must still be compared with a row of a reimport. Candidates from the same history scan,
 * or from an earlier scan that contained the row, are left out, because the row was already compared with them.
 */
export function withoutKnownScans<C extends Candidate>(row: Candidate, candidates: readonly C[]): C[] {
  const content = contentOf(row);
  const known = new Set([row.scanId]);
  for (const candidate of candidates) if (contentOf(candidate) === content) known.add(candidate.scanId);
  known.delete(undefined);
  return candidates.filter(({ scanId }) => !known.has(scanId));
}

/** Builds a string that is equal for two history scan rows with the same invoice for the same company. */
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
