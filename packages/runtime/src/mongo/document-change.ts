import { isDeepStrictEqual } from 'node:util';

/**
 * Maximum number of entries that a list in a database document may lose at its beginning while entries are added at its
 * end. If it loses more, the whole list is written.
 */
const DROPPED_MAX = 8;
/** Maximum number of entries of a list in a database document that are written one by one. */
const CHANGED_ENTRIES_MAX = 4;

type Fields = Readonly<Record<string, unknown>>;

/** The changes of a MongoDB document by path, for the operators of a MongoDB update. */
interface Change {
  readonly $set: Record<string, unknown>;
  readonly $unset: Record<string, ''>;
  readonly $push: Record<string, { readonly $each: readonly unknown[]; readonly $slice: number }>;
}

/**
 * Returns the update that changes a stored document into another one and writes only what differs. If a list of limited
 * length loses its oldest entries because new ones are appended, only the new entries are written. Members that are
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
  const isSameLength = before.length === after.length;
  const differing = isSameLength ? differingIndexes(before, after) : [];
  if (isSameLength && differing.length === 0) return;
  for (let dropped = isSameLength ? 1 : 0; dropped <= Math.min(DROPPED_MAX, before.length - 1); dropped++) {
    const kept = before.length - dropped;
    if (kept >= after.length || !isShifted(before, after, dropped)) continue;
    change.$push[path] = { $each: after.slice(kept), $slice: -after.length };
    return;
  }
  if (!isSameLength || differing.length > CHANGED_ENTRIES_MAX) change.$set[path] = after;
  else for (const index of differing) compare(change, `${path}.${index}`, before[index], after[index]);
}

/**
 * Checks whether the new version of a list begins with all entries of the old version, except the first `dropped` ones.
 */
function isShifted(before: readonly unknown[], after: readonly unknown[], dropped: number): boolean {
  for (let index = dropped; index < before.length; index++) {
    if (!isSame(before[index], after[index - dropped])) return false;
  }
  return true;
}

/**
 * Returns the positions at which two equally long lists in MongoDB documents differ. The search ends when more entries
 * differ than are written one by one.
 */
function differingIndexes(before: readonly unknown[], after: readonly unknown[]): number[] {
  const indexes: number[] = [];
  for (let index = 0; index < after.length && indexes.length <= CHANGED_ENTRIES_MAX; index++) {
    if (!isSame(before[index], after[index])) indexes.push(index);
  }
  return indexes;
}

/**
 * Most unchanged entries of a list in a MongoDB document are the same objects. They are recognized without a comparison
 * of their members.
 */
function isSame(before: unknown, after: unknown): boolean {
  return before === after || isDeepStrictEqual(before, after);
}

/** Checks whether a value in a database document is a plain object whose members can be named in a path. */
function isFields(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.keys(value).every((name) => name !== '' && !name.startsWith('$') && !name.includes('.'));
}
