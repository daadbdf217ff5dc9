import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { DomainError, isTemporary } from '@invoicecontrol/errors';
import { ClientGone } from './client-gone.js';
import type { Compressor } from './compress.js';
import { codedEtag } from './etag.js';
import { answerTo } from './envelope.js';
import { HttpRefusal } from './refusal.js';
import { requestState } from './request-state.js';
import type { Reply } from './reply.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a JSON response. Without a body, only status and headers are sent. */
export function sendJson(
  response: Response,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (body !== undefined) {
    sendText(response, status, JSON.stringify(body), headers);
    return;
  }
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end();
}

function sendText(response: Response, status: number, text: string, headers: Readonly<Record<string, string>>): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // Node.js sends a string body together with the headers in one piece, but a body of bytes in a separate piece.
  response.setHeader('Content-Type', JSON_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/**
 * Sends the JSON response to a request, compressed if the caller accepts it. Only responses to GET and HEAD are
 * compressed, because they contain no secrets: the size of a compressed response could reveal parts of a secret (ADR
 * 0165). Both methods get the same headers.
 */
async function sendReadable(
  response: Response,
  { status, body, headers = {} }: Reply,
  compressor: Compressor,
): Promise<void> {
  const { method, headers: asked } = response.req;
  if ((method !== 'GET' && method !== 'HEAD') || status !== 200 || body === undefined) {
    // A 304 stands for a response that depends on the accepted encodings.
    sendJson(response, status, body, status === 304 ? { ...headers, Vary: varyOf(headers) } : headers);
    return;
  }
  const text = JSON.stringify(body);
  const vary = varyOf(headers);
  const compressed = await compressor.compress(text, asked);
  if (response.destroyed) throw new ClientGone();
  if (compressed === undefined) {
    sendText(response, status, text, { ...headers, Vary: vary });
    return;
  }
  const { encoding, bytes } = compressed;
  response.statusCode = status;
  const etag = headers['ETag'] === undefined ? {} : { ETag: codedEtag(headers['ETag'], encoding) };
  const all = { ...headers, ...etag, Vary: vary, 'Content-Type': JSON_TYPE, 'Content-Encoding': encoding };
  for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

/**
 * Sends the response of a route handler. Bytes are sent as they arrive. The headers wait for the first bytes, so that
 * an earlier failure can still be sent as a refusal. If the caller disconnects, the source is closed.
 */
export async function sendReply(
  response: Response,
  reply: Reply,
  { takenWithinMs, compressor }: { readonly takenWithinMs: number; readonly compressor: Compressor },
): Promise<void> {
  const { status, content, headers } = reply;
  if (content === undefined) return sendReadable(response, reply, compressor);
  const bytes = content[Symbol.asyncIterator]();
  const first = await bytes.next();
  if (response.destroyed) {
    await bytes.return?.();
    throw new ClientGone();
  }
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  // Timer that ends a streamed response if the client does not receive a chunk in time. The next chunk is read only
  // when the client has received the previous one.
  let untaken: NodeJS.Timeout | undefined;
  const all = async function* (): AsyncIterable<Uint8Array> {
    for (let next = first; next.done !== true; next = await bytes.next()) {
      untaken = setTimeout(() => response.destroy(), takenWithinMs);
      yield next.value;
      clearTimeout(untaken);
    }
  };
  try {
    await pipeline(all(), response);
  } catch (error) {
    throw isClientGone(error) ? new ClientGone() : error;
  } finally {
    clearTimeout(untaken);
    await bytes.return?.();
  }
}

function isClientGone(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_UNABLE_TO_PIPE';
}

/** A refusal that the gateway sends because of its own load has no cause to log, and is not an outage. */
function isOutage(error: HttpRefusal | DomainError): boolean {
  return isTemporary(error) && error.cause !== undefined;
}

/** Refuses the request with an error response, unless the caller has disconnected or the response has begun. */
export function sendRefusal(response: Response, error: unknown, logger: Logger): void {
  const { requestId, advice } = requestState(response);
  const isForeseen = error instanceof HttpRefusal || (error instanceof DomainError && error.kind !== 'internal');
  if (error instanceof ClientGone || response.destroyed) return;
  if (!isForeseen) logger.error({ error, requestId }, 'a request failed');
  else if (isOutage(error)) logger.warn({ error, requestId }, 'a part of the service did not respond');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = answerTo(error, requestId, advice);
  sendJson(response, status, body, headers);
}

function varyOf(headers: NonNullable<Reply['headers']>): string {
  return headers['Vary'] === undefined ? 'Accept-Encoding' : `${headers['Vary']}, Accept-Encoding`;
}
