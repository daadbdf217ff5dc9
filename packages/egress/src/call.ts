import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Agents } from './agents.js';
import { bounded } from './bounded.js';
import { sendRequest } from './send-request.js';
import type { OutgoingRequest } from './send-request.js';

export interface CallBounds {
  /** Time limit of the whole HTTP call, from resolving the name to the last byte of the response. */
  readonly deadlineMs: number;
  /** Maximum size of the HTTP response body in bytes, both as received and after decompression. */
  readonly bytesMax: number;
  /** Signal by which the caller aborts the HTTP call. */
  readonly signal?: AbortSignal | undefined;
}

/** The final HTTP response to an outgoing call, with any status. */
export interface Answer {
  readonly status: number;
  /** Response headers of node:http, with lower-case names and Latin-1 values. */
  readonly headers: IncomingHttpHeaders;
  /** Decompressed body of the HTTP response, or undefined if it exceeds the limit. */
  readonly body: Buffer | undefined;
}

/** Error of an HTTP response with a content encoding that was not requested. */
export class UnaskedEncoding extends Error {
  constructor() {
    super('The HTTP server responded in a content encoding that was not requested.');
    this.name = 'UnaskedEncoding';
  }
}

const unpack = promisify(gunzip);

/**
 * Sends an HTTP request and reads the whole response, within limits of time and size. Redirects are not followed. A
 * gzip response is decompressed; callers request it with `accept-encoding`.
 * @throws CallTimeout, the reason of the signal, UnaskedEncoding, the errors of {@link sendRequest}, or an error of
 * zlib (`Z_*`)
 */
export function call(
  agents: Agents,
  request: OutgoingRequest,
  { deadlineMs, bytesMax, signal }: CallBounds,
): Promise<Answer> {
  return bounded({ deadlineMs, signal }, (ending) => readAnswer(agents, request, bytesMax, ending));
}

async function readAnswer(
  agents: Agents,
  { headers, ...request }: OutgoingRequest,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Answer> {
  const message = await sendRequest(
    agents,
    { ...request, headers: { accept: '*/*', 'user-agent': 'invoice-control', ...headers } },
    signal,
  );
  const { statusCode: status = 0, headers: answerHeaders } = message;
  const packed = await readBounded(message, bytesMax);
  const body = packed && (await unpacked(packed, answerHeaders['content-encoding'], bytesMax));
  return { status, headers: answerHeaders, body };
}

/**
 * Reads an HTTP response body up to a size limit.
 * @returns undefined, after closing the connection, if the body exceeds the limit
 */
async function readBounded(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer | undefined> {
  const read: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > bytesMax) return undefined;
    read.push(chunk);
  }
  return Buffer.concat(read, length);
}

async function unpacked(body: Buffer, encoding: string | undefined, bytesMax: number): Promise<Buffer | undefined> {
  if (body.length === 0 || encoding === undefined || encoding === 'identity') return body;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw new UnaskedEncoding();
  try {
    return await unpack(body, { maxOutputLength: bytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}
