import { readFileSync } from 'node:fs';
import { BlockedAddressError, openEgress } from '@invoicecontrol/egress/egress';
import type { Egress } from '@invoicecontrol/egress/egress';
import { UnresolvedNameError } from '@invoicecontrol/egress/resolve';
import { errors, request } from 'undici';
import type { Dispatcher } from 'undici';
import { schedulerLimits } from '../application/scheduler.js';
import type { OutgoingRequest, Sender } from '../application/send-delivery.js';
import type { Config } from '../config.js';
import type { Outcome, SendResult } from '../domain/delivery.js';
import { noteConnection } from './reused-connections.js';

/** From before the name is looked up to the status line (specification section 6, Delivery behaviour). */
const DEADLINE_MS = 15_000;
const CONNECT_MS_MAX = 5_000;
/** Of the answer's body so much is read, for so long; the status line has decided by then. */
const BODY_BYTES_MAX = 16 * 1024;
const BODY_MS_MAX = 2_000;
const EXCERPT_BYTES_MAX = 4 * 1024;
/**
 * As many as there may be requests at once: many endpoints may share a host, and a request that waited for a connection
 * of others would time out although its endpoint is well. The scheduler limits what one endpoint has.
 */
const CONNECTIONS_PER_ORIGIN = schedulerLimits.fastMax + schedulerLimits.slowMax;

export function openWebhookEgress(config: Config): Egress {
  const { WEBHOOK_TEST_CA_FILE: caFile } = config;
  return openEgress(config, {
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    connectMs: CONNECT_MS_MAX,
    headersMs: DEADLINE_MS,
    extraCa: caFile === undefined ? undefined : readFileSync(caFile, 'utf8'),
  });
}

/**
 * Sends by undici through the egress guard. Redirects are not followed, nothing is inflated, and the deadline is a timer
 * of our own: undici does not end connecting or the TLS handshake for a signal.
 */
export function httpSender({ dispatcher }: Pick<Egress, 'dispatcher'>, deadlineMs = DEADLINE_MS): Sender {
  return {
    async post(outgoing, signal) {
      const startedAt = performance.now();
      const elapsedMs = (): number => Math.round(performance.now() - startedAt);
      const ending = new AbortController();
      const answering = sendTwiceIfReused(dispatcher, outgoing, ending.signal);
      const ended = await firstOf(answering, deadlineMs, signal);
      if (ended === 'TIMEOUT' || ended === 'STOPPED') {
        ending.abort();
        // It may still answer; nobody reads that.
        answering.then(({ body }) => body.destroy()).catch(() => {});
        return ended === 'STOPPED' ? 'OURS' : { outcome: 'TIMEOUT', durationMs: elapsedMs() };
      }
      if ('error' in ended) {
        const outcome = outcomeOfError(ended.error);
        return outcome === 'OURS' ? 'OURS' : { outcome, durationMs: elapsedMs() };
      }
      const { statusCode, headers, body } = ended.answer;
      const durationMs = elapsedMs();
      const excerpt = await readExcerpt(body);
      const isSuccess = statusCode >= 200 && statusCode <= 299;
      const retryAfter = [headers['retry-after']].flat()[0];
      const result: SendResult = { outcome: isSuccess ? 'SUCCESS' : 'HTTP_ERROR', statusCode, durationMs, excerpt };
      return retryAfter === undefined ? result : { ...result, retryAfter };
    },
  };
}

/**
 * A receiver may close an idle connection at the moment in which it is used again: then it has not seen the request, which is
 * sent once more at once, within the same attempt.
 */
async function sendTwiceIfReused(
  dispatcher: Dispatcher,
  outgoing: OutgoingRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { begun, over } = noteConnection(() => send(dispatcher, outgoing, signal));
  try {
    return await begun;
  } catch (error) {
    if (!over.isReused || !CLOSED_CODES.has(codeOf(error)) || signal.aborted) throw error;
    return send(dispatcher, outgoing, signal);
  }
}

const CLOSED_CODES: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function send(dispatcher: Dispatcher, { url, headers, body }: OutgoingRequest, signal: AbortSignal) {
  return request(url, { dispatcher, method: 'POST', headers, body, signal, bodyTimeout: BODY_MS_MAX });
}

type Ended = { readonly answer: Dispatcher.ResponseData } | { readonly error: unknown } | 'TIMEOUT' | 'STOPPED';

async function firstOf(
  answering: Promise<Dispatcher.ResponseData>,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<Ended> {
  let timer: NodeJS.Timeout | undefined;
  let onStop: (() => void) | undefined;
  const timeout = new Promise<Ended>((resolve) => (timer = setTimeout(resolve, deadlineMs, 'TIMEOUT')));
  const stopped = new Promise<Ended>((resolve) => {
    onStop = () => resolve('STOPPED');
    signal.addEventListener('abort', onStop, { once: true });
  });
  const answered = answering.then(
    (answer): Ended => ({ answer }),
    (error: unknown): Ended => ({ error }),
  );
  try {
    return await Promise.race([answered, timeout, stopped]);
  } finally {
    clearTimeout(timer);
    if (onStop !== undefined) signal.removeEventListener('abort', onStop);
  }
}

/** The beginning of the body as text. The connection is closed unless the whole body was read. */
async function readExcerpt(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => body.destroy(), BODY_MS_MAX);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= BODY_BYTES_MAX) break;
    }
  } catch {
    // Cut off, by the receiver or by the timer: what came counts.
  } finally {
    clearTimeout(timer);
  }
  return new TextDecoder('utf-8').decode(Buffer.concat(chunks).subarray(0, EXCERPT_BYTES_MAX));
}

const TLS_CODES =
  /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH$|INVALID_)/;
const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** @returns 'OURS' when no name server could be asked */
function outcomeOfError(error: unknown): Outcome | 'OURS' {
  if (error instanceof BlockedAddressError) return 'BLOCKED_ADDRESS';
  if (error instanceof UnresolvedNameError) return codeOf(error.cause) === 'ECONNREFUSED' ? 'OURS' : 'DNS_ERROR';
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') return 'RESPONSE_TOO_LARGE';
  if (TIMEOUT_CODES.has(code)) return 'TIMEOUT';
  if (TLS_CODES.test(code)) return 'TLS_ERROR';
  // An answer that is not HTTP.
  if (error instanceof errors.HTTPParserError) return 'HTTP_ERROR';
  return 'CONNECT_ERROR';
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
