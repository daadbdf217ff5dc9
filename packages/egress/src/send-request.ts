import { request as beginRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { errorType, isTelemetryOn, measure } from '@invoicecontrol/runtime/telemetry';
import type { AttributesOf } from '@invoicecontrol/runtime/telemetry/schema';
import { activeTrace } from '@invoicecontrol/runtime/trace-context';
import type { Agents, Peer } from './agents.js';

export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the HTTP request, or undefined if it has none. */
  readonly body?: string | Uint8Array | undefined;
}

/** Maximum size in bytes of the headers of one HTTP response, including each interim response. */
const HEADER_BYTES_MAX = 16 * 1024;
/**
 * Maximum number of interim HTTP responses (RFC 9110, section 15.2) that are skipped before the final response, so that
 * their total size is bounded.
 */
export const INTERIM_ANSWERS_MAX = 16;
const SWITCHING_PROTOCOLS = 101;
const CLOSED_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Error of a server that sent valid HTTP responses but no final response: too many interim responses, or a switch to
 * another protocol.
 */
export class UnusableAnswer extends Error {
  readonly reason: 'INTERIM_ANSWERS' | 'SWITCHED_PROTOCOLS';

  constructor(reason: UnusableAnswer['reason']) {
    super(
      reason === 'INTERIM_ANSWERS'
        ? `The server sent more than ${INTERIM_ANSWERS_MAX} interim responses before the final one.`
        : 'The server switched to another protocol (101), which the request did not allow.',
    );
    this.name = 'UnusableAnswer';
    this.reason = reason;
  }
}

/**
 * Error that a reused HTTP connection ended before any byte of the response arrived. The server has most likely not
 * received the request.
 */
export class UnseenRequest extends Error {}

/**
 * Sends one request with node:http. undici, on which the global `fetch` is based, closes the connection when it
 * receives a 100 Continue that it did not request, although every client must be able to skip it. Redirects are not
 * followed, and nothing is decompressed. The signal interrupts neither connecting nor the TLS handshake, so a caller
 * with a deadline must race the promise.
 * @returns the final response with an unread body
 * @throws UnusableAnswer, UnseenRequest, BlockedAddressError and UnresolvedNameError of guarded agents, and errors of
 * Node.js
 */
export function sendRequest(
  agents: Agents,
  { method, url, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const calling = measureCall(agents.peer, method);
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = beginRequest(url, {
      agent: agents[url.startsWith('https:') ? 'https:' : 'http:'],
      method,
      headers: {
        ...headers,
        ...calling.headers,
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
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
    const fail = (reason: UnusableAnswer['reason']): void => {
      // The promise is rejected before the HTTP request is destroyed, because bytes that have already arrived may
      // contain a final response, which must not be used.
      reject(new UnusableAnswer(reason));
      sent.destroy();
    };
    sent.on('information', () => {
      interimCount++;
      if (interimCount > INTERIM_ANSWERS_MAX) fail('INTERIM_ANSWERS');
    });
    // Node.js emits `upgrade` for a response with complete upgrade headers, and `response` for a response without them.
    sent.on('upgrade', () => fail('SWITCHED_PROTOCOLS'));
    sent.on('response', (answer) =>
      answer.statusCode === SWITCHING_PROTOCOLS ? fail('SWITCHED_PROTOCOLS') : resolve(answer),
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isUnseen = sent.reusedSocket && !isAnswered && CLOSED_CODES.has(error.code ?? '');
      reject(isUnseen ? new UnseenRequest(error.message, { cause: error }) : error);
    });
    sent.end(body);
  }).then(
    (answer) => {
      calling.end(answer.statusCode, undefined);
      return answer;
    },
    (error: unknown) => {
      calling.end(undefined, error);
      throw error;
    },
  );
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
type CallAttributes = AttributesOf<'http.client.request.duration'>;

/**
 * Measures an outgoing HTTP call until the headers of its response. The called system gets the trace id of the call
 * only while this installation records traces.
 */
function measureCall(peer: Peer, sentMethod: string) {
  const method = (METHODS.has(sentMethod) ? sentMethod : '_OTHER') as CallAttributes['http.request.method'];
  const measured = measure('client', method, { parent: activeTrace(), duration: 'http.client.request.duration' });
  return {
    headers: isTelemetryOn() ? measured.headers : {},
    end(status: number | undefined, error: unknown): void {
      const attributes: CallAttributes = {
        'http.request.method': method,
        'invoicecontrol.peer': peer,
        ...(status === undefined ? {} : { 'http.response.status_code': String(status) }),
        ...(error === undefined ? {} : { 'error.type': errorType(error) }),
      };
      measured.end({ failed: error !== undefined || (status ?? 0) >= 400, attributes });
    },
  };
}
