import { fail, refuse } from './errors.js';
import { equals } from './order.js';
import { isArrayPlace } from './paths.js';
import { compileFilter } from './query.js';
import { RENAME, UPDATE_OPERATORS, type Operator } from './update-operators.js';
import { checkPath, setAt, unsetAt, valueAt, visitPlaces, type ElementTests, type Resolver } from './update-paths.js';
import { docOf, hasOperators, isDoc, kindOf, listOf, type Doc } from './values.js';

/** Gives the next state of a document and leaves the one it is given alone; what both have in common they share. */
export type Change = (doc: Doc) => Doc;

export interface UpdateStatement {
  readonly filter: Doc;
  readonly update: unknown;
  readonly arrayFilters?: unknown;
}

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
  const allSteps = compileSteps(update);
  checkConflicts(allSteps);
  checkArrayFiltersUsed(allSteps, elementTests);
  const steps = allSteps.filter(({ isForInsertOnly }) => isInsert || !isForInsertOnly);
  return (doc) => {
    const next = { ...doc };
    const resolve: Resolver = { filter, elementTests, own: new Set() };
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
  const resolver: Resolver = { filter, elementTests: new Map(), own: new Set() };
  const put = (path: string, value: unknown): void => {
    visitPlaces(base, path, resolver, true, (place) => setAt(place, value));
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
  if (dollar) {
    fail('DollarPrefixedFieldName', `The dollar ($) prefixed field '${dollar}' is not allowed in a replacement`);
  }
  const { _id, ...rest } = replacement;
  return (doc) => {
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
  readonly isForInsertOnly: boolean;
}

function compileSteps(update: Doc): Step[] {
  const steps: Step[] = [];
  for (const [name, fields] of Object.entries(update)) {
    const operator = Object.hasOwn(UPDATE_OPERATORS, name) ? UPDATE_OPERATORS[name] : undefined;
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
      steps.push({ operator, path, operand, isForInsertOnly: name === '$setOnInsert' });
    }
  }
  // MongoDB works on the fields in the order of their names, which decides where new ones are put.
  return steps.sort((left, right) => comparePaths(left.path, right.path));
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

/** `[{ 'line.sku': 'a' }]` names its elements `line`, used in a path as `lines.$[line].price`. */
function compileArrayFilters(arrayFilters: unknown): ElementTests {
  const tests = new Map<string, (element: unknown) => boolean>();
  for (const item of arrayFilters === undefined ? [] : listOf(arrayFilters, 'arrayFilters')) {
    const filter = docOf(item, 'arrayFilters');
    const names = new Set(namesIn(filter));
    const [name] = names;
    if (name === undefined || names.size > 1) {
      fail('FailedToParse', 'Each array filter must name exactly one identifier');
    }
    if (tests.has(name)) {
      fail('FailedToParse', `Found multiple array filters with the same top-level field name ${name}`);
    }
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

function rename(doc: Doc, from: string, to: string, resolver: Resolver): void {
  visitPlaces(doc, from, resolver, false, (source) => {
    const value = valueAt(source);
    if (value === undefined) return;
    if (Array.isArray(source.parent)) {
      fail('BadValue', `The source field of $rename cannot be an array element: '${from}'`);
    }
    unsetAt(source);
    visitPlaces(doc, to, resolver, true, (target) => setAt(target, value));
  });
}
