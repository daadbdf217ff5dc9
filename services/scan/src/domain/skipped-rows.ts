import type { IdentifiedRow, Skip, SkippedRow } from './scan.js';

/** The external ids of a file, each with the position of the first row that has it. */
export function firstPositions(rows: readonly IdentifiedRow[]): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const [position, { externalId }] of rows.entries()) {
    if (externalId !== undefined && !first.has(externalId)) first.set(externalId, position);
  }
  return first;
}

/**
 * Finds the rows that are not analyzed (specification 2.9): those whose external id an earlier scan imported, and of those that share one
 * in the file all but the first. A row that is both was already imported: no row of the file with its id is analyzed, so none of them is a
 * duplicate of one that is.
 * @param imported external ids that earlier scans of the company have
 */
export function skipsOf(rows: readonly IdentifiedRow[], imported: ReadonlySet<string>): Skip[] {
  const first = firstPositions(rows);
  return rows.flatMap(({ externalId }, position): Skip[] => {
    if (externalId === undefined) return [];
    if (imported.has(externalId)) return [{ position, reason: 'ALREADY_IMPORTED' }];
    return first.get(externalId) === position ? [] : [{ position, reason: 'DUPLICATE_EXTERNAL_ID_IN_FILE' }];
  });
}

/** The skipped rows in their sender's words. */
export function describeSkips(rows: readonly IdentifiedRow[], skips: readonly Skip[]): SkippedRow[] {
  return skips.map(({ position, reason }) => {
    const { externalId, sourceRowNumber } = rows[position] ?? {};
    if (externalId === undefined || sourceRowNumber === undefined) {
      throw new Error(`row ${position} was skipped and has no external id`);
    }
    return { sourceRowNumber, externalId, reason };
  });
}
