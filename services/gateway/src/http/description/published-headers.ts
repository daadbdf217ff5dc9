/** Published response headers other than those that HTTP requires, with a description and an example. */
export const publishedHeaders = {
  'X-Request-Id': {
    description: 'The id of the API request. An id that the caller sends in this header is kept.',
    example: '0198a3f0-6d2e-7a41-8c5b-2f9d1e7b4a60',
  },
  RateLimit: {
    description: 'The remaining requests of each rate limit (`r`) and the seconds until the limit is reset (`t`).',
    example: '"default";r=2999;t=60, "organization";r=9999;t=60',
  },
  'RateLimit-Policy': {
    description:
      'The rate limits that apply to the request: the maximum number of requests (`q`) per window in seconds (`w`).',
    example: '"default";q=3000;w=60, "organization";q=10000;w=60',
  },
  'Retry-After': { description: 'The number of seconds to wait before the request is sent again.', example: '12' },
  'WWW-Authenticate': {
    description: 'The authentication scheme in which the API key is sent.',
    example: 'Bearer realm="invoice-control"',
  },
  ETag: {
    description:
      'The version of the response, to send as If-None-Match. The ETag changes whenever anything in the response changes.',
    example: '"a1-b2"',
  },
  'Accept-Ranges': {
    description: 'The unit in which parts of the document can be requested with Range.',
    example: 'bytes',
  },
  'Content-Disposition': {
    description:
      'Whether a browser shows the file (inline) or saves it (attachment), and the file name under which it is saved.',
    example: 'inline; filename=RE-2026-0147.pdf',
  },
  'Content-Range': {
    description: 'The range of bytes in the response and the size of the whole document.',
    example: 'bytes 0-1023/48213',
  },
  Link: {
    description:
      'The address of the next page of a list in CSV (`rel="next"`). Absent on the last page and from JSON responses.',
    example: '</v1/invoices?limit=100&cursor=c2VjcmV0>; rel="next"',
  },
  Location: {
    description: 'The path of the new resource.',
    example: '/v1/companies/01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d12',
  },
  'Set-Cookie': {
    description: 'The cookie of the session, which the browser sends back and scripts cannot read.',
    example: '__Host-ic_session=ics_...; Path=/; Secure; HttpOnly; SameSite=Strict',
  },
  'Preference-Applied': {
    description:
      'The preference of the request (`Prefer` header) that was applied: `respond-async` means that the analysis was queued, as the request preferred.',
    example: 'respond-async',
  },
  'Idempotency-Replayed': {
    description:
      'Whether the response repeats the response to an earlier request with the same Idempotency-Key. Present only with the value `true`.',
    example: 'true',
  },
} as const;

export type HeaderName = keyof typeof publishedHeaders;
