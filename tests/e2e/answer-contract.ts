// Checks the rules that every response of the gateway must follow. Every test in this directory receives its responses
// through this module.
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A response of the API as it was received, before any check. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface SentRequest {
  readonly method: string;
  /** Path of the request from the root, without the query, such as `/v1/invoices`. */
  readonly path: string;
  /** Value of the header X-Request-Id of the API request, if the request had this header. */
  readonly requestId?: string | undefined;
}

/** Throws an AssertionError that names the fault of a response of the API. */
export type AnswerCheck = (request: SentRequest, answer: ReceivedAnswer) => void;

/** The parts of a JSON schema that the checks of API responses use. */
interface Schema {
  $ref?: string;
  allOf?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: unknown;
  required?: string[];
}

type Content = { readonly 'application/json'?: { readonly schema: Schema } } & Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  /**
   * Security schemes of the operation. Empty when no API key is needed. If it contains an empty scheme, the API key is
   * optional.
   */
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { content?: Content }>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/** Headers that responses with documents must have, because the content of documents comes from unknown senders. */
const documentHeaders = { 'content-security-policy': "sandbox; default-src 'none'" };

/** Content security policy of a page with a table, which has one style and neither a script nor a form. */
const TABLE_POLICY =
  /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; frame-ancestors 'none'; base-uri 'none'; form-action 'none'$/;

/**
 * Content security policy of the page on which a user confirms a consent. Its form and the redirect after it may lead
 * only to this product and to the application.
 */
const PAGE_POLICY =
  /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self' https?:\/\/[^;]+; frame-ancestors 'none'; base-uri 'none'$/;

/** The only cookie of the product, which is set at a sign-in and removed at a sign-out. */
const SESSION_COOKIE =
  /^__Host-ic_session=(?:ics_[0-9A-Za-z]{43})?; Path=\/; Secure; HttpOnly; SameSite=Strict(?:; Max-Age=0)?$/;

/** Lists the statuses that may accompany each error code (specification 7 with section 1 of the HTTP reference). */
const statusesOfCode: Readonly<Record<string, readonly number[]>> = {
  INVALID_REQUEST: [400, 405, 408, 412, 413, 414, 415, 416, 431],
  UNAUTHORIZED: [401],
  FORBIDDEN: [403],
  NOT_FOUND: [404],
  CONFLICT: [409],
  RATE_LIMITED: [429],
  USAGE_LIMIT_EXCEEDED: [429],
  PROCESSING_FAILED: [422, 500, 502, 503, 504],
};

/** Statuses of errors of the HTTP server, which every operation may return although none documents them. */
const transportStatuses: ReadonlySet<number> = new Set([405, 408, 414, 431]);

/** Matches API keys, recovery and invitation tokens, and webhook secrets. */
const SECRET = /\b(?:ick_(?:live|test)|rec|inv|whsec)_[0-9A-Za-z_-]{8,}/;

/** The only places where a response of the API may contain a secret, by operation. */
const shownOnce: Readonly<Record<string, string>> = {
  createApiKey: 'key',
  deleteOrganization: 'recoveryToken',
  restoreOrganization: 'ownerKey',
  createWebhook: 'secret',
  rotateWebhookSecret: 'secret',
};

