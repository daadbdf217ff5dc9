/**
 * The area that a filled path paints on a document page. For each point of the page, it tells whether the path covers
 * the point.
 */
export type PaintedArea = (point: readonly [number, number]) => boolean;

type Point = readonly [x: number, y: number];

/** Operators of a drawn path as pdf.js numbers them, with the number of coordinates that follow each operator. */
const MOVE = 0;
const COORDINATES: readonly number[] = [2, 2, 6, 4, 0];
/** Number of straight pieces that represent a curve of a PDF drawing. */
const PIECES = 6;
/**
 * Maximum length of a PDF path that is examined. A longer path, such as a drawn code, counts as covering its whole
 * bounding box.
 */
const PATH_NUMBERS_MAX = 4_000;

/**
 * Returns the area that a path of a PDF paints. A frame that is drawn as a filled ring leaves the content inside the
 * ring visible, so the bounding box is not the covered area. Undefined if the path is too long to be examined.
 * @param place converts a point of the path to a point of the page
 */
export function paintedArea(
  path: ArrayLike<number>,
  isEvenOdd: boolean,
  place: (x: number, y: number) => Point,
): PaintedArea | undefined {
  if (path.length > PATH_NUMBERS_MAX) return undefined;
  const outlines = outlinesOf(path, place);
  return (point) => {
    const winding = outlines.reduce((sum, outline) => sum + windingOf(outline, point, isEvenOdd), 0);
    return isEvenOdd ? winding % 2 !== 0 : winding !== 0;
  };
}

function outlinesOf(path: ArrayLike<number>, place: (x: number, y: number) => Point): Point[][] {
  const outlines: Point[][] = [];
  let at: Point = [0, 0];
  for (let index = 0; index < path.length;) {
    const operator = path[index] ?? 0;
    const count = COORDINATES[operator] ?? 0;
    const numbers = Array.from({ length: count }, (_, offset) => path[index + 1 + offset] ?? 0);
    index += 1 + count;
    if (operator === MOVE) outlines.push([]);
    if (count === 0) continue;
    const points: Point[] = [at];
    for (let next = 0; next < count; next += 2) points.push([numbers[next] ?? 0, numbers[next + 1] ?? 0]);
    const pieces = count > 2 ? PIECES : 1;
    for (let piece = 1; piece <= pieces; piece += 1) {
      const [x, y] = pointOfCurve(points, piece / pieces);
      outlines.at(-1)?.push(place(x, y));
    }
    at = points.at(-1) ?? at;
  }
  return outlines;
}

/**
 * Computes a point of a curve in a PDF drawing by the algorithm of De Casteljau, which interpolates between control
 * points until one point is left.
 */
function pointOfCurve(points: readonly Point[], share: number): Point {
  let rest = points;
  while (rest.length > 1) {
    rest = rest.slice(1).map(([x, y], index): Point => {
      const [fromX, fromY] = rest[index] ?? [x, y];
      return [fromX + (x - fromX) * share, fromY + (y - fromY) * share];
    });
  }
  return rest[0] ?? [0, 0];
}

/**
 * Counts how often the outline of a PDF path goes around a point. With `isEvenOdd`, each crossing counts, whatever its
 * direction.
 */
function windingOf(outline: readonly Point[], [x, y]: Point, isEvenOdd: boolean): number {
  let winding = 0;
  for (const [index, [toX, toY]] of outline.entries()) {
    const [fromX, fromY] = outline.at(index - 1) ?? [toX, toY];
    if (fromY <= y === toY <= y) continue;
    if (fromX + ((y - fromY) / (toY - fromY)) * (toX - fromX) <= x) continue;
    winding += isEvenOdd || toY > fromY ? 1 : -1;
  }
  return winding;
}
