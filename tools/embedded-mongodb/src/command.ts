import type { Batch, Database, Results } from './database.js';
import { fail } from './errors.js';
import { equals } from './order.js';
import type { StoredDocument } from './ordered-index.js';
import { compileFilter } from './query.js';
import type { Collection, Search } from './store.js';
import { countOf, kindOf, show, type Doc } from './values.js';

/** A command with what it acts on. */
export interface Call {
  readonly database: Database;
  readonly body: Doc;
  /** The documents that travelled beside the body, by the name of the field that they belong to. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  /** `database.collection`, for the commands that name a collection. */
  readonly namespace: string;
}

/** A reply: a document, or a batch of stored documents that goes out as the bytes it is stored in. */
export type Reply = { readonly kind: 'document'; readonly doc: Doc } | BatchReply;
export interface BatchReply {
  readonly kind: 'batch';
  readonly name: 'firstBatch' | 'nextBatch';
  readonly batch: Batch;
}

/** What MongoDB sends first unless it is asked for another number. */
const FIRST_BATCH_DOCUMENTS = 101;

export const done = (fields: Doc = {}): Reply => ({ kind: 'document', doc: { ...fields, ok: 1 } });

/**
 * The first documents of a result; a cursor keeps the rest.
 * @param batchSize as the client sent it; 0 is an empty first batch
 */
export function firstBatch(
  { database, namespace }: Pick<Call, 'database' | 'namespace'>,
  results: Results,
  batchSize: unknown,
  isSingleBatch = false,
): Reply {
  const size = batchSizeOf(batchSize, FIRST_BATCH_DOCUMENTS);
  return { kind: 'batch', name: 'firstBatch', batch: database.openCursor(namespace, results, size, isSingleBatch) };
}

/** Only what is asked of collections: a database name as its argument would be taken for one. */
export const onCollection =
  (run: (call: Call) => Reply) =>
  (call: Call): Reply => {
    const [name = ''] = Object.keys(call.body);
    const collection = call.body[name];
    if (typeof collection !== 'string' || collection === '' || collection.includes('\0') || collection.includes('$')) {
      fail(
        'InvalidNamespace',
        `Invalid collection name for ${name}: ${kindOf(collection) === 'string' ? show(collection) : kindOf(collection)}`,
      );
    }
    return run(call);
  };

/** A limit as the client sent it: 0 is none, a negative one counts as its size. */
export const limitOf = (value: unknown): number | undefined => {
  const limit = Math.abs(countOf(value, 'limit', 0));
  return limit === 0 ? undefined : limit;
};

export const skipOf = (value: unknown): number => {
  const skip = countOf(value, 'skip', 0);
  if (skip < 0) fail('BadValue', 'Skip value must be non-negative');
  return skip;
};

export const batchSizeOf = (value: unknown, fallback: number): number => {
  const size = countOf(value, 'batchSize', fallback);
  if (size < 0) fail('BadValue', 'BatchSize value must be non-negative');
  return size;
};

/** Finds in the collection of a command. A filter is compiled, and so refused if need be, also where there is none. */
export function search(
  { database, namespace }: Call,
  { skip = 0, limit, hint, ...wanted }: Search & { readonly skip?: number; readonly hint?: unknown },
): StoredDocument[] {
  const collection = database.collections.get(namespace);
  if (!collection) {
    compileFilter(wanted.filter);
    return [];
  }
  checkHint(collection, hint);
  const found = collection.find({ ...wanted, limit: limit === undefined ? undefined : skip + limit });
  return skip > 0 ? found.slice(skip) : found;
}

/** A hint must name an index, as in MongoDB; which index is read is the planner's choice all the same. */
function checkHint(collection: Collection, hint: unknown): void {
  if (hint === undefined) return;
  const specs = [...collection.indexes.values()].map(({ spec }) => spec);
  const isKnown = specs.some(({ name, key }) => (typeof hint === 'string' ? name === hint : equals({ ...key }, hint)));
  if (!isKnown) fail('BadValue', 'error processing query: hint provided does not correspond to an existing index');
}
