import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { ResponseConfig } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { IDEMPOTENCY_KEY_LENGTH_MAX } from './idempotency-key.js';
import type { PublishedResponse, Route } from './route.js';

const envelope = z
  .object({
    error: z.object({
      code: z.enum([
        'NOT_FOUND',
        'UNAUTHORIZED',
        'FORBIDDEN',
        'INVALID_REQUEST',
        'CONFLICT',
        'RATE_LIMITED',
        'USAGE_LIMIT_EXCEEDED',
        'PROCESSING_FAILED',
      ]),
      message: z.string().meta({ description: 'For people; may change.' }),
      request_id: z.string().meta({ description: 'Equals the header X-Request-Id.' }),
      details: z
        .array(z.object({ path: z.string(), message: z.string() }))
        .max(50)
        .optional()
        .meta({ description: 'Only with status 400: the wrong fields.' }),
    }),
  })
  .meta({ id: 'Error' });

const refusals: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST: a wrong shape or value.',
  401: 'UNAUTHORIZED: missing or invalid API key.',
  403: 'FORBIDDEN: the API key lacks the role or scope.',
  404: 'NOT_FOUND: no such thing in this organization.',
  409: 'CONFLICT: conflicting idempotency key or state of the resource.',
  413: 'INVALID_REQUEST: the body is too large.',
  415: 'INVALID_REQUEST: the body is not uncompressed JSON in UTF-8.',
  429: 'RATE_LIMITED or USAGE_LIMIT_EXCEEDED; the code tells them apart.',
  500: 'PROCESSING_FAILED: a fault of ours.',
  503: 'PROCESSING_FAILED: a part of the service cannot be reached, or it is overloaded.',
  504: 'PROCESSING_FAILED: no answer in time.',
};

/** The published description of the routes, OpenAPI 3.1, as JSON text. */
export function describeApi(routes: readonly Route[]): string {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'apiKey', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `Authorization: Bearer ick_live_...`.',
  });
  for (const route of routes) register(registry, route);
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Invoice control API',
      version: '1',
      description: 'Checks supplier invoices before they are paid: PASS, REVIEW or BLOCK, with findings that explain.',
    },
    servers: [{ url: '/v1' }],
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

function register(registry: OpenAPIRegistry, route: Route): void {
  const { operation, method, path, summary, params, query, body, access } = route;
  const tag = path.split('/')[1] ?? '';
  registry.registerPath({
    operationId: operation,
    method,
    path: path.replaceAll(/:([A-Za-z]+)/g, '{$1}'),
    tags: [tag],
    summary,
    description: describeAccess(route),
    ...(access === 'public' ? {} : { security: [{ apiKey: [] }] }),
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(route.honoursIdempotencyKey === true ? { headers: idempotencyHeaders } : {}),
      ...(body === undefined ? {} : { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: {
      ...Object.fromEntries(Object.entries(route.responses).map(([status, response]) => [status, publish(response)])),
      ...Object.fromEntries(refusalsOf(route).map((status) => [status, publishRefusal(status)])),
    },
  });
}

const idempotencyHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .optional()
    .meta({
      description: `1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters. A repeat with the same key and body gives the first answer.`,
    }),
});

function describeAccess({ access }: Route): string {
  if (access === 'public') return 'No API key.';
  const role = access.minimumRole === undefined ? 'any role' : `role ${access.minimumRole} or higher`;
  return `API key with ${role} and scope \`${access.scope}\`.`;
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

function publish({ description, schema, headers = {} }: PublishedResponse): ResponseConfig {
  return {
    description,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, meaning]) => [name, { description: meaning, schema: { type: 'string' } }]),
    ),
    ...(schema === undefined ? {} : { content: { 'application/json': { schema } } }),
  };
}

function publishRefusal(status: number): ResponseConfig {
  const description = refusals[status];
  if (description === undefined) throw new TypeError(`The refusal ${status} has no description.`);
  return { description, content: { 'application/json': { schema: envelope } } };
}
