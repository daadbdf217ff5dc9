import { Long, ObjectId } from 'bson';
import { compilePipeline } from './aggregate.js';
import type { Batch, Database } from './database.js';
import { fail, MongoError, refuse } from './errors.js';
import { parseIndexSpec } from './index-spec.js';
import { encode, equals } from './order.js';
import type { StoredDocument } from './ordered-index.js';
import { someLeaf } from './paths.js';
import { compileFindProjection } from './projection.js';
import { compileFilter } from './query.js';
import { compileSort, type SortField } from './sort.js';
import type { Collection, Search } from './store.js';
import { compileUpdate, isReplacement, upsertBase, type UpdateStatement } from './update.js';
import {
  countOf,
  DOCUMENT_BYTES_MAX,
  docOf,
  isDoc,
  isSet,
  kindOf,
  listOf,
  parse,
  serialize,
  show,
  type Doc,
} from './values.js';

/** A command as it came in: its body, and the documents that travelled beside it. */
export interface CommandMessage {
  readonly body: Doc;
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
}

/** A reply: a document, or a batch of stored documents that goes out as the bytes it is stored in. */
export type Reply = { readonly kind: 'document'; readonly doc: Doc } | BatchReply;
export interface BatchReply {
  readonly kind: 'batch';
  readonly name: 'firstBatch' | 'nextBatch';
  readonly batch: Batch;
}

export const MESSAGE_BYTES_MAX = 48_000_000;
const WRITES_MAX = 100_000;
const FIRST_BATCH_DOCUMENTS = 101;
/** MongoDB 7.0. */
const WIRE_VERSION_MAX = 21;
const VERSION = '7.0.0';

interface Call {
  readonly database: Database;
  readonly body: Doc;
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  /** `database.collection`, for the commands that name a collection. */
  readonly namespace: string;
}

interface Command {
  /** The fields that the command understands besides {@link COMMON_FIELDS}; any other one is refused. */
  readonly fields: readonly string[] | 'any';
  readonly run: (call: Call) => Doc | BatchReply;
}

/** What a driver may add to any command. Sessions and read preferences mean nothing to one standalone server. */
const COMMON_FIELDS = ['$db', 'lsid', '$readPreference', 'readConcern', 'writeConcern', 'maxTimeMS', 'comment'];

/**
 * Runs one command to its end. Nothing else runs meanwhile, so a command is atomic, also over many documents.
 * @throws MongoError for the client
 */
export function runCommand(database: Database, { body, sequences }: CommandMessage): Reply {
  const [name = ''] = Object.keys(body);
  const command = COMMANDS.get(name.toLowerCase());
  if (!command) fail('CommandNotFound', `no such command: '${name}'`);
  checkFields(name, command, body);
  try {
    const namespace = `${String(body['$db'])}.${String(body[name])}`;
    const result = command.run({ database, body, sequences, namespace });
    return isBatchReply(result) ? result : { kind: 'document', doc: { ...result, ok: 1 } };
  } finally {
    // Also after an error: an ordered batch keeps what it did before it.
    database.commit();
  }
}

/** The answer to the first greeting of a connection. */
export const helloReply = (): Doc => ({
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  maxBsonObjectSize: DOCUMENT_BYTES_MAX,
  maxMessageSizeBytes: MESSAGE_BYTES_MAX,
  maxWriteBatchSize: WRITES_MAX,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: WIRE_VERSION_MAX,
  readOnly: false,
  ok: 1,
});

const isBatchReply = (result: Doc | BatchReply): result is BatchReply =>
  result['kind'] === 'batch' && 'batch' in result;

