import type { BSONRegExp } from 'bson';
import { fail } from './errors.js';
import { compileExpression } from './expression.js';
import { isNumeric } from './numbers.js';
import { bracketOf, compareEncoded, encode } from './order.js';
import { someLeaf } from './paths.js';
import { fieldOf, hasOperators, isDoc, isSet, kindOf, listOf, show, type Doc, type Kind } from './values.js';

/** Whether a document matches. */
export type Predicate = (doc: Doc) => boolean;

/** A test of one value at the end of a path; `undefined` stands for a missing field. */
type ValueTest = (value: unknown) => boolean;

/** A condition on a path, given a way to ask whether some value at its end passes a test. */
type Condition = (some: (test: ValueTest) => boolean) => boolean;

/** How a test reads an array: through its elements too (paths) or as one value (inside `$elemMatch`). */
type ArrayReading = (test: ValueTest) => ValueTest;

const throughElements: ArrayReading = (test) => (value) => test(value) || (Array.isArray(value) && value.some(test));
const asOneValue: ArrayReading = (test) => test;

/**
 * Compiles a filter once for many documents.
 * @throws MongoError BadValue for an operator outside the supported list, as MongoDB does for one it does not know.
 */
export function compileFilter(filter: Doc): Predicate {
  const predicates = Object.entries(filter).flatMap(([key, operand]) => compileEntry(key, operand) ?? []);
  const [first, second] = predicates;
  if (!first) return () => true;
  if (!second) return first;
  return (doc) => predicates.every((matches) => matches(doc));
}

/** Tests an array element with the operand of `$pull` or with an array filter's condition: `{ $gt: 1 }` or a value. */
export function compileValueFilter(operand: unknown): ValueTest {
  const conditions = compileConditions(operand, throughElements);
  return (value) => conditions.every((condition) => condition((test) => test(value)));
}

