import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { ResponseConfig, RouteConfig } from '@asteasolutions/zod-to-openapi';
import { FIELD_FAULTS_MAX } from '@invoicecontrol/errors';
import { z } from 'zod';
import { exampleOf } from './examples.js';
import { atLeast } from '../access/rights.js';
import { IDEMPOTENCY_KEY_LENGTH_MAX, IDEMPOTENCY_KEY_PATTERN } from '../body/idempotency-key.js';
import { introduction } from './introduction.js';
import { publishedHeaders } from './published-headers.js';
import type { HeaderName } from './published-headers.js';
import { withParameterReferences } from './parameter-references.js';
import { envelopeOf, publishedRefusals } from './published-refusals.js';
import { describeRepetition } from './repetition.js';
import { hasBody, isFileRoute, pathTemplate } from './route.js';
import type { PublishedResponse, Resource, Route } from './route.js';

const envelope = z
  .object({
    error: z
      .object({
        code: z
          .enum([
            'NOT_FOUND',
            'UNAUTHORIZED',
            'FORBIDDEN',
            'INVALID_REQUEST',
            'CONFLICT',
            'RATE_LIMITED',
            'USAGE_LIMIT_EXCEEDED',
            'PROCESSING_FAILED',
          ])
          .describe(
            'The code of the error in an API response. Clients should branch on this code and the HTTP status.',
          ),
        message: z.string().describe('The error message for human readers. The wording may change.'),
        request_id: z
          .string()
          .describe(
            'The id of the request, which equals the header X-Request-Id. Quote this id when you ask for help.',
          ),
        details: z
          .array(
            z.object({
              path: z
                .string()
                .describe(
                  'The path of the invalid field as it was sent, such as `supplier.bank_account.iban` or `rows[3].currency`.',
                ),
              message: z.string().describe('The message that explains what to change in the invalid field.'),
            }),
          )
          .max(FIELD_FAULTS_MAX)
          .optional()
          .describe('The invalid fields of the request. Present only with status 400.'),
      })
      .describe('The error that explains why the request was refused or failed.'),
  })
  .meta({ id: 'Error' });

/** Responses of a webhook receiver in the API description. */
const webhookResponses = {
  '2XX': {
    description:
      'Respond to the webhook delivery with any 2xx status within 15 seconds. After any other response, the delivery is retried.',
  },
  '4XX': {
    description:
      'The attempt to deliver the webhook event has failed, and the event is delivered again, up to five times.',
  },
};

/** Webhook event in the form in which receivers get it. */
export interface PublishedWebhook {
  readonly type: string;
  readonly summary: string;
  readonly schema: z.ZodType;
}

/**
 * Tag of the requests that receivers of webhooks get. These requests have their own tag, because client generators
 * would otherwise mix them up with the operations on webhooks.
 */
const EVENTS_TAG = {
  name: 'webhook-events',
  description:
    'The signed requests that the service sends to the URL of a webhook, and to which your receiver responds.',
};

/**
 * Returns the published API description of the routes (OpenAPI 3.1) as JSON text.
 * @param unreferenced schemas that are published although no request or response refers to them
 */
export function describeApi(
  resources: readonly Resource[],
  webhooks: readonly PublishedWebhook[] = [],
  unreferenced: readonly z.ZodType[] = [],
): string {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, sent in the header `Authorization: Bearer ick_live_...`.',
  });
  for (const [name, header] of Object.entries(publishedHeaders)) {
    registry.registerComponent('headers', name, { ...header, schema: { type: 'string' } });
  }
  registerRefusals(registry);
  for (const { tag, routes } of resources) {
    for (const route of routes) registry.registerPath(describeRoute(tag, route));
  }
  for (const webhook of webhooks) registry.registerWebhook(describeWebhook(webhook));
  const document = new OpenApiGeneratorV31([
    { type: 'schema', schema: envelope },
    ...registry.definitions,
    ...unreferenced.map((schema) => ({ type: 'schema' as const, schema })),
  ]).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Invoice control API',
      version: '1',
      description: introduction,
      contact: { name: 'Invoice control support: quote the request_id of the response' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/v1' }],
    security: [{ bearer: [] }],
    tags: [...resources.map(({ tag, description }) => ({ name: tag, description })), EVENTS_TAG],
  });
  return `${JSON.stringify(withParameterReferences(document), forGenerators, 2)}\n`;
}

