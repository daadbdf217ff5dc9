import { ObjectId } from 'bson';
import { done, limitOf, search, type Call, type Reply } from './command.js';
import type { Database } from './database.js';
import { fail, MongoError, failUnsupported } from './errors.js';
import type { StoredDocument } from './ordered-index.js';
import { compileProjection } from './projection.js';
import { compileSort } from './sort.js';
import type { Collection } from './store.js';
import { compileUpdate, isReplacement, upsertBase, type UpdateStatement } from './update.js';
import { docOf, isSet, parse, serialize, type Doc } from './values.js';

/** Limit of the statements in one command; reported to the driver by hello. */
export const WRITES_MAX = 100_000;

export function runInsert(call: Call): Reply {
  const collection = call.database.collectionForWrite(call.namespace);
  let n = 0;
  const outcome = runWrites(call.body, writesOf(call, 'documents'), (write) => {
    if (!ArrayBuffer.isView(write)) fail('TypeMismatch', "'documents' must hold documents");
    // A copy, because the received bytes are a view of the whole message.
    const bytes = Buffer.from(write as Uint8Array);
    insertDocument(call.database, collection, parse(bytes), bytes);
    n += 1;
  });
  return done({ n, ...outcome });
}

export function runUpdate(call: Call): Reply {
  let [n, nModified] = [0, 0];
  const upserted: Doc[] = [];
  const outcome = runWrites(call.body, writesOf(call, 'updates'), (write, index) => {
    const fields = statementOf(write);
    requireKnownFields(fields, ['q', 'u', 'multi', 'upsert', 'hint']);
    const isMulti = isSet(fields['multi']);
    const statement: UpdateStatement = { filter: docOf(fields['q'], 'q'), update: fields['u'] };
    if (isMulti && isReplacement(statement.update)) {
      fail('FailedToParse', 'multi update is not supported for replacement-style update');
    }
    const change = compileUpdate(statement.update, false);
    const limit = isMulti ? undefined : 1;
    const found = search(call, { filter: statement.filter, limit, hint: fields['hint'] });
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
  return done({ n, nModified, ...(upserted.length > 0 ? { upserted } : {}), ...outcome });
}

export function runDelete(call: Call): Reply {
  let n = 0;
  const outcome = runWrites(call.body, writesOf(call, 'deletes'), (write) => {
    const fields = statementOf(write);
    requireKnownFields(fields, ['q', 'limit', 'hint']);
    const filter = docOf(fields['q'], 'q');
    const found = search(call, { filter, limit: limitOf(fields['limit']), hint: fields['hint'] });
    for (const stored of found) {
      call.database.remove(call.database.collectionForWrite(call.namespace), stored);
      n += 1;
    }
  });
  return done({ n, ...outcome });
}

export function runFindAndModify(call: Call): Reply {
  const { database, body } = call;
  const project = compileProjection(docOf(body['fields'], 'fields'));
  const shown = (doc: Doc): Doc => (project ? project(doc) : doc);
  const filter = docOf(body['query'], 'query');
  const isRemoving = isSet(body['remove']);
  const isReturningNew = isSet(body['new']);
  if (isRemoving === (body['update'] !== undefined)) {
    fail('FailedToParse', 'Either an update or remove=true must be specified');
  }
  const statement: UpdateStatement = { filter, update: body['update'] };
  const change = isRemoving ? undefined : compileUpdate(statement.update, false);
  const [stored] = search(call, { filter, sort: compileSort(body['sort']), limit: 1, hint: body['hint'] });
  if (!change) {
    if (!stored) return done({ lastErrorObject: { n: 0 }, value: null });
    database.remove(database.collectionForWrite(call.namespace), stored);
    return done({ lastErrorObject: { n: 1 }, value: shown(stored.doc) });
  }
  if (stored) {
    const before = stored.doc;
    database.replace(database.collectionForWrite(call.namespace), stored, change(before));
    return done({
      lastErrorObject: { n: 1, updatedExisting: true },
      value: shown(isReturningNew ? stored.doc : before),
    });
  }
  if (!isSet(body['upsert'])) return done({ lastErrorObject: { n: 0, updatedExisting: false }, value: null });
  const { doc } = upsert(call, statement);
  return done({
    lastErrorObject: { n: 1, updatedExisting: false, upserted: doc['_id'] },
    value: isReturningNew ? shown(doc) : null,
  });
}

/** The documents of a write, from a document sequence or the body. */
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

function requireKnownFields(statement: Doc, fields: readonly string[]): void {
  for (const field of Object.keys(statement)) {
    if (!fields.includes(field)) failUnsupported(`The field '${field}' of a write statement`);
  }
}

/** Runs the statements of a batch; an error ends an ordered batch and is collected in an unordered one. */
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

function insertDocument(database: Database, collection: Collection, doc: Doc, bytes?: Buffer): StoredDocument {
  if (bytes && startsWithId(bytes)) return database.insert(collection, doc, bytes);
  const { _id = new ObjectId(), ...rest } = doc;
  const withId = { _id, ...rest };
  return database.insert(collection, withId, serialize(withId));
}

function upsert(call: Call, statement: UpdateStatement): StoredDocument {
  const base = upsertBase(statement.filter);
  const start = isReplacement(statement.update) ? (base['_id'] === undefined ? {} : { _id: base['_id'] }) : base;
  const doc = compileUpdate(statement.update, true)(start);
  return insertDocument(call.database, call.database.collectionForWrite(call.namespace), doc);
}

/** Whether the first element of the document is `_id`; then the received bytes are stored unchanged. */
const startsWithId = (bytes: Buffer): boolean => bytes.toString('latin1', 5, 9) === '_id\0';
