import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Agents } from '@invoicecontrol/egress/agents';
import { bounded, CallTimeout } from '@invoicecontrol/egress/bounded';
import { BlockedAddressError, openEgress } from '@invoicecontrol/egress/egress';
import type { Egress } from '@invoicecontrol/egress/egress';
import { UnresolvedNameError } from '@invoicecontrol/egress/resolve';
import { INTERIM_ANSWERS_MAX, sendRequest, UnseenRequest, UnusableAnswer } from '@invoicecontrol/egress/send-request';
import { schedulerLimits } from '../application/scheduler.js';
import type { OutgoingRequest, Sender } from '../application/send-delivery.js';
import type { Config } from '../config.js';
import type { Outcome, SendResult } from '../domain/delivery.js';

/**
 * Time limit of a webhook request from the name lookup to the status line (specification section 6, Delivery
 * behaviour).
 */
const DEADLINE_MS = 15_000;
const CONNECT_MS_MAX = 5_000;
/** Limits for reading the body of a webhook response. The status line has already decided the result. */
const BODY_BYTES_MAX = 16 * 1024;
const BODY_MS_MAX = 2_000;
const EXCERPT_BYTES_MAX = 4 * 1024;
/**
 * Maximum number of concurrent webhook requests to one host. Many webhooks may share a host, and a request that had to
 * wait for the connections of other webhooks would time out although its receiver is healthy. The scheduler limits the
 * requests of each webhook.
 */
const CONNECTIONS_PER_ORIGIN = schedulerLimits.fastMax + schedulerLimits.slowMax;

export function openWebhookEgress(config: Config): Egress {
  const { WEBHOOK_TEST_CA_FILE: caFile } = config;
  return openEgress(config, {
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    connectMs: CONNECT_MS_MAX,
    peer: 'customer',
    extraCa: caFile === undefined ? undefined : readFileSync(caFile, 'utf8'),
  });
}

/**
 * Sends webhook requests through the egress guard. Redirects are not followed and nothing is decompressed. The deadline
 * is a separate timer, because the timeouts of an HTTP request do not include connecting and the TLS handshake.
 */
export function httpSender({ agents }: Pick<Egress, 'agents'>, deadlineMs = DEADLINE_MS): Sender {
  return {
    async post(outgoing, signal) {
      const startedAt = performance.now();
      const elapsedMs = (): number => Math.round(performance.now() - startedAt);
      let answer: IncomingMessage;
      try {
        answer = await bounded(
          { deadlineMs, signal },
          (ending) => sendTwiceIfReused(agents, outgoing, ending),
          // A webhook response that arrives after the deadline is not read.
          (late) => late.destroy(),
        );
      } catch (error) {
        const failure = signal.aborted ? 'OURS' : failureOf(error);
        return failure === 'OURS' ? 'OURS' : { ...failure, durationMs: elapsedMs() };
      }
      const { statusCode = 0, headers } = answer;
      const durationMs = elapsedMs();
      const excerpt = await readExcerpt(answer);
      const isSuccess = statusCode >= 200 && statusCode <= 299;
      const retryAfter = headers['retry-after'];
      const result: SendResult = { outcome: isSuccess ? 'SUCCESS' : 'HTTP_ERROR', statusCode, durationMs, excerpt };
      return retryAfter === undefined ? result : { ...result, retryAfter };
    },
  };
}

/**
 * Sends a webhook request a second time, within the same attempt, if it failed on a reused connection. A receiver may
 * close an idle connection at that moment, and has then not seen the request.
 */
async function sendTwiceIfReused(
  agents: Agents,
  outgoing: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = { method: 'POST', ...outgoing };
  try {
    return await sendRequest(agents, request, signal);
  } catch (error) {
    if (!(error instanceof UnseenRequest) || signal.aborted) throw error;
    return sendRequest(agents, request, signal);
  }
}

/**
 * Returns the beginning of a webhook response body as text. The connection is closed unless the whole body was read.
 */
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
    // If the receiver or the timeout ends the webhook response body early, the part that arrived is used.
  } finally {
    clearTimeout(timer);
  }
  return new TextDecoder('utf-8').decode(Buffer.concat(chunks).subarray(0, EXCERPT_BYTES_MAX));
}

const TLS_CODES =
  /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH$|INVALID_)/;
const TIMEOUT_CODES: ReadonlySet<string> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
/** Error code of Node.js for a connection that ended within the headers of a webhook response. */
const BROKEN_OFF = 'HPE_INVALID_EOF_STATE';

/**
 * Messages to the owner of a webhook that explain why a valid HTTP response does not count as a successful delivery.
 */
const unusableAnswers: Readonly<Record<UnusableAnswer['reason'], Pick<SendResult, 'statusCode' | 'excerpt'>>> = {
  INTERIM_ANSWERS: {
    excerpt: `The receiver sent more than ${INTERIM_ANSWERS_MAX} interim responses before the final one.`,
  },
  SWITCHED_PROTOCOLS: {
    statusCode: 101,
    excerpt: 'The receiver switched to another protocol (101), which the request did not allow.',
  },
};

type Failure = Pick<SendResult, 'outcome' | 'statusCode' | 'excerpt'>;

/**
 * Converts an error of a webhook request to the failure of the delivery attempt.
 * @returns 'OURS' if no name server responded
 */
function failureOf(error: unknown): Failure | 'OURS' {
  if (error instanceof UnusableAnswer) return { outcome: 'HTTP_ERROR', ...unusableAnswers[error.reason] };
  const outcome = outcomeOfError(error);
  return outcome === 'OURS' ? 'OURS' : { outcome };
}

function outcomeOfError(error: unknown): Outcome | 'OURS' {
  if (error instanceof CallTimeout) return 'TIMEOUT';
  if (error instanceof BlockedAddressError) return 'BLOCKED_ADDRESS';
  if (error instanceof UnresolvedNameError) return codeOf(error.cause) === 'ECONNREFUSED' ? 'OURS' : 'DNS_ERROR';
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') return 'RESPONSE_TOO_LARGE';
  if (TIMEOUT_CODES.has(code)) return 'TIMEOUT';
  if (TLS_CODES.test(code)) return 'TLS_ERROR';
  // An error of the HTTP parser means that the webhook receiver did not respond with HTTP.
  if (code.startsWith('HPE_') && code !== BROKEN_OFF) return 'HTTP_ERROR';
  return 'CONNECT_ERROR';
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
