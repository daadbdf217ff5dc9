import { fail, failUnsupported } from './errors.js';
import { add, isNumeric, type Numeric } from './numbers.js';
import { encode } from './order.js';
import { compileFilter } from './query.js';
import { compileSort, sortBy } from './sort.js';
import { assign, countOf, docOf, fieldOf, isDoc, type Doc } from './values.js';

/** One stage; does not change its input documents. */
type Stage = (docs: Doc[]) => Doc[];

/**
 * Compiles a pipeline of supported stages.
 * @throws MongoError Location40324 for an unknown stage, CommandNotSupported for one that only MongoDB supports. Add
 * one when the product needs it, with a test.
 */
export function compilePipeline(pipeline: readonly unknown[]): Stage {
  const stages = pipeline.map((entry) => {
    const [name, second] = isDoc(entry) ? Object.keys(entry) : [];
    if (!isDoc(entry) || name === undefined || second !== undefined) {
      fail('Location40324', 'A pipeline stage specification object must contain exactly one field.');
    }
    const compile = Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
    if (compile) return compile(entry[name]);
    if (KNOWN_TO_MONGODB.has(name)) failUnsupported(`The stage ${name}`);
    return fail('Location40324', `Unrecognized pipeline stage name: '${name}'`);
  });
  return (docs) => stages.reduce((current, stage) => stage(current), docs);
}

const KNOWN_TO_MONGODB = new Set(
  `$addFields $bucket $bucketAuto $changeStream $collStats $count $densify $documents $facet $fill $geoNear
   $graphLookup $indexStats $lookup $merge $out $project $redact $replaceRoot $replaceWith $sample $search $set
   $setWindowFields $sortByCount $unionWith $unset $unwind`.split(/\s+/),
);

const STAGES: Readonly<Record<string, (operand: unknown) => Stage>> = {
  $match: (operand) => {
    const matches = compileFilter(docOf(operand, '$match'));
    return (docs) => docs.filter(matches);
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
};

function positive(operand: unknown, stage: string, least: number): number {
  const count = countOf(operand, stage, -1);
  if (count < least) fail('BadValue', `invalid argument to ${stage} stage: ${String(operand)}`);
  return count;
}

/** Groups by a field or a constant and sums fields or constants. */
function compileGroup(operand: unknown): Stage {
  const spec = docOf(operand, '$group');
  if (!('_id' in spec)) fail('BadValue', 'a group specification must include an _id');
  const identify = compileOperand(spec['_id']);
  const sums = Object.entries(spec)
    .filter(([name]) => name !== '_id')
    .map(([name, value]) => ({ name, valueIn: compileSum(name, value) }));
  return (docs) => {
    const groups = new Map<string, { id: unknown; totals: Numeric[] }>();
    for (const doc of docs) {
      const id = identify(doc) ?? null;
      const key = encode(id);
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { id, totals: sums.map(() => 0) }));
      for (const [place, { valueIn }] of sums.entries()) {
        const value = valueIn(doc);
        if (isNumeric(value)) group.totals[place] = add(group.totals[place] ?? 0, value);
      }
    }
    return [...groups.values()].map(({ id, totals }) => {
      const result: Doc = { _id: id };
      for (const [place, { name }] of sums.entries()) assign(result, name, totals[place]);
      return result;
    });
  };
}

function compileSum(name: string, value: unknown): (doc: Doc) => unknown {
  const [operator, second] = isDoc(value) ? Object.keys(value) : [];
  if (!isDoc(value) || second !== undefined || operator !== '$sum') {
    fail('BadValue', `The field '${name}' must be the accumulator $sum`);
  }
  if (/[.$]/.test(name)) fail('BadValue', `The field name '${name}' cannot contain '.' or '$'`);
  return compileOperand(value['$sum']);
}

/** `$path.to.field`, or a constant number, text or null. */
function compileOperand(operand: unknown): (doc: Doc) => unknown {
  if (typeof operand === 'string' && operand.startsWith('$')) {
    const parts = operand.slice(1).split('.');
    if (parts.some((part) => part === '' || part.startsWith('$'))) fail('BadValue', `'${operand}' names no field`);
    return (doc) => parts.reduce<unknown>((value, part) => (isDoc(value) ? fieldOf(value, part) : undefined), doc);
  }
  if (isDoc(operand) || Array.isArray(operand)) fail('BadValue', 'Expressions other than a field are not supported');
  return () => operand;
}
