import type { Row } from './call.js';

/** The simulated records of one ERP entity of one tenant, sorted by id. */
export class Table<Id extends string | number> {
  readonly #rows = new Map<Id, Row>();
  readonly #compare: (left: Id, right: Id) => number;
  /**
   * Rows of a simulated ERP table, sorted by id. They are sorted at the first read after a change, so that reading a
   * page needs no sort.
   */
  #sorted: { readonly ids: readonly Id[]; readonly rows: readonly Row[] } | undefined;

  constructor(compare: (left: Id, right: Id) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: Id): Row | undefined {
    return this.#rows.get(id);
  }

  /** Adds a record to the simulated ERP table, or replaces the record with the same id. */
  put(id: Id, row: Row): void {
    this.#rows.set(id, row);
    this.#sorted = undefined;
  }

  remove(id: Id): boolean {
    this.#sorted = undefined;
    return this.#rows.delete(id);
  }

  all(): readonly Row[] {
    return this.#inOrder().rows;
  }

  /** Returns the position in the simulated ERP table of the first record with a greater id. */
  positionAfter(id: Id): number {
    const { ids } = this.#inOrder();
    let [low, high] = [0, ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(ids[middle] as Id, id) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #inOrder(): { readonly ids: readonly Id[]; readonly rows: readonly Row[] } {
    if (this.#sorted === undefined) {
      const entries = [...this.#rows].toSorted(([left], [right]) => this.#compare(left, right));
      this.#sorted = { ids: entries.map(([id]) => id), rows: entries.map(([, row]) => row) };
    }
    return this.#sorted;
  }
}

export function compareStrings(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

export function compareNumbers(left: number, right: number): number {
  return left - right;
}
