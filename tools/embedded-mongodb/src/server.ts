import net from 'node:net';
import type { Reply } from './command.js';
import { runCommand } from './commands.js';
import { Database } from './database.js';
import { lockDirectory } from './directory-lock.js';
import { MongoError } from './errors.js';
import { Journal } from './journal.js';
import { FrameReader, readRequest, WireError, writeGreeting, writeReply } from './wire.js';

/** MongoDB sweeps its TTL indexes once a minute too. */
const SWEEP_INTERVAL_MS = 60_000;
const HOST = '127.0.0.1';

export interface EmbeddedMongodOptions {
  /** 0 or absent: a free port. */
  readonly port?: number;
  /** The data directory; absent: in memory only. */
  readonly dataDirectory?: string;
}

export interface EmbeddedMongod {
  /** For the MongoDB driver. */
  readonly url: string;
  readonly port: number;
  /** Closes the connections, flushes and unlocks the data directory. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the server on the loopback interface. For development and tests, never for production.
 * @throws Error with a sentence for the operator: a port in use, a directory in use, a damaged journal
 */
export async function startEmbeddedMongod(options: EmbeddedMongodOptions = {}): Promise<EmbeddedMongod> {
  const { port: wantedPort = 0, dataDirectory } = options;
  const unlock = dataDirectory === undefined ? () => undefined : lockDirectory(dataDirectory);
  try {
    const database = new Database(
      dataDirectory === undefined ? undefined : (replay) => Journal.open(dataDirectory, replay, logError),
    );
    const sockets = new Set<net.Socket>();
    const server = net.createServer({ noDelay: true }, (socket) => serve(socket, database, sockets));
    const port = await listen(server, wantedPort).catch((error: unknown) => {
      database.close();
      throw error;
    });
    const sweeping = setInterval(() => database.sweep(Date.now()), SWEEP_INTERVAL_MS).unref();
    const stop = async (): Promise<void> => {
      clearInterval(sweeping);
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      database.close();
      unlock();
    };
    return { url: `mongodb://${HOST}:${port}/?directConnection=true`, port, stop };
  } catch (error) {
    unlock();
    throw error;
  }
}

function serve(socket: net.Socket, database: Database, sockets: Set<net.Socket>): void {
  const frames = new FrameReader();
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  // A client that disconnects without closing must not affect others.
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    try {
      for (const frame of frames.push(chunk)) answer(socket, database, frame);
    } catch (error) {
      logError(error instanceof WireError ? `Closing a connection that sent ${error.message}.` : describe(error));
      socket.destroy();
    }
  });
}

function answer(socket: net.Socket, database: Database, frame: Buffer): void {
  const request = readRequest(frame);
  if (request.kind === 'greeting') {
    socket.write(writeGreeting(request.id));
    return;
  }
  const reply = replyTo(() => runCommand(database, request.message));
  if (request.wantsReply) socket.write(writeReply(request.id, reply));
}

function replyTo(run: () => Reply): Reply {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof MongoError)) {
      logError(describe(error));
      return {
        kind: 'document',
        doc: { ok: 0, errmsg: 'The embedded server failed: see its log', code: 1, codeName: 'InternalError' },
      };
    }
    const { code, codeName, message, details } = error;
    return { kind: 'document', doc: { ok: 0, errmsg: message, code, codeName, ...details } };
  }
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

function logError(message: string): void {
  process.stderr.write(`embedded-mongodb: ${message}\n`);
}

function listen(server: net.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      server.on('error', (error) => logError(error.message));
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port'));
      else resolve(address.port);
    });
  });
}