/** Returns a function that checks responses against the API description that the gateway publishes. */
export function answerCheck(openApiText: string): AnswerCheck {
  const openApi = JSON.parse(openApiText) as OpenApi;
  const validate = strictValidators(openApi);
  const operations = Object.entries(openApi.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
  );

  const operationOf = ({ method, path }: SentRequest): Operation | undefined => {
    const sought = method === 'HEAD' ? 'GET' : method;
    return operations.find(({ method: own, template }) => own === sought && matches(template, path))?.operation;
  };

  return (request, answer) => {
    const operation = operationOf(request);
    const what = `${request.method} ${request.path} answered ${answer.status} ${answer.text.slice(0, 2_000)}\n`;
    checkHeaders(request, answer, what);
    const body = isFile(answer, operation) ? undefined : parse(answer, what);
    refuseSecrets(answer, body, operation, what);
    if (answer.status >= 400) {
      if (request.method !== 'HEAD') checkEnvelope(answer, body, validate('Error'), what);
      const isPublished = operation?.responses[answer.status] !== undefined;
      if (operation !== undefined && !transportStatuses.has(answer.status)) {
        assert.ok(isPublished, `${what}The status is not published for ${operation.operationId}.`);
      }
      return;
    }
    if (!request.path.startsWith('/v1/')) return;
    assert.ok(operation, `${what}No such operation is published.`);
    const published = operation.responses[answer.status];
    assert.ok(published, `${what}The status is not published for ${operation.operationId}.`);
    // Every route with an API key reports the rate limits of its caller. Routes without a key limit requests by
    // address.
    const isKeyOptional = operation.security?.some((scheme) => Object.keys(scheme).length === 0) === true;
    const hasKey = isKeyOptional ? answer.headers.has('ratelimit') : operation.security?.length !== 0;
    assert.equal(answer.headers.has('ratelimit'), hasKey, `${what}RateLimit`);
    assert.equal(answer.headers.has('ratelimit-policy'), hasKey, `${what}RateLimit-Policy`);
    // The session of a sign-in is in a cookie and has no URL, so the response that creates it has no header Location.
    if (answer.status === 201 && operation.operationId !== 'createSession')
      assert.match(answer.headers.get('location') ?? '', /^\/v1\//, what);
    const schema = published.content?.['application/json']?.schema;
    // Files in responses of the API are not checked: their body is an uploaded file, or a list in another form that the
    // caller requested.
    if ((schema === undefined && published.content !== undefined) || isFile(answer, operation)) return;
    if (schema === undefined || request.method === 'HEAD') {
      assert.equal(answer.text, '', `${what}There should be no body.`);
      return;
    }
    assertValid(validate(`${operation.operationId} ${answer.status}`), body, what);
  };
}

function checkHeaders({ path, requestId }: SentRequest, { status, headers }: ReceivedAnswer, what: string): void {
  const isDocument = headers.get('etag')?.startsWith('"document-') === true;
  const isConfirmation = path.startsWith('/v1/erp-connections/oauth/callback') && status === 200;
  const { 'content-security-policy': policy, ...others } = securityHeaders;
  const isTable = path === '/v1/account-changes' && headers.get('content-type')?.startsWith('text/html') === true;
  const hasOwnPolicy = isConfirmation || isTable;
  const expected = isDocument ? { ...securityHeaders, ...documentHeaders } : hasOwnPolicy ? others : securityHeaders;
  if (isConfirmation) assert.match(headers.get('content-security-policy') ?? policy, PAGE_POLICY, what);
  if (isTable) assert.match(headers.get('content-security-policy') ?? policy, TABLE_POLICY, what);
  for (const [name, value] of Object.entries(expected)) assert.equal(headers.get(name), value, what + name);
  const isUpo = path.endsWith('/upo') && status === 200;
  const cacheControl =
    isDocument || isUpo ? 'private, no-store' : headers.has('etag') ? 'private, no-cache' : 'no-store';
  assert.equal(headers.get('cache-control'), cacheControl, what);
  if (path.startsWith('/v1/sessions') && (status === 201 || status === 204)) {
    assert.match(headers.get('set-cookie') ?? '', SESSION_COOKIE, what);
  } else {
    assert.equal(headers.get('set-cookie'), null, `${what}set-cookie should not be sent.`);
  }
  for (const name of ['x-powered-by', 'server', 'access-control-allow-origin']) {
    assert.equal(headers.get(name), null, `${what}${name} should not be sent.`);
  }
  const answered = headers.get('x-request-id') ?? '';
  assert.match(answered, /^[A-Za-z0-9._-]{1,64}$/, `${what}X-Request-Id`);
  if (requestId !== undefined) assert.equal(answered, requestId, `${what}X-Request-Id`);
  if (headers.has('etag')) assert.match(headers.get('etag') ?? '', /^"[\x21\x23-\x7e]+"$/, `${what}ETag`);
  if (status === 401) assert.equal(headers.get('www-authenticate'), 'Bearer realm="invoice-control"', what);
  if (status === 405) assert.match(headers.get('allow') ?? '', /^[A-Z, ]+$/, `${what}Allow`);
  if (status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9][0-9]*$/, `${what}Retry-After`);
}

