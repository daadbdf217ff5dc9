import { MongoClient } from 'mongodb';
import type { Collection } from 'mongodb';
import { certificateOptions } from './connection.js';
import type { MongoOptions } from './connection.js';
import type { NamedIndex } from './ensure-indexes.js';
import { indexBuilds } from './index-builds.js';

/** Interval at which the progress of building database indexes is reported. */
const REPORT_EACH_MS = 10_000;
/** MongoDB error code for a collection that does not exist. */
const NAMESPACE_NOT_FOUND = 26;

export interface MigratedIndexes {
  /** Names of the indexes that were missing and that the migration has built, as `<collection>.<index>`. */
  readonly built: readonly string[];
  /** Error messages, one for each collection whose indexes could not be built. */
  readonly failures: readonly string[];
}

/**
 * Builds the missing indexes of a database, and waits for them however long it takes. An index that a service or
 * another migration is building already is not built a second time.
 * @param declared the declared indexes, by the name of their collection
 * @param report called with the indexes that the database is building
 */
export async function migrateIndexes(
  { url, databaseName, identity }: Omit<MongoOptions, 'appName'>,
  declared: Readonly<Record<string, readonly NamedIndex[]>>,
  report: (building: readonly string[]) => void,
): Promise<MigratedIndexes> {
  // The build of a database index may take hours, so the connection has no timeout while it waits for a response.
  const client = new MongoClient(url, {
    ...certificateOptions(url, identity),
    appName: 'migrate',
    socketTimeoutMS: 0,
    writeConcern: { w: 'majority' },
  });
  const database = client.db(databaseName);
  const watch = setInterval(() => void indexBuilds(database).then(report, () => {}), REPORT_EACH_MS);
  const built: string[] = [];
  const failures: string[] = [];
  try {
    for (const [name, indexes] of Object.entries(declared)) {
      const collection = database.collection(name);
      const before = await existingNames(collection);
      try {
        await collection.createIndexes([...indexes]);
        built.push(...indexes.filter((index) => !before.has(index.name)).map((index) => `${name}.${index.name}`));
      } catch (error) {
        failures.push(`${databaseName}.${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    clearInterval(watch);
    await client.close();
  }
  return { built, failures };
}

async function existingNames(collection: Collection): Promise<ReadonlySet<string>> {
  try {
    return new Set((await collection.indexes()).flatMap(({ name }) => name ?? []));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === NAMESPACE_NOT_FOUND) return new Set();
    throw error;
  }
}
