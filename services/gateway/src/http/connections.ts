import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PIPELINED_MAX, REQUESTS_PER_CONNECTION_MAX } from './limits.js';
import type { Timeouts } from './limits.js';
import { HttpRefusal } from './refusal.js';

/** A request whose answer has not left yet. */
interface Waiting {
  readonly onSettled: () => void;
  /** When a sweep first saw its answer complete and not yet taken by the client. */
  readySinceMs?: number;
}

interface Connection {
  requests: number;
  /** When its last answer was decided: what still arrives is neither executed nor answered. */
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

/** Whether requests of this connection are still executed. */
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
  connection.waiting.set(response, { onSettled });
  response.once('close', () => settle(connection, response));
  if (socket.destroyed) settle(connection, response);
  // What `server.maxRequestsPerSocket` does to the last request: announces the end, and still answers what is behind it.
  if (connection.requests === REQUESTS_PER_CONNECTION_MAX) {
    Object.assign(response, { maxRequestsOnConnectionReached: true });
  }
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
      ? `More than ${PIPELINED_MAX} requests wait for their answers on this connection. Wait for answers, or open another one.`
      : `This connection has had ${REQUESTS_PER_CONNECTION_MAX} requests. Open another one.`;
  throw new HttpRefusal(429, reason, { Connection: 'close', 'Retry-After': '1' }, 'RATE_LIMITED');
}

/** Closes connections whose client does not take its answer in time, and those that ought to end. @returns stops it */
export function closeLateConnections(
  server: Server,
  { writeMs, closingMs, checkingIntervalMs }: Pick<Timeouts, 'writeMs' | 'closingMs' | 'checkingIntervalMs'>,
): () => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const socket of sockets) {
      const connection = connections.get(socket);
      if (connection === undefined) continue;
      const { closingSinceMs = Infinity } = connection;
      if (nowMs - closingSinceMs >= closingMs || hasLateAnswer(connection, nowMs, writeMs)) socket.destroy();
    }
  }, checkingIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
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
