import { DomainError, errorTable, plainSentences } from '@invoicecontrol/errors';
import type { EnvelopeCode, ErrorKind, FieldFault } from '@invoicecontrol/errors';
import { REPEAT } from './advice.js';
import { HttpRefusal } from './refusal.js';

/** Body of the response to a refused request (specification 2.17). */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: EnvelopeCode;
    readonly message: string;
    readonly request_id: string;
    /** All invalid fields of the request, at most 50. Present only in a refusal with status 400. */
    readonly details?: readonly FieldFault[];
  };
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorEnvelope;
}

/** Value of the header `Retry-After` in seconds for refusals that state no time. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorKind, number>> = { in_progress: 1, unavailable: 2 };

/**
 * Returns the response to a failed HTTP request. An unexpected error becomes 500 with a fixed message, and its cause is
 * only logged.
 * @param advice advice to the caller if only the kind of failure is known; by default, the advice for requests that
 * changed nothing
 */
export function answerTo(error: unknown, requestId: string, advice = REPEAT): ErrorAnswer {
  if (error instanceof HttpRefusal) {
    return {
      status: error.status,
      headers: error.headers,
      body: { error: { code: error.code, message: error.message, request_id: requestId } },
    };
  }
  const refusal = error instanceof DomainError ? error : new DomainError('internal', plainSentences.internal);
  const { code, http } = errorTable[refusal.kind];
  const hasDetails = http === 400 && refusal.details.length > 0;
  return {
    status: http,
    headers: headersOf(refusal),
    body: {
      error: {
        code,
        message: sentenceOf(refusal, advice),
        request_id: requestId,
        ...(hasDetails ? { details: refusal.details } : {}),
      },
    },
  };
}

/**
 * Returns the message of a refusal for the caller. Advice is appended only to the general message of an error kind,
 * because a more specific message of a service already contains advice.
 */
function sentenceOf({ kind, publicMessage }: DomainError, advice: string): string {
  const plain = new Map<ErrorKind, string>(Object.entries(plainSentences) as [ErrorKind, string][]).get(kind);
  const isPlain = kind === 'internal' || publicMessage === plain;
  return isPlain ? `${plain} ${advice}` : publicMessage;
}

function headersOf({ kind, retryAfterSeconds, isReplayed }: DomainError): Record<string, string> {
  const seconds = retryAfterSeconds ?? RETRY_AFTER_SECONDS[kind];
  return {
    ...(kind === 'unauthenticated' ? { 'WWW-Authenticate': 'Bearer realm="invoice-control"' } : {}),
    ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }),
    ...(isReplayed ? { 'Idempotency-Replayed': 'true' } : {}),
  };
}
