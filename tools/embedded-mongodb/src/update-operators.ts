import { Timestamp } from 'bson';
import { fail } from './errors.js';
import { add, isNumeric, multiply, type Numeric } from './numbers.js';
import { compare, encode, equals } from './order.js';
import { compileFilter, compileValueFilter } from './query.js';
import { compileSort, sortBy } from './sort.js';
import { checkPath, setAt, unsetAt, valueAt, type Place } from './update-paths.js';
import { hasOperators, isDoc, kindOf, listOf, show } from './values.js';

/** One update operator. */
export interface Operator {
  /** Whether missing documents on the way to the field come into being. */
  readonly createsPath: boolean;
  /** Refuses a wrong operand before any document is touched. */
  readonly check?: (operand: unknown, path: string) => void;
  readonly apply: (place: Place, operand: unknown, path: string) => void;
}

const numberAt = (place: Place, operator: string, path: string): Numeric | undefined => {
  const value = valueAt(place);
  if (value === undefined) return undefined;
  if (!isNumeric(value)) {
    fail(
      'TypeMismatch',
      `Cannot apply ${operator} to a value of non-numeric type: the field '${path}' is of type ${kindOf(value)}`,
    );
  }
  return value;
};

const listAt = (
  place: Place,
  operator: string,
  path: string,
  error: 'BadValue' | 'TypeMismatch' = 'BadValue',
): unknown[] | undefined => {
  const value = valueAt(place);
  if (value === undefined || Array.isArray(value)) return value;
  return fail(error, `The field '${path}' must be an array but is of type ${kindOf(value)} (${operator})`);
};

const needsNumber =
  (verb: string) =>
  (operand: unknown, path: string): void => {
    if (!isNumeric(operand)) {
      fail('TypeMismatch', `Cannot ${verb} with non-numeric argument: {${path}: ${show(operand)}}`);
    }
  };

const keepsExtreme = (sign: 1 | -1): Operator => ({
  createsPath: true,
  apply: (place, operand) => {
    const value = valueAt(place);
    if (value === undefined || sign * compare(operand, value) > 0) setAt(place, operand);
  },
});

interface PushClauses {
  readonly each: readonly unknown[];
  readonly position?: number;
  readonly slice?: number;
  readonly sort?: unknown;
}

function pushClauses(operand: unknown, path: string): PushClauses {
  if (!hasOperators(operand)) return { each: [operand] };
  const { $each, $position, $slice, $sort, ...others } = operand;
  const [other] = Object.keys(others);
  if (other !== undefined) fail('BadValue', `Unrecognized clause in $push: ${other}`);
  if ($each === undefined) fail('DollarPrefixedFieldName', `$push to '${path}' with modifiers needs $each`);
  if (!Array.isArray($each)) {
    fail('BadValue', `The argument to $each in $push must be an array but it was ${kindOf($each)}`);
  }
  const whole = (value: unknown, name: string): number =>
    typeof value === 'number' && Number.isInteger(value)
      ? value
      : fail('BadValue', `${name} in $push must be a whole number`);
  if ($sort !== undefined && !isDoc($sort) && $sort !== 1 && $sort !== -1) {
    fail('BadValue', 'The $sort in $push must be 1, -1 or a document');
  }
  return {
    each: $each,
    ...($position === undefined ? {} : { position: whole($position, '$position') }),
    ...($slice === undefined ? {} : { slice: whole($slice, '$slice') }),
    ...($sort === undefined ? {} : { sort: $sort }),
  };
}

function pushed(list: readonly unknown[], { each, position, slice, sort }: PushClauses): unknown[] {
  let result = [...list];
  result.splice(position ?? result.length, 0, ...each);
  if (isDoc(sort)) result = sortBy(result, compileSort(sort), (element) => element);
  else if (sort !== undefined) result.sort((left, right) => Number(sort) * compare(left, right));
  if (slice !== undefined) result = slice < 0 ? result.slice(slice) : result.slice(0, slice);
  return result;
}

const eachToAdd = (operand: unknown): unknown[] => {
  if (!hasOperators(operand)) return [operand];
  const { $each, ...others } = operand;
  if (!Array.isArray($each) || Object.keys(others).length > 0) {
    fail('BadValue', '$addToSet takes a value or { $each: [values] }');
  }
  return $each;
};

