import { request as beginRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Agents } from './agents.js';

export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the request has no body. */
  readonly body?: string | Uint8Array | undefined;
}

/** Maximum number of header bytes of one response, also of each interim one. */
const HEADER_BYTES_MAX = 16 * 1024;
/** Maximum number of interim responses (RFC 9110, section 15.2) that are skipped before the final one, so that the size of all is bounded. */
export const INTERIM_ANSWERS_MAX = 16;
const SWITCHING_PROTOCOLS = 101;
const CLOSED_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** A valid HTTP response that does not lead to a final one. */
export class UnusableAnswer extends Error {
  readonly reason: 'INTERIM_ANSWERS' | 'SWITCHED_PROTOCOLS';

  constructor(reason: UnusableAnswer['reason']) {
    super(
      reason === 'INTERIM_ANSWERS'
        ? `The server sent more than ${INTERIM_ANSWERS_MAX} interim responses before the final one.`
        : 'The server switched to another protocol (101), which the request did not ask for.',
    );
    this.name = 'UnusableAnswer';
    this.reason = reason;
  }
}

/** A connection that had carried another request ended before any byte of a response: the server has hardly seen the request. */
export class UnseenRequest extends Error {}

/**
 * Sends one request by node:http: undici, which the global `fetch` is too, closes the connection at a 100 Continue that it did
 * not ask for, and every client must be able to skip it. Redirects are not followed, and nothing is decompressed. The signal
 * interrupts neither connecting nor the TLS handshake: a caller with a deadline races it.
 * @returns the final response, whose body is unread
 * @throws UnusableAnswer, UnseenRequest, BlockedAddressError and UnresolvedNameError of guarded agents, errors of Node.js
 */
export function sendRequest(
  agents: Agents,
  { method, url, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = beginRequest(url, {
      agent: agents[url.startsWith('https:') ? 'https:' : 'http:'],
      method,
      headers: {
        ...headers,
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
      // This comes first, because the rest of the packet may hold a final response.
      reject(new UnusableAnswer(reason));
      sent.destroy();
    };
    sent.on('information', () => {
      interimCount++;
      if (interimCount > INTERIM_ANSWERS_MAX) fail('INTERIM_ANSWERS');
    });
    // Node emits one event with the headers of an upgrade, another without them.
    sent.on('upgrade', () => fail('SWITCHED_PROTOCOLS'));
    sent.on('response', (answer) =>
      answer.statusCode === SWITCHING_PROTOCOLS ? fail('SWITCHED_PROTOCOLS') : resolve(answer),
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isUnseen = sent.reusedSocket && !isAnswered && CLOSED_CODES.has(error.code ?? '');
      reject(isUnseen ? new UnseenRequest(error.message, { cause: error }) : error);
    });
    sent.end(body);
  });
}
