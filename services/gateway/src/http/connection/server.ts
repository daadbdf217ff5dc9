import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Express } from 'express';
import { AddressShare } from '../limits/address-share.js';
import { answerClientErrors, refuseConnection } from './client-errors.js';
import { connectionAddress } from '../limits/client-address.js';
import { closeLateConnections, isIdle, onceRecognized } from './connections.js';
import type { FailureBucket } from '../limits/failure-bucket.js';
import { CONNECTIONS_MAX, FILE_BODY_MS, HEADERS_BYTES_MAX, TIMEOUTS } from '../limits/limits.js';
import type { Timeouts } from '../limits/limits.js';
import { listenFast } from './listen-fast.js';

const CLOSE_IDLE_INTERVAL_MS = 50;

export interface HttpServerOptions {
  readonly app: Express;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Counts requests that cannot be read. */
  readonly failures: FailureBucket;
  readonly logger: Logger;
  readonly timeouts?: Timeouts;
  /** 0 for no bound, for instance when a proxy in front holds all connections. */
  readonly connectionsPerAddressMax: number;
  /** Maximum number of connections of all addresses. */
  readonly connectionsMax?: number;
  /** Number of proxies in front: with one, the address of a connection is not a caller's. */
  readonly trustedProxyHops: number;
}

export interface HttpServer {
  /** `host:port` with the real port. */
  readonly address: string;
  /** Takes no new connections, lets running requests end, at most `timeoutMs`, then cuts them. */
  stop(timeoutMs: number): Promise<void>;
}

export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { app, host, port, failures, logger, timeouts = TIMEOUTS } = options;
  const server = listenFast(app, {
    maxHeaderSize: HEADERS_BYTES_MAX,
    headersTimeout: timeouts.headersMs,
    // Time for the longest bodies, files; that of others is checked separately.
    requestTimeout: FILE_BODY_MS + timeouts.headersMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: timeouts.checkingIntervalMs,
    // Checked by the app itself, which answers with the envelope.
    requireHostHeader: false,
  });
  // The bytes of headers are bounded. Node's bound of their number silently drops those beyond it, a second key among them.
  server.maxHeadersCount = 0;
  // A body is asked for once key and size are accepted; other expectations are not ours to meet.
  server.on('checkContinue', app);
  server.on('checkExpectation', app);
  answerClientErrors(server, { failures, logger, isBehindProxy: options.trustedProxyHops > 0 });
  boundConnections(server, options);
  const stopClosing = closeLateConnections(server, timeouts);
  server.once('close', stopClosing);
  server.listen(port, host);
  await once(server, 'listening');
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host;
  return {
    address: `${shown}:${(server.address() as AddressInfo).port}`,
    stop: (timeoutMs) => stop(server, timeoutMs),
  };
}

/**
 * Bounds the connections of each address and of all. Where all are taken, a new one takes the place of the one that has been
 * open the longest without a good key or token, if there is one, without a request under way: strangers can take turns, and cannot
 * lock anybody out.
 */
function boundConnections(
  server: Server,
  { connectionsPerAddressMax, connectionsMax = CONNECTIONS_MAX, logger }: HttpServerOptions,
): void {
  const share = new AddressShare(connectionsPerAddressMax);
  const strangers = new Set<Socket>();
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
      strangers.delete(socket);
    });
    const giveBack = share.take(connectionAddress(socket));
    if (giveBack === undefined) {
      refuseConnection(socket, connectionsPerAddressMax);
      return;
    }
    strangers.add(socket);
    socket.once('close', giveBack);
    onceRecognized(socket, () => {
      giveBack();
      strangers.delete(socket);
    });
    if (open <= connectionsMax) return;
    logger.warn({ connectionsMax }, 'a connection without a key was closed for a new one');
    oldestOf(strangers, socket).destroy();
  });
}

/** Finds the idle connection that has been open the longest, except the new one; if none is idle, the oldest of all. */
function oldestOf(strangers: ReadonlySet<Socket>, newest: Socket): Socket {
  for (const stranger of strangers) if (stranger !== newest && isIdle(stranger)) return stranger;
  const [oldest = newest] = strangers;
  return oldest;
}

async function stop(server: Server, timeoutMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
  cut.unref();
  const closed = once(server, 'close');
  server.close();
  // A connection that was busy a moment ago is idle now and would stay open until its client leaves.
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(cut);
}
