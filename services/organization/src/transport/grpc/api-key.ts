import { ApiKeyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/api_key_service';
import type { ApiKey as WireApiKey } from '@invoicecontrol/contracts/organization/v1/api_key_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey, updateApiKey } from '../../application/api-keys.js';
import type { ApiKeyDeps } from '../../application/api-keys.js';
import type { ApiKey } from '../../domain/api-key.js';
import { requireRole } from '../../domain/rights.js';
import { grantorOf } from './grantor.js';

export function apiKeyService(deps: ApiKeyDeps): Binding {
  return bind(ApiKeyServiceDefinition, {
    async listApiKeys(request) {
      const { items, nextPageToken } = await listApiKeys(deps)(request, readPageRequest(request));
      return { apiKeys: items.map(toWire), nextPageToken };
    },
    async getApiKey({ organizationId, apiKeyId }) {
      return { apiKey: toWire(await getApiKey(deps)(organizationId, apiKeyId)) };
    },
    async createApiKey({ expiresTime, ...input }, context) {
      const caller = { grantor: grantorOf(context), context };
      const { apiKey, key } = await createApiKey(deps)({ ...input, expiresAt: expiresTime }, caller);
      return { apiKey: toWire(apiKey), key };
    },
    async updateApiKey(update, context) {
      return { apiKey: toWire(await updateApiKey(deps)(update, { grantor: grantorOf(context), context })) };
    },
    async revokeApiKey(request, context) {
      requireRole(grantorOf(context), 'ADMIN');
      await revokeApiKey(deps)(request, context);
      return {};
    },
  });
}

export function toWire(key: ApiKey): WireApiKey {
  return {
    apiKeyId: key.id,
    name: key.name,
    role: key.role,
    scopes: [...key.scopes],
    createdTime: key.createdAt,
    expiresTime: key.expiresAt,
    userId: key.userId,
    isTest: key.isTest === true,
    lastUsedTime: key.lastUsedDay === undefined ? undefined : new Date(key.lastUsedDay),
  };
}
