/** A cell of the file. */
export interface Cell {
  readonly line: number;
  readonly text: string;
}

/** How a column is to be read, of two ways in which its cells could be. */
export type Decision<Reading extends string> =
  | { readonly kind: 'decided'; readonly reading: Reading }
  /** Some cells can be read in both ways with different results, and no cell tells which. */
  | { readonly kind: 'ambiguous'; readonly example: Cell; readonly results: Readonly<Record<Reading, string>> }
  /** One cell can be read in the first way alone and another in the second way alone. */
  | { readonly kind: 'contradictory'; readonly examples: Readonly<Record<Reading, Cell>> };

/**
 * Decides for a whole column, because single cells deceive: `1.234` and `03/04/2025` mean something else in the next
 * file. A cell that can be read in one way only is evidence; one that cannot be read at all is none.
 * @param read the value of a cell in a reading, or undefined when it has none
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
