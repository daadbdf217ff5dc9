import { setTimeout as delay } from 'node:timers/promises';
import { MongoClientClosedError, MongoNotConnectedError, MongoTopologyClosedError } from 'mongodb';
import type { Collection, Document, IndexDescription } from 'mongodb';
import { isMongoUnavailable } from './connection.js';

/**
 * Time for which a starting service waits for database indexes that it does not need, so that small collections have
 * them from the start.
 */
const WAIT_MS_MAX = 2_000;
/**
 * Delay before the build of a database index is requested again. A request ends after the timeout of a command, and the
 * build continues.
 */
const AGAIN_MS = 5_000;

/** An index that a service declares. */
export type NamedIndex = IndexDescription & { readonly name: string };

/** An index that the service declares and that does not exist yet. */
export interface MissingIndex {
  readonly database: string;
  /** Name of the database index as `<collection>.<index>`. */
  readonly name: string;
  readonly since: Date;
  /** Reason why the database index can never be built. Undefined while it is being built. */
  readonly error?: string;
}

const missing = new Map<string, MissingIndex>();

/** Returns the database indexes that are still being built while this process already works without them. */
export function missingIndexes(database: string): readonly MissingIndex[] {
  return [...missing.values()].filter((index) => index.database === database);
}

/**
 * Creates the missing indexes of a collection. Resolves when all indexes exist without which the service cannot work:
 * unique indexes, which keep writes correct, and the indexes in `named`, without which queries fail. All other indexes
 * only make queries faster. If building them takes longer than two seconds, the build continues while the service
 * works, and {@link missingIndexes} lists them. Several processes may request the same build; the database does it
 * once.
 * @param named names of the indexes that queries request by name
 */
export async function ensureIndexes<D extends Document>(
  collection: Collection<D>,
  indexes: readonly NamedIndex[],
  { named = [] }: { readonly named?: readonly string[] } = {},
): Promise<void> {
  const needed = indexes.filter(({ unique, name }) => unique === true || named.includes(name));
  const others = indexes.filter((index) => !needed.includes(index));
  if (needed.length > 0) await collection.createIndexes([...needed]);
  if (others.length === 0) return;
  const building = collection.createIndexes([...others]);
  building.catch(() => {});
  const isBuilt = await Promise.race([building.then(() => true), delay(WAIT_MS_MAX, false, { ref: false })]);
  if (!isBuilt) void buildAside(collection, others, building);
}

/** Waits for the build of a database index, which the database continues although a request for it has ended. */
async function buildAside<D extends Document>(
  collection: Collection<D>,
  indexes: readonly NamedIndex[],
  begun: Promise<unknown>,
): Promise<void> {
  const { namespace, dbName: database, collectionName } = collection;
  const since = new Date();
  const note = (error?: string): void => {
    for (const { name } of indexes) {
      const index = { database, name: `${collectionName}.${name}`, since };
      missing.set(`${namespace}.${name}`, error === undefined ? index : { ...index, error });
    }
  };
  const forget = (): void => {
    for (const { name } of indexes) missing.delete(`${namespace}.${name}`);
  };
  note();
  for (let building = begun; ; building = collection.createIndexes([...indexes])) {
    try {
      await building;
      return forget();
    } catch (error) {
      if (isClosed(error)) return forget();
      if (!isMongoUnavailable(error)) return note(error instanceof Error ? error.message : String(error));
    }
    await delay(AGAIN_MS, undefined, { ref: false });
  }
}

/** Checks whether an error means that this process has closed its database connection, because the service stops. */
function isClosed(error: unknown): boolean {
  return (
    error instanceof MongoClientClosedError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError
  );
}
