import { fail } from './errors.js';
import { add, isNumeric, type Numeric } from './numbers.js';
import { compare, equals } from './order.js';
import { compileFilter, compileValueFilter } from './query.js';
import { setAt, unsetAt, valueAt, type Place } from './update-paths.js';
import { hasOperators, isDoc, kindOf, show } from './values.js';

/** One update operator. */
export interface Operator {
  /** Whether missing documents above the field are created. */
  readonly createsPath: boolean;
  /** Refuses an invalid operand before any document is changed. */
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

const listAt = (place: Place, operator: string, path: string): unknown[] | undefined => {
  const value = valueAt(place);
  if (value === undefined || Array.isArray(value)) return value;
  return fail('BadValue', `The field '${path}' must be an array but is of type ${kindOf(value)} (${operator})`);
};

const needsNumber = (operand: unknown, path: string): void => {
  if (!isNumeric(operand)) {
    fail('TypeMismatch', `Cannot increment with non-numeric argument: {${path}: ${show(operand)}}`);
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
  readonly slice?: number;
}

function pushClauses(operand: unknown, path: string): PushClauses {
  if (!hasOperators(operand)) return { each: [operand] };
  const { $each, $slice, ...others } = operand;
  const [other] = Object.keys(others);
  if (other !== undefined) fail('BadValue', `Unrecognized clause in $push: ${other}`);
  if ($each === undefined) fail('DollarPrefixedFieldName', `$push to '${path}' with modifiers needs $each`);
  if (!Array.isArray($each)) {
    fail('BadValue', `The argument to $each in $push must be an array but it was ${kindOf($each)}`);
  }
  if ($slice === undefined) return { each: $each };
  if (typeof $slice !== 'number' || !Number.isInteger($slice)) {
    fail('BadValue', '$slice in $push must be a whole number');
  }
  return { each: $each, slice: $slice };
}

function pushed(list: readonly unknown[], { each, slice }: PushClauses): unknown[] {
  const result = [...list, ...each];
  if (slice === undefined) return result;
  return slice < 0 ? result.slice(slice) : result.slice(0, slice);
}

/** What `$pull` removes: equal values, documents that match a filter, or values that match operators. */
function pullTest(operand: unknown): (element: unknown) => boolean {
  const isCondition = hasOperators(operand) && !['$and', '$or'].includes(Object.keys(operand)[0] ?? '');
  if (isCondition) return compileValueFilter(operand);
  if (!isDoc(operand)) return (element) => equals(element, operand);
  const matches = compileFilter(operand);
  return (element) => isDoc(element) && matches(element);
}

const SET: Operator = { createsPath: true, apply: (place, operand) => setAt(place, operand) };

/** The supported operators. */
export const UPDATE_OPERATORS: Readonly<Record<string, Operator>> = {
  $set: SET,
  $setOnInsert: SET,
  $unset: { createsPath: false, apply: unsetAt },
  $inc: {
    createsPath: true,
    check: needsNumber,
    apply: (place, operand, path) => {
      const value = numberAt(place, '$inc', path);
      setAt(place, value === undefined ? operand : add(value, operand as Numeric));
    },
  },
  $min: keepsExtreme(-1),
  $max: keepsExtreme(1),
  $push: {
    createsPath: true,
    check: (operand, path) => void pushClauses(operand, path),
    apply: (place, operand, path) =>
      setAt(place, pushed(listAt(place, '$push', path) ?? [], pushClauses(operand, path))),
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
};
