import { DomainError, errorTable } from '@invoicecontrol/errors';
import type { EnvelopeCode, ErrorKind, FieldFault } from '@invoicecontrol/errors';
import { HttpRefusal } from './refusal.js';

/** What leaves the gateway when a request is refused (specification 2.17). */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: EnvelopeCode;
    readonly message: string;
    readonly request_id: string;
    /** Only with status 400: every wrong field, at most 50. */
    readonly details?: readonly FieldFault[];
  };
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorEnvelope;
}

export const INTERNAL_MESSAGE = 'Something went wrong on our side. The request can be repeated.';

/** Where the owner of a refusal states no time. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorKind, number>> = { in_progress: 1, unavailable: 2 };

/**
 * The answer to a failed request. An unexpected fault is 500 with a fixed sentence; its cause is only logged.
 */
export function answerTo(error: unknown, requestId: string): ErrorAnswer {
  if (error instanceof HttpRefusal) {
    return {
      status: error.status,
      headers: error.headers,
      body: { error: { code: error.code, message: error.message, request_id: requestId } },
    };
  }
  const refusal = error instanceof DomainError ? error : new DomainError('internal', INTERNAL_MESSAGE);
  const { code, http } = errorTable[refusal.kind];
  const hasDetails = http === 400 && refusal.details.length > 0;
  return {
    status: http,
    headers: headersOf(refusal),
    body: {
      error: {
        code,
        message: refusal.kind === 'internal' ? INTERNAL_MESSAGE : refusal.publicMessage,
        request_id: requestId,
        ...(hasDetails ? { details: refusal.details } : {}),
      },
    },
  };
}

function headersOf({ kind, retryAfterSeconds }: DomainError): Record<string, string> {
  const seconds = retryAfterSeconds ?? RETRY_AFTER_SECONDS[kind];
  return {
    ...(kind === 'unauthenticated' ? { 'WWW-Authenticate': 'Bearer realm="invoice-control"' } : {}),
    ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }),
  };
}
