// Backs up and restores whole databases: with mongodump and mongorestore, as in a cluster, or through the driver on
// machines that do not have them. Through the driver, the directory has the layout of `mongodump --gzip`, and documents
// keep their bytes and therefore their types.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { operatorUrl } from '@invoicecontrol/dev/mongodb-users';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { BSON } from 'mongodb';
import type { Collection, Db, IndexDescriptionInfo } from 'mongodb';

const INSERT_DOCUMENTS_MAX = 100;
const TOOL_MINUTES_MAX = 10;
const LENGTH_BYTES = 4;

/** Backed up state of a database collection, for comparison before and after the restore. */
export interface CollectionState {
  readonly database: string;
  readonly collection: string;
  readonly documents: number;
  /** SHA-256 hash of all documents in the collection, ordered by id. */
  readonly digest: string;
  /** Indexes of the collection as listed by the database, in the order of their names. */
  readonly indexes: readonly IndexDescriptionInfo[];
}

/**
 * A method for the backup and the restore of databases. Both operations return the contents of the databases, for
 * comparison.
 */
export interface BackupMethod {
  backUp(mongodbUrl: string, databases: readonly string[], directory: string): Promise<CollectionState[]>;
  /**
   * Restores databases from a backup.
   * @throws Error when a database to restore is not empty
   */
  restore(mongodbUrl: string, backup: readonly CollectionState[], directory: string): Promise<CollectionState[]>;
}

export const throughTheDriver: BackupMethod = { backUp, restore };

/**
 * Backs up and restores with the commands that the Kubernetes component `backup` and the runbook use. `mongodump` and
 * `mongorestore` must be on PATH. The expiry of documents is disabled on these servers, because an expired document
 * would look like a loss.
 */
export const withMongodump: BackupMethod = {
  async backUp(mongodbUrl, databases, directory) {
    await keepExpired(mongodbUrl);
    await runTool('mongodump', await operatorUrl(mongodbUrl, 'backup'), directory, ['--oplog']);
    return readStates(mongodbUrl, databases);
  },
  async restore(mongodbUrl, backup, directory) {
    await keepExpired(mongodbUrl);
    // The users in the backup are not restored, because the new server already has its own users.
    const options = ['--oplogReplay', '--stopOnError', '--nsExclude=admin.*'];
    await runTool('mongorestore', mongodbUrl, directory, options);
    return readStates(mongodbUrl, [...new Set(backup.map(({ database }) => database))]);
  },
};

async function keepExpired(url: string): Promise<void> {
  const { db, close } = await connectMongo({ url, databaseName: 'admin', appName: 'rehearsal' });
  try {
    await db.command({ setParameter: 1, ttlMonitorEnabled: false });
  } finally {
    await close();
  }
}

async function runTool(program: string, uri: string, directory: string, options: readonly string[]): Promise<void> {
  const config = join(directory, 'tool.yaml');
  await writeFile(config, JSON.stringify({ uri }), { mode: 0o600 });
  const all = [`--config=${config}`, '--gzip', `--archive=${join(directory, 'archive.gz')}`, ...options];
  await promisify(execFile)(program, all, { timeout: TOOL_MINUTES_MAX * 60_000 });
}

async function readStates(mongodbUrl: string, databases: readonly string[]): Promise<CollectionState[]> {
  const states: CollectionState[] = [];
  for (const database of databases) {
    const { db, close } = await connectMongo({ url: mongodbUrl, databaseName: database, appName: 'rehearsal' });
    try {
      for (const { name } of await collectionsOf(db)) {
        const collection = db.collection(name);
        const digest = documentsDigest();
        for await (const document of rawDocuments(collection)) digest.add(document);
        states.push({ database, collection: name, ...digest.result(), indexes: await indexesOf(collection) });
      }
    } finally {
      await close();
    }
  }
  return states;
}