function checkFields(name: string, command: Command, body: Doc): void {
  if (body['startTransaction'] !== undefined || body['txnNumber'] !== undefined) {
    fail('IllegalOperation', 'Transaction numbers are only allowed on a replica set member or mongos');
  }
  if (command.fields === 'any') return;
  for (const field of Object.keys(body)) {
    if (field !== name && !COMMON_FIELDS.includes(field) && !command.fields.includes(field)) {
      refuse(`The field '${field}' of ${name}`);
    }
  }
  const level = docOf(body['readConcern'], 'readConcern')['level'] ?? 'local';
  if (level !== 'local' && level !== 'majority' && level !== 'available') refuse(`The read concern ${show(level)}`);
  const { w = 1 } = docOf(body['writeConcern'], 'writeConcern');
  if (w !== 'majority' && w !== 0 && w !== 1) {
    fail('BadValue', `cannot use 'w' ${show(w)} when a host is not replicated`);
  }
}

/** The documents of a write, from beside the command or from within it. */
function writesOf({ body, sequences }: Call, field: string): unknown[] {
  const writes = sequences.get(field) ?? body[field];
  if (!Array.isArray(writes)) fail('Location40414', `BSON field '${field}' is missing but a required field`);
  if (writes.length === 0 || writes.length > WRITES_MAX) {
    fail('BadValue', `Write batch sizes must be between 1 and ${WRITES_MAX}. Got ${writes.length} operations.`);
  }
  return writes;
}

const statementOf = (write: unknown): Doc =>
  ArrayBuffer.isView(write) ? parse(write as Uint8Array) : docOf(write, 'statement');

function checkStatement(statement: Doc, fields: readonly string[]): void {
  for (const field of Object.keys(statement)) {
    if (!fields.includes(field)) refuse(`The field '${field}' of a write statement`);
  }
}

/** Runs the statements of a batch; an error ends an ordered batch and is noted in an unordered one. */
function runWrites(body: Doc, writes: readonly unknown[], run: (write: unknown, index: number) => void): Doc {
  const writeErrors: Doc[] = [];
  for (const [index, write] of writes.entries()) {
    try {
      run(write, index);
    } catch (error) {
      if (!(error instanceof MongoError)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.details });
      if (body['ordered'] !== false) break;
    }
  }
  return writeErrors.length > 0 ? { writeErrors } : {};
}

const batchReply = (name: BatchReply['name'], batch: Batch): BatchReply => ({ kind: 'batch', name, batch });

/** A batch size from the client; 0 is an empty first batch, absent is the default. */
const batchSizeOf = (value: unknown, fallback: number): number => {
  const size = countOf(value, 'batchSize', fallback);
  if (size < 0) fail('BadValue', 'BatchSize value must be non-negative');
  return size;
};

function search(call: Call, search: Search & { readonly skip?: number }): StoredDocument[] {
  const { skip = 0, limit, ...rest } = search;
  const collection = call.database.collections.get(call.namespace);
  if (!collection) {
    compileFilter(rest.filter);
    return [];
  }
  checkHint(collection, call.body['hint']);
  const found = collection.find(limit === undefined ? rest : { ...rest, limit: skip + limit });
  return skip > 0 ? found.slice(skip) : found;
}

/** A hint must name an index, as in MongoDB; which index is read is the planner's choice all the same. */
function checkHint(collection: Collection, hint: unknown): void {
  if (hint === undefined) return;
  const specs = [...collection.indexes.values()].map(({ spec }) => spec);
  const isKnown = specs.some(({ name, key }) => (typeof hint === 'string' ? name === hint : equals({ ...key }, hint)));
  if (!isKnown) fail('BadValue', 'error processing query: hint provided does not correspond to an existing index');
}

function insertDocument(database: Database, collection: Collection, doc: Doc, bytes?: Buffer): StoredDocument {
  if (bytes && Object.keys(doc)[0] === '_id') return database.insert(collection, doc, bytes);
  const { _id = new ObjectId(), ...rest } = doc;
  const withId = { _id, ...rest };
  return database.insert(collection, withId, serialize(withId));
}

function upsert(call: Call, statement: UpdateStatement): StoredDocument {
  const base = upsertBase(statement.filter);
  const start = isReplacement(statement.update) ? (base['_id'] === undefined ? {} : { _id: base['_id'] }) : base;
  const doc = compileUpdate(statement, true)(start);
  return insertDocument(call.database, call.database.collectionForWrite(call.namespace), doc);
}

