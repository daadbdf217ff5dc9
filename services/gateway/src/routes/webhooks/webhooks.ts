import { publicEventTypes } from '@invoicecontrol/public-events';
import { enumName } from '@invoicecontrol/contracts/enum-name';
import { EndpointStatus } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import type { Endpoint } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import {
  dateTime,
  pathId,
  shownId,
  shownInstant,
  showInstant,
  stated,
  toInstant,
  wordOf,
} from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';
import { delivery, presentDelivery } from './delivery-record.js';

const URL_LENGTH_MAX = 2_048;
/** More than there are, because a name that is repeated counts once. */
const EVENTS_MAX = 50;
/** Longer than the check of a name that no server answers for. */
const CHECK_TIMEOUT_MS = 10_000;
const REPLAY_TIMEOUT_MS = 20_000;
const status = z.enum(['ACTIVE', 'DISABLED']);

const eventName = wordOf(publicEventTypes, `Must be one of ${publicEventTypes.join(', ')}.`).meta({
  id: 'WebhookEventType',
  description: 'The type of an event.',
});

const record = {
  id: shownId().describe('The id of the webhook.'),
  url: z.string().describe('Where events are delivered, normalized.'),
  events: z.array(z.string()).describe('The types of events that it receives.'),
  status: status.describe('DISABLED: by its owner, or because it failed for days.'),
  createdAt: shownInstant().describe('When it was created.'),
};
const exampleRecord = {
  id: EXAMPLE_IDS.webhook,
  url: 'https://erp.example.com/hooks/invoices',
  events: ['invoice.analysis.completed', 'finding.created'],
  status: 'ACTIVE' as const,
  createdAt: EXAMPLE_INSTANT,
};
const EXAMPLE_SECRET = 'whsec_<43 letters and digits>';

const webhook = z.object(record).meta({ id: 'Webhook' }).register(examples, { example: exampleRecord });
const createdWebhook = z
  .object({ ...record, secret: z.string().describe('The signing secret. It is never shown again.') })
  .meta({ id: 'CreatedWebhook' })
  .register(examples, { example: { ...exampleRecord, secret: EXAMPLE_SECRET } });
const webhookWithUse = z
  .object({
    ...record,
    lastDay: z
      .object({
        delivered: z.int().min(0).describe('Deliveries that were answered with a 2xx status.'),
        failed: z.int().min(0).describe('Deliveries that are FAILED.'),
        p95Ms: z
          .int()
          .min(0)
          .nullable()
          .describe('The response time that 95 of 100 delivered ones did not exceed. Null without any.'),
      })
      .describe('What became of the deliveries that began in the last 24 hours.'),
  })
  .meta({ id: 'WebhookWithUse' })
  .register(examples, { example: { ...exampleRecord, lastDay: { delivered: 412, failed: 0, p95Ms: 180 } } });
const rotated = z
  .object({
    id: shownId().describe('The id of the webhook.'),
    secret: z.string().describe('The new signing secret. It is never shown again.'),
    previous_secret_expires_at: shownInstant().describe('Until when deliveries are signed with the previous one, too.'),
  })
  .meta({ id: 'RotatedSecret' })
  .register(examples, {
    example: { id: EXAMPLE_IDS.webhook, secret: EXAMPLE_SECRET, previous_secret_expires_at: EXAMPLE_INSTANT },
  });
const replayCount = z
  .object({ count: z.int().min(0).describe('How many deliveries are sent again.') })
  .meta({ id: 'ReplayCount' })
  .register(examples, { example: { count: 17 } });

const fields = {
  url: z
    .string()
    .min(1)
    .max(URL_LENGTH_MAX)
    .describe('An https URL on a public address. Redirects are not followed.')
    .meta({ pattern: '^https://' }),
  events: z.array(eventName).min(1).max(EVENTS_MAX).describe('The types of events that it receives; each counts once.'),
};
const webhookParams = z.object({ webhookId: pathId('webhook') });

