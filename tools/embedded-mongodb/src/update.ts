import { Timestamp } from 'bson';
import { fail, refuse } from './errors.js';
import { add, isNumeric, multiply, type Numeric } from './numbers.js';
import { compare, encode, equals } from './order.js';
import { isArrayPlace } from './paths.js';
import { compileFilter, compileValueFilter } from './query.js';
import { compileSort, sortBy } from './sort.js';
import { assign, copyOf, docOf, fieldOf, hasOperators, isDoc, kindOf, listOf, show, type Doc } from './values.js';

/** Gives the next state of a document and leaves the one it is given alone. */
export type Change = (doc: Doc) => Doc;

export interface UpdateStatement {
  readonly filter: Doc;
  readonly update: unknown;
  readonly arrayFilters?: unknown;
}

/** A document or an array, and a key in it: where an operator acts. */
interface Place {
  readonly parent: Doc | unknown[];
  readonly key: string;
}

interface Operator {
  /** Whether missing documents on the way to the field come into being. */
  readonly createsPath: boolean;
  /** Refuses a wrong operand before any document is touched. */
  readonly check?: (operand: unknown, path: string) => void;
  readonly apply: (place: Place, operand: unknown, path: string) => void;
}

const LARGEST_PLACE = 1_500_000;

/**
 * Compiles an update document or a replacement. Everything that can be refused without a document is refused here.
 * @param isInsert whether `$setOnInsert` takes part: the document is being created by an upsert
 * @throws MongoError with MongoDB's code for each misuse; CommandNotSupported for a pipeline
 */
export function compileUpdate({ filter, update, arrayFilters }: UpdateStatement, isInsert: boolean): Change {
  if (Array.isArray(update)) refuse('An update by a pipeline');
  if (!isDoc(update)) fail('FailedToParse', 'Update argument must be a document');
  if (!hasOperators(update)) return compileReplacement(update);
  const elementTests = compileArrayFilters(arrayFilters);
  const steps = compileSteps(update, isInsert);
  checkConflicts(steps);
  checkArrayFiltersUsed(steps, elementTests);
  return (doc) => {
    const next = copyOf(doc);
    const resolve: Resolver = { filter, elementTests };
    for (const { operator, path, operand } of steps) {
      if (operator === RENAME) rename(next, path, String(operand), resolve);
      else visitPlaces(next, path, resolve, operator.createsPath, (place) => operator.apply(place, operand, path));
    }
    return withIdOf(doc, next);
  };
}

/** Whether an update replaces the whole document. */
export const isReplacement = (update: unknown): boolean => isDoc(update) && !hasOperators(update);

/** The document that an upsert starts from: what the filter says is equal. */
export function upsertBase(filter: Doc): Doc {
  const base: Doc = {};
  const put = (path: string, value: unknown): void => {
    visitPlaces(base, path, { filter, elementTests: new Map() }, true, (place) => setAt(place, copyOf(value)));
  };
  const collect = (part: Doc): void => {
    for (const [key, condition] of Object.entries(part)) {
      if (key === '$and') for (const branch of listOf(condition, '$and')) collect(docOf(branch, '$and'));
      else if (key === '$or' && Array.isArray(condition) && condition.length === 1) collect(docOf(condition[0], '$or'));
      else if (key.startsWith('$')) continue;
      else if (!hasOperators(condition)) {
        if (kindOf(condition) !== 'regex') put(key, condition);
      } else if ('$eq' in condition) put(key, condition['$eq']);
      else {
        const only = condition['$in'] ?? condition['$all'];
        if (Array.isArray(only) && only.length === 1 && !hasOperators(only[0])) put(key, only[0]);
      }
    }
  };
  collect(filter);
  return base;
}

function compileReplacement(replacement: Doc): Change {
  const dollar = Object.keys(replacement).find((key) => key.startsWith('$'));
  if (dollar)
    fail('DollarPrefixedFieldName', `The dollar ($) prefixed field '${dollar}' is not allowed in a replacement`);
  return (doc) => {
    const { _id, ...rest } = copyOf(replacement);
    const id = _id ?? doc['_id'];
    return withIdOf(doc, id === undefined ? rest : { _id: id, ...rest });
  };
}

