import { isDeepStrictEqual } from 'node:util';

/** Maximum number of entries that a list may lose at its beginning and still be written as appended. */
const DROPPED_MAX = 8;
/** Maximum number of entries of a list that are written one by one. */
const CHANGED_ENTRIES_MAX = 4;

type Fields = Readonly<Record<string, unknown>>;

/** The operators of an update, by path. */
interface Change {
  readonly $set: Record<string, unknown>;
  readonly $unset: Record<string, ''>;
  readonly $push: Record<string, { readonly $each: readonly unknown[]; readonly $slice: number }>;
}

/**
 * Returns the update that changes a stored document into another one and writes only what differs. Lists of limited
 * length, which lose their oldest entries when new ones are appended, are written as appended. Members that are
 * undefined are not stored.
 * @param before the document as it was read; the update must be guarded by its version
 */
export function changeBetween(before: object, after: object): Partial<Change> {
  const change: Change = { $set: {}, $unset: {}, $push: {} };
  compareFields(change, '', before as Fields, after as Fields);
  return Object.fromEntries(Object.entries(change).filter(([, paths]) => Object.keys(paths).length > 0));
}

function compareFields(change: Change, prefix: string, before: Fields, after: Fields): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const path = prefix + name;
    if (after[name] !== undefined) compare(change, path, before[name], after[name]);
    else if (before[name] !== undefined) change.$unset[path] = '';
  }
}

function compare(change: Change, path: string, before: unknown, after: unknown): void {
  if (before === after) return;
  if (isFields(before) && isFields(after)) return compareFields(change, `${path}.`, before, after);
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(change, path, before, after);
  if (!isDeepStrictEqual(before, after)) change.$set[path] = after;
}

function compareLists(change: Change, path: string, before: readonly unknown[], after: readonly unknown[]): void {
  const differing = indexesOf(before, after);
  if (before.length === after.length) {
    if (differing.length === 0) return;
    if (differing.length <= CHANGED_ENTRIES_MAX && !isShifted(before, after, 1)) {
      for (const index of differing) compare(change, `${path}.${index}`, before[index], after[index]);
      return;
    }
  }
  for (let dropped = 0; dropped <= Math.min(DROPPED_MAX, before.length - 1); dropped++) {
    const kept = before.length - dropped;
    if (kept >= after.length || !isShifted(before, after, dropped)) continue;
    change.$push[path] = { $each: after.slice(kept), $slice: -after.length };
    return;
  }
  change.$set[path] = after;
}

/** Checks whether a list begins with the entries that another one has after its first entries. */
function isShifted(before: readonly unknown[], after: readonly unknown[], dropped: number): boolean {
  const kept = before.length - dropped;
  if (kept <= 0 || kept > after.length) return false;
  for (let index = 0; index < kept; index++) {
    if (!isDeepStrictEqual(before[index + dropped], after[index])) return false;
  }
  return true;
}

function indexesOf(before: readonly unknown[], after: readonly unknown[]): number[] {
  return after.flatMap((entry, index) => (isDeepStrictEqual(before[index], entry) ? [] : [index]));
}

/** Checks whether the value is a plain object whose members can be named in a path. */
function isFields(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.keys(value).every((name) => name !== '' && !name.startsWith('$') && !name.includes('.'));
}
