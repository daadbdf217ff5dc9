import { fail } from './errors.js';
import { isArrayPlace } from './paths.js';
import { assign, fieldOf, isDoc, show, type Doc } from './values.js';

/** A document or array and a key in it, on which an operator acts. */
export interface Place {
  readonly parent: Doc | unknown[];
  readonly key: string;
}

/**
 * Calls back with the place of a path in a new document; not if the place is missing and must not be created. Documents and
 * arrays above it are copied, so that the stored state is not changed.
 * @param own documents and arrays created by this update, which it may change
 */
export function visitPlace(
  root: Doc,
  path: string,
  own: Set<unknown>,
  creates: boolean,
  visit: (place: Place) => void,
): void {
  const parts = path.split('.');
  let parent: Doc | unknown[] = root;
  for (const [depth, key] of parts.entries()) {
    if (Array.isArray(parent) && !isPlaceOf(parent, parts, depth, creates)) return;
    if (depth === parts.length - 1) return visit({ parent, key });
    const child = childAt({ parent, key }, parts, depth, creates, own);
    if (!child) return;
    parent = child;
  }
}

function isPlaceOf(array: readonly unknown[], parts: readonly string[], depth: number, creates: boolean): boolean {
  const part = parts[depth] ?? '';
  if (!isArrayPlace(part)) {
    if (creates)
      fail('PathNotViable', `Cannot create field '${part}' in element {${parts[depth - 1]}: ${show(array)}}`);
    return false;
  }
  if (Number(part) > array.length + LARGEST_PLACE) {
    fail('BadValue', `The array place in '${parts.join('.')}' is too large`);
  }
  return true;
}

function childAt(
  place: Place,
  parts: readonly string[],
  depth: number,
  creates: boolean,
  own: Set<unknown>,
): Doc | unknown[] | undefined {
  const child = valueAt(place);
  if (own.has(child)) return child as Doc | unknown[];
  if (isDoc(child) || Array.isArray(child)) {
    const copy = Array.isArray(child) ? [...child] : { ...child };
    own.add(copy);
    setAt(place, copy);
    return copy;
  }
  if (!creates) return undefined;
  if (child !== undefined) {
    fail('PathNotViable', `Cannot create field '${parts[depth + 1]}' in element {${place.key}: ${show(child)}}`);
  }
  const created: Doc = {};
  own.add(created);
  setAt(place, created);
  return created;
}

export const valueAt = ({ parent, key }: Place): unknown =>
  Array.isArray(parent) ? parent[Number(key)] : fieldOf(parent, key);

export function setAt({ parent, key }: Place, value: unknown): void {
  if (!Array.isArray(parent)) return assign(parent, key, value);
  while (parent.length < Number(key)) parent.push(null);
  parent[Number(key)] = value;
}

/** An array element becomes null and is not removed. */
export function unsetAt({ parent, key }: Place): void {
  if (!Array.isArray(parent)) delete parent[key];
  else if (Number(key) < parent.length) parent[Number(key)] = null;
}

/** Refuses an invalid path. */
export function checkPath(path: string): void {
  const parts = path.split('.');
  if (parts.includes('')) {
    fail('EmptyFieldName', `The update path '${path}' contains an empty field name, which is not allowed`);
  }
  if (path.startsWith('$')) {
    fail('DollarPrefixedFieldName', `The dollar ($) prefixed field '${path}' is not valid for storage`);
  }
  const unknown = parts.find((part) => part.startsWith('$'));
  if (unknown) {
    fail('DollarPrefixedFieldName', `The dollar ($) prefixed field '${unknown}' in '${path}' is not valid for storage`);
  }
}

const LARGEST_PLACE = 1_500_000;
