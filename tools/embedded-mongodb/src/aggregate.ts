import { fail, refuse } from './errors.js';
import { compileExpression, type Evaluate } from './expression.js';
import { add, isNumeric, type Numeric } from './numbers.js';
import { compare, encode } from './order.js';
import { compileAddFieldsStage, compileProjectStage, type Project } from './projection.js';
import { compileFilter } from './query.js';
import { compileSort, sortBy } from './sort.js';
import { assign, countOf, docOf, isDoc, kindOf, listOf, show, type Doc } from './values.js';

/** One stage: documents in, documents out, the ones that came in untouched. */
type Stage = (docs: Doc[]) => Doc[];

/**
 * Compiles a pipeline of the stages in use.
 * @throws MongoError Location40324 for a stage that neither MongoDB nor this server knows, CommandNotSupported for one
 * that only MongoDB does. Add one when the product needs it, with a test.
 */
export function compilePipeline(pipeline: readonly unknown[]): Stage {
  const stages = pipeline.map((entry) => {
    const [name, second] = isDoc(entry) ? Object.keys(entry) : [];
    if (!isDoc(entry) || name === undefined || second !== undefined) {
      fail('Location40324', 'A pipeline stage specification object must contain exactly one field.');
    }
    const compile = Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
    if (compile) return compile(entry[name]);
    if (KNOWN_TO_MONGODB.has(name)) refuse(`The stage ${name}`);
    return fail('Location40324', `Unrecognized pipeline stage name: '${name}'`);
  });
  return (docs) => stages.reduce((current, stage) => stage(current), docs);
}

const KNOWN_TO_MONGODB = new Set(
  `$bucket $bucketAuto $changeStream $collStats $densify $documents $fill $geoNear $graphLookup $indexStats $lookup
   $merge $out $redact $replaceWith $sample $search $setWindowFields $sortByCount $unionWith`.split(/\s+/),
);

const each =
  (project: Project): Stage =>
  (docs) =>
    docs.map(project);

const STAGES: Readonly<Record<string, (operand: unknown) => Stage>> = {
  $match: (operand) => {
    const matches = compileFilter(docOf(operand, '$match'));
    return (docs) => docs.filter(matches);
  },
  $project: (operand) => each(compileProjectStage(docOf(operand, '$project'))),
  $addFields: (operand) => each(compileAddFieldsStage(docOf(operand, '$addFields'))),
  $set: (operand) => each(compileAddFieldsStage(docOf(operand, '$set'))),
  $unset: (operand) => {
    const paths = Array.isArray(operand) ? operand : [operand];
    if (!paths.every((path) => typeof path === 'string')) {
      fail('BadValue', '$unset takes a field name or a list of them');
    }
    return each(compileProjectStage(Object.fromEntries(paths.map((path) => [path, 0]))));
  },
  $group: compileGroup,
  $sort: (operand) => {
    const fields = compileSort(operand);
    if (fields.length === 0) fail('BadValue', '$sort stage must have at least one sort key');
    return (docs) => sortBy(docs, fields, (doc) => doc);
  },
  $skip: (operand) => {
    const count = positive(operand, '$skip', 0);
    return (docs) => docs.slice(count);
  },
  $limit: (operand) => {
    const count = positive(operand, '$limit', 1);
    return (docs) => docs.slice(0, count);
  },
  $count: (operand) => {
    if (typeof operand !== 'string' || operand === '' || /[$.]/.test(operand)) {
      fail('BadValue', 'the count field must be a non-empty string without $ and dots');
    }
    return (docs) => (docs.length === 0 ? [] : [{ [operand]: docs.length }]);
  },
  $unwind: compileUnwind,
  $facet: (operand) => {
    const facets = Object.entries(docOf(operand, '$facet')).map(
      ([name, pipeline]) => [name, compilePipeline(listOf(pipeline, `$facet.${name}`))] as const,
    );
    return (docs) => [Object.fromEntries(facets.map(([name, run]) => [name, run(docs)]))];
  },
  $replaceRoot: (operand) => {
    const evaluate = compileExpression(docOf(operand, '$replaceRoot')['newRoot']);
    return (docs) =>
      docs.map((doc) => {
        const root = evaluate(doc);
        return isDoc(root) ? root : fail('BadValue', `'newRoot' must evaluate to an object, but it was ${show(root)}`);
      });
  },
};

function positive(operand: unknown, stage: string, least: number): number {
  const count = countOf(operand, stage, -1);
  if (count < least) fail('BadValue', `invalid argument to ${stage} stage: ${show(operand)}`);
  return count;
}