function compileEntry(key: string, operand: unknown): Predicate | undefined {
  switch (key) {
    case '$comment':
      return undefined;
    case '$expr': {
      const evaluate = compileExpression(operand);
      return (doc) => isSet(evaluate(doc));
    }
    case '$and': {
      const branches = compileBranches(key, operand);
      return (doc) => branches.every((matches) => matches(doc));
    }
    case '$or': {
      const branches = compileBranches(key, operand);
      return (doc) => branches.some((matches) => matches(doc));
    }
    case '$nor': {
      const branches = compileBranches(key, operand);
      return (doc) => !branches.some((matches) => matches(doc));
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
    const test = reading(kindOf(operand) === 'regex' ? regexTest(operand as BSONRegExp) : equalityTest(operand));
    return [(some) => some(test)];
  }
  return Object.entries(operand).flatMap(
    ([operator, value]) => compileOperator(operator, value, operand, reading) ?? [],
  );
}

/** `undefined` for `$options`, which belongs to `$regex`. */
function compileOperator(
  operator: string,
  operand: unknown,
  siblings: Doc,
  reading: ArrayReading,
): Condition | undefined {
  const where = (test: ValueTest): Condition => {
    const read = reading(test);
    return (some) => some(read);
  };
  const whereNot = (test: ValueTest): Condition => {
    const read = reading(test);
    return (some) => !some(read);
  };
  switch (operator) {
    case '$eq':
      return where(equalityTest(operand));
    case '$ne':
      if (kindOf(operand) === 'regex') fail('BadValue', "Can't have regex as arg to $ne.");
      return whereNot(equalityTest(operand));
    case '$in':
      return where(membershipTest(operator, operand));
    case '$nin':
      return whereNot(membershipTest(operator, operand));
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
    case '$type':
      return where(typeTest(operand));
    case '$regex': {
      const test = reading(regexTest(operand, siblings['$options']));
      return (some) => some(test);
    }
    case '$options':
      if (!('$regex' in siblings)) fail('BadValue', '$options needs a $regex');
      return undefined;
    case '$size': {
      if (kindOf(operand) !== 'number' || !Number.isInteger(operand) || (operand as number) < 0) {
        fail('BadValue', `Failed to parse $size. Expected a non-negative integer, got: ${show(operand)}`);
      }
      return (some) => some((value) => Array.isArray(value) && value.length === operand);
    }
    case '$elemMatch': {
      const test = elementTest(operand);
      return (some) => some(test);
    }
    case '$all':
      return allCondition(operand, reading);
    case '$not': {
      if (!hasOperators(operand) && kindOf(operand) !== 'regex') fail('BadValue', '$not needs a regex or a document');
      const negated = compileConditions(operand, reading);
      return (some) => !negated.every((condition) => condition(some));
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
    default: {
      const wanted = encode(operand);
      return (value) => value === operand || (value !== undefined && encode(value) === wanted);
    }
  }
}

function membershipTest(operator: string, operand: unknown): ValueTest {
  if (!Array.isArray(operand)) fail('BadValue', `${operator} needs an array`);
  const wanted = new Set<string>();
  const patterns: ValueTest[] = [];
  for (const item of operand) {
    if (hasOperators(item)) fail('BadValue', `cannot nest $ under ${operator}`);
    if (kindOf(item) === 'regex') patterns.push(regexTest(item));
    else wanted.add(encode(item));
  }
  return (value) => wanted.has(encode(value)) || patterns.some((test) => test(value));
}

/** Only values of the operand's own type bracket are in a range. */
function rangeTest(operand: unknown, accepts: (order: number) => boolean): ValueTest {
  const kind = kindOf(operand);
  if (kind === 'regex') fail('BadValue', "Can't have RegEx as arg to predicate over field");
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

/** The aliases of `$type`. `int` and `double` are missing: this server cannot tell 1 from 1.0. */
const TYPE_ALIASES: Readonly<Record<string, readonly Kind[]>> = {
  object: ['object'],
  array: ['array'],
  string: ['string'],
  binData: ['binData'],
  objectId: ['objectId'],
  bool: ['bool'],
  date: ['date'],
  null: ['null'],
  regex: ['regex'],
  timestamp: ['timestamp'],
  long: ['long'],
  decimal: ['decimal'],
  number: ['number', 'long', 'decimal'],
};

function typeTest(operand: unknown): ValueTest {
  const kinds = (Array.isArray(operand) ? operand : [operand]).flatMap((alias) => {
    const known = typeof alias === 'string' && Object.hasOwn(TYPE_ALIASES, alias) ? TYPE_ALIASES[alias] : undefined;
    return (
      known ??
      fail('BadValue', `Unknown type name alias: ${show(alias)} (supported: ${Object.keys(TYPE_ALIASES).join(', ')})`)
    );
  });
  const wanted = new Set<Kind>(kinds);
  return (value) => wanted.has(kindOf(value));
}

/** Texts that the pattern finds something in, and a stored pattern that is the very same. */
function regexTest(operand: unknown, options?: unknown): ValueTest {
  const pattern = regexOf(operand, options);
  const itself = kindOf(operand) === 'regex' ? encode(operand) : undefined;
  return (value) =>
    typeof value === 'string' ? pattern.test(value) : itself !== undefined && encode(value) === itself;
}

/** PCRE and JavaScript agree on what the `u` flag accepts; it refuses the rest (`\A`, `\Q`), and so does this server. */
function regexOf(operand: unknown, options: unknown): RegExp {
  const { pattern, options: own } =
    kindOf(operand) === 'regex' ? (operand as BSONRegExp) : { pattern: operand, options: '' };
  if (typeof pattern !== 'string') fail('BadValue', '$regex has to be a string');
  const flags = options ?? own;
  if (typeof flags !== 'string') fail('BadValue', '$options has to be a string');
  if (/[^imsu]/.test(flags)) fail('BadValue', `The regular expression option ${show(flags)} is not supported`);
  try {
    return new RegExp(pattern, `${flags.replace('u', '')}u`);
  } catch (error) {
    return fail('BadValue', `Regular expression is invalid: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function elementTest(operand: unknown): ValueTest {
  if (!isDoc(operand)) fail('BadValue', '$elemMatch needs an Object');
  const [firstKey = ''] = Object.keys(operand);
  const isOnValues = firstKey.startsWith('$') && !['$and', '$or', '$nor', '$expr'].includes(firstKey);
  if (!isOnValues) {
    const matches = compileFilter(operand);
    return (value) => Array.isArray(value) && value.some((element) => isDoc(element) && matches(element));
  }
  const conditions = compileConditions(operand, asOneValue);
  return (value) =>
    Array.isArray(value) &&
    value.some((element) => conditions.every((condition) => condition((test) => test(element))));
}

function allCondition(operand: unknown, reading: ArrayReading): Condition {
  const tests = listOf(operand, '$all').map((item) => {
    if (!hasOperators(item)) return reading(kindOf(item) === 'regex' ? regexTest(item) : equalityTest(item));
    if (Object.keys(item).join() !== '$elemMatch') fail('BadValue', 'no $ expressions in $all');
    return elementTest(item['$elemMatch']);
  });
  return (some) => tests.length > 0 && tests.every((test) => some(test));
}