export const createWebhook = route({
  operation: 'createWebhook',
  method: 'post',
  path: '/webhooks',
  summary: 'Register an endpoint for events',
  description: 'Needs the plan SCALE or ENTERPRISE.',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/CreateEndpoint',
  timeoutMs: CHECK_TIMEOUT_MS,
  access: { scope: 'webhooks:write' },
  body: z
    .strictObject(fields)
    .meta({ id: 'NewWebhook' })
    .register(examples, { example: { url: exampleRecord.url, events: exampleRecord.events } }),
  responses: {
    201: { description: 'The new webhook with its secret.', schema: createdWebhook, headers: ['Location'] },
  },
  async handle({ body, principal }, { webhooks }): Promise<Reply> {
    const reply = await webhooks.createEndpoint({
      ...body,
      plan: principal.plan,
      endpointsLimit: principal.limits?.webhooks,
    });
    const created = presentWebhook(stated(reply.endpoint));
    return {
      status: 201,
      body: { ...created, secret: reply.secret },
      headers: { Location: `/v1/webhooks/${created.id}` },
    };
  },
});

export const listWebhooks = route({
  operation: 'listWebhooks',
  method: 'get',
  path: '/webhooks',
  summary: 'List webhooks, newest first',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/ListEndpoints',
  access: { scope: 'webhooks:read' },
  query: pageQuery,
  responses: { 200: { description: 'A page of webhooks.', schema: pageOf(webhook) } },
  async handle({ query }, { webhooks }): Promise<Reply> {
    const list = listRequest('listWebhooks', query);
    const reply = await webhooks.listEndpoints(list.request);
    return { status: 200, body: list.page(reply.endpoints.map(presentWebhook), reply.nextPageToken) };
  },
});

export const getWebhook = route({
  operation: 'getWebhook',
  method: 'get',
  path: '/webhooks/:webhookId',
  summary: 'Read a webhook and how its deliveries went',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/GetEndpoint',
  resourceName: 'webhook',
  access: { scope: 'webhooks:read' },
  params: webhookParams,
  responses: { 200: { description: 'The webhook.', schema: webhookWithUse } },
  async handle({ params }, { webhooks }): Promise<Reply> {
    const reply = await webhooks.getEndpoint({ endpointId: params.webhookId });
    const { delivered, failed, p95Ms } = stated(reply.lastDay);
    const lastDay = { delivered, failed, p95Ms: p95Ms ?? null };
    return { status: 200, body: { ...presentWebhook(stated(reply.endpoint)), lastDay } };
  },
});

export const updateWebhook = route({
  operation: 'updateWebhook',
  method: 'patch',
  path: '/webhooks/:webhookId',
  summary: 'Change a webhook',
  description:
    'Attempts that are still to come go to the new URL. New events count from now on. ACTIVE starts the count of failures again; events that happened while it was DISABLED are not delivered.',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/UpdateEndpoint',
  timeoutMs: CHECK_TIMEOUT_MS,
  resourceName: 'webhook',
  access: { scope: 'webhooks:write' },
  params: webhookParams,
  body: z
    .strictObject({
      url: fields.url.optional(),
      events: fields.events.optional(),
      status: status.describe('ACTIVE or DISABLED.').optional(),
    })
    .refine(hasAnyField, NOTHING_TO_CHANGE)
    .meta({ id: 'WebhookChange', minProperties: 1 })
    .register(examples, { example: { status: 'ACTIVE' } }),
  responses: { 200: { description: 'The webhook after the change.', schema: webhook } },
  refusals: [409],
  async handle({ params, body }, { webhooks }): Promise<Reply> {
    const reply = await webhooks.updateEndpoint({
      endpointId: params.webhookId,
      url: body.url,
      events: body.events ?? [],
      status: body.status === undefined ? EndpointStatus.UNSPECIFIED : EndpointStatus[body.status],
    });
    return { status: 200, body: presentWebhook(stated(reply.endpoint)) };
  },
});

