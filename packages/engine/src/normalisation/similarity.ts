/**
 * Counts the edits (insert, delete, replace, adjacent swap) that turn one company name or invoice number into the
 * other, up to `limit`. If more edits are needed, the result is `limit + 1`. The algorithm is optimal string alignment,
 * in which a swap is one edit.
 */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  const [from, leftEnd, rightEnd] = differingMiddle(left, right);
  return Math.min(alignedDistance(left.slice(from, leftEnd), right.slice(from, rightEnd)), limit + 1);
}

/**
 * Finds the middle part in which two strings differ. Invoice numbers usually agree at both ends, so only the middle
 * must be aligned.
 */
function differingMiddle(left: string, right: string): [from: number, leftEnd: number, rightEnd: number] {
  let from = 0;
  while (from < left.length && from < right.length && left[from] === right[from]) from += 1;
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (leftEnd > from && rightEnd > from && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  return [from, leftEnd, rightEnd];
}

function alignedDistance(left: string, right: string): number {
  if (left === '' || right === '') return Math.max(left.length, right.length);
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        cost = Math.min(cost, at(beforePrevious, column - 2) + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, right.length);
}

/**
 * Checks whether two company names or invoice numbers have equal length and differ only by one swap of neighbouring
 * characters.
 */
export function isAdjacentSwap(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let first = 0;
  while (first < left.length && left[first] === right[first]) first += 1;
  return (
    first + 1 < left.length &&
    left[first] === right[first + 1] &&
    left[first + 1] === right[first] &&
    left.slice(first + 2) === right.slice(first + 2)
  );
}

const WINKLER_PREFIX_MAX = 4;
const WINKLER_SCALE = 0.1;

/**
 * Returns the Jaro-Winkler similarity of two company names from 0 to 1, with the usual prefix of 4 and scale of 0.1. An
 * empty string has similarity 0 to every string.
 */
export function jaroWinkler(left: string, right: string): number {
  if (left === '' || right === '') return 0;
  if (left === right) return 1;
  const window = Math.max(0, Math.floor(Math.max(left.length, right.length) / 2) - 1);
  const taken = new Array<boolean>(right.length).fill(false);
  const leftMatches: string[] = [];
  for (let i = 0; i < left.length; i += 1) {
    for (let j = Math.max(0, i - window); j <= Math.min(right.length - 1, i + window); j += 1) {
      if (!taken[j] && left[i] === right[j]) {
        taken[j] = true;
        leftMatches.push(left.charAt(i));
        break;
      }
    }
  }
  if (leftMatches.length === 0) return 0;
  const rightMatches = [...right].filter((_, j) => taken[j]);
  const outOfPlace = leftMatches.filter((character, k) => character !== rightMatches[k]).length / 2;
  const m = leftMatches.length;
  const jaro = (m / left.length + m / right.length + (m - outOfPlace) / m) / 3;
  let prefix = 0;
  while (prefix < WINKLER_PREFIX_MAX && prefix < left.length && left[prefix] === right[prefix]) prefix += 1;
  return jaro + prefix * WINKLER_SCALE * (1 - jaro);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
