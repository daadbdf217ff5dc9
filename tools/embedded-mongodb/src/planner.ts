import { AFTER, bracketOf, encode, NULL_KEY } from './order.js';
import type { KeyRange, OrderedIndex, StoredDocument } from './ordered-index.js';
import type { SortField } from './sort.js';
import { hasOperators, isDoc, kindOf, type Doc, type Kind } from './values.js';

/**
 * Chooses how to read a collection: for each index an equality or `$in` prefix, then one range, then the requested
 * order. A plan yields candidates: the caller tests each with the whole filter, so a plan may be too wide but never too
 * narrow.
 */
export interface Plan {
  readonly index: OrderedIndex;
  readonly ranges: readonly KeyRange[];
  /** Whether the candidates come in the requested order. */
  readonly isSorted: boolean;
  readonly isReverse: boolean;
  /** How many leading fields are bounded; more means a narrower plan. */
  readonly boundedFields: number;
}

/** Longer `$in` lists (or their products) are not turned into ranges. */
const RANGES_MAX = 100_000;

/** The bounds of a filter on one path, as encodings. */
interface PathBounds {
  /** The value is one of these. */
  values?: readonly string[];
  low?: string;
  high?: string;
  /** Must exist: enough to read a sparse index. */
  exists?: boolean;
}

/** Kinds whose equality matches exactly one index key; not arrays or patterns. */
const isPoint = (value: unknown): boolean => !['array', 'regex'].includes(kindOf(value));
/** Kinds whose range lies within one type bracket. */
const NO_RANGE: ReadonlySet<Kind> = new Set(['null', 'missing', 'array', 'regex', 'minKey', 'maxKey']);
const isBound = (value: unknown): boolean => !NO_RANGE.has(kindOf(value));

/** The plans of all indexes, without those that another one covers. */
export function plansFor(indexes: Iterable<OrderedIndex>, filter: Doc, sort: readonly SortField[]): Plan[] {
  const boundsByPath = readBounds(filter);
  const plans: Plan[] = [];
  for (const index of indexes) {
    const plan = planFor(index, boundsByPath, sort);
    if (plan) plans.push(plan);
  }
  // Of plans that cover each other the first is kept.
  return plans.filter(
    (plan, place) =>
      !plans.some((other, otherPlace) => covers(other, plan) && (otherPlace < place || !covers(plan, other))),
  );
}

/** The candidates of a plan, each once. */
export function* candidatesOf({ index, ranges, isReverse }: Plan): Generator<StoredDocument> {
  const seen = index.isMultikey ? new Set<StoredDocument>() : undefined;
  for (const range of ranges) {
    for (const stored of index.scan(range, isReverse)) {
      if (seen?.has(stored)) continue;
      seen?.add(stored);
      yield stored;
    }
  }
}

function readBounds(filter: Doc): Map<string, PathBounds> {
  const boundsByPath = new Map<string, PathBounds>();
  const boundsOn = (path: string): PathBounds => {
    const bounds = boundsByPath.get(path) ?? {};
    boundsByPath.set(path, bounds);
    return bounds;
  };
  const restrictValues = (bounds: PathBounds, values: readonly unknown[]): void => {
    if (!values.every(isPoint)) return;
    const encodings = [...new Set(values.map(encode))];
    if (!bounds.values || encodings.length < bounds.values.length) bounds.values = encodings;
  };
  const collect = (part: Doc, prefix: string): void => {
    for (const [key, operand] of Object.entries(part)) {
      if (key === '$and' && Array.isArray(operand)) for (const branch of operand) collect(branch as Doc, prefix);
      if (key.startsWith('$')) continue;
      const bounds = boundsOn(prefix + key);
      if (!hasOperators(operand)) restrictValues(bounds, [operand]);
      else for (const [operator, value] of Object.entries(operand)) addBound(prefix + key, bounds, operator, value);
    }
  };
  const addBound = (path: string, bounds: PathBounds, operator: string, value: unknown): void => {
    switch (operator) {
      case '$eq':
        return restrictValues(bounds, [value]);
      case '$in':
        return Array.isArray(value) ? restrictValues(bounds, value) : undefined;
      case '$gt':
      case '$gte':
        if (isBound(value)) bounds.low ??= encode(value);
        return;
      case '$lt':
      case '$lte':
        if (isBound(value)) bounds.high ??= encode(value);
        return;
      case '$exists':
        if (value === true || value === 1) bounds.exists = true;
        return;
      case '$elemMatch':
        // An element that matches makes the array match at the same paths.
        if (isDoc(value) && !hasOperators(value)) collect(value, `${path}.`);
        return;
    }
  };
  collect(filter, '');
  return boundsByPath;
}