function compileUnwind(operand: unknown): Stage {
  const { path, preserveNullAndEmptyArrays, includeArrayIndex, ...others } = isDoc(operand)
    ? operand
    : { path: operand };
  const [other] = Object.keys(others);
  if (other !== undefined) fail('BadValue', `unrecognized option to $unwind stage: ${other}`);
  if (typeof path !== 'string' || !/^\$[^$]/.test(path)) fail('BadValue', "path to $unwind should start with '$'");
  if (includeArrayIndex !== undefined) refuse('includeArrayIndex in $unwind');
  const field = path.slice(1);
  const read = compileExpression(path);
  const withElement = (doc: Doc, element: unknown): Doc =>
    compileAddFieldsStage({ [field]: { $literal: element } })(doc);
  const isKeeping = preserveNullAndEmptyArrays === true;
  const without = compileProjectStage({ [field]: 0 });
  return (docs) =>
    docs.flatMap((doc) => {
      const value = read(doc);
      if (Array.isArray(value) && value.length > 0) return value.map((element) => withElement(doc, element));
      if (value === undefined || value === null) return isKeeping ? [doc] : [];
      if (Array.isArray(value)) return isKeeping ? [without(doc)] : [];
      return [doc];
    });
}

/** Collects the values of one group, in the order of its documents. */
interface Accumulator {
  readonly add: (value: unknown) => void;
  readonly result: () => unknown;
}

const ACCUMULATORS: Readonly<Record<string, () => Accumulator>> = {
  $sum: () => {
    let total: Numeric = 0;
    return { add: (value) => void (isNumeric(value) && (total = add(total, value))), result: () => total };
  },
  $avg: () => {
    let total = 0;
    let count = 0;
    const take = (value: unknown): void => {
      if (kindOf(value) === 'decimal') refuse('$avg of Decimal128 values');
      if (!isNumeric(value)) return;
      total += Number(value);
      count += 1;
    };
    return { add: take, result: () => (count === 0 ? null : total / count) };
  },
  $min: () => extreme(-1),
  $max: () => extreme(1),
  $first: () => {
    const values: unknown[] = [];
    return { add: (value) => void (values.length === 0 && values.push(value)), result: () => values[0] ?? null };
  },
  $last: () => {
    let last: unknown;
    return { add: (value) => (last = value), result: () => last ?? null };
  },
  $push: () => {
    const values: unknown[] = [];
    return { add: (value) => void (value !== undefined && values.push(value)), result: () => values };
  },
  $addToSet: () => {
    const values = new Map<string, unknown>();
    return {
      add: (value) => void (value !== undefined && !values.has(encode(value)) && values.set(encode(value), value)),
      result: () => [...values.values()],
    };
  },
  $count: () => {
    let count = 0;
    return { add: () => (count += 1), result: () => count };
  },
};

function extreme(sign: 1 | -1): Accumulator {
  let best: unknown = null;
  const take = (value: unknown): void => {
    if (value === undefined || value === null) return;
    if (best === null || sign * compare(value, best) > 0) best = value;
  };
  return { add: take, result: () => best };
}

function compileGroup(operand: unknown): Stage {
  const spec = docOf(operand, '$group');
  if (!('_id' in spec)) fail('BadValue', 'a group specification must include an _id');
  const identify = compileExpression(spec['_id']);
  const fields = Object.entries(spec)
    .filter(([name]) => name !== '_id')
    .map(([name, value]) => compileGroupField(name, value));
  return (docs) => {
    const groups = new Map<string, { id: unknown; accumulators: Accumulator[] }>();
    for (const doc of docs) {
      const id = identify(doc) ?? null;
      const key = encode(id);
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { id, accumulators: fields.map(({ start }) => start()) }));
      for (const [place, { evaluate }] of fields.entries()) group.accumulators[place]?.add(evaluate(doc));
    }
    return [...groups.values()].map(({ id, accumulators }) => {
      const result: Doc = { _id: id };
      for (const [place, { name }] of fields.entries()) assign(result, name, accumulators[place]?.result());
      return result;
    });
  };
}

function compileGroupField(
  name: string,
  value: unknown,
): { name: string; start: () => Accumulator; evaluate: Evaluate } {
  const [operator = '', second] = isDoc(value) ? Object.keys(value) : [];
  const start = Object.hasOwn(ACCUMULATORS, operator) ? ACCUMULATORS[operator] : undefined;
  if (!isDoc(value) || second !== undefined || !start) {
    fail('BadValue', `The field '${name}' must be one of the accumulators ${Object.keys(ACCUMULATORS).join(', ')}`);
  }
  if (/[.$]/.test(name)) fail('BadValue', `The field name '${name}' cannot contain '.' or '$'`);
  return { name, start, evaluate: compileExpression(value[operator]) };
}
