import { done, firstBatch, type Call, type Reply } from './command.js';
import { resultsOf, type Database } from './database.js';
import { fail } from './errors.js';
import { parseIndexSpec } from './index-spec.js';
import { equals } from './order.js';
import { compileFilter } from './query.js';
import type { Collection } from './store.js';
import { docOf, isSet, listOf, serialize, show, type Doc } from './values.js';

/** Commands on collections, indexes and databases. */

export function runCreateIndexes(call: Call): Reply {
  const { database, body, namespace } = call;
  const specs = listOf(body['indexes'], 'indexes').map((index) => parseIndexSpec(docOf(index, 'indexes')));
  const createdCollectionAutomatically = !database.collections.has(namespace);
  const collection = database.collectionForWrite(namespace);
  const numIndexesBefore = collection.indexes.size;
  for (const spec of specs) {
    if (Object.keys(spec.key).join() === '_id') continue;
    database.createIndex(collection, spec);
  }
  return done({ numIndexesBefore, numIndexesAfter: collection.indexes.size, createdCollectionAutomatically });
}

function existing({ database, namespace }: Call): Collection {
  return database.collections.get(namespace) ?? fail('NamespaceNotFound', `ns does not exist: ${namespace}`);
}

export function runListIndexes(call: Call): Reply {
  const specs = [...existing(call).indexes.values()].map(({ spec: { name, key, ...options } }): Doc =>
    // The index on _id is unique, but MongoDB does not report it.
    ({ v: 2, key, name, ...(name === '_id_' ? {} : options) }),
  );
  return firstBatch(call, resultsOf(specs, serialize), docOf(call.body['cursor'], 'cursor')['batchSize']);
}

export function runDropIndexes(call: Call): Reply {
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
  return done({ nIndexesWas });
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** Since 7.0 creating an existing collection with the same options succeeds; this server has no options. */
export function runCreate({ database, namespace }: Call): Reply {
  database.collectionForWrite(namespace);
  return done();
}

export function runDrop({ database, namespace }: Call): Reply {
  const collection = database.collections.get(namespace);
  // Since 7.0 MongoDB gives this answer for a missing collection, too.
  if (!collection) return done({});
  database.dropCollection(namespace);
  return done({ ns: namespace, nIndexesWas: collection.indexes.size });
}

const collectionsOf = (database: Database, name: unknown): Collection[] =>
  [...database.collections.values()].filter(({ namespace }) => namespace.startsWith(`${String(name)}.`));

export function runListCollections({ database, body }: Call): Reply {
  const name = String(body['$db']);
  const matches = compileFilter(docOf(body['filter'], 'filter'));
  const isNameOnly = isSet(body['nameOnly']);
  const described = collectionsOf(database, name).map(({ namespace }): Doc => {
    const short = { name: namespace.slice(name.length + 1), type: 'collection' };
    const idIndex = { v: 2, key: { _id: 1 }, name: '_id_' };
    return isNameOnly ? short : { ...short, options: {}, info: { readOnly: false }, idIndex };
  });
  const results = resultsOf(described.filter(matches), serialize);
  const namespace = `${name}.$cmd.listCollections`;
  return firstBatch({ database, namespace }, results, docOf(body['cursor'], 'cursor')['batchSize']);
}

export function runListDatabases({ database, body }: Call): Reply {
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
  return done({ databases, ...(isNameOnly ? {} : { totalSize }) });
}

export function runDropDatabase({ database, body }: Call): Reply {
  for (const { namespace } of collectionsOf(database, body['$db'])) database.dropCollection(namespace);
  return done({ dropped: body['$db'] });
}