/** The `_id` of a document never changes, and comes first. */
function withIdOf(old: Doc, next: Doc): Doc {
  if (!('_id' in old)) return next;
  if (!('_id' in next) || !equals(old['_id'], next['_id'])) {
    fail('ImmutableField', "Performing an update on the path '_id' would modify the immutable field '_id'");
  }
  return next;
}

interface Step {
  readonly operator: Operator;
  readonly path: string;
  readonly operand: unknown;
}

function compileSteps(update: Doc, isInsert: boolean): Step[] {
  const steps: Step[] = [];
  for (const [name, fields] of Object.entries(update)) {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (!operator) fail('FailedToParse', `Unknown modifier: ${name}. Expected a valid update modifier`);
    if (!isDoc(fields)) {
      fail(
        'FailedToParse',
        `Modifiers operate on fields but we found type ${kindOf(fields)} instead. Use {${name}: {<field>: ...}}`,
      );
    }
    for (const [path, operand] of Object.entries(fields)) {
      checkPath(path);
      operator.check?.(operand, path);
      if (name !== '$setOnInsert' || isInsert) steps.push({ operator, path, operand });
    }
  }
  // MongoDB works on the fields in the order of their names, which decides where new ones are put.
  return steps.sort((left, right) => comparePaths(left.path, right.path));
}

function checkPath(path: string): void {
  const parts = path.split('.');
  if (parts.includes(''))
    fail('EmptyFieldName', `The update path '${path}' contains an empty field name, which is not allowed`);
  if (path.startsWith('$'))
    fail('DollarPrefixedFieldName', `The dollar ($) prefixed field '${path}' is not valid for storage`);
  const unknown = parts.find((part) => part.startsWith('$') && part !== '$' && !/^\$\[\w*\]$/.test(part));
  if (unknown)
    fail('DollarPrefixedFieldName', `The dollar ($) prefixed field '${unknown}' in '${path}' is not valid for storage`);
}