const limitOf = (value: unknown): number | undefined => {
  const limit = Math.abs(countOf(value, 'limit', 0));
  return limit === 0 ? undefined : limit;
};

const skipOf = (value: unknown): number => {
  const skip = countOf(value, 'skip', 0);
  if (skip < 0) fail('BadValue', 'Skip value must be non-negative');
  return skip;
};

function runInsert(call: Call): Doc {
  const collection = call.database.collectionForWrite(call.namespace);
  let n = 0;
  const outcome = runWrites(call.body, writesOf(call, 'documents'), (write) => {
    if (!ArrayBuffer.isView(write)) fail('TypeMismatch', "'documents' must hold documents");
    // A copy: the bytes that came in share their memory with the whole message.
    const bytes = Buffer.from(write as Uint8Array);
    insertDocument(call.database, collection, parse(bytes), bytes);
    n += 1;
  });
  return { n, ...outcome };
}

function runUpdate(call: Call): Doc {
  let [n, nModified] = [0, 0];
  const upserted: Doc[] = [];
  const outcome = runWrites(call.body, writesOf(call, 'updates'), (write, index) => {
    const fields = statementOf(write);
    checkStatement(fields, ['q', 'u', 'multi', 'upsert', 'arrayFilters', 'hint']);
    const isMulti = isSet(fields['multi']);
    const statement: UpdateStatement = {
      filter: docOf(fields['q'], 'q'),
      update: fields['u'],
      arrayFilters: fields['arrayFilters'],
    };
    if (isMulti && isReplacement(statement.update)) {
      fail('FailedToParse', 'multi update is not supported for replacement-style update');
    }
    const change = compileUpdate(statement, false);
    const found = search(
      { ...call, body: { hint: fields['hint'] } },
      { filter: statement.filter, ...(isMulti ? {} : { limit: 1 }) },
    );
    if (found.length === 0 && isSet(fields['upsert'])) {
      upserted.push({ index, _id: upsert(call, statement).doc['_id'] });
      n += 1;
    }
    for (const stored of found) {
      const collection = call.database.collectionForWrite(call.namespace);
      if (call.database.replace(collection, stored, change(stored.doc))) nModified += 1;
      n += 1;
    }
  });
  return { n, nModified, ...(upserted.length > 0 ? { upserted } : {}), ...outcome };
}

function runDelete(call: Call): Doc {
  let n = 0;
  const outcome = runWrites(call.body, writesOf(call, 'deletes'), (write) => {
    const fields = statementOf(write);
    checkStatement(fields, ['q', 'limit', 'hint']);
    const limit = limitOf(fields['limit']);
    const filter = docOf(fields['q'], 'q');
    const found = search(
      { ...call, body: { hint: fields['hint'] } },
      { filter, ...(limit === undefined ? {} : { limit }) },
    );
    for (const stored of found) {
      call.database.remove(call.database.collectionForWrite(call.namespace), stored);
      n += 1;
    }
  });
  return { n, ...outcome };
}

function runFindAndModify(call: Call): Doc {
  const { database, body } = call;
  const project = compileFindProjection(docOf(body['fields'], 'fields'));
  const shown = (doc: Doc): Doc => (project ? project(doc) : doc);
  const filter = docOf(body['query'], 'query');
  const isRemoving = isSet(body['remove']);
  const isReturningNew = isSet(body['new']);
  if (isRemoving === (body['update'] !== undefined))
    fail('FailedToParse', 'Either an update or remove=true must be specified');
  const statement: UpdateStatement = { filter, update: body['update'], arrayFilters: body['arrayFilters'] };
  const change = isRemoving ? undefined : compileUpdate(statement, false);
  const [stored] = search(call, { filter, sort: compileSort(body['sort']), limit: 1 });
  if (!change) {
    if (!stored) return { lastErrorObject: { n: 0 }, value: null };
    database.remove(database.collectionForWrite(call.namespace), stored);
    return { lastErrorObject: { n: 1 }, value: shown(stored.doc) };
  }
  if (stored) {
    const before = stored.doc;
    database.replace(database.collectionForWrite(call.namespace), stored, change(before));
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: shown(isReturningNew ? stored.doc : before) };
  }
  if (!isSet(body['upsert'])) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null };
  const { doc } = upsert(call, statement);
  return {
    lastErrorObject: { n: 1, updatedExisting: false, upserted: doc['_id'] },
    value: isReturningNew ? shown(doc) : null,
  };
}

