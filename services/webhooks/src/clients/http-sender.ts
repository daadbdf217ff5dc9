import { readFileSync } from 'node:fs';
import { request as beginRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { BlockedAddressError, openEgress } from '@invoicecontrol/egress/egress';
import type { Egress } from '@invoicecontrol/egress/egress';
import { UnresolvedNameError } from '@invoicecontrol/egress/resolve';
import { schedulerLimits } from '../application/scheduler.js';
import type { OutgoingRequest, Sender } from '../application/send-delivery.js';
import type { Config } from '../config.js';
import type { Outcome, SendResult } from '../domain/delivery.js';

/** From before the name is looked up to the status line (specification section 6, Delivery behaviour). */
const DEADLINE_MS = 15_000;
const CONNECT_MS_MAX = 5_000;
/** Of the answer's body so much is read, for so long; the status line has decided by then. */
const BODY_BYTES_MAX = 16 * 1024;
const BODY_MS_MAX = 2_000;
const EXCERPT_BYTES_MAX = 4 * 1024;
/** Of one answer; each interim one has as many. */
const HEADER_BYTES_MAX = 16 * 1024;
/** Interim answers (RFC 9110, section 15.2) that are read over before the final one, so that the size of all is bounded. */
export const INTERIM_ANSWERS_MAX = 16;
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
 * Sends by node:http through the egress guard: undici fails a request whose receiver sends 100 Continue unasked, which every
 * client must be able to read over. Redirects are not followed, nothing is inflated, and the deadline is a timer of our own,
 * because connecting and the TLS handshake have none that begins before them.
 */
export function httpSender({ agents }: Pick<Egress, 'agents'>, deadlineMs = DEADLINE_MS): Sender {
  return {
    async post(outgoing, signal) {
      const startedAt = performance.now();
      const elapsedMs = (): number => Math.round(performance.now() - startedAt);
      const ending = new AbortController();
      const answering = sendTwiceIfReused(agents, outgoing, ending.signal);
      const ended = await firstOf(answering, deadlineMs, signal);
      if (ended === 'TIMEOUT' || ended === 'STOPPED') {
        ending.abort();
        // It may still answer; nobody reads that.
        answering.then((answer) => answer.destroy()).catch(() => {});
        return ended === 'STOPPED' ? 'OURS' : { outcome: 'TIMEOUT', durationMs: elapsedMs() };
      }
      if ('error' in ended) {
        const failure = failureOf(ended.error);
        return failure === 'OURS' ? 'OURS' : { ...failure, durationMs: elapsedMs() };
      }
      const { statusCode = 0, headers } = ended.answer;
      const durationMs = elapsedMs();
      const excerpt = await readExcerpt(ended.answer);
      const isSuccess = statusCode >= 200 && statusCode <= 299;
      const retryAfter = headers['retry-after'];
      const result: SendResult = { outcome: isSuccess ? 'SUCCESS' : 'HTTP_ERROR', statusCode, durationMs, excerpt };
      return retryAfter === undefined ? result : { ...result, retryAfter };
    },
  };
}

/** An answer that is HTTP, and delivers nothing; the message says why, to the owner of the endpoint. */
class UnusableAnswer extends Error {
  readonly statusCode: number | undefined;

  constructor(message: string, statusCode?: number) {
    super(message);
    this.name = 'UnusableAnswer';
    this.statusCode = statusCode;
  }
}

/** A connection that had carried another request ended before any byte of an answer. */
class UnseenRequest extends Error {}

/**
 * A receiver may close an idle connection at the moment in which it is used again: then it has not seen the request, which is
 * sent once more at once, within the same attempt.
 */
async function sendTwiceIfReused(
  agents: Egress['agents'],
  outgoing: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    return await send(agents, outgoing, signal);
  } catch (error) {
    if (!(error instanceof UnseenRequest) || signal.aborted) throw error;
    return send(agents, outgoing, signal);
  }
}

const CLOSED_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** @returns the final answer, of which the body is unread */
function send(
  agents: Egress['agents'],
  { url, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = beginRequest(url, {
      agent: agents[url.startsWith('https:') ? 'https:' : 'http:'],
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      maxHeaderSize: HEADER_BYTES_MAX,
      signal,
    });
    let isAnswered = false;
    let interimCount = 0;
    sent.on('socket', (socket) => {
      const onData = (): void => {
        isAnswered = true;
      };
      socket.once('data', onData);
      sent.once('close', () => socket.off('data', onData));
    });
    const fail = (answer: UnusableAnswer): void => {
      // First, because the rest of the packet may hold a final answer.
      reject(answer);
      sent.destroy();
    };
    sent.on('information', () => {
      interimCount++;
      if (interimCount <= INTERIM_ANSWERS_MAX) return;
      fail(
        new UnusableAnswer(`The receiver sent more than ${INTERIM_ANSWERS_MAX} interim answers before a final one.`),
      );
    });
    // With the headers of an upgrade, and without them.
    sent.on('upgrade', () => fail(switched()));
    sent.on('response', (answer) => (answer.statusCode === SWITCHING_PROTOCOLS ? fail(switched()) : resolve(answer)));
    sent.on('error', (error) => {
      const isUnseen = sent.reusedSocket && !isAnswered && CLOSED_CODES.has(codeOf(error));
      reject(isUnseen ? new UnseenRequest(error.message, { cause: error }) : error);
    });
    sent.end(body);
  });
}

const SWITCHING_PROTOCOLS = 101;

function switched(): UnusableAnswer {
  return new UnusableAnswer(
    'The receiver switched to another protocol (101), which the request did not ask for.',
    SWITCHING_PROTOCOLS,
  );
}

type Ended = { readonly answer: IncomingMessage } | { readonly error: unknown } | 'TIMEOUT' | 'STOPPED';

async function firstOf(answering: Promise<IncomingMessage>, deadlineMs: number, signal: AbortSignal): Promise<Ended> {
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
async function readExcerpt(body: IncomingMessage): Promise<string> {
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
const TIMEOUT_CODES: ReadonlySet<string> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
/** The connection ended within the headers. */
const BROKEN_OFF = 'HPE_INVALID_EOF_STATE';

type Failure = Pick<SendResult, 'outcome' | 'statusCode' | 'excerpt'>;

/** @returns 'OURS' when no name server could be asked */
function failureOf(error: unknown): Failure | 'OURS' {
  if (error instanceof UnusableAnswer) {
    const { statusCode, message: excerpt } = error;
    return { outcome: 'HTTP_ERROR', excerpt, ...(statusCode === undefined ? {} : { statusCode }) };
  }
  const outcome = outcomeOfError(error);
  return outcome === 'OURS' ? 'OURS' : { outcome };
}

function outcomeOfError(error: unknown): Outcome | 'OURS' {
  if (error instanceof BlockedAddressError) return 'BLOCKED_ADDRESS';
  if (error instanceof UnresolvedNameError) return codeOf(error.cause) === 'ECONNREFUSED' ? 'OURS' : 'DNS_ERROR';
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') return 'RESPONSE_TOO_LARGE';
  if (TIMEOUT_CODES.has(code)) return 'TIMEOUT';
  if (TLS_CODES.test(code)) return 'TLS_ERROR';
  // An answer that is not HTTP.
  if (code.startsWith('HPE_') && code !== BROKEN_OFF) return 'HTTP_ERROR';
  return 'CONNECT_ERROR';
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
