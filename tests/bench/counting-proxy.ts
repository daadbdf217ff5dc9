// Proxies that count the commands that a service sends to its database, and the calls that it makes to another service.
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { connect, createSecureContext, createServer } from 'node:tls';
import { readIdentityFiles } from '@invoicecontrol/runtime/identity/identity-files';
import { startTcpProxy } from '@invoicecontrol/testkit/tcp-proxy';

export interface CountingProxy {
  /** Address of the proxy as `host:port`, to be used instead of the real address. */
  readonly address: string;
  /** Delays every message through the proxy from now on by the given time, in both directions. */
  delay(latencyMs: number): void;
  close(): Promise<void>;
}

/** Receives the bytes of one direction of one proxied connection, in pieces of any size. */
type Reader = (bytes: Buffer) => void;

async function startProxy(target: string, readersOf: () => { sent: Reader; received: Reader }): Promise<CountingProxy> {
  const { hostname, port } = new URL(`tcp://${target}`);
  const proxy = await startTcpProxy({
    serverHost: hostname,
    serverPort: Number(port),
    tap: () => {
      const { sent, received } = readersOf();
      return { toServer: readingAlong(sent), toClient: readingAlong(received) };
    },
  });
  return { address: `127.0.0.1:${proxy.port}`, delay: proxy.delay, close: proxy.close };
}

function readingAlong(read: Reader): Transform {
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      read(bytes);
      done(null, bytes);
    },
  });
}

/** Command that the driver sent to the database, with its duration as the proxy measured it. */
export interface DatabaseCommand {
  readonly service: string;
  /** Name of the database command, such as `invoices.find`. */
  readonly name: string;
  /** True for a database command that changes documents. The response to such a command waits for the journal. */
  readonly isWrite: boolean;
  /** Size of the database command in bytes, as it was sent. */
  readonly bytes: number;
  readonly sentAtMs: number;
  answeredAtMs: number;
}

/** Commands that the database driver sends to keep its connections, independent of the requests. */
const housekeeping = new Set(['hello', 'ismaster', 'ping', 'endsessions', 'buildinfo', 'killcursors']);
const writes = /\.(insert|update|delete|findAndModify)$/;
const OP_MSG = 2013;

/** Records every command that is sent to MongoDB. */
export function startDatabaseProxy(
  target: string,
  service: string,
  commands: DatabaseCommand[],
): Promise<CountingProxy> {
  return startProxy(target, () => {
    const open = new Map<number, DatabaseCommand>();
    return {
      sent: inMessages(mongoLength, (message) => {
        const name = commandName(message);
        if (name === undefined) return;
        const command = {
          service,
          name,
          isWrite: writes.test(name),
          bytes: message.length,
          sentAtMs: performance.now(),
          answeredAtMs: Number.POSITIVE_INFINITY,
        };
        open.set(message.readInt32LE(4), command);
        commands.push(command);
      }),
      received: inMessages(mongoLength, (message) => {
        const answersTo = message.readInt32LE(8);
        const command = open.get(answersTo);
        if (command === undefined) return;
        command.answeredAtMs = performance.now();
        open.delete(answersTo);
      }),
    };
  });
}

function mongoLength(bytes: Buffer): number | undefined {
  return bytes.length < 4 ? undefined : bytes.readInt32LE(0);
}

/**
 * Returns the name of a command from its first member and, if the member's value is text, the collection: `{ find:
 * 'invoices', ... }`.
 */
function commandName(message: Buffer): string | undefined {
  const FIRST_MEMBER = 25;
  if (message.readInt32LE(12) !== OP_MSG || message[20] !== 0) return undefined;
  const nameEnd = message.indexOf(0, FIRST_MEMBER + 1);
  const name = message.toString('latin1', FIRST_MEMBER + 1, nameEnd);
  if (housekeeping.has(name.toLowerCase())) return undefined;
  const isText = message[FIRST_MEMBER] === 2;
  return isText ? `${message.toString('utf8', nameEnd + 5, message.indexOf(0, nameEnd + 5))}.${name}` : name;
}

export interface RpcConnection {
  readonly caller: string;
  readonly called: string;
  /** Address of the gRPC service whose calls the proxy counts. */
  readonly address: string;
  /** Directory with the identity files of the calling service and of the called service. */
  readonly identities: string;
}

/**
 * Starts a proxy that counts the calls to a gRPC service: each call opens one HTTP/2 stream with a HEADERS frame. The
 * proxy decrypts the connection, so it acts as the called service towards the caller, and as the caller towards the
 * called service.
 */
export async function startRpcProxy(
  { caller, called, address, identities }: RpcConnection,
  onCall: () => void,
): Promise<CountingProxy> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const behind = await startTcpProxy({ serverHost: hostname, serverPort: Number(port) });
  const tlsOptions = { minVersion: 'TLSv1.3', ALPNProtocols: ['h2'] } as const;
  const asCaller = createSecureContext(readIdentityFiles(join(identities, caller)));
  const server = createServer(
    { ...readIdentityFiles(join(identities, called)), ...tlsOptions, requestCert: true, rejectUnauthorized: false },
    (received) => {
      const sent = connect({
        ...tlsOptions,
        port: behind.port,
        host: '127.0.0.1',
        servername: called,
        secureContext: asCaller,
        // The certificate names the called service and not this address, at which another local proxy listens, so the
        // name is not checked.
        checkServerIdentity: () => undefined,
      });
      for (const [socket, other] of [
        [received, sent],
        [sent, received],
      ] as const) {
        // Nagle's algorithm is switched off, because it would delay small messages through the proxy by up to 40 ms.
        socket.setNoDelay(true);
        socket.on('error', () => other.destroy());
        socket.on('close', () => other.destroy());
      }
      received.pipe(readingAlong(callReader(onCall))).pipe(sent);
      sent.pipe(received);
    },
  );
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    delay: behind.delay,
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await behind.close();
    },
  };
}

function callReader(onCall: () => void): Reader {
  const PREFACE_BYTES = 24;
  const FRAME_HEADER_BYTES = 9;
  const HEADERS_FRAME = 1;
  let isPrefaceRead = false;
  return inMessages(
    (bytes) => {
      if (!isPrefaceRead) return PREFACE_BYTES;
      return bytes.length < FRAME_HEADER_BYTES ? undefined : FRAME_HEADER_BYTES + bytes.readUIntBE(0, 3);
    },
    (frame) => {
      if (isPrefaceRead && frame[3] === HEADERS_FRAME) onCall();
      isPrefaceRead = true;
    },
  );
}

/**
 * Joins pieces of a byte stream into whole messages. `lengthOf` returns the length of the first message once enough of
 * its bytes have arrived.
 */
function inMessages(lengthOf: (bytes: Buffer) => number | undefined, onMessage: (message: Buffer) => void): Reader {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (let length = lengthOf(rest); length !== undefined && length <= rest.length; length = lengthOf(rest)) {
      onMessage(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}
