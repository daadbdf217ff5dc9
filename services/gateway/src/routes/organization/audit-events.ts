import type { AuditEvent } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, EXAMPLE_KEY_ID, examples } from '../../http/description/examples.js';
import { shownInstant, showInstant } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';

const auditEvent = z
  .object({
    id: z.string().describe('The id of the event.'),
    at: shownInstant().describe('When it happened.'),
    actor: z
      .object({
        type: z.enum(['API_KEY', 'USER', 'OPERATOR', 'SYSTEM']).describe('What kind of actor it was.'),
        id: z.string().describe('The id of the key or of the person; a word for the operator and the system.'),
      })
      .describe('Who did it.'),
    action: z.string().describe('What was done, such as `api_key.created`. More may come.'),
    target: z.string().describe('What it was done to: kind and id.'),
    outcome: z.string().describe('How it ended, such as `SUCCEEDED`.'),
    requestId: z.string().nullable().describe('The X-Request-Id of the request. Null: no request.'),
    ip: z.string().nullable().describe('The address of the caller. Null: no caller from outside.'),
  })
  .meta({ id: 'AuditEvent' })
  .register(examples, {
    example: {
      id: 'ae7c331c-53b7-5821-81eb-9a5e27775a84',
      at: EXAMPLE_INSTANT,
      actor: { type: 'API_KEY', id: EXAMPLE_KEY_ID },
      action: 'company.created',
      target: `company:${EXAMPLE_IDS.company}`,
      outcome: 'SUCCEEDED',
      requestId: 'req_228jna5h7j3xa8s4ycphgcwdht',
      ip: '203.0.113.7',
    },
  });

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
    const list = listRequest('listAuditEvents', query);
    const reply = await audit.listAuditEvents(list.request);
    return { status: 200, body: list.page(reply.auditEvents.map(presentAuditEvent), reply.nextPageToken) };
  },
});

export function presentAuditEvent(message: AuditEvent): z.infer<typeof auditEvent> {
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
