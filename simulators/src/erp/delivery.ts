import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './call.js';
import type { DeliveryFault } from './faults.js';

const CHUNK = Buffer.alloc(64 * 1024, 0x20);
const DRIPS_PER_SECOND_MAX = 10;

export interface Delivery {
  readonly fault: DeliveryFault | undefined;
  readonly response: ServerResponse;
  /** Function that creates the response to the ERP call. */
  readonly answer: () => Answer;
  /** Returns the response that the ERP would send with a status code. */
  readonly refuse: (status: number) => Answer;
  /** Signal that ends the ERP responses that a simulated fault delays. */
  readonly signal: AbortSignal;
}

/**
 * Responds to an ERP call as the simulated fault demands, or correctly if no fault is set.
 * @returns the sent status code, or null if the connection was closed without a response
 */
export async function deliver({ fault, response, answer, refuse, signal }: Delivery): Promise<number | null> {
  if (fault === undefined) return send(response, answer());
  switch (fault.kind) {
    case 'STATUS': {
      const own = fault.body === undefined ? refuse(fault.status) : { status: fault.status, body: fault.body };
      return send(response, { ...own, headers: { ...own.headers, ...lowerCased(fault.headers ?? {}) } });
    }
    case 'THROTTLE': {
      const own = refuse(429);
      return send(response, { ...own, headers: { ...own.headers, 'retry-after': String(fault.retryAfter) } });
    }
    case 'DROP':
      return close(response);
    case 'LOSE_ANSWER':
      answer();
      return close(response);
    case 'HANG':
      await wait(fault.seconds * 1_000, signal);
      // An ERP call that its caller abandoned is not executed, because the caller cannot know the result.
      return response.destroyed ? null : send(response, answer());
    case 'DRIP':
      return drip(response, { answer: answer(), bytesPerSecond: fault.bytesPerSecond, signal });
    case 'HUGE':
      return sendHuge(response, answer(), fault.bytes);
    case 'REDIRECT':
      return send(response, { status: fault.status, headers: { location: fault.location }, body: '' });
    case 'BODY':
      return send(response, { status: 200, headers: { 'content-type': fault.contentType }, body: fault.body });
  }
}

/**
 * Sends a response of the ERP simulator completely.
 * @returns the status code
 */
export function send(response: ServerResponse, answer: Answer): number {
  const body = writeHead(response, answer);
  response.end(body);
  return answer.status;
}

/** Closes the connection of an ERP call without a response. */
export function close(response: ServerResponse): null {
  response.destroy();
  return null;
}

/**
 * Writes the status and the headers of a response to an ERP call.
 * @returns the bytes of the body
 */
function writeHead(response: ServerResponse, { status, headers = {}, body }: Answer, more = 0): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(toText(body), 'utf8');
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  response.writeHead(status, {
    ...(body === undefined || body === '' ? {} : { 'content-type': type }),
    ...headers,
    ...(status === 204 ? {} : { 'content-length': bytes.length + more }),
  });
  return bytes;
}

function toText(body: unknown): string {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}

async function drip(
  response: ServerResponse,
  { answer, bytesPerSecond, signal }: { answer: Answer; bytesPerSecond: number; signal: AbortSignal },
): Promise<number> {
  const bytes = writeHead(response, answer);
  const size = Math.max(1, Math.floor(bytesPerSecond / DRIPS_PER_SECOND_MAX));
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size));
    await wait((size / bytesPerSecond) * 1_000, signal);
  }
  response.end();
  return answer.status;
}

/**
 * Sends a huge response of the simulated ERP. Its body is filled with spaces, which are written as fast as the caller
 * reads them.
 */
async function sendHuge(response: ServerResponse, answer: Answer, bytes: number): Promise<number> {
  const body = writeHead(response, answer, bytes);
  response.write(body.subarray(0, -1));
  for (let left = bytes; left > 0 && !response.destroyed; left -= CHUNK.length) {
    if (!response.write(CHUNK.subarray(0, Math.min(left, CHUNK.length)))) await writable(response);
  }
  response.end(body.subarray(-1));
  return answer.status;
}

async function writable(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { ref: false, signal }).catch(() => undefined);
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
