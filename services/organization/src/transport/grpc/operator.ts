import { createHash, timingSafeEqual } from 'node:crypto';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import { DomainError } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding, Implementation } from '@invoicecontrol/runtime/grpc/server';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { createApiKey } from '../../application/api-keys.js';
import type { ApiKeyDeps } from '../../application/api-keys.js';
import { setPlan } from '../../application/change-settings.js';
import { createOrganization } from '../../application/create-organization.js';
import type { CreateOrganizationDeps } from '../../application/create-organization.js';
import { undelete } from '../../application/organization-lifecycle.js';
import { createMember } from '../../application/members.js';
import type { MemberDeps } from '../../application/members.js';
import { ALL_RIGHTS } from '../../domain/rights.js';

export function operatorService(
  deps: CreateOrganizationDeps & ApiKeyDeps & MemberDeps,
  operatorToken: string,
): Binding {
  const asOperator = operatorGuard(operatorToken);
  return bind(OperatorServiceDefinition, {
    async createOrganization(request, call) {
      const { organization, ownerKey, ownerUserId } = await createOrganization(deps)(request, asOperator(call));
      return { organizationId: organization.id, companyId: organization.defaultCompanyId, ownerKey, ownerUserId };
    },
    async undeleteOrganization({ organizationId }, call) {
      const restored = await undelete(deps)(organizationId, asOperator(call));
      return { ownerKey: restored?.ownerKey ?? '' };
    },
    async setPlan(request, call) {
      await setPlan(deps.organizations)(request, asOperator(call));
      return {};
    },
    async createKey({ expiresTime, ...input }, call) {
      const caller = { grantor: ALL_RIGHTS, context: asOperator(call) };
      const { apiKey, key } = await createApiKey(deps)({ ...input, expiresAt: expiresTime }, caller);
      return { apiKeyId: apiKey.id, key };
    },
    async createMember(request, call) {
      const { userId } = await createMember(deps)(request, asOperator(call));
      return { userId };
    },
  } satisfies Implementation<typeof OperatorServiceDefinition>);
}

/**
 * Checks the operator's token and sets the operator as actor, whatever actor the call names.
 * @throws DomainError unauthenticated, in constant time for every wrong token
 */
function operatorGuard(operatorToken: string): (context: RequestContext) => RequestContext {
  const expected = digest(operatorToken);
  return ({ operatorToken: given, ...context }) => {
    if (!timingSafeEqual(digest(given ?? ''), expected)) {
      throw new DomainError('unauthenticated', "The operator's token is missing or wrong.");
    }
    return { ...context, actor: { type: 'OPERATOR', id: context.actor.id } };
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
