import type { Batch, Database, Results } from './database.js';
import { fail } from './errors.js';
import { equals } from './order.js';
import type { StoredDocument } from './ordered-index.js';
import { compileFilter } from './query.js';
import type { Collection, Search } from './store.js';
import { countOf, kindOf, show, type Doc } from './values.js';

/** A command with the data it acts on. */
export interface Call {
  readonly database: Database;
  readonly body: Doc;
  /** The document sequences of the message, by field name. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  /** `database.collection`, for the commands that name a collection. */
  readonly namespace: string;
}

/** A reply: a document, or a batch of stored documents that is sent as stored bytes. */
export type Reply = { readonly kind: 'document'; readonly doc: Doc } | BatchReply;
export interface BatchReply {
  readonly kind: 'batch';
  readonly name: 'firstBatch' | 'nextBatch';
  readonly batch: Batch;
}

/** MongoDB's default size of the first batch. */
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

/** For commands on a collection: refuses another argument, which would be used as its name. */
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

/** The limit of a client: 0 means none, a negative one its absolute value. */
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

/** Finds in the collection of a command. The filter is checked even if the collection does not exist. */
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

/** A hint must name an index, as in MongoDB, but the planner ignores it. */
function checkHint(collection: Collection, hint: unknown): void {
  if (hint === undefined) return;
  const specs = [...collection.indexes.values()].map(({ spec }) => spec);
  const isKnown = specs.some(({ name, key }) => (typeof hint === 'string' ? name === hint : equals({ ...key }, hint)));
  if (!isKnown) fail('BadValue', 'error processing query: hint provided does not correspond to an existing index');
}
