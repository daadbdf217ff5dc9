/** Every response header that is published beyond those of HTTP itself, with its meaning and an example. */
export const publishedHeaders = {
  'X-Request-Id': {
    description: 'The id of this request. An id that the caller sends in this header is kept.',
    example: '0198a3f0-6d2e-7a41-8c5b-2f9d1e7b4a60',
  },
  RateLimit: {
    description: 'What is left of each limit (`r`) and when it is full again, in seconds (`t`).',
    example: '"default";r=2999;t=60, "organization";r=9999;t=60',
  },
  'RateLimit-Policy': {
    description: 'Every limit that the request counts towards: requests (`q`) in so many seconds (`w`).',
    example: '"default";q=3000;w=60, "organization";q=10000;w=60',
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', example: '12' },
  'WWW-Authenticate': {
    description: 'The scheme in which the API key is sent.',
    example: 'Bearer realm="invoice-control"',
  },
  ETag: {
    description: 'Changes whenever anything in the answer changes. Send it as If-None-Match.',
    example: '"a1-b2"',
  },
  'Accept-Ranges': { description: 'Parts of the document may be asked for with Range.', example: 'bytes' },
  'Content-Disposition': {
    description: 'Shown in place, under this file name when it is saved.',
    example: 'inline; filename=RE-2026-0147.pdf',
  },
  'Content-Range': { description: 'Which bytes of how many.', example: 'bytes 0-1023/48213' },
  Location: {
    description: 'The path of the new resource.',
    example: '/v1/companies/01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d12',
  },
  'Preference-Applied': {
    description: '`respond-async`: the analysis was queued, as the request preferred.',
    example: 'respond-async',
  },
  'Idempotency-Replayed': {
    description: '`true` when this is the answer to an earlier request with the same key.',
    example: 'true',
  },
} as const;

export type HeaderName = keyof typeof publishedHeaders;
