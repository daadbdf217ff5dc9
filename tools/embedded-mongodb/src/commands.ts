import { Long } from 'bson';
import { done, onCollection, type Call, type Reply } from './command.js';
import {
  runCreate,
  runCreateIndexes,
  runDrop,
  runDropDatabase,
  runDropIndexes,
  runListCollections,
  runListDatabases,
  runListIndexes,
} from './commands-catalog.js';
import { runAggregate, runCount, runDistinct, runFind, runGetMore, runKillCursors } from './commands-read.js';
import { runDelete, runFindAndModify, runInsert, runUpdate, WRITES_MAX } from './commands-write.js';
import type { Database } from './database.js';
import { fail, failUnsupported } from './errors.js';
import { DOCUMENT_BYTES_MAX, docOf, show, type Doc } from './values.js';

/** A received command: its body and document sequences. */
export type CommandMessage = Pick<Call, 'body' | 'sequences'>;

export const MESSAGE_BYTES_MAX = 48_000_000;
/** MongoDB 7.0. */
const WIRE_VERSION_MAX = 21;
const VERSION = '7.0.0';

interface Command {
  /** The supported fields besides {@link COMMON_FIELDS}; others are refused. */
  readonly fields: readonly string[] | 'any';
  readonly run: (call: Call) => Reply;
}

/** Fields that a driver may add to any command. A standalone server ignores sessions and read preferences. */
const COMMON_FIELDS = ['$db', 'lsid', '$readPreference', 'readConcern', 'writeConcern', 'maxTimeMS', 'comment'];

/**
 * Runs one command synchronously, so it is atomic, even over many documents.
 * @throws MongoError for the client
 */
export function runCommand(database: Database, { body, sequences }: CommandMessage): Reply {
  const [name = ''] = Object.keys(body);
  const command = Object.hasOwn(COMMANDS, name.toLowerCase()) ? COMMANDS[name.toLowerCase()] : undefined;
  if (!command) fail('CommandNotFound', `no such command: '${name}'`);
  checkFields(name, command, body);
  try {
    const namespace = `${String(body['$db'])}.${String(body[name])}`;
    return command.run({ database, body, sequences, namespace });
  } finally {
    // Also after an error: an ordered batch keeps its earlier writes.
    database.commit();
  }
}

/** The answer to hello. */
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

function checkFields(name: string, command: Command, body: Doc): void {
  if (body['startTransaction'] !== undefined || body['txnNumber'] !== undefined) {
    fail('IllegalOperation', 'Transaction numbers are only allowed on a replica set member or mongos');
  }
  if (command.fields === 'any') return;
  for (const field of Object.keys(body)) {
    if (field !== name && !COMMON_FIELDS.includes(field) && !command.fields.includes(field)) {
      failUnsupported(`The field '${field}' of ${name}`);
    }
  }
  const level = docOf(body['readConcern'], 'readConcern')['level'] ?? 'local';
  if (level !== 'local' && level !== 'majority' && level !== 'available')
    failUnsupported(`The read concern ${show(level)}`);
  const { w = 1 } = docOf(body['writeConcern'], 'writeConcern');
  if (w !== 'majority' && w !== 0 && w !== 1) {
    fail('BadValue', `cannot use 'w' ${show(w)} when a host is not replicated`);
  }
}

const LIST_FIELDS = ['filter', 'nameOnly', 'cursor', 'authorizedCollections', 'authorizedDatabases'];
const hello: Command = { fields: 'any', run: () => done(helloReply()) };

/** By name in lower case: MongoDB accepts both `findAndModify` and `findandmodify`. */
const COMMANDS: Readonly<Record<string, Command>> = {
  hello,
  ismaster: hello,
  ping: { fields: [], run: () => done() },
  endsessions: { fields: [], run: () => done() },
  buildinfo: {
    fields: [],
    run: () =>
      done({
        version: VERSION,
        versionArray: [7, 0, 0, 0],
        gitVersion: 'embedded',
        bits: 64,
        maxBsonObjectSize: DOCUMENT_BYTES_MAX,
      }),
  },
  serverstatus: {
    fields: 'any',
    run: () =>
      done({
        version: VERSION,
        process: 'embedded-mongodb',
        pid: Long.fromNumber(process.pid),
        uptime: process.uptime(),
        localTime: new Date(),
        mem: { resident: Math.round(process.memoryUsage().rss / 1024 / 1024) },
      }),
  },
  insert: { fields: ['documents', 'ordered'], run: onCollection(runInsert) },
  update: { fields: ['updates', 'ordered'], run: onCollection(runUpdate) },
  delete: { fields: ['deletes', 'ordered'], run: onCollection(runDelete) },
  findandmodify: {
    fields: ['query', 'sort', 'remove', 'update', 'new', 'fields', 'upsert', 'hint'],
    run: onCollection(runFindAndModify),
  },
  find: {
    fields: ['filter', 'sort', 'projection', 'hint', 'skip', 'limit', 'batchSize', 'singleBatch', 'allowDiskUse'],
    run: onCollection(runFind),
  },
  aggregate: { fields: ['pipeline', 'cursor', 'allowDiskUse', 'hint'], run: runAggregate },
  getmore: { fields: ['collection', 'batchSize'], run: runGetMore },
  killcursors: { fields: ['cursors'], run: runKillCursors },
  count: { fields: ['query', 'limit', 'skip', 'hint'], run: onCollection(runCount) },
  distinct: { fields: ['key', 'query'], run: onCollection(runDistinct) },
  createindexes: { fields: ['indexes', 'commitQuorum'], run: onCollection(runCreateIndexes) },
  listindexes: { fields: ['cursor'], run: onCollection(runListIndexes) },
  dropindexes: { fields: ['index'], run: onCollection(runDropIndexes) },
  create: { fields: [], run: onCollection(runCreate) },
  drop: { fields: [], run: onCollection(runDrop) },
  dropdatabase: { fields: [], run: runDropDatabase },
  listcollections: { fields: LIST_FIELDS, run: runListCollections },
  listdatabases: { fields: LIST_FIELDS, run: runListDatabases },
};
