import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BODY_WINDOW_BYTES_MIN, PIPELINED_MAX, REQUESTS_PER_CONNECTION_MAX } from '../limits/limits.js';
import type { Timeouts } from '../limits/limits.js';
import type { Share } from '../limits/share.js';
import { HttpRefusal } from '../response/refusal.js';
import { requestRefused } from '../../telemetry.js';

/** A request on an HTTP connection whose response has not been sent yet. */
interface Waiting {
  readonly onSettled: () => void;
  readonly startedAtMs: number;
  /** Time limit for receiving the request body, if the route allows more than the default. */
  bodyMs?: number;
  /**
   * True once the gateway has started to read the body of a request. Before that, the client may be waiting for the
   * gateway.
   */
  isBodyAwaited?: true;
  /**
   * Time when a sweep of HTTP connections first noticed that a response was complete but not received by the client.
   */
  readySinceMs?: number;
  /**
   * Duration of the wait for the request body so far, and the number of bytes that the connection had received when the
   * wait began.
   */
  window?: { waitedMs: number; readonly bytes: number };
}

interface Connection {
  requests: number;
  /**
   * True if an HTTP connection counts towards the limit of an organization and not towards the limit for unknown
   * callers.
   */
  isRecognized?: true;
  onRecognized?: () => void;
  /**
   * Time when the gateway decided to send the last response on an HTTP connection. Requests that arrive later are
   * neither executed nor answered.
   */
  closingSinceMs?: number;
  readonly waiting: Map<ServerResponse, Waiting>;
}

const connections = new WeakMap<Socket, Connection>();

function connectionOf(socket: Socket): Connection {
  const found = connections.get(socket);
  if (found !== undefined) return found;
  const connection: Connection = { requests: 0, waiting: new Map() };
  connections.set(socket, connection);
  // Node.js emits `close` only for the response that is being written, not for queued responses.
  socket.once('close', () => {
    for (const response of connection.waiting.keys()) settle(connection, response);
  });
  return connection;
}

function settle({ waiting }: Connection, response: ServerResponse): void {
  const request = waiting.get(response);
  if (waiting.delete(response)) request?.onSettled();
}

/** Checks whether an HTTP connection is closing, so that later requests are not executed. */
export function isClosing(socket: Socket): boolean {
  return connections.get(socket)?.closingSinceMs !== undefined;
}

/** Stops executing requests from an HTTP connection. A paused socket does not notice that its client disconnected. */
export function stopReading(socket: Socket): void {
  connectionOf(socket).closingSinceMs ??= performance.now();
  socket.pause();
}

/**
 * Records that a request on an HTTP connection waits for its response.
 * @param onSettled called once, when the response was sent or the connection is closed
 */
export function trackRequest(socket: Socket, response: ServerResponse, onSettled: () => void): void {
  const connection = connectionOf(socket);
  connection.requests += 1;
  connection.waiting.set(response, { onSettled, startedAtMs: performance.now() });
  response.once('close', () => settle(connection, response));
  if (socket.destroyed) settle(connection, response);
  // Closes an HTTP connection after its last allowed request, as `server.maxRequestsPerSocket` would. Unlike with that
  // setting, pipelined requests still get their responses.
  if (connection.requests === REQUESTS_PER_CONNECTION_MAX) {
    Object.assign(response, { maxRequestsOnConnectionReached: true });
  }
}

/**
 * Counts an HTTP connection that has sent a valid key, token or signature towards the limit of its owner instead of the
 * limit for unknown callers, if the owner's limit allows it.
 */
export function recognizeConnection(socket: Socket, recognized: Share, organizationId: string): void {
  const connection = connectionOf(socket);
  if (connection.isRecognized === true || socket.destroyed) return;
  const giveBack = recognized.take(organizationId);
  if (giveBack === undefined) return;
  connection.isRecognized = true;
  socket.once('close', giveBack);
  connection.onRecognized?.();
}

/**
 * Calls a function once, when {@link recognizeConnection} counts the HTTP connection towards the limit of its owner.
 */
export function onceRecognized(socket: Socket, tell: () => void): void {
  connectionOf(socket).onRecognized = tell;
}

/** Allows more time than the default for receiving the body of a request. */
export function allowBodyMs(socket: Socket, response: ServerResponse, bodyMs: number): void {
  const request = connectionOf(socket).waiting.get(response);
  if (request !== undefined) request.bodyMs = bodyMs;
}

