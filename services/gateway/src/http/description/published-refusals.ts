import { DomainError, FIELD_FAULTS_MAX, FieldFaults, notFound, plainSentences } from '@invoicecontrol/errors';
import { firstInProgress, requireSameRequest } from '@invoicecontrol/runtime/idempotency-key';
import { requireRight } from '../access/rights.js';
import { adviceFor } from '../response/advice.js';
import { refused } from '../access/authenticate.js';
import { answerTo } from '../response/envelope.js';
import { EXAMPLE_REQUEST_ID } from './examples.js';
import type { HeaderName } from './published-headers.js';
import { rateLimited } from '../limits/rate-limit-fields.js';
import { HttpRefusal } from '../response/refusal.js';
import { preconditionFailed, rangeNotSatisfiable } from '../response/byte-ranges.js';

interface PublishedRefusal {
  /** Name of the shared error response in the API description. */
  readonly name: string;
  readonly description: string;
  readonly headers?: readonly HeaderName[];
  /**
   * Examples of refusals in the API description, by name. The code that refuses requests creates these examples.
   * Messages from other services are copied, and a test compares the copies with the originals.
   */
  readonly examples: Readonly<Record<string, Error>>;
}

const KEY_WITHOUT_SCOPES = { role: 'VIEWER', scopes: [], hasActiveSubscription: true, isTest: false };

const WHETHER_IT_TOOK_EFFECT =
  'The message states whether the request may have taken effect and how to repeat it safely.';

const AFTER_A_KEYED_POST = adviceFor({ method: 'post', honoursIdempotencyKey: true }, 'key');

/** Published refusals by HTTP status, with the description that is the same on every route. */
export const publishedRefusals: Readonly<Record<number, PublishedRefusal>> = {
  400: {
    name: 'InvalidRequest',
    description: `A field has a wrong type or value (INVALID_REQUEST). \`details\` lists every invalid field, at most ${FIELD_FAULTS_MAX}.`,
    examples: { invalid: twoFaults().refusal() },
  },
  401: {
    name: 'Unauthorized',
    description: 'The API key is missing, malformed, expired or revoked (UNAUTHORIZED).',
    headers: ['WWW-Authenticate'],
    examples: { unauthenticated: refused() },
  },
  403: {
    name: 'Forbidden',
    description:
      'The API key lacks the role or scope that the request requires, or the plan of the organization does not include the feature (FORBIDDEN).',
    examples: {
      forbidden: thrownBy(() => requireRight(KEY_WITHOUT_SCOPES, { scope: 'invoices:write' })),
      subscriptionRequired: new DomainError(
        'subscription_required',
        'The reference validation mode ALL requires an active subscription. Choose another mode, or start a subscription with POST /v1/billing/checkout.',
      ),
    },
  },
  404: {
    name: 'NotFound',
    description:
      'The organization has no such resource (NOT_FOUND). The response is the same for malformed ids, unknown ids and ids of other organizations.',
    examples: { notFound: notFound('invoice') },
  },
  409: {
    name: 'Conflict',
    description:
      'The request conflicts with the state of the resource, with a value that is already in use, or with an earlier request that has the same Idempotency-Key (CONFLICT).',
    headers: ['Retry-After'],
    examples: {
      alreadyExists: new DomainError(
        'already_exists',
        'Another company of the organization already has this tax_id. Send a different tax_id, or change the other company first.',
      ),
      idempotencyMismatch: thrownBy(() => requireSameRequest('this', 'another', 'invoice')),
      inProgress: firstInProgress(),
      wrongState: new DomainError(
        'wrong_state',
        'The default company of the organization cannot be removed. Make another company the default first.',
      ),
    },
  },
  412: {
    name: 'PreconditionFailed',
    description:
      'The document does not match the condition in the header If-Match or If-Unmodified-Since (INVALID_REQUEST).',
    examples: { invalid: preconditionFailed() },
  },
  413: {
    name: 'ContentTooLarge',
    description:
      'The body is larger than allowed (256 KiB, 10 MiB for a scan, the reserved size for an upload) or has more values than allowed (10,000, or 100,000 for a scan) (INVALID_REQUEST).',
    examples: { invalid: new HttpRefusal(413, 'The body is larger than 256 KiB. Send less in one request.') },
  },
  415: {
    name: 'UnsupportedMediaType',
    description:
      'The body is not uncompressed JSON in UTF-8, or the file is not of the reserved type (INVALID_REQUEST).',
    examples: { invalid: new HttpRefusal(415, 'Send the body as JSON with Content-Type: application/json.') },
  },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The requested range lies outside the document (INVALID_REQUEST).',
    headers: ['Content-Range'],
    examples: { invalid: rangeNotSatisfiable(48_213) },
  },
  422: {
    name: 'Unprocessable',
    description:
      'The document cannot be processed, although the request is correct (PROCESSING_FAILED). The message states what must be changed in the document.',
    headers: ['Idempotency-Replayed'],
    examples: {
      unprocessable: new DomainError(
        'unprocessable',
        'The PDF is protected by a password. Send the PDF without a password.',
      ),
    },
  },
  429: {
    name: 'TooManyRequests',
    description:
      'The caller sent too many requests per minute (RATE_LIMITED) and must wait as Retry-After states, or the quota of the plan is used up (USAGE_LIMIT_EXCEEDED).',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
    examples: {
      rateLimited: rateLimited({ policy: 'default', limitPerMinute: 3_000, remaining: 0, resetMs: 12_000 }, () => 0),
      usageExceeded: new DomainError(
        'usage_exceeded',
        'The plan allows 25 analyses in 2026-03, of which none is left. Change the plan, or wait for the next month, which begins on 2026-04-01 at 00:00 UTC.',
      ),
    },
  },
  500: {
    name: 'InternalError',
    description: `The service failed to process the request (PROCESSING_FAILED). ${WHETHER_IT_TOOK_EFFECT}`,
    examples: {
      internal: new DomainError('internal', plainSentences.internal),
    },
  },
  502: {
    name: 'ForeignFailure',
    description: 'An external system, such as the payment provider, does not respond (PROCESSING_FAILED).',
    examples: {
      foreignFailure: new DomainError(
        'foreign_failure',
        'The payment provider does not respond right now. Nothing has changed; retry the request in a moment.',
      ),
    },
  },
  503: {
    name: 'Unavailable',
    description: `A part of the service is unavailable or overloaded (PROCESSING_FAILED). ${WHETHER_IT_TOOK_EFFECT}`,
    headers: ['Retry-After'],
    examples: {
      unavailable: new DomainError('unavailable', plainSentences.unavailable),
    },
  },
  504: {
    name: 'Timeout',
    description: `The service did not respond in time (PROCESSING_FAILED). ${WHETHER_IT_TOOK_EFFECT}`,
    examples: { deadline: new DomainError('deadline', `${plainSentences.deadline} ${AFTER_A_KEYED_POST}`) },
  },
};

/** Returns the example of a refusal in the API description in the form in which a caller receives it. */
export function envelopeOf(refusal: Error): unknown {
  return answerTo(refusal, EXAMPLE_REQUEST_ID).body;
}

function twoFaults(): FieldFaults {
  const faults = new FieldFaults();
  faults.add('gross_amount', 'Required.');
  faults.add('currency', 'Must be a three-letter ISO 4217 code such as EUR.');
  return faults;
}

function thrownBy(check: () => void): DomainError {
  try {
    check();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new TypeError(
    'The published example of a refused request is valid according to the schema of the request body. Change the example.',
  );
}
