import { createGunzip } from 'node:zlib';
import { BlockedAddressError } from '@invoicecontrol/egress/egress';
import { joinHeaders, readBounded } from '@invoicecontrol/runtime/http-answer';
import { request as sendRequest } from 'undici';
import type { Dispatcher } from 'undici';
import { ErpFault, Outage } from '../domain/faults.js';
import type { ErpAnswer, ErpRequest } from '../providers/provider.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** What came of one call. */
export type Attempt = { readonly answer: ErpAnswer } | { readonly fault: ErpFault };

interface Call {
  readonly request: ErpRequest;
  readonly dispatcher: Dispatcher;
  readonly deadlineMs: number;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

/**
 * Sends the request once and reads its answer whole. The deadline is a timer of our own, which also bounds a body that
 * drips: undici does not end connecting or the TLS handshake for a signal.
 */
export async function callOnce({ request, dispatcher, deadlineMs, bytesMax, signal }: Call): Promise<Attempt> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'TIMEOUT'>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, 'TIMEOUT');
  });
  let onAbort = (): void => {};
  const stopped = new Promise<'STOPPED'>((resolve) => {
    onAbort = () => resolve('STOPPED');
    signal.addEventListener('abort', onAbort, { once: true });
  });
  const answering = readAnswer(request, dispatcher, bytesMax, ending.signal);
  try {
    const ended = await Promise.race([answering, timeout, stopped]);
    if (ended === 'STOPPED') signal.throwIfAborted();
    if (ended === 'TIMEOUT' || ended === 'STOPPED') {
      return {
        fault: new Outage(
          'TIMEOUT',
          `The ERP did not answer completely within ${Math.ceil(deadlineMs / 1_000)} seconds.`,
        ),
      };
    }
    return { answer: ended };
  } catch (error) {
    if (signal.aborted) throw error;
    return { fault: faultOfError(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    ending.abort();
    // Its outcome is no longer needed; the empty catch avoids an unhandled rejection.
    answering.catch(() => {});
  }
}

async function readAnswer(
  { method, url, headers, body }: ErpRequest,
  dispatcher: Dispatcher,
  bytesMax: number,
  signal: AbortSignal,
): Promise<ErpAnswer> {
  const response = await sendRequest(url, {
    dispatcher,
    method,
    headers: { 'user-agent': 'invoice-control', 'accept-encoding': 'gzip', ...headers },
    ...(body === undefined ? {} : { body }),
    signal,
  });
  const answerHeaders = joinHeaders(response.headers);
  if (REDIRECTS.has(response.statusCode)) {
    response.body.destroy();
    throw new ErpFault('BAD_RESPONSE', 'The ERP answered with a redirect. Redirects are not followed.');
  }
  const text = await readText(response.body, answerHeaders['content-encoding'], bytesMax);
  return {
    status: response.statusCode,
    headers: answerHeaders,
    json: parseJson(text, answerHeaders),
    text,
  };
}

/** The whole body as text; what is compressed counts by its size when unpacked. */
async function readText(
  body: Dispatcher.ResponseData['body'],
  encoding: string | undefined,
  bytesMax: number,
): Promise<string> {
  const isPacked = encoding === 'gzip' || encoding === 'x-gzip';
  if (!isPacked && encoding !== undefined && encoding !== 'identity') {
    body.destroy();
    throw new ErpFault('BAD_RESPONSE', 'The ERP answered in an encoding that was not asked for.');
  }
  const unpacked = isPacked ? body.pipe(createGunzip()) : body;
  if (isPacked) body.once('error', (error) => (unpacked as ReturnType<typeof createGunzip>).destroy(error));
  try {
    const bytes = await readBounded(unpacked as AsyncIterable<Buffer>, bytesMax);
    if (bytes === undefined) throw new ErpFault('BAD_RESPONSE', `The ERP answered with more than ${bytesMax} bytes.`);
    const text = bytes.toString('utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } finally {
    // Also of an answer that is cut off: the connection must not wait for its rest.
    body.destroy();
  }
}

function parseJson(text: string, headers: Readonly<Record<string, string>>): unknown {
  const isJson = /\bjson\b/i.test(headers['content-type'] ?? '');
  if (!isJson && !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The message names no address: it is shown to callers. */
function faultOfError(error: unknown): ErpFault {
  if (error instanceof ErpFault) return error;
  if (isBlocked(error))
    return new ErpFault('BAD_RESPONSE', 'The host of the ERP leads to an address that may not be called.');
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'string' && TIMEOUT_CODES.has(code))
    return new Outage('TIMEOUT', 'The ERP did not answer in time.');
  if (typeof code === 'string' && code.startsWith('Z_')) {
    return new Outage('BAD_RESPONSE', 'The ERP answered with data that cannot be unpacked.');
  }
  return new Outage('UPSTREAM_ERROR', 'The ERP could not be reached, or broke off its answer.');
}

function isBlocked(error: unknown): boolean {
  const cause = (error as { cause?: unknown } | undefined)?.cause;
  return error instanceof BlockedAddressError || cause instanceof BlockedAddressError;
}