export const deleteWebhook = route({
  operation: 'deleteWebhook',
  method: 'delete',
  path: '/webhooks/:webhookId',
  summary: 'Delete a webhook',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/DeleteEndpoint',
  resourceName: 'webhook',
  access: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 204: { description: 'Deleted; what waited for it is canceled.' } },
  async handle({ params }, { webhooks }): Promise<Reply> {
    await webhooks.deleteEndpoint({ endpointId: params.webhookId });
    return { status: 204 };
  },
});

export const rotateWebhookSecret = route({
  operation: 'rotateWebhookSecret',
  method: 'post',
  path: '/webhooks/:webhookId/rotate-secret',
  summary: 'Make a new signing secret',
  description:
    'For 24 hours deliveries are signed with the new and the previous secret. Rotating again within that time ends the older one at once. The body may be left out.',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/RotateSecret',
  resourceName: 'webhook',
  access: { minimumRole: 'ADMIN', scope: 'webhooks:write' },
  params: webhookParams,
  isBodyOptional: true,
  body: z
    .strictObject({
      revoke_previous: z.boolean().optional().describe('Ends the previous secret at once: for one that leaked.'),
    })
    .meta({ id: 'SecretRotation' })
    .register(examples, { example: { revoke_previous: false } }),
  responses: { 200: { description: 'The new secret.', schema: rotated } },
  refusals: [409],
  async handle({ params, body }, { webhooks }): Promise<Reply> {
    const reply = await webhooks.rotateSecret({
      endpointId: params.webhookId,
      revokePrevious: body.revoke_previous ?? false,
    });
    const shown: z.infer<typeof rotated> = {
      id: reply.endpointId,
      secret: reply.secret,
      previous_secret_expires_at: showInstant(reply.previousSecretExpiresTime),
    };
    return { status: 200, body: shown };
  },
});

export const testWebhook = route({
  operation: 'testWebhook',
  method: 'post',
  path: '/webhooks/:webhookId/test',
  summary: 'Deliver an example event',
  description:
    'The body is the example of the event in this description, signed like every other. It does not have to be subscribed.',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/TestEndpoint',
  resourceName: 'webhook',
  access: { scope: 'webhooks:write' },
  params: webhookParams,
  body: z
    .strictObject({ type: eventName })
    .meta({ id: 'WebhookTest' })
    .register(examples, { example: { type: 'finding.created' } }),
  responses: { 202: { description: 'The delivery.', schema: delivery } },
  refusals: [409],
  async handle({ params, body }, { webhooks }): Promise<Reply> {
    const reply = await webhooks.testEndpoint({ endpointId: params.webhookId, eventType: body.type });
    return { status: 202, body: presentDelivery(stated(reply.delivery)) };
  },
});

export const replayWebhook = route({
  operation: 'replayWebhook',
  method: 'post',
  path: '/webhooks/:webhookId/replay',
  summary: 'Send the failed deliveries since a time again',
  description:
    'At most 10,000 FAILED deliveries that were created since then, the oldest first. While they are being sent, the same request joins the replay and gives the same answer.',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/ReplayFailedDeliveries',
  timeoutMs: REPLAY_TIMEOUT_MS,
  resourceName: 'webhook',
  access: { minimumRole: 'ADMIN', scope: 'webhooks:write' },
  params: webhookParams,
  body: z
    .strictObject({ since: dateTime().describe('Deliveries that were created then or later.') })
    .meta({ id: 'WebhookReplay' })
    .register(examples, { example: { since: EXAMPLE_INSTANT } }),
  responses: { 202: { description: 'How many are sent again.', schema: replayCount } },
  refusals: [409],
  async handle({ params, body }, { webhooks }): Promise<Reply> {
    const { count } = await webhooks.replayFailedDeliveries({
      endpointId: params.webhookId,
      sinceTime: toInstant(body.since),
    });
    return { status: 202, body: { count } };
  },
});

export function presentWebhook(message: Endpoint): z.infer<typeof webhook> {
  return {
    id: message.endpointId,
    url: message.url,
    events: message.events,
    status: enumName(EndpointStatus, message.status),
    createdAt: showInstant(message.createdTime),
  };
}
