import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { ResponseConfig, RouteConfig } from '@asteasolutions/zod-to-openapi';
import { FIELD_FAULTS_MAX } from '@invoicecontrol/errors';
import { z } from 'zod';
import { exampleOf } from './examples.js';
import { IDEMPOTENCY_KEY_LENGTH_MAX, IDEMPOTENCY_KEY_PATTERN } from './idempotency-key.js';
import { introduction } from './introduction.js';
import { publishedHeaders } from './published-headers.js';
import type { HeaderName } from './published-headers.js';
import { envelopeOf, publishedRefusals } from './published-refusals.js';
import { pathTemplate } from './route.js';
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
          .describe('For programs; decide by it and by the status.'),
        message: z.string().describe('For people; may change.'),
        request_id: z.string().describe('Equals the header X-Request-Id. Quote it when you ask for help.'),
        details: z
          .array(
            z.object({
              path: z.string().describe('The field as it was sent: `supplier.bank_account.iban`, `rows[3].currency`.'),
              message: z.string().describe('What to change.'),
            }),
          )
          .max(FIELD_FAULTS_MAX)
          .optional()
          .describe('Only with status 400: the wrong fields.'),
      })
      .describe('Why the request was refused.'),
  })
  .meta({ id: 'Error' });

/** The published description of the routes, OpenAPI 3.1, as JSON text. */
export function describeApi(resources: readonly Resource[]): string {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'apiKey', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `Authorization: Bearer ick_live_...`.',
  });
  for (const [name, header] of Object.entries(publishedHeaders)) {
    registry.registerComponent('headers', name, { ...header, schema: { type: 'string' } });
  }
  registerRefusals(registry);
  for (const { tag, routes } of resources) {
    for (const route of routes) registry.registerPath(describeRoute(tag, route));
  }
  const document = new OpenApiGeneratorV31([
    { type: 'schema', schema: envelope },
    ...registry.definitions,
  ]).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Invoice control API', version: '1', description: introduction },
    servers: [{ url: '/v1' }],
    security: [{ apiKey: [] }],
    tags: resources.map(({ tag, description }) => ({ name: tag, description })),
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Every refusal of a status is the same response, whichever route gives it. */
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

function describeRoute(tag: string, route: Route): RouteConfig {
  const { operation, method, path, summary, params, query, body, access } = route;
  return {
    operationId: operation,
    method,
    path: pathTemplate(path),
    tags: [tag],
    summary,
    description: [route.description, describeAccess(route)].filter((text) => text !== undefined).join('\n\n'),
    ...(access === 'public' ? { security: [] } : {}),
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      headers: requestHeaders(route),
      ...(body === undefined
        ? {}
        : { body: { required: true, content: { 'application/json': { schema: body, example: exampleOf(body) } } } }),
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
  description: 'A repeat with the same key and body gives the first answer. Visible ASCII, quoted if it has a comma.',
});
const ifNoneMatch = z.string().optional().describe('The ETag of an earlier answer; 304 when it is still the same.');

function requestHeaders(route: Route): z.ZodObject {
  return z.object({
    ...(route.honoursIdempotencyKey === true ? { 'Idempotency-Key': idempotencyKey } : {}),
    ...(route.isConditional === true ? { 'If-None-Match': ifNoneMatch } : {}),
  });
}

function describeAccess({ access }: Route): string {
  if (access === 'public') return 'No API key.';
  const role = access.minimumRole === undefined ? 'any role' : `role ${access.minimumRole} or higher`;
  return `API key with ${role} and scope \`${access.scope}\`.`;
}

function describeResponse(route: Route, { description, schema, headers = [] }: PublishedResponse): ResponseConfig {
  const limits = route.access === 'public' ? [] : (['RateLimit', 'RateLimit-Policy'] as const);
  const replayed = route.honoursIdempotencyKey === true ? (['Idempotency-Replayed'] as const) : [];
  const etag = route.isConditional === true ? (['ETag'] as const) : [];
  return {
    description,
    headers: headerRefs('X-Request-Id', ...limits, ...replayed, ...etag, ...headers),
    ...(schema === undefined ? {} : { content: { 'application/json': { schema, example: exampleOf(schema) } } }),
  };
}

function refusalsOf({ access, params, query, body, refusals: own = [] }: Route): number[] {
  return [
    ...(query === undefined && body === undefined ? [] : [400]),
    ...(access === 'public' ? [] : [401, 403]),
    ...(params === undefined ? [] : [404]),
    ...(body === undefined ? [] : [413, 415]),
    ...own,
    429,
    500,
    503,
    504,
  ].sort((left, right) => left - right);
}

function refusalRef(status: number): { $ref: string } {
  const refusal = publishedRefusals[status];
  if (refusal === undefined) throw new TypeError(`The refusal ${status} has no description.`);
  return { $ref: `#/components/responses/${refusal.name}` };
}

function headerRefs(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
