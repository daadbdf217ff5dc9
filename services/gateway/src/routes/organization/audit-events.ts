import type { AuditEvent } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { z } from 'zod';
import { showInstant } from '../../http/fields.js';
import { page, pageOf, pageQuery, pageRequest } from '../../http/pagination.js';
import { route } from '../../http/route.js';
import type { Reply } from '../../http/route.js';

const auditEvent = z
  .object({
    id: z.string(),
    at: z.string().meta({ format: 'date-time' }),
    actor: z.object({ type: z.enum(['API_KEY', 'USER', 'OPERATOR', 'SYSTEM']), id: z.string() }),
    action: z.string().meta({ description: 'For example `api_key.created`.' }),
    target: z.string().meta({ description: 'What was changed, kind and id.' }),
    outcome: z.string(),
    requestId: z.string().nullable(),
    ip: z.string().nullable(),
  })
  .meta({ id: 'AuditEvent' });

export const listAuditEvents = route({
  operation: 'listAuditEvents',
  method: 'get',
  path: '/audit-events',
  summary: 'List who changed what, newest first',
  rpc: 'invoicecontrol.organization.v1.AuditService/ListAuditEvents',
  access: { minimumRole: 'ADMIN', scope: 'organization:read' },
  query: pageQuery,
  responses: { 200: { description: 'A page of audit events.', schema: pageOf(auditEvent) } },
  async handle({ query }, { audit }): Promise<Reply> {
    const reply = await audit.listAuditEvents({ ...pageRequest(query) });
    return { status: 200, body: page(reply.auditEvents.map(presentAuditEvent), reply.nextPageToken) };
  },
});

function presentAuditEvent(message: AuditEvent): z.infer<typeof auditEvent> {
  return {
    id: message.auditEventId,
    at: showInstant(message.eventTime),
    actor: { type: auditEvent.shape.actor.shape.type.parse(message.actorType), id: message.actorId },
    action: message.action,
    target: message.target,
    outcome: message.outcome,
    requestId: message.requestId === '' ? null : message.requestId,
    ip: message.ip === '' ? null : message.ip,
  };
}
