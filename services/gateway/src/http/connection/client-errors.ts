import { STATUS_CODES } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Response } from 'express';
import { connectionAddress } from '../limits/client-address.js';
import { requestRefused } from '../../telemetry.js';
import { stopReading } from './connections.js';
import { answerTo } from '../response/envelope.js';
import type { FailureBucket } from '../limits/failure-bucket.js';
import { URL_LENGTH_MAX } from '../limits/limits.js';
import { HttpRefusal } from '../response/refusal.js';
import { newRequestId } from '../response/request-id.js';
import { requestState } from '../response/request-state.js';
import { securityHeaders } from '../response/security-headers.js';

/** Error of Node.js for an HTTP connection from which it could not read a request. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** The pending response on an HTTP connection, if any. The error response uses its request id. */
const responses = new WeakMap<Socket, Response>();

export function expectAnswer(socket: Socket, response: Response): void {
  responses.set(socket, response);
}

/**
 * Handles requests that Node.js itself refuses (a malformed request line, headers that are too large, a client that is
 * too slow): sends an error response with a request id and closes the connection, because the following bytes cannot be
 * trusted. Each such request counts as a refused attempt from the address of the caller, unless the previous request on
 * the connection had a valid key. Behind a proxy, the address is known only if the headers of the request were read;
 * otherwise nothing is counted.
 */
export function answerClientErrors(
  server: Server,
  {
    failures,
    logger,
    isBehindProxy,
  }: { readonly failures: FailureBucket; readonly logger: Logger; readonly isBehindProxy: boolean },
): void {
  server.on('clientError', (error: ClientError, socket: Socket) => {
    const response = responses.get(socket);
    const isAnswering = response !== undefined && response.headersSent && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    const isWaiting = response !== undefined && !response.headersSent;
    const requestId = isWaiting ? requestState(response).requestId : newRequestId();
    const hasGoodKey = response !== undefined && requestState(response).organizationId !== undefined;
    const refusal = refusalFor(error);
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') requestRefused('idle');
    const stranger = isBehindProxy ? undefined : connectionAddress(socket);
    const address = isWaiting ? requestState(response).address : stranger;
    const counted = hasGoodKey || address === undefined ? refusal : failures.countedRefusal(address, refusal);
    const { status, headers, body } = answerTo(counted, requestId);
    logger.info({ requestId, status, reason: error.code }, 'an unreadable request was refused');
    socket.end(rawAnswer(status, { ...headers, 'X-Request-Id': requestId }, JSON.stringify(body)), () =>
      socket.destroy(),
    );
  });
}

/** Refuses an HTTP connection that exceeds the limit of its IP address, before anything is read from it. */
export function refuseConnection(socket: Socket, connectionsPerAddressMax: number): void {
  requestRefused('connection');
  stopReading(socket);
  const requestId = newRequestId();
  const refusal = new HttpRefusal(
    429,
    `This IP address has reached its limit of ${connectionsPerAddressMax} open connections. Close a connection first.`,
    { 'Retry-After': '1' },
    'RATE_LIMITED',
  );
  const { status, headers, body } = answerTo(refusal, requestId);
  socket.end(rawAnswer(status, { ...headers, 'X-Request-Id': requestId }, JSON.stringify(body)), () =>
    socket.destroy(),
  );
}

function refusalFor({ code, rawPacket }: ClientError): HttpRefusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return isLongRequestLine(rawPacket)
        ? new HttpRefusal(414, `The URL is longer than ${URL_LENGTH_MAX} characters. Send a shorter URL.`)
        : new HttpRefusal(431, 'The headers are larger than 16 KiB in total. Send fewer or shorter headers.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpRefusal(
        408,
        'The request did not arrive in time. Send the request at a rate of at least 40 KiB in 10 seconds.',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new HttpRefusal(
        413,
        'The chunk extensions in the request body are too large. Send the body without chunk extensions.',
      );
    case undefined:
    default:
      return new HttpRefusal(400, 'The request is not a well-formed HTTP/1.1 request.');
  }
}

function isLongRequestLine(packet: Buffer | undefined): boolean {
  const end = packet?.indexOf('\n') ?? 0;
  return end < 0 || end > URL_LENGTH_MAX;
}

function rawAnswer(status: number, headers: Record<string, string>, body: string): string {
  const all = {
    ...securityHeaders,
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
