import { fail } from './errors.js';
import { compareEncoded, EMPTY_ARRAY_KEY, encode, NULL_KEY } from './order.js';
import { someLeaf } from './paths.js';
import { countOf, isDoc } from './values.js';

export interface SortField {
  readonly path: string;
  readonly direction: 1 | -1;
}

/** Reads `{ a: 1, b: -1 }`; no fields mean no order. */
export function compileSort(spec: unknown): SortField[] {
  if (spec === undefined || spec === null) return [];
  if (!isDoc(spec)) fail('TypeMismatch', "'sort' must be a document");
  return Object.entries(spec).map(([path, value]) => {
    const direction = isDoc(value) ? 0 : countOf(value, `sort.${path}`, 0);
    if (direction !== 1 && direction !== -1) fail('BadValue', `The sort direction of '${path}' must be 1 or -1`);
    if (path === '' || path.startsWith('$')) fail('FailedToParse', `'${path}' is not a field to sort by`);
    return { path, direction };
  });
}

/**
 * Sorts stably; an array sorts by its smallest element ascending and by its largest descending.
 * Each sort key is encoded once per item.
 */
export function sortBy<T>(items: readonly T[], fields: readonly SortField[], docOf: (item: T) => unknown): T[] {
  const compiled = fields.map(({ path, direction }) => ({ parts: path.split('.'), direction }));
  const keyed = items.map((item) => ({
    item,
    keys: compiled.map(({ parts, direction }) => sortKey(docOf(item), parts, direction)),
  }));
  keyed.sort((left, right) => {
    for (const [place, { direction }] of compiled.entries()) {
      const order = compareEncoded(left.keys[place] ?? NULL_KEY, right.keys[place] ?? NULL_KEY);
      if (order !== 0) return order * direction;
    }
    return 0;
  });
  return keyed.map(({ item }) => item);
}

function sortKey(doc: unknown, parts: readonly string[], direction: 1 | -1): string {
  let best: string | undefined;
  const consider = (key: string): void => {
    if (best === undefined || (direction > 0 ? key < best : key > best)) best = key;
  };
  someLeaf(doc, parts, (leaf) => {
    if (!Array.isArray(leaf)) consider(encode(leaf));
    else if (leaf.length === 0) consider(EMPTY_ARRAY_KEY);
    else for (const element of leaf) consider(encode(element));
    return false;
  });
  return best ?? NULL_KEY;
}
