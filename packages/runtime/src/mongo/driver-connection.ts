import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import type { MongoClientOptions } from 'mongodb';
import { isTelemetryOn, traced } from '../telemetry.js';
import { activeTraceparent } from '../trace-context.js';
import { refuseUndefinedConditions } from './undefined-conditions.js';
import type { Command } from './undefined-conditions.js';

/** The members of the driver's class that are used here; its published types leave them out. */
interface DriverConnection extends EventEmitter {
  /** The reason why it was closed. */
  readonly error: Error | null;
  /** Sends a command and resolves with its reply. */
  command(namespace: { readonly db: string }, command: Command, ...rest: readonly unknown[]): Promise<unknown>;
}

const require = createRequire(import.meta.url);
const { Connection } = require('mongodb/lib/cmap/connection.js') as {
  readonly Connection: new (socket: Duplex, options: object) => DriverConnection;
};

/**
 * The driver's connection, whose commands all end when it ends. The driver itself (7.8.0) waits until a large command has
 * left the socket without checking whether the connection was closed in the meantime: through a network that has gone silent the
 * command never ends, whatever `socketTimeoutMS` says, and after a reset it fails with a bare error of the socket, which
 * neither the driver nor we take for an outage (ADR 0021).
 */
class OurConnection extends Connection {
  constructor(socket: Duplex, options: object) {
    super(socket, options);
    // A command that waits for the socket gets its errors: this one says that the connection is closed, and why.
    this.once('close', () => socket.emit('error', this.error));
  }

  /**
   * A span for each command of work that has one. It says what is done to which collection and no more: commands carry
   * secrets and data of tenants, and messages of errors repeat them (ADR 0031).
   */
  override command(
    namespace: { readonly db: string },
    command: Command,
    ...rest: readonly unknown[]
  ): Promise<unknown> {
    refuseUndefinedConditions(command);
    const parent = isTelemetryOn() ? activeTraceparent() : undefined;
    if (parent === undefined) return super.command(namespace, command, ...rest);
    const [operation = ''] = Object.keys(command);
    const target = command[operation];
    const collection = typeof target === 'string' ? target : command['collection'];
    const attributes = {
      'db.system.name': 'mongodb',
      'db.namespace': namespace.db,
      'db.operation.name': operation,
      ...(typeof collection === 'string' ? { 'db.collection.name': collection } : {}),
    };
    const name = typeof collection === 'string' ? `${operation} ${collection}` : operation;
    const options = { parent, duration: 'db.client.operation.duration', attributes } as const;
    return traced('client', name, options, () => super.command(namespace, command, ...rest));
  }
}

/** The command by which the driver checks a server; a secondary responds, too. */
const HEARTBEATS: ReadonlySet<string> = new Set(['hello', 'isMaster', 'ismaster']);

/**
 * Options of each MongoClient; the driver has the option, but not its published types.
 * @param onReply called with each response of the database to a command, except heartbeats
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
