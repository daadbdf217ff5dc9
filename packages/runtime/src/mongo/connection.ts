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
import type { Db, MongoClientOptions } from 'mongodb';
import type { Identity } from '../identity/identity.js';
import type { SilenceWatch } from '../silence-watch.js';
import { ourConnections } from './driver-connection.js';
import { reportPool } from './pool-metrics.js';
import { HEARTBEAT_EACH_MS, watchSilence } from './silence.js';

export interface MongoConnection {
  readonly db: Db;
  /** Sends a ping to the database, and resolves when the database responds. */
  ping(): Promise<unknown>;
  /** Watches whether the database responds to requests (silence.ts). */
  readonly silence: SilenceWatch;
  close(): Promise<void>;
}

export interface MongoOptions {
  readonly url: string;
  /** Name of the MongoDB database, which is the name of the service. */
  readonly databaseName: string;
  /** Name under which the database server lists the connections of this process. */
  readonly appName: string;
  /**
   * Certificate that identifies this process to a database whose URL contains `authMechanism=MONGODB-X509`. The
   * certificate authorities of this identity must then include the authority that issued the certificate of the
   * database. Absent for tools with a password in the URL.
   */
  readonly identity?: Pick<Identity, 'secureContext'> | undefined;
}

const BY_CERTIFICATE = /[?&]authMechanism=MONGODB-X509(?:&|$)/;

const POOL_CONNECTIONS_MAX = 50;
/**
 * Timeout of the handshake of a MongoDB connection and of a heartbeat. After a timeout the driver opens all connections
 * again.
 */
const CONNECT_MS_MAX = 5_000;
/** Maximum time that a database command waits for a database server or for a free connection. */
const WAIT_MS_MAX = 5_000;
/**
 * Timeout of waiting until a majority of database servers has a write. A primary without a majority answers heartbeats
 * for another ten seconds until it steps down, and every writer would wait that long.
 */
const MAJORITY_MS_MAX = 3_000;
/**
 * Timeout of one database command, longer than the largest command takes. Requests are refused earlier, by
 * {@link watchSilence}.
 */
const COMMAND_MS_MAX = 30_000;

/**
 * Returns the options with which the driver opens each connection with the current certificate, if the URL asks for
 * one. By default, the driver
 * reads a certificate once, so a process that runs longer than its certificate could open no further connection. The
 * published types of the driver lack this option, which it passes on to Node.js.
 */
export function certificateOptions(
  url: string,
  identity: Pick<Identity, 'secureContext'> | undefined,
): MongoClientOptions {
  if (identity === undefined || !BY_CERTIFICATE.test(url)) return {};
  const options = { tls: true, secureContext: identity.secureContext };
  return options;
}

/**
 * Connects to MongoDB with the guarantees that the storage rules require: writes are acknowledged by a majority,
 * journaled, and retried once by the driver. An acknowledged write is not rolled back by a failover.
 */
export async function connectMongo({ url, databaseName, appName, identity }: MongoOptions): Promise<MongoConnection> {
  const silence = watchSilence();
  const client = new MongoClient(url, {
    ...ourConnections(silence.hearReply),
    ...certificateOptions(url, identity),
    appName,
    maxPoolSize: POOL_CONNECTIONS_MAX,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: MAJORITY_MS_MAX },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    // Members of a MongoDB document that are undefined are not stored, but undefined members in filters are refused.
    ignoreUndefined: true,
    // Each heartbeat of the MongoDB driver is a separate command, so that every server and every proxy is watched in
    // the same way.
    serverMonitoringMode: 'poll',
    heartbeatFrequencyMS: HEARTBEAT_EACH_MS,
    connectTimeoutMS: CONNECT_MS_MAX,
    serverSelectionTimeoutMS: WAIT_MS_MAX,
    waitQueueTimeoutMS: WAIT_MS_MAX,
    socketTimeoutMS: COMMAND_MS_MAX,
  });
  client.on('serverHeartbeatSucceeded', silence.hearHeartbeat);
  const closeReport = reportPool(client, appName);
  const close = async (): Promise<void> => {
    closeReport();
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

/** Checks whether an error is a duplicate key error. With derived ids, it means that the work was already done. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 11000;
}

/** MongoDB error code of a write that a majority of the servers did not confirm in time. */
const WRITE_CONCERN_TIMEOUT = 64;

function lacksMajority(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) return error.result.getWriteConcernError()?.code === WRITE_CONCERN_TIMEOUT;
  return error instanceof MongoWriteConcernError && error.code === WRITE_CONCERN_TIMEOUT;
}

/**
 * Name of the driver error for a database command that got no connection in time. The driver does not export the class.
 */
const NO_CONNECTION_IN_TIME = 'MongoWaitQueueTimeoutError';

/**
 * Checks whether an error means that MongoDB is unavailable: the server cannot be reached, no connection becomes free
 * in time, the replica set is failing over or has no majority, or the connection was lost. Whether a write took effect
 * is then unknown.
 */
export function isMongoUnavailable(error: unknown): boolean {
  // The MongoDB driver wraps an error that concerns a whole batch in another error.
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
