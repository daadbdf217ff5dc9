import { fieldOf, isDoc } from './values.js';

/** Whether a part of a path can be an array index. */
export const isArrayPlace = (part: string): boolean => /^(0|[1-9]\d*)$/.test(part);

/**
 * Visits the values at a dotted path like a query: enters arrays by index and through each of their documents; a missing
 * field is visited as `undefined`. Stops and returns true as soon as a visit returns true.
 */
export function someLeaf(
  value: unknown,
  parts: readonly string[],
  visit: (leaf: unknown) => boolean,
  depth = 0,
): boolean {
  const part = parts[depth];
  if (part === undefined) return visit(value);
  if (Array.isArray(value)) {
    if (isArrayPlace(part) && Number(part) < value.length && someLeaf(value[Number(part)], parts, visit, depth + 1)) {
      return true;
    }
    return value.some((element) => isDoc(element) && someLeaf(element, parts, visit, depth));
  }
  return someLeaf(
    isDoc(value) ? fieldOf(value, part) : undefined,
    parts,
    visit,
    isDoc(value) ? depth + 1 : parts.length,
  );
}
