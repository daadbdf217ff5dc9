import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip } from 'node:zlib';

/** The simulated faults of a webhook receiver, with the response that the sender gets. */
export const faultMeanings = {
  STATUS: 'answers with `status` (500), and `Retry-After` and `Location` where they are given',
  SILENCE: 'reads the request and never answers',
  SLOW: 'answers 200 after `delayMs` (1,000)',
  DRIP: 'answers 200, then one byte of the body each `delayMs` (500)',
  DRIP_HEADERS: 'sends one byte of the status line each `delayMs` (500)',
  RESET: 'breaks the connection before any byte of an answer',
  RESET_AFTER_HEADERS: 'answers 200 and breaks the connection within the body',
  BIG_BODY: 'answers 200 with a body of `bytes` (1 GiB), as fast as it is read',
  GZIP_BOMB: 'answers 200 with a compressed body that inflates to `bytes` (50 MiB)',
  BIG_HEADERS: 'answers 200 with headers of `bytes` (100 KiB)',
  INTERIM: 'sends 1,000 answers with status 102, then 200',
} as const;
export type FaultKind = keyof typeof faultMeanings;
export const faultKinds = Object.keys(faultMeanings) as readonly FaultKind[];

export interface Fault {
  readonly kind: FaultKind;
  /** Number of webhook requests that the fault affects. By default, the fault affects all requests. */
  readonly times?: number | undefined;
  readonly status?: number | undefined;
  readonly retryAfter?: string | undefined;
  readonly location?: string | undefined;
  readonly delayMs?: number | undefined;
  readonly bytes?: number | undefined;
}

const MIB = 1024 ** 2;
const CHUNK = Buffer.alloc(64 * 1024, 0x20);
const HEADER_BYTES_MAX = 8_000;
const INTERIM_ANSWERS = 1_000;
const DRIP_MS = 500;

/** Sends the response to a webhook request that the given fault prescribes. Resolves when no more bytes are sent. */
export async function answerWith(fault: Fault, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { kind, status = 500, delayMs, bytes } = fault;
  switch (kind) {
    case 'STATUS': {
      if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
      if (fault.location !== undefined) response.setHeader('location', fault.location);
      response.writeHead(status).end(status === 204 ? undefined : 'a simulated answer');
      return;
    }
    case 'SILENCE':
      return;
    case 'SLOW': {
      await delay(delayMs ?? 1_000, undefined, { ref: false });
      response.writeHead(200).end();
      return;
    }
    case 'DRIP': {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write('.');
        await delay(delayMs ?? DRIP_MS, undefined, { ref: false });
      }
      return;
    }
    case 'DRIP_HEADERS': {
      for (const character of 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n') {
        if (request.socket.destroyed) return;
        request.socket.write(character);
        await delay(delayMs ?? DRIP_MS, undefined, { ref: false });
      }
      return;
    }
    case 'RESET': {
      request.socket.resetAndDestroy();
      return;
    }
    case 'RESET_AFTER_HEADERS': {
      response.writeHead(200, { 'content-length': '1000' }).write('begun', () => request.socket.resetAndDestroy());
      return;
    }
    case 'BIG_BODY': {
      response.writeHead(200);
      await writeChunks(response, bytes ?? 1024 * MIB);
      return;
    }
    case 'GZIP_BOMB': {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const gzip = createGzip({ level: 9 });
      gzip.pipe(response);
      response.once('close', () => gzip.destroy());
      await writeChunks(gzip, bytes ?? 50 * MIB);
      return;
    }
    case 'BIG_HEADERS': {
      const count = Math.ceil((bytes ?? 100 * 1024) / HEADER_BYTES_MAX);
      for (let at = 0; at < count; at++) response.setHeader(`x-filler-${at}`, 'x'.repeat(HEADER_BYTES_MAX));
      response.writeHead(200).end();
      return;
    }
    case 'INTERIM': {
      for (let sent = 0; sent < INTERIM_ANSWERS; sent++) response.writeProcessing();
      response.writeHead(200).end();
    }
  }
}

/**
 * Writes the chunks of a response as fast as the sender of the webhook reads them, and stops when the sender
 * disconnects.
 */
async function writeChunks(
  stream: NodeJS.WritableStream & { readonly destroyed?: boolean },
  bytes: number,
): Promise<void> {
  for (let left = bytes; left > 0 && stream.destroyed !== true; left -= CHUNK.length) {
    if (stream.write(CHUNK.subarray(0, left))) continue;
    await new Promise<void>((resolve) => {
      const proceed = (): void => {
        stream.off('drain', proceed).off('close', proceed);
        resolve();
      };
      stream.once('drain', proceed).once('close', proceed);
    });
  }
  if (stream.destroyed !== true) stream.end();
}
