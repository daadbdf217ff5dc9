import type { Request, Response } from 'express';
import { awaitBody } from '../connection/connections.js';
import { ClientGone } from '../response/client-gone.js';
import { readMediaType } from './media-type.js';

/** An uploaded file that a PUT request announces. Its bytes have not arrived yet. */
export interface SentFile {
  /** Content type of an uploaded file without parameters, in lower case. */
  readonly mediaType: string | undefined;
  /** Size in bytes that the Content-Length header of an uploaded file announces. Undefined for a chunked body. */
  readonly declaredBytes: number | undefined;
  readonly hasContentEncoding: boolean;
  /** Content of the uploaded file that the request sends, which can be read once. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Returns the uploaded file in the body of a request, with the type and size that the headers state. */
export function sentFile(request: Request, response: Response): SentFile {
  const { 'content-length': length, 'content-encoding': encoding } = request.headers;
  // If an upload request states several media types, none is used. The documents service refuses a file without a media
  // type.
  const [type, ...others] = request.headersDistinct['content-type'] ?? [];
  return {
    mediaType: others.length > 0 ? undefined : readMediaType(type).type,
    declaredBytes: length === undefined ? undefined : Number(length),
    hasContentEncoding: encoding !== undefined,
    content: contentOf(request, response),
  };
}

/**
 * Yields the bytes of a request body as they arrive. Small chunks that have already arrived are joined. If the reader
 * stops early, the request can still be used.
 */
async function* contentOf(request: Request, response: Response): AsyncIterable<Uint8Array> {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  awaitBody(request.socket, response);
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch {
    throw new ClientGone();
  }
}