/** Formats in the OpenAPI description that client generators convert to a type of their language. */
const convertedFormats: ReadonlySet<unknown> = new Set(['uuid', 'date', 'date-time']);

/** Returns a part of the API description in the form that generators of clients understand. */
function forGenerators(name: string, value: unknown): unknown {
  return withExclusiveAlternatives(withoutPatternOfFormat(name, value));
}

/**
 * Writes `anyOf` as `oneOf` in the API description. The alternatives of each union differ in their type or required
 * fields, so a value matches exactly one of them, and generators need no type that matches several.
 */
function withExclusiveAlternatives(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('anyOf' in value)) return value;
  const { anyOf: oneOf, ...rest } = value;
  return { ...rest, oneOf };
}

/**
 * Omits from the OpenAPI description the pattern of a UUID, a day or a time, which the format already states. Some
 * generators convert the value and then match the pattern against the converted value.
 */
function withoutPatternOfFormat(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!('format' in value && 'pattern' in value && convertedFormats.has(value.format))) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'pattern'));
}

/** Registers one response in the API description for each HTTP status of refusals. All routes share these responses. */
function registerRefusals(registry: OpenAPIRegistry): void {
  for (const { name, description, headers = [], examples } of Object.values(publishedRefusals)) {
    const values = Object.entries(examples).map(([kind, example]) => [kind, { value: envelopeOf(example) }] as const);
    registry.registerComponent('responses', name, {
      description,
      headers: headerRefs('X-Request-Id', ...headers),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(values),
        },
      },
    });
  }
}

/** Describes a webhook request from the receiver's point of view (specification section 6). */
function describeWebhook({ type, summary, schema }: PublishedWebhook): RouteConfig {
  return {
    method: 'post',
    path: type,
    operationId: `on-${type}`,
    tags: [EVENTS_TAG.name],
    summary,
    security: [],
    request: {
      headers: z.object({
        'svc-event-id': z
          .string()
          .describe(
            'The id of the webhook event. Every repeated delivery of the event has the same id, so that the receiver can detect duplicates.',
          ),
        'svc-signature': z
          .string()
          .describe(
            'The signature of the delivery, `t=<unix seconds>,v1=<hex>[,v1=<hex>]`: an HMAC-SHA256 over `<event id>.<t>.<raw body>`, keyed with the signing secret.',
          ),
      }),
      body: { required: true, content: { 'application/json': { schema, example: exampleOf(schema) } } },
    },
    responses: webhookResponses,
  };
}

function describeRoute(tag: string, route: Route): RouteConfig {
  const { operation, method, path, summary, params, query, access } = route;
  return {
    operationId: operation,
    method,
    path: pathTemplate(path),
    tags: [tag],
    summary,
    description: [route.description, ...(method === 'post' ? [describeRepetition(route)] : []), describeAccess(route)]
      .filter((text) => text !== undefined)
      .join('\n\n'),
    ...accessFields(route),
    ...(route.sendsEventsToUrl === true ? { callbacks: webhookCallbacks } : {}),
    ...(access === 'public' ? { security: [] } : {}),
    ...(isFileRoute(route) ? { security: [{ bearer: [] }, {}] } : {}),
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      headers: requestHeaders(route),
      ...(hasBody(route) ? { body: { required: route.isBodyOptional !== true, content: bodiesOf(route) } } : {}),
      ...(isFileRoute(route) ? { body: { required: true, content: filesOf(route.mediaTypes) } } : {}),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(route.responses).map(([status, response]) => [status, describeResponse(route, response)]),
      ),
      ...Object.fromEntries(refusalsOf(route).map((status) => [status, refusalRef(status)])),
    },
  };
}

const idempotencyKey = z.string().optional().meta({
  minLength: 1,
  maxLength: IDEMPOTENCY_KEY_LENGTH_MAX,
  pattern: IDEMPOTENCY_KEY_PATTERN,
  description:
    'A key chosen by the caller. A repeated request with the same key and body returns the first response. The key consists of visible ASCII characters and must be quoted if it contains a comma.',
});
const ifNoneMatch = z
  .string()
  .optional()
  .describe('The ETag of an earlier response. The response is 304 if the ETag is still the same.');

const prefer = z
  .string()
  .optional()
  .describe(
    'The preference `respond-async` (RFC 7240), which queues the analysis. With `respond-async, wait=20`, the response waits up to 20 seconds for the decision first.',
  );