function checkEnvelope(
  { status, headers }: ReceivedAnswer,
  body: unknown,
  isEnvelope: ValidateFunction,
  what: string,
): void {
  assertValid(isEnvelope, body, what);
  const { error } = body as { error: { code: string; message: string; request_id: string; details?: unknown[] } };
  assert.equal(error.request_id, headers.get('x-request-id'), `${what}request_id`);
  assert.ok(statusesOfCode[error.code]?.includes(status), `${what}${error.code} does not come with ${status}.`);
  assert.match(error.message, /\S.*[.!?]$|\)$/s, `${what}The message is not a sentence.`);
  assert.doesNotMatch(error.message, /\.[cm]?[jt]s:\d|node_modules|\n\s+at /, `${what}The message shows our insides.`);
  if (error.details !== undefined) {
    assert.equal(status, 400, `${what}details belong to 400.`);
    assert.ok(error.details.length > 0, `${what}details are empty.`);
  }
  if (error.code === 'RATE_LIMITED') assert.match(headers.get('retry-after') ?? '', /^[1-9][0-9]*$/, what);
}

/** Checks whether a response of the API is a file of a type that the API description lists for it. */
function isFile({ status, headers }: ReceivedAnswer, operation: Operation | undefined): boolean {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  return !type.startsWith('application/json') && operation?.responses[status]?.content?.[type] !== undefined;
}

function parse({ text, headers }: ReceivedAnswer, what: string): unknown {
  if (text === '') return undefined;
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', what);
  return JSON.parse(text);
}

function refuseSecrets(answer: ReceivedAnswer, body: unknown, operation: Operation | undefined, what: string): void {
  const shown = answer.status < 400 ? shownOnce[operation?.operationId ?? ''] : undefined;
  const rest = shown === undefined ? answer.text : JSON.stringify({ ...(body as object), [shown]: '' });
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  assert.doesNotMatch(`${headers}\n${rest}`, SECRET, `${what}A secret is shown.`);
}

function assertValid(isValid: ValidateFunction, body: unknown, what: string): void {
  if (isValid(body)) return;
  const faults = (isValid.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  assert.fail(`${what}The body is not as published:\n${faults.join('\n')}`);
}

/**
 * Returns a validator for every documented response body, by `<operationId> <status>`, and for the error body, `Error`.
 */
function strictValidators({ paths, components }: OpenApi): (name: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  formats.default(ajv);
  // The keyword `discriminator` of OpenAPI is accepted without effect, because `oneOf` itself determines the schema
  // that applies.
  ajv.addKeyword('discriminator');
  ajv.addSchema({ $id: 'openapi', components: { schemas: mapValues(components.schemas, closed) } });
  ajv.addKeyword('components');
  const validators = new Map([['Error', ajv.compile({ $ref: 'openapi#/components/schemas/Error' })]]);
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const schema = response.content?.['application/json']?.schema;
      if (schema === undefined || Number(status) >= 400) continue;
      validators.set(`${operation.operationId} ${status}`, ajv.compile(closed(schema)));
    }
  }
  return (name) => {
    const validator = validators.get(name);
    assert.ok(validator, `There is no published body called ${name}.`);
    return validator;
  };
}

/** Returns the schema of a response, but without permission for undocumented fields. */
function closed(schema: Schema): Schema {
  if (schema.allOf !== undefined) throw new TypeError('A schema with allOf cannot be closed; publish its fields.');
  if (schema.$ref !== undefined) return { ...schema, $ref: `openapi${schema.$ref}` };
  return {
    ...schema,
    ...(schema.items === undefined ? {} : { items: closed(schema.items) }),
    ...(schema.properties === undefined
      ? {}
      : {
          properties: mapValues(schema.properties, closed),
          // Undocumented members are forbidden, except where the schema allows further members, as in the evidence of a
          // finding, which depends on the finding type.
          additionalProperties: schema.additionalProperties ?? false,
        }),
  };
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

function matches(template: string, path: string): boolean {
  const pattern = `/v1${template}`.replaceAll(/\{[A-Za-z]+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(path);
}
