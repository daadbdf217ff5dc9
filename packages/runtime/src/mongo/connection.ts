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
  MongoWriteConcernError,
} from 'mongodb';
import type { Db } from 'mongodb';
import type { SilenceWatch } from '../silence-watch.js';
import { ourConnections } from './driver-connection.js';
import { HEARTBEAT_EACH_MS, watchSilence } from './silence.js';

export interface MongoConnection {
  readonly db: Db;
  /** Resolves when the database responds. */
  ping(): Promise<unknown>;
  /** Tells whether the database responds to requests; see silence.ts. */
  readonly silence: SilenceWatch;
  close(): Promise<void>;
}

export interface MongoOptions {
  readonly url: string;
  /** One database per service, named like it. */
  readonly databaseName: string;
  /** The name that the database shows for our connections. */
  readonly appName: string;
}

const POOL_CONNECTIONS_MAX = 50;
/** Timeout of the handshake of a connection and of a heartbeat. Without a response the driver opens all connections again. */
const CONNECT_MS_MAX = 5_000;
/** Timeout of waiting for a server and for a free connection. */
const WAIT_MS_MAX = 5_000;
/**
 * Timeout of waiting until the majority has a write. A primary without one answers heartbeats for ten seconds more, until it steps down,
 * and every writer would wait for as long.
 */
const MAJORITY_MS_MAX = 3_000;
/** Timeout of the response to one command, longer than the largest takes. Requests are refused sooner, by {@link watchSilence}. */
const COMMAND_MS_MAX = 30_000;

/**
 * Connects with the guarantees that the storage rules rely on: acknowledged by a majority, journaled, retried once by
 * the driver. A write that was acknowledged is not rolled back by a failover.
 */
export async function connectMongo({ url, databaseName, appName }: MongoOptions): Promise<MongoConnection> {
  const silence = watchSilence();
  const client = new MongoClient(url, {
    ...ourConnections(silence.hearReply),
    appName,
    maxPoolSize: POOL_CONNECTIONS_MAX,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: MAJORITY_MS_MAX },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    // An undefined member of a write is not stored; in a filter our connections refuse it.
    ignoreUndefined: true,
    // Each heartbeat is a command of its own, so that every server and every proxy is watched in the same way.
    serverMonitoringMode: 'poll',
    heartbeatFrequencyMS: HEARTBEAT_EACH_MS,
    connectTimeoutMS: CONNECT_MS_MAX,
    serverSelectionTimeoutMS: WAIT_MS_MAX,
    waitQueueTimeoutMS: WAIT_MS_MAX,
    socketTimeoutMS: COMMAND_MS_MAX,
  });
  client.on('serverHeartbeatSucceeded', silence.hearHeartbeat);
  const close = async (): Promise<void> => {
    silence.stop();
    await client.close();
  };
  try {
    await client.connect();
  } catch (error) {
    await close();
    throw error;
  }
  const db = client.db(databaseName);
  return { db, ping: () => db.command({ ping: 1 }), silence, close };
}

/** MongoDB's duplicate key error: with derived ids it means "already done". */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 11000;
}

/** The majority did not have a write in time. */
const WRITE_CONCERN_TIMEOUT = 64;

function lacksMajority(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) return error.result.getWriteConcernError()?.code === WRITE_CONCERN_TIMEOUT;
  return error instanceof MongoWriteConcernError && error.code === WRITE_CONCERN_TIMEOUT;
}

/** The driver's name for the error of a command that got no connection in time; the class is not exported. */
const NO_CONNECTION_IN_TIME = 'MongoWaitQueueTimeoutError';

/**
 * Tells whether an error means that MongoDB is unavailable: not reachable, so slow that no connection becomes free, failing
 * over, without a majority, or the connection broke. Whether a write was done is then not known.
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
    lacksMajority(error) ||
    (reason instanceof MongoError &&
      (reason.name === NO_CONNECTION_IN_TIME || reason.hasErrorLabel(MongoErrorLabel.RetryableWriteError)))
  );
}