function requestHeaders(route: Route): z.ZodObject {
  return z.object({
    ...(route.honoursIdempotencyKey === true ? { 'Idempotency-Key': idempotencyKey } : {}),
    ...(route.honoursPrefer === true ? { Prefer: prefer } : {}),
    ...(route.isConditional === true ? { 'If-None-Match': ifNoneMatch } : {}),
  });
}

/**
 * Describes which rights an operation of the API requires, in a form that programs can read. {@link describeAccess}
 * describes them for people.
 */
function accessFields({ access }: Route): Record<`x-${string}`, unknown> {
  if (access === 'public') return {};
  return {
    'x-required-role': access.minimumRole ?? 'VIEWER',
    ...(access.scope === undefined ? {} : { 'x-required-scope': access.scope }),
    ...(access.needsSubscription === true ? { 'x-requires-subscription': true } : {}),
    ...(access.refusesTestKeys === true ? { 'x-refuses-test-keys': true } : {}),
  };
}

/**
 * The requests that the registered URL of a webhook receives. Client generators that do not support webhooks find the
 * schemas of the events here.
 */
const webhookCallbacks = {
  event: {
    '{$request.body#/url}': {
      post: {
        operationId: 'receiveWebhookEvent',
        summary: 'Receive a webhook event',
        security: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/WebhookEvent' } } },
        },
        responses: webhookResponses,
      },
    },
  },
};

function describeAccess(route: Route): string {
  const { access } = route;
  if (access === 'public') return 'The request requires no API key.';
  const role = access.minimumRole === undefined ? 'any role' : `the role ${atLeast(access.minimumRole)}`;
  const token = isFileRoute(route) ? ' A token in the URL replaces the API key.' : '';
  const subscription = access.needsSubscription === true ? ' The organization must have an active subscription.' : '';
  const testKeys = access.refusesTestKeys === true ? ' Test keys are refused.' : '';
  const scope = access.scope === undefined ? 'any scopes' : `the scope \`${access.scope}\``;
  return `The request requires an API key with ${role} and ${scope}.${token}${subscription}${testKeys}`;
}

/** Describes in the API description the bodies that a route accepts, by media type. */
function bodiesOf({ body, isForm, xml }: Route): NonNullable<ResponseConfig['content']> {
  const type = isForm === true ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    ...(body === undefined ? {} : { [type]: { schema: body, example: exampleOf(body) } }),
    ...(xml === undefined ? {} : filesOf(['application/xml'])),
  };
}

/** Describes the file that a response contains in the OpenAPI description, with each possible media type. */
function filesOf(mediaTypes: readonly string[]): NonNullable<ResponseConfig['content']> {
  return Object.fromEntries(
    mediaTypes.map((mediaType) => [mediaType, { schema: { type: 'string', format: 'binary' } }]),
  );
}

function describeResponse(
  route: Route,
  { description, schema, mediaTypes, headers = [] }: PublishedResponse,
): ResponseConfig {
  const limits = route.access === 'public' ? [] : (['RateLimit', 'RateLimit-Policy'] as const);
  const replayed = route.honoursIdempotencyKey === true ? (['Idempotency-Replayed'] as const) : [];
  const etag = route.isConditional === true ? (['ETag'] as const) : [];
  return {
    description,
    headers: headerRefs('X-Request-Id', ...limits, ...replayed, ...etag, ...headers),
    ...(schema === undefined && mediaTypes === undefined
      ? {}
      : {
          content: {
            ...(schema === undefined ? {} : { 'application/json': { schema, example: exampleOf(schema) } }),
            ...filesOf(mediaTypes ?? []),
          },
        }),
  };
}

function refusalsOf(route: Route): number[] {
  const { access, params, query, refusals: own = [] } = route;
  const takesBody = hasBody(route) || isFileRoute(route);
  return [
    ...(query === undefined && !takesBody ? [] : [400]),
    ...(access === 'public' ? [] : [401, 403]),
    ...(params === undefined ? [] : [404]),
    ...(takesBody ? [413] : []),
    ...(takesBody && route.rawBodyBytesMax === undefined ? [415] : []),
    ...own,
    429,
    500,
    503,
    504,
  ].sort((left, right) => left - right);
}

function refusalRef(status: number): { $ref: string } {
  const refusal = publishedRefusals[status];
  if (refusal === undefined) throw new TypeError(`The HTTP error status ${status} has no text in the API description.`);
  return { $ref: `#/components/responses/${refusal.name}` };
}

function headerRefs(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
