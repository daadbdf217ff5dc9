import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import type { MongoClientOptions } from 'mongodb';
import { commandEnded, errorType, isTelemetryOn } from '../telemetry.js';
import { isWithinWork } from '../trace-context.js';
import { refuseUndefinedConditions } from './undefined-conditions.js';
import type { Command } from './undefined-conditions.js';

/** Members of a MongoDB driver class that are used here but are missing in its published types. */
interface DriverConnection extends EventEmitter {
  /** The reason why the connection to MongoDB was closed. */
  readonly error: Error | null;
  /** Sends a command to MongoDB, and resolves with the response. */
  command(namespace: { readonly db: string }, command: Command, ...rest: readonly unknown[]): Promise<unknown>;
}

const require = createRequire(import.meta.url);
const { Connection } = require('mongodb/lib/cmap/connection.js') as {
  readonly Connection: new (socket: Duplex, options: object) => DriverConnection;
};

/**
 * A driver connection whose commands end when the connection ends. The driver (7.8.0) waits until a large command has
 * been written to the socket, without checking whether the connection was closed in the meantime. If the network fails
 * during this time, such a command would never end, even with `socketTimeoutMS`. If the connection is reset, the
 * command would fail with a plain socket error, which neither the driver nor our code recognizes as an outage (ADR
 * 0021).
 */
class OurConnection extends Connection {
  constructor(socket: Duplex, options: object) {
    super(socket, options);
    // A database command that waits for its response ends only with an error of the socket. When the connection closes,
    // the socket therefore emits an error that states the reason.
    this.once('close', () => socket.emit('error', this.error));
  }

  /**
   * Creates a span for each command of traced work. The span states only the operation and the collection. Commands
   * contain secrets and data of organizations, and error messages repeat parts of commands, so neither is recorded (ADR
   * 0031).
   */
  override command(
    namespace: { readonly db: string },
    command: Command,
    ...rest: readonly unknown[]
  ): Promise<unknown> {
    refuseUndefinedConditions(command);
    const sent = super.command(namespace, command, ...rest);
    return isTelemetryOn() ? recorded(namespace.db, command, sent) : sent;
  }
}

/**
 * Only commands within traced work or a run of polled work get a span. The driver sends further commands for itself,
 * which get none.
 */
function recorded(database: string, command: Command, sent: Promise<unknown>): Promise<unknown> {
  if (!isWithinWork()) return sent;
  const startedAt = performance.now();
  const startTime = Date.now();
  const [operation = ''] = Object.keys(command);
  const target = command[operation];
  const collection = typeof target === 'string' ? target : command['collection'];
  const isNamed = typeof collection === 'string';
  const name = isNamed ? `${operation} ${collection}` : operation;
  const attributes = {
    'db.system.name': 'mongodb',
    'db.operation.name': operation,
    ...(isNamed ? { 'db.collection.name': collection } : {}),
  } as const;
  const spanAttributes = { 'db.namespace': database };
  return sent.then(
    (reply) => {
      commandEnded({ name, startedAt, startTime, isWork: hasChanged(operation, reply) }, attributes, spanAttributes);
      return reply;
    },
    (error: unknown) => {
      const failed = { ...attributes, 'error.type': errorType(error) };
      commandEnded({ name, startedAt, startTime, isWork: true }, failed, spanAttributes);
      throw error;
    },
  );
}

const READS: ReadonlySet<string> = new Set([
  'find',
  'getMore',
  'aggregate',
  'count',
  'distinct',
  'ping',
  'killCursors',
]);

type Reply = Readonly<Record<string, unknown>>;

/** The MongoDB driver decodes the responses to most commands only when their fields are read. */
interface OnDemandReply {
  getNumber(name: string): number;
  toObject(): Reply;
}

function isOnDemand(reply: unknown): reply is OnDemandReply {
  return typeof (reply as Partial<OnDemandReply> | undefined)?.getNumber === 'function';
}

function numberIn(reply: unknown, name: string): unknown {
  return isOnDemand(reply) ? reply.getNumber(name) : (reply as Reply | undefined)?.[name];
}

/** Checks whether a database command changed something. A poll that claims or updates nothing has changed nothing. */
function hasChanged(operation: string, reply: unknown): boolean {
  if (READS.has(operation)) return false;
  if (operation !== 'findAndModify') return numberIn(reply, 'n') !== 0;
  const { lastErrorObject } = isOnDemand(reply) ? reply.toObject() : (reply as Reply);
  return numberIn(lastErrorObject, 'n') !== 0;
}

/** Commands by which the MongoDB driver checks a server. Secondaries respond to them too. */
const HEARTBEATS: ReadonlySet<string> = new Set(['hello', 'isMaster', 'ismaster']);

/**
 * Returns the options for every MongoClient, including one that the published types of the driver lack.
 * @param onReply called after each response of the database to a command, except heartbeats
 */
export function ourConnections(onReply: () => void): MongoClientOptions {
  const connectionType = class extends OurConnection {
    override async command(
      namespace: { readonly db: string },
      command: Command,
      ...rest: readonly unknown[]
    ): Promise<unknown> {
      const reply = await super.command(namespace, command, ...rest);
      if (!Object.keys(command).some((name) => HEARTBEATS.has(name))) onReply();
      return reply;
    }
  };
  return { connectionType } as MongoClientOptions;
}