/** Records that the gateway is waiting for a request's body from now on. */
export function awaitBody(socket: Socket, response: ServerResponse): void {
  const request = connectionOf(socket).waiting.get(response);
  if (request !== undefined) request.isBodyAwaited = true;
}

/** Checks whether no request on an HTTP connection is waiting for its response. */
export function isIdle(socket: Socket): boolean {
  return connectionOf(socket).waiting.size === 0;
}

/**
 * Refuses a request that exceeds the limit of requests waiting on its connection, and closes the connection after the
 * response.
 * @throws HttpRefusal 429
 */
export function refuseExcess(socket: Socket): void {
  const { requests, waiting } = connectionOf(socket);
  if (requests <= REQUESTS_PER_CONNECTION_MAX && waiting.size <= PIPELINED_MAX) return;
  stopReading(socket);
  requestRefused('connection');
  const reason =
    waiting.size > PIPELINED_MAX
      ? `More than ${PIPELINED_MAX} requests are waiting for a response on this connection. Wait for a response, or open another connection.`
      : `This connection has reached its limit of ${REQUESTS_PER_CONNECTION_MAX} requests. Open another connection.`;
  throw new HttpRefusal(429, reason, { Connection: 'close', 'Retry-After': '1' }, 'RATE_LIMITED');
}

/**
 * Closes connections whose client does not send its body or receive its response in time, and connections that are
 * overdue to close. Node.js itself has only one time limit for all request bodies, which is long enough for files.
 * @returns a function that stops the checks
 */
export function closeLateConnections(
  server: Server,
  {
    requestMs,
    bodyWindowMs,
    writeMs,
    closingMs,
    checkingIntervalMs,
  }: Pick<Timeouts, 'requestMs' | 'bodyWindowMs' | 'writeMs' | 'closingMs' | 'checkingIntervalMs'>,
): () => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  let lookedAtMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    // A pause of the gateway process must not count as slowness of its clients.
    const elapsedMs = Math.min(nowMs - lookedAtMs, 2 * checkingIntervalMs);
    lookedAtMs = nowMs;
    for (const socket of sockets) {
      const connection = connections.get(socket);
      if (connection === undefined) continue;
      if (hasLateBody(connection, nowMs, requestMs) || hasSlowBody(socket, connection, elapsedMs, bodyWindowMs)) {
        // The timeout error equals the error that Node.js creates for a request that times out.
        const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
        server.emit('clientError', error, socket);
        continue;
      }
      const { closingSinceMs = Infinity } = connection;
      if (nowMs - closingSinceMs >= closingMs || hasLateAnswer(connection, nowMs, writeMs)) socket.destroy();
    }
  }, checkingIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

function hasLateBody({ waiting }: Connection, nowMs: number, requestMs: number): boolean {
  for (const [response, { startedAtMs, bodyMs = requestMs }] of waiting) {
    if (!response.req.complete && nowMs - startedAtMs >= bodyMs) return true;
  }
  return false;
}

/**
 * Checks whether less than {@link BODY_WINDOW_BYTES_MIN} arrived during a whole window in which the gateway was waiting
 * for a request body.
 */
function hasSlowBody(socket: Socket, { waiting }: Connection, elapsedMs: number, bodyWindowMs: number): boolean {
  for (const [response, request] of waiting) {
    if (response.req.complete || response.writableEnded) continue;
    // Before the body is requested, and while received bytes are unread, the client is waiting for the gateway.
    if (request.isBodyAwaited !== true || response.req.readableLength > 0) continue;
    request.window ??= { waitedMs: 0, bytes: socket.bytesRead };
    request.window.waitedMs += elapsedMs;
    if (request.window.waitedMs < bodyWindowMs) continue;
    if (socket.bytesRead - request.window.bytes < BODY_WINDOW_BYTES_MIN) return true;
    delete request.window;
  }
  return false;
}

function hasLateAnswer({ waiting }: Connection, nowMs: number, writeMs: number): boolean {
  for (const [response, request] of waiting) {
    // Responses are sent in the order of their requests, so a response that waits for an earlier response does not
    // count as late.
    if (!response.writableEnded) return false;
    request.readySinceMs ??= nowMs;
    if (nowMs - request.readySinceMs >= writeMs) return true;
  }
  return false;
}
