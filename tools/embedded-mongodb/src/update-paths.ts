import { fail } from './errors.js';
import { isArrayPlace } from './paths.js';
import { compileFilter } from './query.js';
import { assign, docOf, fieldOf, isDoc, show, type Doc } from './values.js';

/** A document or an array, and a key in it: where an operator acts. */
export interface Place {
  readonly parent: Doc | unknown[];
  readonly key: string;
}

/** The array filters of an update, by the name that a path calls them. */
export type ElementTests = ReadonlyMap<string, (element: unknown) => boolean>;

/** What the positional parts of a path (`$`, `$[]`, `$[name]`) are resolved with. */
export interface Resolver {
  readonly filter: Doc;
  readonly elementTests: ElementTests;
  /** Documents and arrays that this update has made, and may therefore change. */
  readonly own: Set<unknown>;
}

/**
 * Calls back for every place that a path names in a document under construction, which is new itself. Documents and arrays
 * on the way are replaced by copies, so that the stored state of the document stays as it is.
 */
export function visitPlaces(
  root: Doc,
  path: string,
  resolver: Resolver,
  creates: boolean,
  visit: (place: Place) => void,
): void {
  const parts = path.split('.');
  const walk = (parent: Doc | unknown[], depth: number): void => {
    for (const key of keysAt(parent, parts, depth, resolver, creates)) {
      if (depth === parts.length - 1) visit({ parent, key });
      else {
        const child = childAt({ parent, key }, parts, depth, creates, resolver.own);
        if (child) walk(child, depth + 1);
      }
    }
  };
  walk(root, 0);
}

function keysAt(
  parent: Doc | unknown[],
  parts: readonly string[],
  depth: number,
  resolver: Resolver,
  creates: boolean,
): string[] {
  const part = parts[depth] ?? '';
  const before = parts.slice(0, depth).join('.');
  if (part.startsWith('$')) {
    if (!Array.isArray(parent)) {
      fail('BadValue', `The path '${before}' must exist in the document in order to apply array updates.`);
    }
    if (part === '$') return [String(matchedPlace(resolver.filter, before, parent))];
    const test = resolver.elementTests.get(part.slice(2, -1)) ?? (() => true);
    return parent.flatMap((element, place) => (test(element) ? [String(place)] : []));
  }
  if (!Array.isArray(parent)) return [part];
  if (!isArrayPlace(part)) {
    if (!creates) return [];
    fail('PathNotViable', `Cannot create field '${part}' in element {${parts[depth - 1]}: ${show(parent)}}`);
  }
  if (Number(part) > parent.length + LARGEST_PLACE) {
    fail('BadValue', `The array place in '${parts.join('.')}' is too large`);
  }
  return [part];
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

/** The place of the first element that the filter matched, for the positional `$`. */
function matchedPlace(filter: Doc, path: string, elements: readonly unknown[]): number {
  const conditions = [filter, ...(Array.isArray(filter['$and']) ? filter['$and'] : [])].flatMap((part: unknown) =>
    Object.entries(docOf(part, '$and')).filter(([key]) => key === path || key.startsWith(`${path}.`)),
  );
  for (const [key, condition] of conditions) {
    const matches = compileFilter({ [key]: condition });
    const wrap = (element: unknown): Doc =>
      path.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), [element]) as Doc;
    const place = elements.findIndex((element) => matches(wrap(element)));
    if (place >= 0) return place;
  }
  return fail('BadValue', 'The positional operator did not find the match needed from the query.');
}

export const valueAt = ({ parent, key }: Place): unknown =>
  Array.isArray(parent) ? parent[Number(key)] : fieldOf(parent, key);

export function setAt({ parent, key }: Place, value: unknown): void {
  if (!Array.isArray(parent)) return assign(parent, key, value);
  while (parent.length < Number(key)) parent.push(null);
  parent[Number(key)] = value;
}

/** A place in an array is emptied, not closed up. */
export function unsetAt({ parent, key }: Place): void {
  if (!Array.isArray(parent)) delete parent[key];
  else if (Number(key) < parent.length) parent[Number(key)] = null;
}

/** Refuses a path that no document may have. */
export function checkPath(path: string): void {
  const parts = path.split('.');
  if (parts.includes('')) {
    fail('EmptyFieldName', `The update path '${path}' contains an empty field name, which is not allowed`);
  }
  if (path.startsWith('$')) {
    fail('DollarPrefixedFieldName', `The dollar ($) prefixed field '${path}' is not valid for storage`);
  }
  const unknown = parts.find((part) => part.startsWith('$') && part !== '$' && !/^\$\[\w*\]$/.test(part));
  if (unknown) {
    fail('DollarPrefixedFieldName', `The dollar ($) prefixed field '${unknown}' in '${path}' is not valid for storage`);
  }
}

const LARGEST_PLACE = 1_500_000;
