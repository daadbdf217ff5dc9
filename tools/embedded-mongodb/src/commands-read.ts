import { compilePipeline } from './aggregate.js';
import { batchSizeOf, done, firstBatch, limitOf, search, skipOf, type Call, type Reply } from './command.js';
import { fail, failUnsupported } from './errors.js';
import { resultsOf } from './database.js';
import { encode } from './order.js';
import { someLeaf } from './paths.js';
import { compileProjection } from './projection.js';
import { compileSort, type SortField } from './sort.js';
import { countOf, docOf, isDoc, isSet, listOf, serialize, type Doc } from './values.js';

export function runFind(call: Call): Reply {
  const { body } = call;
  const project = compileProjection(docOf(body['projection'], 'projection'));
  const found = search(call, {
    filter: docOf(body['filter'], 'filter'),
    sort: compileSort(body['sort']),
    skip: skipOf(body['skip']),
    limit: limitOf(body['limit']),
    hint: body['hint'],
  });
  // Later writes replace `doc` and `bytes` of a stored document, so the result takes the current ones.
  const results = project
    ? resultsOf(
        found.map(({ doc }) => doc),
        (doc) => serialize(project(doc)),
      )
    : resultsOf(
        found.map(({ bytes }) => bytes),
        (bytes) => bytes,
      );
  const isSingleBatch = isSet(body['singleBatch']) || countOf(body['limit'], 'limit', 0) < 0;
  return firstBatch(call, results, body['batchSize'], isSingleBatch);
}

/** Uses an index for the first stages of a pipeline: `$match`, then `$sort`, then `$limit`. */
function readForPipeline(call: Call, pipeline: readonly unknown[]): { docs: Doc[]; rest: readonly unknown[] } {
  const stageAt = (place: number, name: string): unknown => {
    const stage = pipeline[place];
    return isDoc(stage) ? stage[name] : undefined;
  };
  let place = 0;
  const match = stageAt(place, '$match');
  if (match !== undefined) place += 1;
  const sort: SortField[] = stageAt(place, '$sort') === undefined ? [] : compileSort(stageAt(place, '$sort'));
  if (sort.length > 0) place += 1;
  const next = stageAt(place, '$limit');
  const limit = typeof next === 'number' && next > 0 ? next : undefined;
  const found = search(call, { filter: docOf(match, '$match'), sort, limit, hint: call.body['hint'] });
  return { docs: found.map(({ doc }) => doc), rest: pipeline.slice(place) };
}

export function runAggregate(call: Call): Reply {
  const { body } = call;
  if (typeof body['aggregate'] !== 'string') failUnsupported('An aggregation that is not on a collection');
  const pipeline = listOf(body['pipeline'], 'pipeline');
  compilePipeline(pipeline);
  const { docs, rest } = readForPipeline(call, pipeline);
  return firstBatch(
    call,
    resultsOf(compilePipeline(rest)(docs), serialize),
    docOf(body['cursor'], 'cursor')['batchSize'],
  );
}

export function runGetMore({ database, body }: Call): Reply {
  const size = batchSizeOf(body['batchSize'], 0);
  const id = countOf(body['getMore'], 'getMore', 0);
  const batch = database.continueCursor(id, size === 0 ? Number.POSITIVE_INFINITY : size);
  return { kind: 'batch', name: 'nextBatch', batch };
}

export function runKillCursors({ database, body }: Call): Reply {
  const closed = new Map(
    listOf(body['cursors'], 'cursors').map((id) => [id, database.closeCursor(countOf(id, 'cursors', 0))] as const),
  );
  const cursors = (isClosed: boolean): unknown[] => [...closed].filter(([, was]) => was === isClosed).map(([id]) => id);
  return done({ cursorsKilled: cursors(true), cursorsNotFound: cursors(false), cursorsAlive: [], cursorsUnknown: [] });
}

export function runCount(call: Call): Reply {
  const { database, body, namespace } = call;
  const filter = docOf(body['query'], 'query');
  const limit = limitOf(body['limit']);
  const skip = skipOf(body['skip']);
  if (Object.keys(filter).length === 0 && limit === undefined && skip === 0) {
    return done({ n: database.collections.get(namespace)?.documents.size ?? 0 });
  }
  return done({ n: search(call, { filter, skip, limit, hint: body['hint'] }).length });
}

export function runDistinct(call: Call): Reply {
  const { key } = call.body;
  if (typeof key !== 'string' || key === '') fail('TypeMismatch', "'key' must be the name of a field");
  const values = new Map<string, unknown>();
  const collect = (value: unknown): void => {
    if (value !== undefined) values.set(encode(value), value);
  };
  for (const { doc } of search(call, { filter: docOf(call.body['query'], 'query') })) {
    someLeaf(doc, key.split('.'), (leaf) => {
      if (Array.isArray(leaf)) leaf.forEach(collect);
      else collect(leaf);
      return false;
    });
  }
  return done({ values: [...values].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, value]) => value) });
}