async function collectionsOf(db: Db): Promise<{ readonly name: string }[]> {
  return (await db.listCollections().toArray()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function backUp(mongodbUrl: string, databases: readonly string[], directory: string): Promise<CollectionState[]> {
  const states: CollectionState[] = [];
  const url = await operatorUrl(mongodbUrl, 'backup');
  for (const database of databases) {
    await mkdir(join(directory, database), { recursive: true });
    const { db, close } = await connectMongo({ url, databaseName: database, appName: 'rehearsal' });
    try {
      for (const { name } of await collectionsOf(db)) {
        const digest = documentsDigest();
        const { data, metadata } = filesOf(directory, database, name);
        await pipeline(rawDocuments(db.collection(name), digest.add), createGzip(), createWriteStream(data));
        const indexes = await indexesOf(db.collection(name));
        await writeFile(metadata, gzipSync(JSON.stringify({ collectionName: name, options: {}, indexes })));
        states.push({ database, collection: name, ...digest.result(), indexes });
      }
    } finally {
      await close();
    }
  }
  return states;
}

/**
 * Fills the empty databases of the services from a backup.
 * @returns the contents of the databases. They are read before the indexes are built, because MongoDB deletes expired
 * documents only with an index.
 */
async function restore(
  mongodbUrl: string,
  backup: readonly CollectionState[],
  directory: string,
): Promise<CollectionState[]> {
  const states: CollectionState[] = [];
  for (const database of new Set(backup.map((state) => state.database))) {
    const { db, close } = await connectMongo({ url: mongodbUrl, databaseName: database, appName: 'rehearsal' });
    try {
      if ((await db.listCollections().toArray()).length > 0) throw new Error(`The database ${database} is not empty.`);
      for (const { collection: name } of backup.filter((state) => state.database === database)) {
        const collection = await db.createCollection(name);
        const { data, metadata } = filesOf(directory, database, name);
        const documents = splitDocuments(gunzipSync(await readFile(data)));
        for (let from = 0; from < documents.length; from += INSERT_DOCUMENTS_MAX) {
          const batch = documents.slice(from, from + INSERT_DOCUMENTS_MAX);
          // Every number of the backup keeps its BSON type, because promotion is disabled.
          await collection.insertMany(batch.map((bytes) => BSON.deserialize(bytes, { promoteValues: false })));
        }
        const digest = documentsDigest();
        for await (const document of rawDocuments(collection)) digest.add(document);
        const saved = JSON.parse(gunzipSync(await readFile(metadata)).toString()) as {
          indexes: IndexDescriptionInfo[];
        };
        const missing = saved.indexes.filter(({ name: index }) => index !== '_id_');
        if (missing.length > 0) await collection.createIndexes(missing.map(({ v: _, ...index }) => index));
        states.push({ database, collection: name, ...digest.result(), indexes: await indexesOf(collection) });
      }
    } finally {
      await close();
    }
  }
  return states;
}

/** Lists the differences between two states of the same databases, before and after a restore, as sentences. */
export function differences(before: readonly CollectionState[], after: readonly CollectionState[]): string[] {
  const nameOf = ({ database, collection }: CollectionState): string => `${database}.${collection}`;
  const found = new Map(after.map((state) => [nameOf(state), state]));
  const known = new Set(before.map(nameOf));
  return [
    ...before.flatMap((state) => {
      const other = found.get(nameOf(state));
      if (other === undefined) return [`${nameOf(state)} is missing`];
      return [
        ...(other.documents === state.documents
          ? []
          : [`${nameOf(state)} has ${other.documents} documents instead of ${state.documents}`]),
        ...(other.digest === state.digest ? [] : [`${nameOf(state)} has other content`]),
        ...(JSON.stringify(other.indexes) === JSON.stringify(state.indexes)
          ? []
          : [`${nameOf(state)} has other indexes`]),
      ];
    }),
    ...after.flatMap((state) => (known.has(nameOf(state)) ? [] : [`${nameOf(state)} is new`])),
  ];
}

function filesOf(directory: string, database: string, collection: string): { data: string; metadata: string } {
  const path = join(directory, database, collection);
  return { data: `${path}.bson.gz`, metadata: `${path}.metadata.json.gz` };
}

async function* rawDocuments(
  collection: Collection,
  onDocument: (document: Buffer) => void = () => {},
): AsyncGenerator<Buffer> {
  for await (const raw of collection.find({}, { raw: true, sort: { _id: 1 } })) {
    const document = raw as unknown as Buffer;
    onDocument(document);
    yield document;
  }
}

function documentsDigest(): {
  add(document: Buffer): void;
  result(): Pick<CollectionState, 'documents' | 'digest'>;
} {
  const hash = createHash('sha256');
  let documents = 0;
  return {
    add(document) {
      hash.update(document);
      documents++;
    },
    result: () => ({ documents, digest: hash.digest('hex') }),
  };
}

async function indexesOf(collection: Collection): Promise<IndexDescriptionInfo[]> {
  return (await collection.indexes()).toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
}

/** Splits a sequence of BSON documents. Each document begins with its length. */
function splitDocuments(bytes: Buffer): Buffer[] {
  const documents: Buffer[] = [];
  for (let from = 0; from + LENGTH_BYTES <= bytes.length;) {
    const to = from + bytes.readInt32LE(from);
    documents.push(bytes.subarray(from, to));
    from = to;
  }
  return documents;
}
