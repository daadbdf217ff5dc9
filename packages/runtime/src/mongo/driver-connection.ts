import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import type { MongoClientOptions } from 'mongodb';

/** What is relied on of the driver's class, which its published types leave out. */
interface DriverConnection extends EventEmitter {
  /** Why it was closed. */
  readonly error: Error | null;
}

const require = createRequire(import.meta.url);
const { Connection } = require('mongodb/lib/cmap/connection.js') as {
  readonly Connection: new (socket: Duplex, options: object) => DriverConnection;
};

/**
 * The driver's connection, whose commands all end when it ends. The driver itself (7.8.0) waits until a large command has
 * left the socket without looking whether the connection was closed meanwhile: through a network that has gone silent the
 * command never ends, whatever `socketTimeoutMS` says, and after a reset it fails with a bare error of the socket, which
 * neither the driver nor we take for an outage (ADR 0021).
 */
class EndingConnection extends Connection {
  constructor(socket: Duplex, options: object) {
    super(socket, options);
    // Who waits for the socket hears its errors: this one says that the connection is closed, and why.
    this.once('close', () => socket.emit('error', this.error));
  }
}

/** For each MongoClient; the option is the driver's own, only not in its published types. */
export const endingConnections = { connectionType: EndingConnection } as MongoClientOptions;
