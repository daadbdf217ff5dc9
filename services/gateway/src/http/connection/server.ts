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
import { requestRefused } from '../../telemetry.js';

const CLOSE_IDLE_INTERVAL_MS = 50;

export interface HttpServerOptions {
  readonly app: Express;
  readonly host: string;
  /** Port number of the HTTP server. If it is 0, the operating system chooses one. */
  readonly port: number;
  /** Counter of the unreadable requests of each IP address. */
  readonly failures: FailureBucket;
  readonly logger: Logger;
  readonly timeouts?: Timeouts;
  /**
   * Maximum number of HTTP connections from one address. If it is 0, there is no limit, for example if all connections
   * are made by a proxy.
   */
  readonly connectionsPerAddressMax: number;
  /** Maximum number of HTTP connections from all addresses together. */
  readonly connectionsMax?: number;
  /**
   * Number of proxies in front of the gateway. With a proxy, the address of a connection is not the caller's address.
   */
  readonly trustedProxyHops: number;
}

export interface HttpServer {
  /** Address of the HTTP server as `host:port` with the actual port. */
  readonly address: string;
  /** Number of open HTTP connections. */
  readonly connections: number;
  /**
   * Stops the HTTP server: accepts no new connections, lets running requests continue for at most `timeoutMs`, and then
   * closes their connections.
   */
  stop(timeoutMs: number): Promise<void>;
}

export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { app, host, port, failures, logger, timeouts = TIMEOUTS } = options;
  const server = listenFast(app, {
    maxHeaderSize: HEADERS_BYTES_MAX,
    headersTimeout: timeouts.headersMs,
    // Time limit for receiving a request body. It is long enough for uploaded files, which are the longest bodies.
    // Other bodies are checked separately.
    requestTimeout: FILE_BODY_MS + timeouts.headersMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: timeouts.checkingIntervalMs,
    // The check of the Host header by Node.js is switched off, because the app checks the header and sends an error
    // response of its own.
    requireHostHeader: false,
  });
  // The total size of headers is limited. The limit of Node.js on the number of headers is not used, because it would
  // silently drop headers, such as a second API key.
  server.maxHeadersCount = 0;
  // The body of a request with `Expect: 100-continue` is requested after the API key and the size were accepted. Other
  // values of Expect are not supported.
  server.on('checkContinue', app);
  server.on('checkExpectation', app);
  answerClientErrors(server, { failures, logger, isBehindProxy: options.trustedProxyHops > 0 });
  const connections = boundConnections(server, options);
  const stopClosing = closeLateConnections(server, timeouts);
  server.once('close', stopClosing);
  server.listen(port, host);
  await once(server, 'listening');
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host;
  return {
    address: `${shown}:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections();
    },
    stop: (timeoutMs) => stop(server, timeoutMs),
  };
}

/**
 * Limits the number of HTTP connections from each address and in total. If all connections are in use, a new connection
 * replaces the one that has been open longest without a valid key or token, preferably one without a running request.
 * Unknown callers can therefore not lock out others.
 */
function boundConnections(
  server: Server,
  { connectionsPerAddressMax, connectionsMax = CONNECTIONS_MAX, logger }: HttpServerOptions,
): () => number {
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
    requestRefused('connection');
    oldestOf(strangers, socket).destroy();
  });
  return () => open;
}

/**
 * Returns the idle HTTP connection that has been open longest, except the new one. If none is idle, returns the oldest
 * connection.
 */
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
  // An HTTP connection that was busy when the server stopped may be idle now, and would stay open until its client
  // disconnects.
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(cut);
}