function runFind(call: Call): BatchReply {
  const { database, body, namespace } = call;
  const project = compileFindProjection(docOf(body['projection'], 'projection'));
  const limit = limitOf(body['limit']);
  const found = search(call, {
    filter: docOf(body['filter'], 'filter'),
    sort: compileSort(body['sort']),
    skip: skipOf(body['skip']),
    ...(limit === undefined ? {} : { limit }),
  });
  const documents = found.map(({ doc, bytes }) => (project ? serialize(project(doc)) : bytes));
  const isSingleBatch = isSet(body['singleBatch']) || countOf(body['limit'], 'limit', 0) < 0;
  const batchSize = batchSizeOf(body['batchSize'], FIRST_BATCH_DOCUMENTS);
  return batchReply('firstBatch', database.openCursor(namespace, documents, batchSize, isSingleBatch));
}

/** What a pipeline begins with can be read through an index: `$match`, then `$sort`, then `$limit`. */
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
  const found = search(call, { filter: docOf(match, '$match'), sort, ...(limit === undefined ? {} : { limit }) });
  return { docs: found.map(({ doc }) => doc), rest: pipeline.slice(place) };
}

function runAggregate(call: Call): BatchReply {
  const { database, body, namespace } = call;
  if (typeof body['aggregate'] !== 'string') refuse('An aggregation that is not on a collection');
  const pipeline = listOf(body['pipeline'], 'pipeline');
  compilePipeline(pipeline);
  const { docs, rest } = readForPipeline(call, pipeline);
  const documents = compilePipeline(rest)(docs).map(serialize);
  const batchSize = batchSizeOf(docOf(body['cursor'], 'cursor')['batchSize'], FIRST_BATCH_DOCUMENTS);
  return batchReply('firstBatch', database.openCursor(namespace, documents, batchSize, false));
}

function runGetMore({ database, body }: Call): BatchReply {
  const size = batchSizeOf(body['batchSize'], 0);
  const id = countOf(body['getMore'], 'getMore', 0);
  return batchReply('nextBatch', database.continueCursor(id, size === 0 ? Number.POSITIVE_INFINITY : size));
}

function runKillCursors({ database, body }: Call): Doc {
  const closed = new Map(
    listOf(body['cursors'], 'cursors').map((id) => [id, database.closeCursor(countOf(id, 'cursors', 0))] as const),
  );
  const cursors = (isClosed: boolean): unknown[] => [...closed].filter(([, was]) => was === isClosed).map(([id]) => id);
  return { cursorsKilled: cursors(true), cursorsNotFound: cursors(false), cursorsAlive: [], cursorsUnknown: [] };
}

function runCount(call: Call): Doc {
  const { database, body, namespace } = call;
  const filter = docOf(body['query'], 'query');
  const limit = limitOf(body['limit']);
  const skip = skipOf(body['skip']);
  if (Object.keys(filter).length === 0 && limit === undefined && skip === 0) {
    return { n: database.collections.get(namespace)?.documents.size ?? 0 };
  }
  return { n: search(call, { filter, skip, ...(limit === undefined ? {} : { limit }) }).length };
}

function runDistinct(call: Call): Doc {
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
  return { values: [...values].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, value]) => value) };
}

