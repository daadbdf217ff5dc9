import { hasScope, isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import type { AuditEvent as WireAuditEvent } from '@invoicecontrol/contracts/organization/v1/audit_service';
import type { Grant } from '@invoicecontrol/contracts/organization/v1/grant';
import { requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import { ProofRefused } from '@invoicecontrol/runtime/grpc/proof-refused';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import type { AuditEvent, AuditTrail } from '../../application/audit-trail.js';
import { nameActors } from '../../application/name-actors.js';
import type { NamingDeps } from '../../application/name-actors.js';
import { requireOrganization } from '../../application/organizations.js';
import type { Organizations } from '../../application/organizations.js';

interface Deps extends NamingDeps {
  readonly organizations: Organizations;
  readonly auditTrail: AuditTrail;
}

export function auditService({ organizations, auditTrail, ...naming }: Deps): Binding {
  return bind(AuditServiceDefinition, {
    async listAuditEvents(request, context) {
      requireMayRead(requirePrincipal(context), request.target);
      const page = readPageRequest(request);
      await requireOrganization(organizations, request.organizationId);
      const { actorId, action, target, outcome } = request;
      const query = { ...page, actorId, action, target, outcome };
      const { items, nextPageToken } = await auditTrail.list(request.organizationId, query);
      const names = await nameActors(naming)(
        request.organizationId,
        items.map(({ actor }) => actor),
      );
      return { auditEvents: items.map((event, index) => toWire(event, names[index])), nextPageToken };
    },
  });
}

/**
 * Refuses to list audit events of other things than one invoice to a caller who may not read the whole audit trail. The
 * timeline of an invoice shows the events about it to every caller who may read invoices.
 */
function requireMayRead({ role, scopes }: Grant, target: string | undefined): void {
  if (target?.startsWith('invoice:') === true) return;
  if (!isRoleAtLeast(role, 'ADMIN')) throw new ProofRefused('grant_role');
  if (!hasScope(scopes, 'organization:read')) throw new ProofRefused('grant_scope');
}

function toWire(
  { id, createdAt, actor, action, target, outcome, requestId, ip }: AuditEvent,
  actorName = '',
): WireAuditEvent {
  return {
    auditEventId: id,
    eventTime: createdAt,
    actorType: actor.type,
    actorId: actor.id,
    actorName,
    action,
    target,
    outcome,
    requestId,
    ip: ip ?? '',
  };
}
