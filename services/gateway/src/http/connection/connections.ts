import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BODY_WINDOW_BYTES_MIN, PIPELINED_MAX, REQUESTS_PER_CONNECTION_MAX } from '../limits/limits.js';
import type { Timeouts } from '../limits/limits.js';
import type { Share } from '../limits/share.js';
import { HttpRefusal } from '../response/refusal.js';

/** A request whose answer has not left yet. */
interface Waiting {
  readonly onSettled: () => void;
  readonly startedAtMs: number;
  /** Time limit of its body, if the route allows more than usual. */
  bodyMs?: number;
  /** True once the gateway reads its body: before, the client may wait for the gateway. */
  isBodyAwaited?: true;
  /** Time when a sweep first saw its response complete and not yet taken by the client. */
  readySinceMs?: number;
  /** The gateway has waited so long for its body since the connection had brought so many bytes. */
  window?: { waitedMs: number; readonly bytes: number };
}

interface Connection {
  requests: number;
  /** True when it holds a place of an organization instead of one among strangers. */
  isRecognized?: true;
  onRecognized?: () => void;
  /** Time when its last response was decided: later requests are neither executed nor answered. */
  closingSinceMs?: number;
  readonly waiting: Map<ServerResponse, Waiting>;
}

const connections = new WeakMap<Socket, Connection>();

function connectionOf(socket: Socket): Connection {
  const found = connections.get(socket);
  if (found !== undefined) return found;
  const connection: Connection = { requests: 0, waiting: new Map() };
  connections.set(socket, connection);
  // Node emits `close` only on the response that is being written, not on those queued behind it.
  socket.once('close', () => {
    for (const response of connection.waiting.keys()) settle(connection, response);
  });
  return connection;
}

function settle({ waiting }: Connection, response: ServerResponse): void {
  const request = waiting.get(response);
  if (waiting.delete(response)) request?.onSettled();
}

/** Tells whether the connection is closing: its later requests are not executed. */
export function isClosing(socket: Socket): boolean {
  return connections.get(socket)?.closingSinceMs !== undefined;
}

/** Executes nothing more that arrives on this connection. A paused socket does not notice that its client left. */
export function stopReading(socket: Socket): void {
  connectionOf(socket).closingSinceMs ??= performance.now();
  socket.pause();
}

/**
 * Adds a request to its connection.
 * @param onSettled called once: when the answer has left, or its connection is gone
 */
export function trackRequest(socket: Socket, response: ServerResponse, onSettled: () => void): void {
  const connection = connectionOf(socket);
  connection.requests += 1;
  connection.waiting.set(response, { onSettled, startedAtMs: performance.now() });
  response.once('close', () => settle(connection, response));
  if (socket.destroyed) settle(connection, response);
  // Same as `server.maxRequestsPerSocket` for the last request: announces the end, and still answers the requests behind it.
  if (connection.requests === REQUESTS_PER_CONNECTION_MAX) {
    Object.assign(response, { maxRequestsOnConnectionReached: true });
  }
}

/**
 * Counts a connection whose client has shown a good key, token or signature in the share of its owner instead of among
 * strangers, as long as that share has room.
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

/** Calls once, when {@link recognizeConnection} counts the connection for its organization. */
export function onceRecognized(socket: Socket, tell: () => void): void {
  connectionOf(socket).onRecognized = tell;
}

/** Allows the body of a request more time than usual. */
export function allowBodyMs(socket: Socket, response: ServerResponse, bodyMs: number): void {
  const request = connectionOf(socket).waiting.get(response);
  if (request !== undefined) request.bodyMs = bodyMs;
}

/** Records that the gateway waits for the body of a request from now on. */
export function awaitBody(socket: Socket, response: ServerResponse): void {
  const request = connectionOf(socket).waiting.get(response);
  if (request !== undefined) request.isBodyAwaited = true;
}

/** Tells whether no request of this connection waits for its response. */
export function isIdle(socket: Socket): boolean {
  return connectionOf(socket).waiting.size === 0;
}

/**
 * Refuses the request that is one too many on its connection, and ends the connection with this answer.
 * @throws HttpRefusal 429
 */
export function refuseExcess(socket: Socket): void {
  const { requests, waiting } = connectionOf(socket);
  if (requests <= REQUESTS_PER_CONNECTION_MAX && waiting.size <= PIPELINED_MAX) return;
  stopReading(socket);
  const reason =
    waiting.size > PIPELINED_MAX
      ? `More than ${PIPELINED_MAX} requests are waiting for a response on this connection. Wait for a response, or open another connection.`
      : `This connection has reached its limit of ${REQUESTS_PER_CONNECTION_MAX} requests. Open another connection.`;
  throw new HttpRefusal(429, reason, { Connection: 'close', 'Retry-After': '1' }, 'RATE_LIMITED');
}

/**
 * Closes connections whose client does not send its body or take its answer in time, and those that ought to end. Node itself knows one
 * time for all bodies, which is that of files.
 * @returns stops it
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
    // A pause of this process is no fault of the clients.
    const elapsedMs = Math.min(nowMs - lookedAtMs, 2 * checkingIntervalMs);
    lookedAtMs = nowMs;
    for (const socket of sockets) {
      const connection = connections.get(socket);
      if (connection === undefined) continue;
      if (hasLateBody(connection, nowMs, requestMs) || hasSlowBody(socket, connection, elapsedMs, bodyWindowMs)) {
        // Same error as Node's own.
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

/** Tells whether less than {@link BODY_WINDOW_BYTES_MIN} arrived while the gateway waited for a body for a whole window. */
function hasSlowBody(socket: Socket, { waiting }: Connection, elapsedMs: number, bodyWindowMs: number): boolean {
  for (const [response, request] of waiting) {
    if (response.req.complete || response.writableEnded) continue;
    // Before it is asked for, and while what came of it is not read yet, the client waits for the gateway.
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
    // Answers leave in the order of their requests: those behind an unfinished one are not late on their own.
    if (!response.writableEnded) return false;
    request.readySinceMs ??= nowMs;
    if (nowMs - request.readySinceMs >= writeMs) return true;
  }
  return false;
}
