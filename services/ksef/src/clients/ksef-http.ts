import { destroyAgents, trustedAgents } from '@invoicecontrol/egress/agents';
import { CallTimeout } from '@invoicecontrol/egress/bounded';
import { call } from '@invoicecontrol/egress/call';
import { joinHeaders, readRetryAfterMs } from '@invoicecontrol/egress/http-answer';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { ksefCalled } from '../telemetry.js';
import { parseJson } from '@invoicecontrol/values/json';
import type { KsefCredentials, KsefEnvironment } from '../application/ksef-calls.js';
import { classifyAnswer, foreignAnswer } from '../domain/classify-answer.js';
import type { Operation, Waits } from '../domain/classify-answer.js';
import { KsefRefusal, UNREADABLE_ANSWER } from '../domain/ksef-refusal.js';
import { safeText } from '../domain/ksef-text.js';

export interface KsefHttpSettings {
  /** Base address of each KSeF environment, without a trailing slash. */
  readonly urls: Readonly<Record<KsefEnvironment, string>>;
  /** Time limit of one call to KSeF in milliseconds, up to the last byte of its response. */
  readonly requestMs: number;
  readonly waits: Waits;
}

export interface KsefRequest {
  readonly environment: KsefEnvironment;
  /** Login of the KSeF connection that makes the call. Absent for a KSeF call without a login. */
  readonly authentication?: KsefCredentials['authentication'] | undefined;
  readonly operation: Operation;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path of the KSeF request below the base address. Values that come from outside the ksef service are escaped. */
  readonly path: string;
  readonly json?: unknown;
  /** XML body of the request, sent instead of `json`. */
  readonly xml?: string;
  readonly bearer?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Function that receives the `X-System-Warning` header of every KSeF response, including refusals. It never rejects.
   */
  readonly onWarning?: ((header: string) => Promise<void>) | undefined;
  /** Content type that a successful response of KSeF has. */
  readonly accept: 'json' | 'xml' | 'nothing';
}

/** Response of KSeF whose HTTP status means success. */
export interface KsefAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** Parsed body of a KSeF response. Undefined unless `accept` is `json`. */
  readonly json: unknown;
}

