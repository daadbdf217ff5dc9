import type { AuditEvent } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { z } from 'zod';
import { exampleOf, EXAMPLE_IDS, EXAMPLE_INSTANT, EXAMPLE_KEY_ID } from '../../http/description/examples.js';
import { LABEL_LENGTH_MAX, text } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { actorName } from './actor.js';

const actor = shown.record<AuditEvent>()({
  type: shown.word(
    z
      .enum(['API_KEY', 'USER', 'OPERATOR', 'SYSTEM'])
      .describe('The kind of actor that caused the audit event: API_KEY, USER, OPERATOR or SYSTEM.'),
    'API_KEY',
    'actorType',
  ),
  id: shown.text(
    EXAMPLE_KEY_ID,
    'The id of the API key or user that caused the audit event, or a fixed identifier for the operator or the system.',
    'actorId',
  ),
  name: actorName,
});

const orNull = (text: string): string | null => (text === '' ? null : text);

export const auditEvent = shown.record<AuditEvent>('AuditEvent')({
  id: shown.text('ae7c331c-53b7-5821-81eb-9a5e27775a84', 'The id of the audit event.', 'auditEventId'),
  at: shown.instant(EXAMPLE_INSTANT, 'The time of the audit event.', 'eventTime'),
  actor: shown.made(
    actor.schema.describe('The actor that caused the audit event.'),
    actor.present,
    exampleOf(actor.schema),
  ),
  action: shown.text(
    'company.created',
    'The action that was audited, such as `api_key.created`. New actions may be added.',
  ),
  target: shown.text(
    `company:${EXAMPLE_IDS.company}`,
    'The kind and id of the resource that the audited action was about.',
  ),
  outcome: shown.text('SUCCEEDED', 'The outcome of the audited action, such as `SUCCEEDED`.'),
  requestId: shown.made(
    z
      .string()
      .nullable()
      .describe(
        'The X-Request-Id of the request that caused the audit event, or null if no request caused the audit event.',
      ),
    ({ requestId }: AuditEvent) => orNull(requestId),
    'req_228jna5h7j3xa8s4ycphgcwdht',
  ),
  ip: shown.made(
    z
      .string()
      .nullable()
      .describe(
        'The IP address of the caller that caused the audit event, or null if no external caller caused the event.',
      ),
    ({ ip }: AuditEvent) => orNull(ip),
    '203.0.113.7',
  ),
});

export const listAuditEvents = route({
  operation: 'listAuditEvents',
  method: 'get',
  path: '/audit-events',
  summary: 'List audit events, newest first',
  rpc: 'invoicecontrol.organization.v1.AuditService/ListAuditEvents',
  access: { minimumRole: 'ADMIN', scope: 'organization:read' },
  query: pageQuery.extend({
    actor_id: text(LABEL_LENGTH_MAX)
      .optional()
      .describe('Return only audit events that the API key or user with this id caused.'),
    action: text(LABEL_LENGTH_MAX)
      .optional()
      .describe('Return only audit events about this action, such as `api_key.created`.'),
    target: text(LABEL_LENGTH_MAX)
      .optional()
      .describe('Return only audit events about this resource, as its kind and id, such as `company:` and its id.'),
    outcome: z
      .enum(['SUCCEEDED', 'REFUSED'])
      .optional()
      .describe('Return only audit events with this outcome: SUCCEEDED or REFUSED.'),
  }),
  responses: { 200: { description: 'A page of audit events.', schema: pageOf('audit events', auditEvent.schema) } },
  async handle({ query }, { audit }) {
    const list = listRequest('listAuditEvents', query);
    const reply = await audit.listAuditEvents({
      ...list.request,
      actorId: query.actor_id?.trim(),
      action: query.action?.trim(),
      target: query.target?.trim(),
      outcome: query.outcome,
    });
    return { status: 200, body: list.page(reply.auditEvents.map(auditEvent.present), reply.nextPageToken) };
  },
});
