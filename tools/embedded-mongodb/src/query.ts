import { fail } from './errors.js';
import { isNumeric } from './numbers.js';
import { bracketOf, compareEncoded, encode } from './order.js';
import { someLeaf } from './paths.js';
import { fieldOf, hasOperators, isDoc, isSet, kindOf, type Doc } from './values.js';

/** Whether a document matches. */
export type Predicate = (doc: Doc) => boolean;

/** A test of one value at the end of a path; `undefined` stands for a missing field. */
type ValueTest = (value: unknown) => boolean;

/** A condition on a path; `some` tells whether any value at its end passes a test. */
type Condition = (some: (test: ValueTest) => boolean) => boolean;

/** How a test reads an array: also its elements (paths) or as one value (inside `$elemMatch`). */
type ArrayReading = (test: ValueTest) => ValueTest;

const throughElements: ArrayReading = (test) => (value) => test(value) || (Array.isArray(value) && value.some(test));
const asOneValue: ArrayReading = (test) => test;

/**
 * Compiles a filter once for many documents.
 * @throws MongoError BadValue for an unsupported operator, as MongoDB does for an unknown one.
 */
export function compileFilter(filter: Doc): Predicate {
  const predicates = Object.entries(filter).map(([key, operand]) => compileEntry(key, operand));
  const [first, second] = predicates;
  if (!first) return () => true;
  if (!second) return first;
  return (doc) => predicates.every((matches) => matches(doc));
}

/** Tests an array element with the operand of `$pull`: `{ $gt: 1 }` or a value. */
export function compileValueFilter(operand: unknown): ValueTest {
  const conditions = compileConditions(operand, throughElements);
  return (value) => conditions.every((condition) => condition((test) => test(value)));
}

function compileEntry(key: string, operand: unknown): Predicate {
  switch (key) {
    case '$and': {
      const branches = compileBranches(key, operand);
      return (doc) => branches.every((matches) => matches(doc));
    }
    case '$or': {
      const branches = compileBranches(key, operand);
      return (doc) => branches.some((matches) => matches(doc));
    }
    default:
      if (key.startsWith('$')) fail('BadValue', `unknown top level operator: ${key}`);
      return compilePath(key, operand);
  }
}

function compileBranches(operator: string, operand: unknown): Predicate[] {
  if (!Array.isArray(operand) || operand.length === 0) fail('BadValue', `${operator} must be a nonempty array`);
  return operand.map((branch) =>
    isDoc(branch) ? compileFilter(branch) : fail('BadValue', `${operator} entries need to be full objects`),
  );
}

function compilePath(path: string, operand: unknown): Predicate {
  const conditions = compileConditions(operand, throughElements);
  const parts = path.split('.');
  const some = (doc: Doc, test: ValueTest): boolean =>
    parts.length === 1 ? test(fieldOf(doc, path)) : someLeaf(doc, parts, test);
  const [only, second] = conditions;
  if (only && !second) return (doc) => only((test) => some(doc, test));
  return (doc) => conditions.every((condition) => condition((test) => some(doc, test)));
}

function compileConditions(operand: unknown, reading: ArrayReading): Condition[] {
  if (!hasOperators(operand)) {
    const test = reading(equalityTest(operand));
    return [(some) => some(test)];
  }
  return Object.entries(operand).map(([operator, value]) => compileOperator(operator, value, reading));
}

function compileOperator(operator: string, operand: unknown, reading: ArrayReading): Condition {
  const where = (test: ValueTest): Condition => {
    const read = reading(test);
    return (some) => some(read);
  };
  switch (operator) {
    case '$eq':
      return where(equalityTest(operand));
    case '$ne': {
      const read = reading(equalityTest(operand));
      return (some) => !some(read);
    }
    case '$in':
      return where(membershipTest(operator, operand));
    case '$nin': {
      const read = reading(membershipTest(operator, operand));
      return (some) => !some(read);
    }
    case '$gt':
      return where(rangeTest(operand, (order) => order > 0));
    case '$gte':
      return where(rangeTest(operand, (order) => order >= 0));
    case '$lt':
      return where(rangeTest(operand, (order) => order < 0));
    case '$lte':
      return where(rangeTest(operand, (order) => order <= 0));
    case '$exists': {
      const isWanted = isSet(operand);
      return (some) => some((value) => value !== undefined) === isWanted;
    }
    case '$elemMatch': {
      const test = elementTest(operand);
      return (some) => some(test);
    }
    default:
      return fail('BadValue', `unknown operator: ${operator}`);
  }
}

function equalityTest(operand: unknown): ValueTest {
  switch (kindOf(operand)) {
    case 'null':
    case 'missing':
      return (value) => value === null || value === undefined;
    case 'string':
    case 'bool':
      return (value) => value === operand;
    case 'regex':
      return refusePattern();
    default: {
      const wanted = encode(operand);
      return (value) => value === operand || (value !== undefined && encode(value) === wanted);
    }
  }
}

/** The product needs no regular expressions. */
function refusePattern(): never {
  return fail('BadValue', 'Regular expressions are not supported');
}

function membershipTest(operator: string, operand: unknown): ValueTest {
  if (!Array.isArray(operand)) fail('BadValue', `${operator} needs an array`);
  const wanted = new Set<string>();
  for (const item of operand) {
    if (hasOperators(item)) fail('BadValue', `cannot nest $ under ${operator}`);
    if (kindOf(item) === 'regex') refusePattern();
    wanted.add(encode(item));
  }
  return (value) => wanted.has(encode(value));
}

/** Only values of the operand's own type bracket are in a range. */
function rangeTest(operand: unknown, accepts: (order: number) => boolean): ValueTest {
  const kind = kindOf(operand);
  if (kind === 'regex') refusePattern();
  const wanted = encode(operand);
  if (kind === 'null' || kind === 'missing') return (value) => (value === null || value === undefined) && accepts(0);
  if (kind === 'minKey' || kind === 'maxKey') {
    return (value) => value !== undefined && accepts(compareEncoded(encode(value), wanted));
  }
  // NaN equals itself and is neither above nor below any other number.
  const isNotANumber = Number.isNaN(Number(kind === 'decimal' ? String(operand) : operand)) && isNumeric(operand);
  const nan = encode(NaN);
  const bracket = bracketOf(wanted);
  return (value) => {
    if (typeof value === 'string' && typeof operand === 'string' && value === operand) return accepts(0);
    if (value === undefined) return false;
    const encoding = encode(value);
    if (bracketOf(encoding) !== bracket) return false;
    if (isNotANumber || encoding === nan) return encoding === wanted && accepts(0);
    return accepts(compareEncoded(encoding, wanted));
  };
}

function elementTest(operand: unknown): ValueTest {
  if (!isDoc(operand)) fail('BadValue', '$elemMatch needs an Object');
  const [firstKey = ''] = Object.keys(operand);
  const isOnValues = firstKey.startsWith('$') && !['$and', '$or'].includes(firstKey);
  if (!isOnValues) {
    const matches = compileFilter(operand);
    return (value) => Array.isArray(value) && value.some((element) => isDoc(element) && matches(element));
  }
  const conditions = compileConditions(operand, asOneValue);
  return (value) =>
    Array.isArray(value) &&
    value.some((element) => conditions.every((condition) => condition((test) => test(element))));
}
