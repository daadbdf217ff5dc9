import type { components } from './gen/openapi.js';

type ErrorEnvelope = components['schemas']['Error']['error'];

/** Programs branch on the code; the message is for people and may change. */
export type ErrorCode = ErrorEnvelope['code'];

/** One wrong field of a request: `{ path: 'supplier.name', message: 'Must not be empty or blank.' }`. */
export type FieldFault = NonNullable<ErrorEnvelope['details']>[number];

/** The API refused the request, or something between here and the API did. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Undefined when the response does not come from the API: a proxy's page, a wrong address. */
  readonly code: ErrorCode | undefined;
  /** Names the request in the logs of the API: quote it to support. */
  readonly requestId: string | undefined;
  /** Every wrong field, for status 400. Otherwise empty. */
  readonly details: readonly FieldFault[];
  /** Time after which a retry makes sense, if the response states it. */
  readonly retryAfterSeconds: number | undefined;
  /** Number of times that the request was sent. */
  attempts = 1;
  /** Time from the first attempt to the last response, pauses included. */
  elapsedMs = 0;

  /** @param fault what is wrong with a response that is not a refusal, to follow "The service returned status 200" */
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

/** There is no response: the address cannot be reached, the connection broke, or the time was up. `cause` is the error of `fetch`. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** Number of times that the request was sent. */
  attempts = 1;
  /** Time from the first attempt to the end of the last, pauses included. */
  elapsedMs = 0;
}

/** Describes a refusal without the envelope that every refusal of the API has. */
function faultOf(headers: Headers): string {
  const type = headers.get('content-type')?.split(';')[0]?.trim() ?? '';
  return type === '' || type === 'application/json' ? 'without an explanation' : `with ${type} in place of JSON`;
}

function adviceOn(status: number): string {
  return status >= 500 ? 'A proxy may have responded in place of the API.' : 'Does baseUrl lead to the API?';
}

function envelopeOf(body: unknown): ErrorEnvelope | undefined {
  const error = (body as { error?: Partial<ErrorEnvelope> | null } | null | undefined)?.error;
  return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as ErrorEnvelope) : undefined;
}

/** Returns the details that can be read: `path` and `message` are strings, even in the response of another server. */
function faultsOf(details: unknown): FieldFault[] {
  if (!Array.isArray(details)) return [];
  return (details as (Partial<FieldFault> | null)[]).filter(
    (fault): fault is FieldFault => typeof fault?.path === 'string' && typeof fault.message === 'string',
  );
}

/** Seconds, or a date as proxies send it. */
function retryAfterSeconds(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0);
}
