import { errorTable } from '@invoicecontrol/errors';
import type { ErrorKind } from '@invoicecontrol/errors';
import type { HeaderName } from './published-headers.js';

/** One way to be refused, as the description shows it. */
interface RefusalExample {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

interface PublishedRefusal {
  /** Of the shared response in the description. */
  readonly name: string;
  readonly description: string;
  readonly headers?: readonly HeaderName[];
  readonly examples: Readonly<Record<string, RefusalExample>>;
}

const faults = [
  { path: 'gross_amount', message: 'Required.' },
  { path: 'currency', message: 'Must be a three-letter ISO 4217 code such as EUR.' },
];

/** By status: what every refusal of it shares, whichever route it comes from. */
export const publishedRefusals: Readonly<Record<number, PublishedRefusal>> = {
  400: {
    name: 'InvalidRequest',
    description: 'INVALID_REQUEST: a field has a wrong shape or value. `details` lists every one.',
    examples: {
      invalid: { kind: 'invalid', message: 'gross_amount: Required. (1 of 2 faults)', details: faults },
    },
  },
  401: {
    name: 'Unauthorized',
    description: 'UNAUTHORIZED: the API key is missing, malformed, expired or revoked.',
    headers: ['WWW-Authenticate'],
    examples: {
      unauthenticated: {
        kind: 'unauthenticated',
        message: 'Missing or invalid API key. Send `Authorization: Bearer <API key>`.',
      },
    },
  },
  403: {
    name: 'Forbidden',
    description: 'FORBIDDEN: the API key lacks the role or scope, or the plan lacks the feature.',
    examples: {
      forbidden: { kind: 'forbidden', message: 'This needs an API key with the scope invoices:write.' },
      subscriptionRequired: {
        kind: 'subscription_required',
        message: 'The mode ALL needs an active subscription.',
      },
    },
  },
  404: {
    name: 'NotFound',
    description:
      'NOT_FOUND: the organization has no such resource. Malformed, foreign and unknown ids are answered alike.',
    examples: { notFound: { kind: 'not_found', message: 'No such invoice.' } },
  },
  409: {
    name: 'Conflict',
    description: 'CONFLICT: the state of the resource, a value that is taken, or the Idempotency-Key.',
    headers: ['Retry-After'],
    examples: {
      alreadyExists: { kind: 'already_exists', message: 'Another company of the organization has this tax_id.' },
      idempotencyMismatch: {
        kind: 'idempotency_mismatch',
        message: 'This Idempotency-Key was used with another invoice. Send the same body again, or choose a new key.',
      },
      inProgress: { kind: 'in_progress', message: 'The first request with this Idempotency-Key is still running.' },
      wrongState: {
        kind: 'wrong_state',
        message: 'The default company cannot be removed. Make another one the default first.',
      },
    },
  },
  413: {
    name: 'ContentTooLarge',
    description: 'INVALID_REQUEST: the body is longer than allowed: 256 KiB, 10 MiB for a scan.',
    examples: { invalid: { kind: 'invalid', message: 'The body is larger than 256 KiB. Send less in one request.' } },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'INVALID_REQUEST: the body is not uncompressed JSON in UTF-8.',
    examples: { invalid: { kind: 'invalid', message: 'Send the body as JSON with Content-Type: application/json.' } },
  },
  429: {
    name: 'TooManyRequests',
    description:
      'RATE_LIMITED: too many requests a minute; wait for Retry-After. USAGE_LIMIT_EXCEEDED: the quota of the plan is used up.',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
    examples: {
      rateLimited: {
        kind: 'rate_limited',
        message: 'More than 3000 requests per minute (default). Try again in 12 s.',
      },
      usageExceeded: {
        kind: 'usage_exceeded',
        message:
          'The plan allows 25 analyses in 2026-03, of which none is left. Change the plan, or wait for the next month, which begins on 2026-04-01 at 00:00 UTC.',
      },
    },
  },
  500: {
    name: 'InternalError',
    description: 'PROCESSING_FAILED: a fault of ours. The request can be repeated.',
    examples: {
      internal: { kind: 'internal', message: 'Something went wrong on our side. The request can be repeated.' },
    },
  },
  503: {
    name: 'Unavailable',
    description: 'PROCESSING_FAILED: a part of the service is unavailable or overloaded. Retry after Retry-After.',
    headers: ['Retry-After'],
    examples: {
      unavailable: {
        kind: 'unavailable',
        message: 'A part of the service cannot be reached right now. Repeat the request in a moment.',
      },
    },
  },
  504: {
    name: 'Timeout',
    description: 'PROCESSING_FAILED: no answer in time. What was begun goes on; repeat with the same Idempotency-Key.',
    examples: {
      deadline: {
        kind: 'deadline',
        message:
          'The service did not answer in time. The request may still complete; repeating it is safe with the same key.',
      },
    },
  },
};

/** The envelope of an example, as a caller would get it. */
export function envelopeOf({ kind, message, details }: RefusalExample): unknown {
  const { code } = errorTable[kind];
  const request_id = '0198a3f0-6d2e-7a41-8c5b-2f9d1e7b4a60';
  return { error: { code, message, request_id, ...(details === undefined ? {} : { details }) } };
}
