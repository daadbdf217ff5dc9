import type { IdentifiedRow, Skip, SkippedRow } from './scan.js';

/** Returns the external ids of the rows of a history scan, each with the position of its first row. */
export function firstPositions(rows: readonly IdentifiedRow[]): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const [position, { externalId }] of rows.entries()) {
    if (externalId !== undefined && !first.has(externalId)) first.set(externalId, position);
  }
  return first;
}

/**
 * Returns the history scan rows that are not analyzed (specification 2.9). These are the rows whose external id an
 * earlier history scan imported, and all but the first of several rows with the same external id. If both reasons apply
 * to a row, it counts as already imported, because no row with its external id is analyzed.
 * @param imported external ids that earlier history scans of the company imported
 */
export function skipsOf(rows: readonly IdentifiedRow[], imported: ReadonlySet<string>): Skip[] {
  const first = firstPositions(rows);
  return rows.flatMap(({ externalId }, position): Skip[] => {
    if (externalId === undefined) return [];
    if (imported.has(externalId)) return [{ position, reason: 'ALREADY_IMPORTED' }];
    return first.get(externalId) === position ? [] : [{ position, reason: 'DUPLICATE_EXTERNAL_ID_IN_FILE' }];
  });
}

/** Returns the skipped rows of a history scan with the identifiers that their sender gave them. */
export function describeSkips(rows: readonly IdentifiedRow[], skips: readonly Skip[]): SkippedRow[] {
  return skips.map(({ position, reason }) => {
    const { externalId, sourceRowNumber } = rows[position] ?? {};
    if (externalId === undefined || sourceRowNumber === undefined) {
      throw new Error(`row ${position} was skipped and has no external id`);
    }
    return { sourceRowNumber, externalId, reason };
  });
}
