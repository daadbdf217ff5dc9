import { ALL_SCOPES, roles, scopes } from '@invoicecontrol/api-key/rights';
import type { ApiKey, CreateApiKeyResponse } from '@invoicecontrol/contracts/organization/v1/api_key_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, EXAMPLE_KEY_ID, examples } from '../../http/description/examples.js';
import { dateTime, LABEL_LENGTH_MAX, shownId, stated, text, toInstant, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';

export const role = z
  .enum(roles)
  .describe(
    'The role of the API key: VIEWER (can read), ANALYST (can also review), ADMIN (can also manage) or OWNER (can do everything).',
  );
export const grantedScope = z.enum([...scopes, ALL_SCOPES]);
const grantedScopes = z
  .array(grantedScope)
  .describe('The scopes of the API key, which limit what the key may do. `*` means all scopes.');
const namedScopes = grantedScopes.min(1).max(scopes.length + 1);

export const apiKey = shown.record<ApiKey>('ApiKey')({
  id: shown.text(EXAMPLE_KEY_ID, 'The id of the API key, which is the public part of the key.', 'apiKeyId'),
  name: shown.text('ERP import', 'The name of the API key.'),
  role: shown.word(role, 'ANALYST'),
  scopes: shown.made(
    grantedScopes,
    ({ scopes: granted }: ApiKey) => granted.map((scope) => shown.oneOf(grantedScope, scope)),
    ['invoices:read', 'invoices:write'],
  ),
  userId: shown.optional(
    shownId(),
    EXAMPLE_IDS.assignee,
    'The id of the member that the API key belongs to. Present only if the API key belongs to a member. The key never has more rights than the role of the member, and ends with the membership.',
  ),
  test: shown.flag(
    false,
    'True for a test key, which begins with `ick_test_` and acts on the test organization.',
    'isTest',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the API key was created.', 'createdTime'),
  expiresAt: shown.instantOrNull(
    '2099-12-31T23:59:59.000Z',
    'The time when the API key expires and is refused, or null if the key never expires.',
    'expiresTime',
  ),
  lastUsedAt: shown.instantOrNull(
    null,
    'The time when the API key was last used, rounded down to the day. Null if the key was never used.',
    'lastUsedTime',
  ),
});

const createdApiKey = shown.record<CreateApiKeyResponse>('CreatedApiKey')({
  ...shown.within('apiKey', apiKey),
  key: shown.text('ick_live_...', 'The complete API key. The key is shown only in this response.'),
});

/** Schema for the public id of an API key: 16 characters of base62. */
const apiKeyParams = z.object({
  apiKeyId: z
    .string()
    .regex(/^[0-9A-Za-z]{16}$/)
    .meta({
      description: 'The id of the API key, which is the public part of the key.',
      param: { example: EXAMPLE_KEY_ID },
    }),
});

export const listApiKeys = route({
  operation: 'listApiKeys',
  method: 'get',
  path: '/api-keys',
  summary: 'List API keys that are not revoked, newest first',
  description:
    'Lists the keys of the organization, or with `test=true` the keys of its test organization. A test key sees only test keys.',
  rpc: 'invoicecontrol.organization.v1.ApiKeyService/ListApiKeys',
  access: { minimumRole: 'ADMIN', scope: 'organization:read' },
  query: pageQuery.extend({
    test: z
      .enum(['true', 'false'])
      .optional()
      .describe('The kind of API keys to list: `true` for test keys, `false` (the default) for the other keys.'),
  }),
  responses: {
    200: {
      description: 'A page of API key records, without the keys themselves.',
      schema: pageOf('API key records', apiKey.schema),
    },
  },
  async handle({ query }, { apiKeys }) {
    const list = listRequest('listApiKeys', query);
    const reply = await apiKeys.listApiKeys({ ...list.request, isTest: query.test === 'true' });
    return { status: 200, body: list.page(reply.apiKeys.map(apiKey.present), reply.nextPageToken) };
  },
});

export const createApiKey = route({
  operation: 'createApiKey',
  method: 'post',
  path: '/api-keys',
  summary: 'Create an API key',
  description:
    'Creates an API key and returns it once. A repeated request creates another key; revoke the key whose response was lost.\n\nThe field `test` makes the new key a test key. Test keys begin with `ick_test_` and act on a test organization, which the first test key creates. The test organization has invoices, findings, webhooks and limits of its own, and no ERP connections, KSeF connections, payments, subscription or members.',
  rpc: 'invoicecontrol.organization.v1.ApiKeyService/CreateApiKey',
  access: { minimumRole: 'ADMIN', scope: 'organization:write' },
  body: z
    .strictObject({
      name: text(LABEL_LENGTH_MAX).describe('The name of the API key.'),
      role,
      scopes: namedScopes
        .optional()
        .describe(
          'The scopes of the API key. If absent, the key has all scopes of its role. A key with the role VIEWER can have only read scopes.',
        ),
      expires_at: dateTime()
        .optional()
        .describe(
          'The time from which the API key is refused, which must be in the future. If absent, the API key never expires.',
        ),
      user_id: uuid()
        .optional()
        .describe(
          'The id of the active member that the API key belongs to. The role of the key must not be higher than the role of the member. All API keys of a member count as one person where two people are needed. A key that belongs to no member counts as the person who created it.',
        ),
      test: z
        .boolean()
        .optional()
        .describe(
          'True for a test key, which acts on the test organization. If absent, the new key is a test key only if a test key creates it.',
        ),
    })
    .meta({ id: 'ApiKeyCreation' })
    .register(examples, {
      example: {
        name: 'ERP import',
        role: 'ANALYST',
        scopes: ['invoices:read', 'invoices:write'],
        expires_at: '2099-12-31T23:59:59Z',
      },
    }),
  responses: {
    201: {
      description: 'The new API key, which is shown only once.',
      schema: createdApiKey.schema,
      headers: ['Location'],
    },
  },
  refusals: [409],
  async handle({ body }, { apiKeys }) {
    const reply = await apiKeys.createApiKey({
      name: body.name.trim(),
      role: body.role,
      scopes: body.scopes ?? [],
      expiresTime: body.expires_at === undefined ? undefined : toInstant(body.expires_at),
      userId: body.user_id,
      isTest: body.test,
    });
    const created = createdApiKey.present(reply);
    return { status: 201, body: created, headers: { Location: `/v1/api-keys/${created.id}` } };
  },
});

export const getApiKey = route({
  operation: 'getApiKey',
  method: 'get',
  path: '/api-keys/:apiKeyId',
  summary: 'Read the record of an API key',
  rpc: 'invoicecontrol.organization.v1.ApiKeyService/GetApiKey',
  resourceName: 'API key',
  access: { minimumRole: 'ADMIN', scope: 'organization:read' },
  params: apiKeyParams,
  responses: { 200: { description: 'The record of the API key, without the key itself.', schema: apiKey.schema } },
  async handle({ params }, { apiKeys }) {
    const reply = await apiKeys.getApiKey({ apiKeyId: params.apiKeyId });
    return { status: 200, body: apiKey.present(stated(reply.apiKey)) };
  },
});

export const updateApiKey = route({
  operation: 'updateApiKey',
  method: 'patch',
  path: '/api-keys/:apiKeyId',
  summary: 'Rename an API key or reduce its rights',
  rpc: 'invoicecontrol.organization.v1.ApiKeyService/UpdateApiKey',
  resourceName: 'API key',
  access: { minimumRole: 'ADMIN', scope: 'organization:write' },
  params: apiKeyParams,
  body: z
    .strictObject({
      name: text(LABEL_LENGTH_MAX).optional().describe('The new name of the API key.'),
      role: role
        .optional()
        .describe(
          'The new role of the API key, which must be lower than the current role. The role of a key can never be raised.',
        ),
      scopes: namedScopes
        .optional()
        .describe('The scopes that the API key keeps. A key with the role VIEWER can keep only read scopes.'),
    })
    .refine(hasAnyField, NOTHING_TO_CHANGE)
    .meta({ id: 'ApiKeyChange', minProperties: 1 })
    .register(examples, { example: { name: 'ERP import, old' } }),
  responses: { 200: { description: 'The updated record of the API key.', schema: apiKey.schema } },
  refusals: [409],
  async handle({ params, body }, { apiKeys }) {
    const reply = await apiKeys.updateApiKey({
      apiKeyId: params.apiKeyId,
      name: body.name?.trim(),
      role: body.role,
      scopes: body.scopes ?? [],
    });
    return { status: 200, body: apiKey.present(stated(reply.apiKey)) };
  },
});

export const revokeApiKey = route({
  operation: 'revokeApiKey',
  method: 'delete',
  path: '/api-keys/:apiKeyId',
  summary: 'Revoke an API key',
  rpc: 'invoicecontrol.organization.v1.ApiKeyService/RevokeApiKey',
  resourceName: 'API key',
  access: { minimumRole: 'ADMIN', scope: 'organization:write' },
  params: apiKeyParams,
  responses: { 204: { description: 'The API key has been revoked, effective immediately.' } },
  refusals: [409],
  async handle({ params }, { apiKeys }) {
    await apiKeys.revokeApiKey({ apiKeyId: params.apiKeyId });
    return { status: 204 };
  },
});
