import { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding, Implementation } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { createApiKey } from '../../application/api-keys.js';
import type { ApiKeyDeps } from '../../application/api-keys.js';
import { setPlan } from '../../application/change-settings.js';
import { createOrganization } from '../../application/create-organization.js';
import type { CreateOrganizationDeps } from '../../application/create-organization.js';
import { listOrganizations } from '../../application/list-organizations.js';
import { undelete } from '../../application/organization-lifecycle.js';
import type { OrganizationLifecycleDeps } from '../../application/organization-lifecycle.js';
import { purgeOrganizations } from '../../application/purge-organizations.js';
import type { PurgeStore } from '../../application/purge-organizations.js';
import { createMember } from '../../application/members.js';
import type { MemberDeps } from '../../application/members.js';
import { ALL_RIGHTS } from '../../domain/rights.js';

/** Implements the gRPC service invoicecontrol.organization.v1.OperatorService. */
export function operatorService(
  deps: CreateOrganizationDeps & ApiKeyDeps & MemberDeps & OrganizationLifecycleDeps & { readonly purges: PurgeStore },
): Binding {
  return bind(OperatorServiceDefinition, {
    async createOrganization(request, context) {
      const { organization, ownerKey, ownerUserId } = await createOrganization(deps)(request, context);
      return { organizationId: organization.id, companyId: organization.defaultCompanyId, ownerKey, ownerUserId };
    },
    async undeleteOrganization({ organizationId }, context) {
      const restored = await undelete(deps)(organizationId, context);
      return { ownerKey: restored?.ownerKey ?? '' };
    },
    async purgeOrganizations(_request, context) {
      const { organizationIds, hasMore } = await purgeOrganizations(deps)(context);
      return { organizationIds: [...organizationIds], hasMore };
    },
    async setPlan(request, context) {
      await setPlan(deps.organizations)(request, context);
      return {};
    },
    async createKey({ expiresTime, ...input }, context) {
      const caller = { grantor: ALL_RIGHTS, context };
      const { apiKey, key } = await createApiKey(deps)({ ...input, expiresAt: expiresTime }, caller);
      return { apiKeyId: apiKey.id, key };
    },
    async createMember(request, context) {
      const { userId } = await createMember(deps)(request, context);
      return { userId };
    },
    async listOrganizations(request) {
      const { items, nextPageToken } = await listOrganizations(deps)(readPageRequest(request));
      return {
        organizations: items.map(({ id: organizationId, createdAt: createdTime, deletedAt: deletedTime, ...own }) => ({
          ...own,
          organizationId,
          createdTime,
          deletedTime,
        })),
        nextPageToken,
      };
    },
  } satisfies Implementation<typeof OperatorServiceDefinition>);
}
