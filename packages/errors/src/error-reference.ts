import type { EnvelopeCode, ErrorKind } from './errors.js';

/** The way in which a refused request can succeed: by sending it again unchanged, or only after a change. */
export type Retry = 'no' | 'after a change' | 'yes' | 'yes, with care' | 'after Retry-After' | 'next month';

/** The explanation of a refusal for integrators, from which docs/errors.md is generated. */
export interface ErrorExplanation {
  readonly title: string;
  readonly when: string;
  readonly whatToDo: string;
  readonly retry: Retry;
}

/** Explanations of all kinds of errors with which the product refuses a request. */
export const errorExplanations: Readonly<Record<ErrorKind, ErrorExplanation>> = {
  invalid: {
    title: 'a wrong field',
    when: 'A field, a query parameter or a header has a wrong type or value, or the body has an unknown field.',
    whatToDo: 'Correct every field in `details`. Each entry has the path of the field and a sentence.',
    retry: 'after a change',
  },
  unauthenticated: {
    title: 'no valid key',
    when: 'The API key is missing, malformed, expired or revoked.',
    whatToDo: 'Send `Authorization: Bearer ick_live_...` with a valid key. An owner or admin creates keys.',
    retry: 'after a change',
  },
  forbidden: {
    title: 'a missing role or scope',
    when: 'The API key is valid, but lacks the role or the scope that the operation requires.',
    whatToDo: 'Use a key with the role and scope that the operation states.',
    retry: 'after a change',
  },
  subscription_required: {
    title: 'a missing plan',
    when: 'The operation or the value needs a plan that the organization does not have.',
    whatToDo: 'Start or change the subscription with `POST /v1/billing/checkout`, or use another value.',
    retry: 'after a change',
  },
  not_found: {
    title: 'no such resource',
    when: 'The organization has no such resource. Malformed ids, unknown ids and ids of other organizations get the same response.',
    whatToDo: 'Check the id, and that the key belongs to the organization that owns the resource.',
    retry: 'no',
  },
  already_exists: {
    title: 'a value in use',
    when: 'A value that must be unique is already in use.',
    whatToDo: 'Send another value, or change the resource that has it.',
    retry: 'after a change',
  },
  idempotency_mismatch: {
    title: 'another body with the same key',
    when: 'The Idempotency-Key was used with another body.',
    whatToDo: 'Send the first body again, or use a new key for the new request.',
    retry: 'after a change',
  },
  wrong_state: {
    title: 'the wrong state',
    when: 'The state of the resource does not allow the operation.',
    whatToDo: 'Do first what the message says. Do nothing if the resource is already in the state that you want.',
    retry: 'after a change',
  },
  concurrent_change: {
    title: 'a change at the same time',
    when: 'Another request changed the resource at the same time.',
    whatToDo: 'Read the resource again, and repeat the request if it is still wanted.',
    retry: 'yes',
  },
  in_progress: {
    title: 'the first request still runs',
    when: 'The first request with this Idempotency-Key is still running.',
    whatToDo: 'Wait as `Retry-After` says and send the same request again. The response is that of the first request.',
    retry: 'after Retry-After',
  },
  too_large: {
    title: 'too much data',
    when: 'The body or the file is larger than the operation allows.',
    whatToDo: 'Send less in one request. The message names the limit.',
    retry: 'after a change',
  },
  unsupported_media_type: {
    title: 'a wrong media type',
    when: 'The body is not uncompressed JSON in UTF-8, or the file is not of the reserved type.',
    whatToDo: 'Send `Content-Type: application/json`, or reserve the upload with the type of the file.',
    retry: 'after a change',
  },
  range_unsatisfiable: {
    title: 'a range outside the document',
    when: 'The requested range lies outside the document.',
    whatToDo: 'Request a range within the size that `Content-Range` states.',
    retry: 'after a change',
  },
  rate_limited: {
    title: 'too many requests',
    when: 'The key, the organization or the address sent too many requests.',
    whatToDo: 'Wait as `Retry-After` says. `RateLimit` shows how much is left, so that a program can slow down before.',
    retry: 'after Retry-After',
  },
  usage_exceeded: {
    title: 'the quota is used up',
    when: 'The quota of the plan is used up for this month.',
    whatToDo: 'Change the plan, or wait for the next month. A retry before then does not help.',
    retry: 'next month',
  },
  unprocessable: {
    title: 'a document that cannot be processed',
    when: 'The request is correct, and the document in it cannot be processed.',
    whatToDo: 'Change the document as the message says, for example remove its password.',
    retry: 'after a change',
  },
  foreign_failure: {
    title: 'another system does not respond',
    when: 'A system outside the product, such as the payment provider, does not respond.',
    whatToDo: 'Repeat the request in a few minutes.',
    retry: 'yes',
  },
  unavailable: {
    title: 'part of the service is unavailable',
    when: 'A part of the service is unavailable or overloaded.',
    whatToDo:
      'Wait as `Retry-After` says. The message states whether the request may have taken effect; with an Idempotency-Key it takes effect only once.',
    retry: 'after Retry-After',
  },
  deadline: {
    title: 'no response in time',
    when: 'The service did not respond in time. The request may have taken effect.',
    whatToDo:
      'Repeat a read, or a request with an Idempotency-Key. Otherwise check first whether the request took effect.',
    retry: 'yes, with care',
  },
  internal: {
    title: 'a fault of the product',
    when: 'The service failed to process the request, which is a fault of the product.',
    whatToDo:
      'Repeat a read, or a request with an Idempotency-Key. If the fault persists, report the `request_id` of the response.',
    retry: 'yes, with care',
  },
};

/** Refusals by the HTTP server, which have no error kind, by HTTP status. */
export const transportExplanations: Readonly<Record<number, ErrorExplanation & { readonly code: EnvelopeCode }>> = {
  405: {
    title: 'a wrong method',
    code: 'INVALID_REQUEST',
    when: 'The path exists, but does not support the HTTP method.',
    whatToDo: 'Use a method that the header `Allow` lists.',
    retry: 'after a change',
  },
  408: {
    title: 'a slow request',
    code: 'INVALID_REQUEST',
    when: 'The headers or the body arrived too slowly.',
    whatToDo: 'Repeat the request over a faster connection, or with a smaller body.',
    retry: 'yes',
  },
  412: {
    title: 'a condition that does not hold',
    code: 'INVALID_REQUEST',
    when: 'The document does not match the condition in `If-Match` or `If-Unmodified-Since`.',
    whatToDo: 'Read the document again and use its new `ETag`.',
    retry: 'after a change',
  },
  414: {
    title: 'a long URL',
    code: 'INVALID_REQUEST',
    when: 'The URL is too long.',
    whatToDo: 'Send a shorter URL.',
    retry: 'after a change',
  },
  431: {
    title: 'long headers',
    code: 'INVALID_REQUEST',
    when: 'One header is longer than 4 KiB, or all headers together are longer than 16 KiB.',
    whatToDo: 'Send fewer or shorter headers.',
    retry: 'after a change',
  },
};