/** What `$pull` removes: equal values, documents that match a filter, or values that meet operators. */
function pullTest(operand: unknown): (element: unknown) => boolean {
  const isCondition = hasOperators(operand) && !['$and', '$or', '$nor'].includes(Object.keys(operand)[0] ?? '');
  if (isCondition || kindOf(operand) === 'regex') return compileValueFilter(operand);
  if (!isDoc(operand)) return (element) => equals(element, operand);
  const matches = compileFilter(operand);
  return (element) => isDoc(element) && matches(element);
}

const SET: Operator = { createsPath: true, apply: (place, operand) => setAt(place, operand) };

export const RENAME: Operator = {
  createsPath: false,
  check: (operand, path) => {
    if (typeof operand !== 'string') {
      fail('BadValue', `The 'to' field for $rename must be a string: ${path}: ${show(operand)}`);
    }
    checkPath(operand);
    if ((path + operand).includes('$')) {
      fail('BadValue', `$rename does not take positional paths: '${path}' to '${operand}'`);
    }
  },
  apply: () => undefined,
};

/** The operators in use, and nothing else. */
export const UPDATE_OPERATORS: Readonly<Record<string, Operator>> = {
  $set: SET,
  $setOnInsert: SET,
  $unset: { createsPath: false, apply: unsetAt },
  $inc: {
    createsPath: true,
    check: needsNumber('increment'),
    apply: (place, operand, path) => {
      const value = numberAt(place, '$inc', path);
      setAt(place, value === undefined ? operand : add(value, operand as Numeric));
    },
  },
  $mul: {
    createsPath: true,
    check: needsNumber('multiply'),
    apply: (place, operand, path) => setAt(place, multiply(numberAt(place, '$mul', path) ?? 0, operand as Numeric)),
  },
  $min: keepsExtreme(-1),
  $max: keepsExtreme(1),
  $rename: RENAME,
  $currentDate: {
    createsPath: true,
    check: (operand) => {
      const type = isDoc(operand) ? operand['$type'] : undefined;
      if (operand !== true && type !== 'date' && type !== 'timestamp') {
        fail('BadValue', "$currentDate takes true, { $type: 'date' } or { $type: 'timestamp' }");
      }
    },
    apply: (place, operand) => {
      const isTimestamp = isDoc(operand) && operand['$type'] === 'timestamp';
      setAt(place, isTimestamp ? new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 }) : new Date());
    },
  },
  $push: {
    createsPath: true,
    check: (operand, path) => void pushClauses(operand, path),
    apply: (place, operand, path) =>
      setAt(place, pushed(listAt(place, '$push', path) ?? [], pushClauses(operand, path))),
  },
  $addToSet: {
    createsPath: true,
    check: (operand) => void eachToAdd(operand),
    apply: (place, operand, path) => {
      const list = [...(listAt(place, '$addToSet', path) ?? [])];
      const seen = new Set(list.map(encode));
      for (const item of eachToAdd(operand)) {
        const encoding = encode(item);
        if (seen.has(encoding)) continue;
        seen.add(encoding);
        list.push(item);
      }
      setAt(place, list);
    },
  },
  $pull: {
    createsPath: false,
    check: (operand) => void pullTest(operand),
    apply: (place, operand, path) => {
      const list = listAt(place, '$pull', path);
      const isPulled = pullTest(operand);
      if (list)
        setAt(
          place,
          list.filter((element) => !isPulled(element)),
        );
    },
  },
  $pullAll: {
    createsPath: false,
    check: (operand) => void listOf(operand, '$pullAll'),
    apply: (place, operand, path) => {
      const list = listAt(place, '$pullAll', path);
      const pulled = new Set(listOf(operand, '$pullAll').map(encode));
      if (list)
        setAt(
          place,
          list.filter((element) => !pulled.has(encode(element))),
        );
    },
  },
  $pop: {
    createsPath: false,
    check: (operand) => {
      if (operand !== 1 && operand !== -1) fail('FailedToParse', `$pop expects 1 or -1, found: ${show(operand)}`);
    },
    apply: (place, operand, path) => {
      const list = listAt(place, '$pop', path, 'TypeMismatch');
      if (list) setAt(place, operand === -1 ? list.slice(1) : list.slice(0, -1));
    },
  },
};
