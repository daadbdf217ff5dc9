import type { Candidate } from './invoice.js';
import type { ScanParameters } from './policy/scans.js';
import { compareText } from './record-order.js';

/** A row of a scan that stands in an earlier scan of the company already. */
export interface ReimportedRow {
  /** The scan that brought it first. */
  readonly scanId: string;
  /** The row as it was brought then. */
  readonly invoiceId: string;
}

/** An earlier scan of the company, and which rows of a new one are identical to which of its rows. */
export interface EarlierScan {
  readonly scanId: string;
  /** Earlier invoice ids by those of the new rows, each used once. */
  readonly identical: ReadonlyMap<string, string>;
}

/**
 * The earlier scan that shares most rows with a new one; of two that share as many, the one with the smaller id.
 * @param candidatesOf what a row's lookup keys find among earlier records
 */
export function nearestScan<R extends Candidate>(
  rows: readonly R[],
  candidatesOf: (row: R) => Iterable<Candidate>,
): EarlierScan | undefined {
  const scans = new Map<string, { identical: Map<string, string>; taken: Set<string> }>();
  for (const row of rows) {
    for (const candidate of candidatesOf(row)) {
      const { scanId, invoiceId } = candidate;
      if (scanId === undefined || scanId === row.scanId || !isIdentical(row, candidate)) continue;
      const scan = scans.get(scanId) ?? { identical: new Map(), taken: new Set() };
      scans.set(scanId, scan);
      if (scan.identical.has(row.invoiceId) || scan.taken.has(invoiceId)) continue;
      scan.identical.set(row.invoiceId, invoiceId);
      scan.taken.add(invoiceId);
    }
  }
  const [nearest] = [...scans].sort(
    ([leftId, left], [rightId, right]) => right.identical.size - left.identical.size || compareText(leftId, rightId),
  );
  return nearest === undefined ? undefined : { scanId: nearest[0], identical: nearest[1].identical };
}

/** Whether so many of a scan's rows stand in an earlier one that it is that scan again (detection reference, section 5). */
export function isReimport(
  rows: number,
  identicalRows: number,
  { reimportedRowsMin, reimportedPercent }: Pick<ScanParameters, 'reimportedRowsMin' | 'reimportedPercent'>,
): boolean {
  return rows >= reimportedRowsMin && identicalRows * 100 >= rows * reimportedPercent;
}

/**
 * What a row that was brought before is still compared with: neither the scan that brought it nor its own, because
 * there it has been compared already.
 */
export function withoutKnownScans<C extends Candidate>(row: Candidate, known: ReimportedRow, candidates: C[]): C[] {
  return candidates.filter(({ scanId }) => scanId === undefined || (scanId !== known.scanId && scanId !== row.scanId));
}

function isIdentical(row: Candidate, earlier: Candidate): boolean {
  return (
    row.companyId === earlier.companyId &&
    row.invoiceNumber === earlier.invoiceNumber &&
    row.issueDay === earlier.issueDay &&
    row.amountMinor === earlier.amountMinor &&
    row.currency === earlier.currency &&
    row.supplierName === earlier.supplierName &&
    row.taxKey === earlier.taxKey &&
    row.bankKey === earlier.bankKey &&
    row.poKey === earlier.poKey
  );
}
