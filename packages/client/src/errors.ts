import type { components } from './gen/openapi.js';

type ErrorEnvelope = components['schemas']['Error']['error'];

/** Code of an API error. Programs should branch on the code, because the message is for people and may change. */
export type ErrorCode = ErrorEnvelope['code'];

/** One wrong field of a request: `{ path: 'supplier.name', message: 'Must not be empty or blank.' }`. */
export type FieldFault = NonNullable<ErrorEnvelope['details']>[number];

/** Error of a request that the API, or a system between the client and the API, has refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /**
   * Error code of the API. Undefined if the response does not come from the API, but from a proxy or a wrong address.
   */
  readonly code: ErrorCode | undefined;
  /** Id of the request in the logs of the API. Quote it to support. */
  readonly requestId: string | undefined;
  /** Invalid fields of the API request if the status is 400. For every other status the list is empty. */
  readonly details: readonly FieldFault[];
  /** Time after which the refused API request can be retried, if the response states it. */
  readonly retryAfterSeconds: number | undefined;
  /** Number of times that the API client sent the request before it threw this error. */
  attempts = 1;
  /** Time from the start of the first attempt of an API call to the last response, including pauses. */
  elapsedMs = 0;

  /**
   * Creates the error for a response of the API.
   * @param fault the fault in the body of a successful response, as the end of a sentence that begins with "The service
   * returned status 200"
   */
  constructor(status: number, headers: Headers, body: unknown, fault = faultOf(headers)) {
    const envelope = envelopeOf(body);
    super(envelope?.message ?? `The service returned status ${status} ${fault}. ${adviceOn(status)}`);
    this.status = status;
    this.code = envelope?.code;
    this.requestId = typeof envelope?.request_id === 'string' ? envelope.request_id : undefined;
    this.details = faultsOf(envelope?.details);
    this.retryAfterSeconds = retryAfterSeconds(headers.get('retry-after'));
  }
}

/**
 * The API request got no response: the address cannot be reached, the connection was lost, or the timeout expired.
 * `cause` is the error of `fetch`.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** Number of times that the API client tried to send the request before it threw this error. */
  attempts = 1;
  /**
   * Milliseconds from the start of the first attempt to the end of the last attempt of the API call, including pauses.
   */
  elapsedMs = 0;
}

/** Describes an error response that does not have the error format of the API. */
function faultOf(headers: Headers): string {
  const type = headers.get('content-type')?.split(';')[0]?.trim() ?? '';
  return type === '' || type === 'application/json' ? 'without an explanation' : `with ${type} in place of JSON`;
}

function adviceOn(status: number): string {
  return status >= 500
    ? 'A proxy may have responded in place of the API.'
    : 'Check that baseUrl is the address of the API.';
}

function envelopeOf(body: unknown): ErrorEnvelope | undefined {
  const error = (body as { error?: Partial<ErrorEnvelope> | null } | null | undefined)?.error;
  return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as ErrorEnvelope) : undefined;
}

/**
 * Returns the details of an API error that have a `path` and a `message`. Other details are dropped, because another
 * server may have sent the response.
 */
function faultsOf(details: unknown): FieldFault[] {
  if (!Array.isArray(details)) return [];
  return (details as (Partial<FieldFault> | null)[]).filter(
    (fault): fault is FieldFault => typeof fault?.path === 'string' && typeof fault.message === 'string',
  );
}

/** Reads the response header `Retry-After` as seconds or as a date, which some proxies send. */
function retryAfterSeconds(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0);
}