function comparePaths(left: string, right: string): number {
  const [a, b] = [left.split('.'), right.split('.')];
  for (let depth = 0; depth < Math.min(a.length, b.length); depth += 1) {
    const [x, y] = [a[depth] ?? '', b[depth] ?? ''];
    if (x === y) continue;
    if (isArrayPlace(x) && isArrayPlace(y)) return Number(x) - Number(y);
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

function checkConflicts(steps: readonly Step[]): void {
  const taken: string[] = [];
  for (const { operator, path, operand } of steps) {
    for (const target of operator === RENAME ? [path, String(operand)] : [path]) {
      const other = taken.find(
        (seen) => seen === target || seen.startsWith(`${target}.`) || target.startsWith(`${seen}.`),
      );
      if (other !== undefined) {
        fail('ConflictingUpdateOperators', `Updating the path '${target}' would create a conflict at '${other}'`);
      }
      taken.push(target);
    }
  }
}

type ElementTests = ReadonlyMap<string, (element: unknown) => boolean>;

/** `[{ 'line.sku': 'a' }]` names its elements `line`, used in a path as `lines.$[line].price`. */
function compileArrayFilters(arrayFilters: unknown): ElementTests {
  const tests = new Map<string, (element: unknown) => boolean>();
  for (const item of arrayFilters === undefined ? [] : listOf(arrayFilters, 'arrayFilters')) {
    const filter = docOf(item, 'arrayFilters');
    const names = new Set(namesIn(filter));
    const [name] = names;
    if (name === undefined || names.size > 1)
      fail('FailedToParse', 'Each array filter must name exactly one identifier');
    if (tests.has(name))
      fail('FailedToParse', `Found multiple array filters with the same top-level field name ${name}`);
    const matches = compileFilter(filter);
    tests.set(name, (element) => matches({ [name]: element }));
  }
  return tests;
}

function namesIn(filter: Doc): string[] {
  return Object.entries(filter).flatMap(([key, value]) =>
    key.startsWith('$')
      ? Array.isArray(value)
        ? value.flatMap((part) => namesIn(docOf(part, key)))
        : []
      : [key.split('.')[0] ?? ''],
  );
}

function checkArrayFiltersUsed(steps: readonly Step[], tests: ElementTests): void {
  const used = new Set(steps.flatMap(({ path }) => [...path.matchAll(/\$\[(\w+)\]/g)].map(([, name]) => name ?? '')));
  for (const name of used) if (!tests.has(name)) fail('BadValue', `No array filter found for identifier '${name}'`);
  for (const name of tests.keys()) {
    if (!used.has(name)) fail('FailedToParse', `The array filter for identifier '${name}' was not used in the update`);
  }
}

/** What the positional parts of a path (`$`, `$[]`, `$[name]`) are resolved with. */
interface Resolver {
  readonly filter: Doc;
  readonly elementTests: ElementTests;
}

/** Calls back for every place that a path names in a document under construction. */
function visitPlaces(
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
        const child = childAt({ parent, key }, parts, depth, creates);
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
  if (Number(part) > parent.length + LARGEST_PLACE)
    fail('BadValue', `The array place in '${parts.join('.')}' is too large`);
  return [part];
}

function childAt(place: Place, parts: readonly string[], depth: number, creates: boolean): Doc | unknown[] | undefined {
  const child = valueAt(place);
  if (isDoc(child) || Array.isArray(child)) return child;
  if (!creates) return undefined;
  if (child !== undefined) {
    fail('PathNotViable', `Cannot create field '${parts[depth + 1]}' in element {${place.key}: ${show(child)}}`);
  }
  const created: Doc = {};
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

const valueAt = ({ parent, key }: Place): unknown =>
  Array.isArray(parent) ? parent[Number(key)] : fieldOf(parent, key);

function setAt({ parent, key }: Place, value: unknown): void {
  if (!Array.isArray(parent)) return assign(parent, key, value);
  while (parent.length < Number(key)) parent.push(null);
  parent[Number(key)] = value;
}

/** A place in an array is emptied, not closed up. */
function unsetAt({ parent, key }: Place): void {
  if (!Array.isArray(parent)) delete parent[key];
  else if (Number(key) < parent.length) parent[Number(key)] = null;
}

function rename(doc: Doc, from: string, to: string, resolver: Resolver): void {
  visitPlaces(doc, from, resolver, false, (source) => {
    const value = valueAt(source);
    if (value === undefined) return;
    if (Array.isArray(source.parent))
      fail('BadValue', `The source field of $rename cannot be an array element: '${from}'`);
    unsetAt(source);
    visitPlaces(doc, to, resolver, true, (target) => setAt(target, value));
  });
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

const needsNumber =
  (verb: string) =>
  (operand: unknown, path: string): void => {
    if (!isNumeric(operand))
      fail('TypeMismatch', `Cannot ${verb} with non-numeric argument: {${path}: ${show(operand)}}`);
  };

const keepsExtreme = (sign: 1 | -1): Operator => ({
  createsPath: true,
  apply: (place, operand) => {
    const value = valueAt(place);
    if (value === undefined || sign * compare(operand, value) > 0) setAt(place, copyOf(operand));
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
  if (!Array.isArray($each))
    fail('BadValue', `The argument to $each in $push must be an array but it was ${kindOf($each)}`);
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
  result.splice(position ?? result.length, 0, ...copyOf([...each]));
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

const SET: Operator = { createsPath: true, apply: (place, operand) => setAt(place, copyOf(operand)) };

const RENAME: Operator = {
  createsPath: false,
  check: (operand, path) => {
    if (typeof operand !== 'string')
      fail('BadValue', `The 'to' field for $rename must be a string: ${path}: ${show(operand)}`);
    checkPath(operand);
    if ((path + operand).includes('$'))
      fail('BadValue', `$rename does not take positional paths: '${path}' to '${operand}'`);
  },
  apply: () => undefined,
};

const OPERATORS: Readonly<Record<string, Operator>> = {
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
        list.push(copyOf(item));
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
      const list = listAt(place, '$pop', path);
      if (list) setAt(place, operand === -1 ? list.slice(1) : list.slice(0, -1));
    },
  },
};
