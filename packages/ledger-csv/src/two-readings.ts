/** A cell of the CSV file, with its line. */
export interface Cell {
  readonly line: number;
  readonly text: string;
}

/** The decision between two possible formats of the cells in a CSV column. */
export type Decision<Reading extends string> =
  | { readonly kind: 'decided'; readonly reading: Reading }
  /** Some cells of a CSV column match both formats with different results, and no cell matches only one. */
  | { readonly kind: 'ambiguous'; readonly example: Cell; readonly results: Readonly<Record<Reading, string>> }
  /** The CSV column contradicts itself: one cell matches only the first format, and another cell only the second. */
  | { readonly kind: 'contradictory'; readonly examples: Readonly<Record<Reading, Cell>> };

/**
 * Detects the format of a whole CSV column, because single cells such as `1.234` and `03/04/2025` are ambiguous. Only a
 * cell that matches exactly one format is evidence.
 * @param read the value of a cell in a format, or undefined if it does not match
 */
export function decideReading<Reading extends string>(
  cells: Iterable<Cell>,
  [first, second]: readonly [Reading, Reading],
  read: (text: string, reading: Reading) => string | undefined,
): Decision<Reading> {
  let firstOnly: Cell | undefined;
  let secondOnly: Cell | undefined;
  let ambiguous: Decision<Reading> | undefined;
  for (const cell of cells) {
    const one = read(cell.text, first);
    const other = read(cell.text, second);
    if (one === other) continue;
    if (other === undefined) firstOnly ??= cell;
    else if (one === undefined) secondOnly ??= cell;
    else {
      ambiguous ??= {
        kind: 'ambiguous',
        example: cell,
        results: { [first]: one, [second]: other } as Record<Reading, string>,
      };
    }
  }
  if (firstOnly !== undefined && secondOnly !== undefined) {
    return {
      kind: 'contradictory',
      examples: { [first]: firstOnly, [second]: secondOnly } as Record<Reading, Cell>,
    };
  }
  if (firstOnly !== undefined) return { kind: 'decided', reading: first };
  if (secondOnly !== undefined) return { kind: 'decided', reading: second };
  return ambiguous ?? { kind: 'decided', reading: first };
}