function runCreateIndexes(call: Call): Doc {
  const { database, body, namespace } = call;
  const specs = listOf(body['indexes'], 'indexes').map((index) => parseIndexSpec(docOf(index, 'indexes')));
  const createdCollectionAutomatically = !database.collections.has(namespace);
  const collection = database.collectionForWrite(namespace);
  const numIndexesBefore = collection.indexes.size;
  for (const spec of specs) {
    if (Object.keys(spec.key).join() === '_id') continue;
    database.createIndex(collection, spec);
  }
  return { numIndexesBefore, numIndexesAfter: collection.indexes.size, createdCollectionAutomatically };
}

function existing({ database, namespace }: Call): Collection {
  return database.collections.get(namespace) ?? fail('NamespaceNotFound', `ns does not exist: ${namespace}`);
}

function runListIndexes(call: Call): BatchReply {
  const documents = [...existing(call).indexes.values()].map(({ spec: { name, key, ...options } }) =>
    // The index on _id is unique, but MongoDB does not say so.
    serialize({ v: 2, key, name, ...(name === '_id_' ? {} : options) }),
  );
  const batchSize = batchSizeOf(docOf(call.body['cursor'], 'cursor')['batchSize'], FIRST_BATCH_DOCUMENTS);
  return batchReply('firstBatch', call.database.openCursor(call.namespace, documents, batchSize, false));
}

function runDropIndexes(call: Call): Doc {
  const collection = existing(call);
  const { index } = call.body;
  const nIndexesWas = collection.indexes.size;
  const specs = [...collection.indexes.values()].map(({ spec }) => spec);
  const wanted = index === '*' ? specs.map(({ name }) => name).filter((name) => name !== '_id_') : listed(index);
  for (const item of wanted) {
    const found = specs.find(({ name, key }) => (typeof item === 'string' ? name === item : equals({ ...key }, item)));
    if (!found) fail('IndexNotFound', `index not found with name [${typeof item === 'string' ? item : show(item)}]`);
    if (found.name === '_id_') fail('InvalidOptions', 'cannot drop _id index');
    call.database.dropIndex(collection, found.name);
  }
  return { nIndexesWas };
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

function runCreate({ database, namespace }: Call): Doc {
  if (database.collections.has(namespace)) fail('NamespaceExists', `Collection ${namespace} already exists.`);
  database.collectionForWrite(namespace);
  return {};
}

function runDrop({ database, namespace }: Call): Doc {
  const collection = database.collections.get(namespace);
  // Since 7.0 MongoDB answers this way also for a collection that is not there.
  if (!collection) return {};
  database.dropCollection(namespace);
  return { ns: namespace, nIndexesWas: collection.indexes.size };
}

const collectionsOf = (database: Database, name: unknown): Collection[] =>
  [...database.collections.values()].filter(({ namespace }) => namespace.startsWith(`${String(name)}.`));

function runListCollections({ database, body }: Call): BatchReply {
  const name = String(body['$db']);
  const matches = compileFilter(docOf(body['filter'], 'filter'));
  const isNameOnly = isSet(body['nameOnly']);
  const described = collectionsOf(database, name).map(({ namespace }): Doc => {
    const short = { name: namespace.slice(name.length + 1), type: 'collection' };
    const idIndex = { v: 2, key: { _id: 1 }, name: '_id_' };
    return isNameOnly ? short : { ...short, options: {}, info: { readOnly: false }, idIndex };
  });
  const documents = described.filter(matches).map(serialize);
  const batchSize = batchSizeOf(docOf(body['cursor'], 'cursor')['batchSize'], FIRST_BATCH_DOCUMENTS);
  return batchReply('firstBatch', database.openCursor(`${name}.$cmd.listCollections`, documents, batchSize, false));
}

function runListDatabases({ database, body }: Call): Doc {
  const sizes = new Map<string, number>();
  for (const { namespace, documents } of database.collections.values()) {
    const name = namespace.slice(0, namespace.indexOf('.'));
    let bytes = sizes.get(name) ?? 0;
    for (const stored of documents.values()) bytes += stored.bytes.length;
    sizes.set(name, bytes);
  }
  const matches = compileFilter(docOf(body['filter'], 'filter'));
  const isNameOnly = isSet(body['nameOnly']);
  const databases = [...sizes]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, sizeOnDisk]): Doc => (isNameOnly ? { name } : { name, sizeOnDisk, empty: sizeOnDisk === 0 }))
    .filter(matches);
  const totalSize = [...sizes.values()].reduce((total, size) => total + size, 0);
  return { databases, ...(isNameOnly ? {} : { totalSize }) };
}

