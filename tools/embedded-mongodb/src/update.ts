import { fail, failUnsupported } from './errors.js';
import { equals } from './order.js';
import { isArrayPlace } from './paths.js';
import { UPDATE_OPERATORS, type Operator } from './update-operators.js';
import { checkPath, setAt, visitPlace } from './update-paths.js';
import { docOf, hasOperators, isDoc, kindOf, listOf, type Doc } from './values.js';

/** Returns the next state of a document without changing the given one; both share unchanged values. */
export type Change = (doc: Doc) => Doc;

export interface UpdateStatement {
  readonly filter: Doc;
  readonly update: unknown;
}

/**
 * Compiles an update document or a replacement. Checks everything that does not depend on a document.
 * @param isInsert whether an upsert creates the document, so that `$setOnInsert` applies
 * @throws MongoError with MongoDB's code for each misuse; CommandNotSupported for a pipeline
 */
export function compileUpdate(update: unknown, isInsert: boolean): Change {
  if (Array.isArray(update)) failUnsupported('An update by a pipeline');
  if (!isDoc(update)) fail('FailedToParse', 'Update argument must be a document');
  if (!hasOperators(update)) return compileReplacement(update);
  const allSteps = compileSteps(update);
  checkConflicts(allSteps);
  const steps = allSteps.filter(({ isForInsertOnly }) => isInsert || !isForInsertOnly);
  return (doc) => {
    const next = { ...doc };
    const own = new Set<unknown>();
    for (const { operator, path, operand } of steps) {
      visitPlace(next, path, own, operator.createsPath, (place) => operator.apply(place, operand, path));
    }
    return withIdOf(doc, next);
  };
}

/** Whether an update replaces the whole document. */
export const isReplacement = (update: unknown): boolean => isDoc(update) && !hasOperators(update);

/** The initial document of an upsert: the equalities of the filter. */
export function upsertBase(filter: Doc): Doc {
  const base: Doc = {};
  const own = new Set<unknown>();
  const put = (path: string, value: unknown): void => {
    visitPlace(base, path, own, true, (place) => setAt(place, value));
  };
  const collect = (part: Doc): void => {
    for (const [key, condition] of Object.entries(part)) {
      if (key === '$and') for (const branch of listOf(condition, '$and')) collect(docOf(branch, '$and'));
      else if (key === '$or' && Array.isArray(condition) && condition.length === 1) collect(docOf(condition[0], '$or'));
      else if (key.startsWith('$')) continue;
      else if (!hasOperators(condition)) {
        put(key, condition);
      } else if ('$eq' in condition) put(key, condition['$eq']);
      else {
        const only = condition['$in'];
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
  // MongoDB processes fields in the order of their names, which determines the place of new ones.
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
  for (const { path } of steps) {
    const other = taken.find((seen) => seen === path || seen.startsWith(`${path}.`) || path.startsWith(`${seen}.`));
    if (other !== undefined) {
      fail('ConflictingUpdateOperators', `Updating the path '${path}' would create a conflict at '${other}'`);
    }
    taken.push(path);
  }
}
