import { AFTER, bracketOf, encode, NULL_KEY } from './order.js';
import type { KeyRange, OrderedIndex, StoredDocument } from './ordered-index.js';
import type { SortField } from './sort.js';
import { hasOperators, isDoc, kindOf, type Doc, type Kind } from './values.js';

/**
 * Chooses how to read a collection: for each index an equality or `$in` prefix, then one range, then the order asked
 * for. A plan promises candidates, never answers: the caller tests every candidate with the whole filter, so a plan may
 * be too wide and must not be too narrow.
 */
export interface Plan {
  readonly index: OrderedIndex;
  readonly ranges: readonly KeyRange[];
  /** Whether an order is asked for and the candidates come in it. */
  readonly isSorted: boolean;
  readonly isReverse: boolean;
  /** How many leading fields are bounded: what makes one plan narrower than another. */
  readonly boundedFields: number;
}

/** Longer `$in` lists (or their products) are not turned into ranges. */
const RANGES_MAX = 100_000;

/** What a filter demands of one path, as encodings. */
interface Demand {
  /** The value is one of these. */
  values?: readonly string[];
  low?: string;
  high?: string;
  /** Said to be there: enough to read a sparse index. */
  exists?: boolean;
}

/** Kinds whose equality an index answers by one key: an array or a pattern also matches otherwise. */
const isPoint = (value: unknown): boolean => !['array', 'regex'].includes(kindOf(value));
/** Kinds whose range lies within one type bracket. */
const NO_RANGE: ReadonlySet<Kind> = new Set(['null', 'missing', 'array', 'regex', 'minKey', 'maxKey']);
const isBound = (value: unknown): boolean => !NO_RANGE.has(kindOf(value));

/** All plans that an index allows, without those that another one contains. */
export function plansFor(indexes: Iterable<OrderedIndex>, filter: Doc, sort: readonly SortField[]): Plan[] {
  const demands = demandsOf(filter);
  const plans: Plan[] = [];
  for (const index of indexes) {
    const plan = planFor(index, demands, sort);
    if (plan) plans.push(plan);
  }
  // Of plans that cover each other the first stays.
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

function demandsOf(filter: Doc): Map<string, Demand> {
  const demands = new Map<string, Demand>();
  const demandOn = (path: string): Demand => {
    const demand = demands.get(path) ?? {};
    demands.set(path, demand);
    return demand;
  };
  const demandValues = (demand: Demand, values: readonly unknown[]): void => {
    if (!values.every(isPoint)) return;
    const encodings = [...new Set(values.map(encode))];
    if (!demand.values || encodings.length < demand.values.length) demand.values = encodings;
  };
  const collect = (part: Doc, prefix: string): void => {
    for (const [key, operand] of Object.entries(part)) {
      if (key === '$and' && Array.isArray(operand)) for (const branch of operand) collect(branch as Doc, prefix);
      if (key.startsWith('$')) continue;
      const demand = demandOn(prefix + key);
      if (!hasOperators(operand)) demandValues(demand, [operand]);
      else for (const [operator, value] of Object.entries(operand)) demandOf(prefix + key, demand, operator, value);
    }
  };
  const demandOf = (path: string, demand: Demand, operator: string, value: unknown): void => {
    switch (operator) {
      case '$eq':
        return demandValues(demand, [value]);
      case '$in':
        return Array.isArray(value) ? demandValues(demand, value) : undefined;
      case '$gt':
      case '$gte':
        if (isBound(value)) demand.low ??= encode(value);
        return;
      case '$lt':
      case '$lte':
        if (isBound(value)) demand.high ??= encode(value);
        return;
      case '$exists':
        if (value === true || value === 1) demand.exists = true;
        return;
      case '$elemMatch':
        // An element that matches makes the array match at the same paths.
        if (isDoc(value) && !hasOperators(value)) collect(value, `${path}.`);
        return;
    }
  };
  collect(filter, '');
  return demands;
}

function planFor(index: OrderedIndex, demands: Map<string, Demand>, sort: readonly SortField[]): Plan | undefined {
  const { fields } = index;
  const points: (readonly string[])[] = [];
  let rangeCount = 1;
  let isArrayBounded = false;
  for (const field of fields) {
    const values = demands.get(field.path)?.values;
    if (!values || rangeCount * values.length > RANGES_MAX) break;
    // Two fields below one array share their keys element by element, but may match in different elements.
    if (field.isMultikey && isArrayBounded) break;
    isArrayBounded ||= field.isMultikey;
    rangeCount *= values.length;
    points.push(values);
  }
  const next = fields[points.length];
  const range = next && !(next.isMultikey && isArrayBounded) ? demands.get(next.path) : undefined;
  const isRanged = range?.low !== undefined || range?.high !== undefined;
  const boundedFields = points.length + (isRanged ? 1 : 0);
  if (index.spec.sparse && !impliesField(index, demands)) return undefined;

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

function boundsOf(prefix: string, { low, high }: Demand, isMultikey: boolean): KeyRange {
  const bracket = prefix + bracketOf(low ?? high ?? '');
  // With an array one element may satisfy the lower bound and another one the upper.
  const isOneSided = low !== undefined && isMultikey;
  const canClose = high !== undefined && !isOneSided && (low === undefined || bracketOf(low) === bracketOf(high));
  return { low: low === undefined ? bracket : prefix + low, high: (canClose ? prefix + high : bracket) + AFTER };
}

/** A sparse index misses documents that have none of its fields; the filter must rule those out. */
function impliesField(index: OrderedIndex, demands: Map<string, Demand>): boolean {
  return index.fields.some(({ path }) => {
    const demand = demands.get(path);
    if (!demand) return false;
    if (demand.values) return !demand.values.includes(NULL_KEY);
    return demand.low !== undefined || demand.high !== undefined || demand.exists === true;
  });
}

/** The direction in which the index gives the order asked for, once the equal fields are set aside. */
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

/** Whether one plan bounds all that the other does and gives the order at least as well. */
function covers(one: Plan, other: Plan): boolean {
  if (other.isSorted && !one.isSorted) return false;
  const boundedPaths = ({ index, boundedFields }: Plan): string[] =>
    index.fields.slice(0, boundedFields).map(({ path }) => path);
  const paths = new Set(boundedPaths(one));
  return boundedPaths(other).every((path) => paths.has(path));
}
