import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import type { AuditEvent as WireAuditEvent } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import type { AuditEvent, AuditTrail } from '../../application/audit-trail.js';
import { requireOrganization } from '../../application/organizations.js';
import type { Organizations } from '../../application/organizations.js';

export function auditService({
  organizations,
  auditTrail,
}: {
  organizations: Organizations;
  auditTrail: AuditTrail;
}): Binding {
  return bind(AuditServiceDefinition, {
    async listAuditEvents(request) {
      const page = readPageRequest(request);
      await requireOrganization(organizations, request.organizationId);
      const { items, nextPageToken } = await auditTrail.list(request.organizationId, page);
      return { auditEvents: items.map(toWire), nextPageToken };
    },
  });
}

function toWire({ id, createdAt, actor, action, target, outcome, requestId, ip }: AuditEvent): WireAuditEvent {
  return {
    auditEventId: id,
    eventTime: createdAt,
    actorType: actor.type,
    actorId: actor.id,
    action,
    target,
    outcome,
    requestId,
    ip: ip ?? '',
  };
}