/** Only what is asked of collections: a database name as its argument would be taken for one. */
const onCollection =
  (run: Command['run']): Command['run'] =>
  (call) => {
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

const LIST_FIELDS = ['filter', 'nameOnly', 'cursor', 'authorizedCollections', 'authorizedDatabases'];
const hello: Command = { fields: 'any', run: helloReply };

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['hello', hello],
  ['ismaster', hello],
  ['ping', { fields: [], run: () => ({}) }],
  ['endsessions', { fields: [], run: () => ({}) }],
  [
    'buildinfo',
    {
      fields: [],
      run: () => ({
        version: VERSION,
        versionArray: [7, 0, 0, 0],
        gitVersion: 'embedded',
        bits: 64,
        maxBsonObjectSize: DOCUMENT_BYTES_MAX,
      }),
    },
  ],
  [
    'serverstatus',
    {
      fields: 'any',
      run: () => ({
        version: VERSION,
        process: 'embedded-mongodb',
        pid: Long.fromNumber(process.pid),
        uptime: process.uptime(),
        localTime: new Date(),
        mem: { resident: Math.round(process.memoryUsage().rss / 1024 / 1024) },
      }),
    },
  ],
  ['insert', { fields: ['documents', 'ordered'], run: onCollection(runInsert) }],
  ['update', { fields: ['updates', 'ordered'], run: onCollection(runUpdate) }],
  ['delete', { fields: ['deletes', 'ordered'], run: onCollection(runDelete) }],
  [
    'findandmodify',
    {
      fields: ['query', 'sort', 'remove', 'update', 'new', 'fields', 'upsert', 'arrayFilters', 'hint'],
      run: onCollection(runFindAndModify),
    },
  ],
  [
    'find',
    {
      fields: ['filter', 'sort', 'projection', 'hint', 'skip', 'limit', 'batchSize', 'singleBatch', 'allowDiskUse'],
      run: onCollection(runFind),
    },
  ],
  ['aggregate', { fields: ['pipeline', 'cursor', 'allowDiskUse', 'hint'], run: runAggregate }],
  ['getmore', { fields: ['collection', 'batchSize'], run: runGetMore }],
  ['killcursors', { fields: ['cursors'], run: runKillCursors }],
  ['count', { fields: ['query', 'limit', 'skip', 'hint'], run: onCollection(runCount) }],
  ['distinct', { fields: ['key', 'query'], run: onCollection(runDistinct) }],
  ['createindexes', { fields: ['indexes', 'commitQuorum'], run: onCollection(runCreateIndexes) }],
  ['listindexes', { fields: ['cursor'], run: onCollection(runListIndexes) }],
  ['dropindexes', { fields: ['index'], run: onCollection(runDropIndexes) }],
  ['create', { fields: [], run: onCollection(runCreate) }],
  ['drop', { fields: [], run: onCollection(runDrop) }],
  [
    'dropdatabase',
    {
      fields: [],
      run: ({ database, body }) => {
        for (const { namespace } of collectionsOf(database, body['$db'])) database.dropCollection(namespace);
        return { dropped: body['$db'] };
      },
    },
  ],
  ['listcollections', { fields: LIST_FIELDS, run: runListCollections }],
  ['listdatabases', { fields: LIST_FIELDS, run: runListDatabases }],
]);
