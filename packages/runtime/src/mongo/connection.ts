import {
  MongoBulkWriteError,
  MongoClient,
  MongoClientClosedError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import type { Db } from 'mongodb';
import { endingConnections } from './driver-connection.js';

export interface MongoConnection {
  readonly db: Db;
  /** Resolves when the database answers. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

export interface MongoOptions {
  readonly url: string;
  /** One database per service, named like it. */
  readonly databaseName: string;
  /** Shown by the database beside our connections. */
  readonly appName: string;
}

const POOL_CONNECTIONS_MAX = 50;

/**
 * Connects with the guarantees that the storage rules rely on: acknowledged by a majority, journaled, retried once by
 * the driver. A write that was acknowledged is not rolled back by a failover.
 */
export async function connectMongo({ url, databaseName, appName }: MongoOptions): Promise<MongoConnection> {
  const client = new MongoClient(url, {
    ...endingConnections,
    appName,
    maxPoolSize: POOL_CONNECTIONS_MAX,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    ignoreUndefined: true,
    serverSelectionTimeoutMS: 5_000,
    waitQueueTimeoutMS: 5_000,
    socketTimeoutMS: 30_000,
  });
  await client.connect();
  const db = client.db(databaseName);
  return { db, ping: () => db.command({ ping: 1 }), close: () => client.close() };
}

/** MongoDB's duplicate key error: with derived ids it means "already done". */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 11000;
}

/** What the driver calls the error of a command that got no connection in time; the class is not exported. */
const NO_CONNECTION_IN_TIME = 'MongoWaitQueueTimeoutError';

/**
 * Whether an error says that MongoDB is unavailable: not reachable, so slow that no connection becomes free, failing
 * over, or the connection broke. Whether a write was done is then not known.
 */
export function isMongoUnavailable(error: unknown): boolean {
  // The driver hides what went wrong with a whole batch inside an error of its own.
  const reason: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : error;
  return (
    reason instanceof MongoNetworkError ||
    reason instanceof MongoServerSelectionError ||
    reason instanceof MongoNotConnectedError ||
    reason instanceof MongoTopologyClosedError ||
    reason instanceof MongoClientClosedError ||
    (reason instanceof MongoError &&
      (reason.name === NO_CONNECTION_IN_TIME || reason.hasErrorLabel(MongoErrorLabel.RetryableWriteError)))
  );
}