function planFor(
  index: OrderedIndex,
  boundsByPath: Map<string, PathBounds>,
  sort: readonly SortField[],
): Plan | undefined {
  const { fields } = index;
  const points: (readonly string[])[] = [];
  let rangeCount = 1;
  let isArrayBounded = false;
  for (const field of fields) {
    const values = boundsByPath.get(field.path)?.values;
    if (!values || rangeCount * values.length > RANGES_MAX) break;
    // Two fields below one array share their keys element by element, but may match in different elements.
    if (field.isMultikey && isArrayBounded) break;
    isArrayBounded ||= field.isMultikey;
    rangeCount *= values.length;
    points.push(values);
  }
  const next = fields[points.length];
  const range = next && !(next.isMultikey && isArrayBounded) ? boundsByPath.get(next.path) : undefined;
  const isRanged = range?.low !== undefined || range?.high !== undefined;
  const boundedFields = points.length + (isRanged ? 1 : 0);
  if (index.spec.sparse && !impliesField(index, boundsByPath)) return undefined;

  const order = orderGiven(index, points, sort);
  const isSorted = sort.length > 0 && order !== undefined && rangeCount <= 1;
  if (boundedFields === 0 && !isSorted) return undefined;
  const prefixes = points.reduce<string[]>(
    (heads, values) => heads.flatMap((head) => values.map((value) => head + value)),
    [''],
  );
  const ranges = prefixes.map((prefix) =>
    isRanged ? boundsOf(prefix, range, next?.isMultikey ?? false) : within(prefix),
  );
  return { index, ranges, isSorted, isReverse: isSorted && order === -1, boundedFields };
}

const within = (prefix: string): KeyRange => ({ low: prefix, high: prefix + AFTER });

function boundsOf(prefix: string, { low, high }: PathBounds, isMultikey: boolean): KeyRange {
  const bracket = prefix + bracketOf(low ?? high ?? '');
  // With an array one element may satisfy the lower bound and another one the upper.
  const isOneSided = low !== undefined && isMultikey;
  const canClose = high !== undefined && !isOneSided && (low === undefined || bracketOf(low) === bracketOf(high));
  return { low: low === undefined ? bracket : prefix + low, high: (canClose ? prefix + high : bracket) + AFTER };
}

/** A sparse index misses documents that have none of its fields; the filter must exclude those. */
function impliesField(index: OrderedIndex, boundsByPath: Map<string, PathBounds>): boolean {
  return index.fields.some(({ path }) => {
    const bounds = boundsByPath.get(path);
    if (!bounds) return false;
    if (bounds.values) return !bounds.values.includes(NULL_KEY);
    return bounds.low !== undefined || bounds.high !== undefined || bounds.exists === true;
  });
}

/** The direction in which the index yields the requested order, ignoring fields with equality. */
function orderGiven(
  { fields }: OrderedIndex,
  points: readonly (readonly string[])[],
  sort: readonly SortField[],
): 1 | -1 | undefined {
  const equal = new Set(
    fields
      .slice(0, points.length)
      .filter((field) => !field.isMultikey)
      .map(({ path }) => path),
  );
  const rest = sort.filter(({ path }) => !equal.has(path));
  const direction = rest[0]?.direction ?? 1;
  const isGiven = rest.every((wanted, place) => {
    const field = fields[points.length + place];
    return field?.path === wanted.path && !field.isMultikey && wanted.direction === direction;
  });
  return isGiven ? direction : undefined;
}

/** Whether one plan has all bounds of the other and an order at least as good. */
function covers(one: Plan, other: Plan): boolean {
  if (other.isSorted && !one.isSorted) return false;
  const boundedPaths = ({ index, boundedFields }: Plan): string[] =>
    index.fields.slice(0, boundedFields).map(({ path }) => path);
  const paths = new Set(boundedPaths(one));
  return boundedPaths(other).every((path) => paths.has(path));
}