export interface KsefHttp {
  /**
   * Sends a request to KSeF once.
   * @throws KsefRefusal
   */
  send(request: KsefRequest): Promise<KsefAnswer>;
  close(): void;
}

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const CONNECT_MS_MAX = 10_000;
const CONNECTIONS_PER_ORIGIN = 64;
/** Error codes of calls to KSeF that were never sent because no connection could be made. */
const UNSENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Calls KSeF with limits on time and size. The operator configures the addresses. Redirects are not followed. */
export function ksefHttp({ urls, requestMs, waits }: KsefHttpSettings, logger: Logger): KsefHttp {
  const agents = trustedAgents({
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    connectMs: Math.min(CONNECT_MS_MAX, requestMs),
    peer: 'ksef',
  });
  const warnings = new Map<KsefEnvironment, string>();

  function logWarning(environment: KsefEnvironment, header: string | undefined): void {
    if (header === undefined || warnings.get(environment) === header) return;
    warnings.set(environment, header);
    logger.warn({ environment, warning: safeText(header) }, 'KSeF sent a system warning.');
  }

  async function sendOnce(request: KsefRequest): Promise<KsefAnswer> {
    const { environment, authentication, operation, method, path, json, xml, bearer, headers, accept, onWarning } =
      request;
    const outgoing = {
      method,
      url: `${urls[environment]}${path}`,
      headers: {
        accept: accept === 'xml' ? 'application/xml, application/json' : 'application/json',
        'x-error-format': 'problem-details',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        // KSeF refuses a request that has a content type but no body, with the status 415.
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(xml === undefined ? {} : { 'content-type': 'application/xml' }),
        ...headers,
      },
      body: json === undefined ? xml : JSON.stringify(json),
    };
    const answer = await call(agents, outgoing, { deadlineMs: requestMs, bytesMax: ANSWER_BYTES_MAX });
    const { status, body: bytes } = answer;
    const answerHeaders = joinHeaders(answer.headers);
    const warning = answerHeaders['x-system-warning'];
    logWarning(environment, warning);
    if (warning !== undefined) await onWarning?.(warning);
    if (bytes === undefined) {
      const message = `KSeF responded with more than ${ANSWER_BYTES_MAX} bytes.`;
      throw foreignAnswer(operation, message, { code: UNREADABLE_ANSWER, httpStatus: status });
    }
    const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(answerHeaders['content-type'] ?? '');
    const read = isJson ? parseJson(bytes.toString('utf8').replace(/^\uFEFF/, '')) : undefined;
    if (status < 200 || status > 299) {
      const refused = { operation, authentication, status, json: read, retryAfterMs: readRetryAfterMs(answerHeaders) };
      throw classifyAnswer(refused, waits);
    }
    const isXml = /^(?:application|text)\/xml\b/i.test(answerHeaders['content-type'] ?? '');
    if ((accept === 'json' && read === undefined) || (accept === 'xml' && (!isXml || bytes.length === 0))) {
      throw foreignSuccess(operation, status);
    }
    if (accept === 'nothing' && bytes.length > 0 && !isJson) throw foreignSuccess(operation, status);
    return { status, headers: answerHeaders, bytes, json: read };
  }

  return {
    async send(request) {
      const { operation, environment } = request;
      try {
        const answer = await sendOnce(request);
        ksefCalled(environment, operation, 'OK');
        return answer;
      } catch (error) {
        const refusal = error instanceof KsefRefusal ? error : unanswered(operation, error, requestMs);
        ksefCalled(environment, operation, refusal.kind);
        const { kind, code, incidentId } = refusal;
        if (kind === 'BLOCKED') {
          logger.error({ environment, operation, code, incidentId }, 'KSeF blocks calls from this installation.');
        } else if (!refusal.isAboutLimits) {
          logger.warn({ environment, operation, code, kind }, 'A KSeF call failed.');
        }
        throw refusal;
      }
    },
    close: () => destroyAgents(agents),
  };
}

/** Returns the refusal for a successful JSON response whose members differ from the members that KSeF documents. */
export function unexpectedAnswer(operation: Operation, httpStatus: number): KsefRefusal {
  const message = `The response of KSeF to call ${operation} does not have the expected fields.`;
  return foreignAnswer(operation, message, { code: UNREADABLE_ANSWER, httpStatus });
}

/**
 * Returns the refusal for a response with a success status but with content that KSeF never sends, such as the error
 * page of a proxy. Such a response counts as an outage.
 */
function foreignSuccess(operation: Operation, httpStatus: number): KsefRefusal {
  const message = `KSeF responded to call ${operation} with HTTP status ${httpStatus} and unreadable content.`;
  return foreignAnswer(operation, message, { code: `KSEF_HTTP_${httpStatus}`, httpStatus });
}

/** Returns the refusal for a KSeF call without a response. The message contains no address, because callers see it. */
function unanswered(operation: Operation, error: unknown, requestMs: number): KsefRefusal {
  if (error instanceof CallTimeout) {
    const message = `The response of KSeF was not complete within ${requestMs / 1_000} seconds.`;
    return foreignAnswer(operation, message, { code: 'KSEF_TIMEOUT' });
  }
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'string' && (UNSENT_CODES.has(code) || code.startsWith('ERR_TLS') || code.startsWith('CERT_'))) {
    return new KsefRefusal('TRANSIENT', 'KSeF is unavailable.', { code: 'KSEF_UNREACHABLE' });
  }
  return foreignAnswer(operation, 'KSeF is unavailable, or its response was interrupted.', {
    code: 'KSEF_UNREACHABLE',
  });
}
