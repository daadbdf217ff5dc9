import { publicEventTypes } from '@invoicecontrol/public-events';
import { EndpointStatus } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import type {
  CreateEndpointResponse,
  Endpoint,
  GetEndpointResponse,
  EndpointUse,
  ReplayFailedDeliveriesResponse,
  RotateSecretResponse,
} from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { dateTime, pathId, stated, toInstant, wordOf } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';
import { delivery } from './delivery-record.js';

const URL_LENGTH_MAX = 2_048;
/**
 * Maximum number of event types in a request for a webhook, higher than the number of types because a repeated type
 * counts once.
 */
const EVENTS_MAX = 50;
/** Timeout for checking the URL of a webhook, longer than a DNS lookup that gets no response. */
const CHECK_TIMEOUT_MS = 10_000;
const REPLAY_TIMEOUT_MS = 20_000;
const status = z.enum(['ACTIVE', 'DISABLED']);

export const eventName = wordOf(publicEventTypes, `Must be one of ${publicEventTypes.join(', ')}.`).meta({
  id: 'WebhookEventType',
  description: 'A type of event that can be delivered to a webhook.',
});

const EXAMPLE_URL = 'https://erp.example.com/hooks/invoices';
const EXAMPLE_EVENTS = ['invoice.analysis.completed', 'finding.created'];
const EXAMPLE_SECRET = 'whsec_<43 letters and digits>';

export const webhook = shown.record<Endpoint>('Webhook')({
  id: shown.id(EXAMPLE_IDS.webhook, 'The id of the webhook.', 'endpointId'),
  url: shown.text(EXAMPLE_URL, 'The normalized URL to which the webhook events are delivered.'),
  events: shown.field(
    z.array(z.string()).describe('The types of events that are delivered to the webhook.'),
    EXAMPLE_EVENTS,
  ),
  status: shown.name(
    status.describe(
      'The status of the webhook: ACTIVE, or DISABLED by its owner or because its deliveries failed for days.',
    ),
    EndpointStatus,
    'ACTIVE',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the webhook was created.', 'createdTime'),
});

const createdWebhook = shown.record<CreateEndpointResponse>('CreatedWebhook')({
  ...shown.within('endpoint', webhook),
  secret: shown.text(
    EXAMPLE_SECRET,
    'The secret with which webhook deliveries are signed. The secret is never shown again.',
  ),
});

const lastDay = shown.record<EndpointUse>()({
  delivered: shown.count(412, 'The number of webhook deliveries that the receiver accepted with a 2xx status.'),
  failed: shown.count(0, 'The number of webhook deliveries that are FAILED.'),
  p95Ms: shown.orNull(
    z.int().min(0),
    180,
    'The response time in milliseconds that 95 percent of the successful webhook deliveries did not exceed, or null if no delivery was successful.',
  ),
});

const webhookWithUse = shown.record<GetEndpointResponse>('WebhookWithUse')({
  ...shown.within('endpoint', webhook),
  lastDay: shown.part(lastDay, 'The results of the webhook deliveries that began in the last 24 hours.'),
});

const rotated = shown.record<RotateSecretResponse>('RotatedSecret')({
  id: shown.id(EXAMPLE_IDS.webhook, 'The id of the webhook.', 'endpointId'),
  secret: shown.text(
    EXAMPLE_SECRET,
    'The new secret with which webhook deliveries are signed. The secret is never shown again.',
  ),
  previous_secret_expires_at: shown.instant(
    EXAMPLE_INSTANT,
    'The time until which webhook deliveries are also signed with the previous secret.',
    'previousSecretExpiresTime',
  ),
});

const replayCount = shown.record<ReplayFailedDeliveriesResponse>('ReplayCount')({
  count: shown.count(17, 'The number of webhook deliveries that are sent again.'),
});

const fields = {
  url: z
    .string()
    .min(1)
    .max(URL_LENGTH_MAX)
    .describe(
      'The https URL on a public address to which the webhook events are delivered. Redirects are not followed.',
    )
    .meta({ pattern: '^https://' }),
  events: z
    .array(eventName)
    .min(1)
    .max(EVENTS_MAX)
    .describe('The types of events that are delivered to the webhook. A repeated type counts once.'),
};
const webhookParams = z.object({ webhookId: pathId('webhook') });

export const createWebhook = route({
  operation: 'createWebhook',
  method: 'post',
  path: '/webhooks',
  summary: 'Create a webhook',
  description:
    'Stores the URL of the webhook and returns the signing secret once. Events that happen after this request are delivered. A repeated request creates a second webhook; delete the webhook whose response was lost. Creating a webhook requires the SCALE or ENTERPRISE plan.',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/CreateEndpoint',
  sendsEventsToUrl: true,
  timeoutMs: CHECK_TIMEOUT_MS,
  access: { scope: 'webhooks:write' },
  body: z
    .strictObject(fields)
    .meta({ id: 'WebhookCreation' })
    .register(examples, { example: { url: EXAMPLE_URL, events: EXAMPLE_EVENTS } }),
  responses: {
    201: { description: 'The new webhook with its secret.', schema: createdWebhook.schema, headers: ['Location'] },
  },
  async handle({ body }, { webhooks }) {
    const reply = await webhooks.createEndpoint({
      ...body,
    });
    const created = createdWebhook.present(reply);
    return { status: 201, body: created, headers: { Location: `/v1/webhooks/${created.id}` } };
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
  responses: { 200: { description: 'A page of webhooks.', schema: pageOf('webhooks', webhook.schema) } },
  async handle({ query }, { webhooks }) {
    const list = listRequest('listWebhooks', query);
    const reply = await webhooks.listEndpoints(list.request);
    return { status: 200, body: list.page(reply.endpoints.map(webhook.present), reply.nextPageToken) };
  },
});

export const getWebhook = route({
  operation: 'getWebhook',
  method: 'get',
  path: '/webhooks/:webhookId',
  summary: 'Read a webhook with the results of its deliveries',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/GetEndpoint',
  access: { scope: 'webhooks:read' },
  params: webhookParams,
  responses: { 200: { description: 'The webhook that was requested.', schema: webhookWithUse.schema } },
  async handle({ params }, { webhooks }) {
    const reply = await webhooks.getEndpoint({ endpointId: params.webhookId });
    return { status: 200, body: webhookWithUse.present(reply) };
  },
});

export const updateWebhook = route({
  operation: 'updateWebhook',
  method: 'patch',
  path: '/webhooks/:webhookId',
  summary: 'Update a webhook',
  description:
    'Changes a webhook. Pending attempts are sent to the new URL, and new event types apply to future events. Setting the status to ACTIVE resets the failure count; events that occurred while the webhook was DISABLED are not delivered.',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/UpdateEndpoint',
  timeoutMs: CHECK_TIMEOUT_MS,
  access: { scope: 'webhooks:write' },
  params: webhookParams,
  body: z
    .strictObject({
      url: fields.url.optional(),
      events: fields.events.optional(),
      status: status.describe('The new status of the webhook: ACTIVE or DISABLED.').optional(),
    })
    .refine(hasAnyField, NOTHING_TO_CHANGE)
    .meta({ id: 'WebhookChange', minProperties: 1 })
    .register(examples, { example: { status: 'ACTIVE' } }),
  responses: { 200: { description: 'The updated webhook.', schema: webhook.schema } },
  refusals: [409],
  async handle({ params, body }, { webhooks }) {
    const reply = await webhooks.updateEndpoint({
      endpointId: params.webhookId,
      url: body.url,
      events: body.events ?? [],
      status: body.status === undefined ? EndpointStatus.UNSPECIFIED : EndpointStatus[body.status],
    });
    return { status: 200, body: webhook.present(stated(reply.endpoint)) };
  },
});

export const deleteWebhook = route({
  operation: 'deleteWebhook',
  method: 'delete',
  path: '/webhooks/:webhookId',
  summary: 'Delete a webhook',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/DeleteEndpoint',
  access: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 204: { description: 'The webhook has been deleted, and its pending deliveries have been canceled.' } },
  async handle({ params }, { webhooks }) {
    await webhooks.deleteEndpoint({ endpointId: params.webhookId });
    return { status: 204 };
  },
});

export const rotateWebhookSecret = route({
  operation: 'rotateWebhookSecret',
  method: 'post',
  path: '/webhooks/:webhookId/rotate-secret',
  summary: 'Rotate the signing secret of a webhook',
  description:
    'Creates a new signing secret for a webhook. Deliveries are signed with both the new and the previous secret for 24 hours. Rotating again within that time invalidates the older secret at once. The body may be omitted.',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/RotateSecret',
  access: { minimumRole: 'ADMIN', scope: 'webhooks:write' },
  params: webhookParams,
  isBodyOptional: true,
  body: z
    .strictObject({
      revoke_previous: z
        .boolean()
        .optional()
        .describe(
          'Whether the previous signing secret becomes invalid at once. Set to true if the previous secret has leaked.',
        ),
    })
    .meta({ id: 'SecretRotation' })
    .register(examples, { example: { revoke_previous: false } }),
  responses: { 200: { description: 'The webhook with its new signing secret.', schema: rotated.schema } },
  refusals: [409],
  async handle({ params, body }, { webhooks }) {
    const reply = await webhooks.rotateSecret({
      endpointId: params.webhookId,
      revokePrevious: body.revoke_previous ?? false,
    });
    return { status: 200, body: rotated.present(reply) };
  },
});

export const testWebhook = route({
  operation: 'testWebhook',
  method: 'post',
  path: '/webhooks/:webhookId/test',
  summary: 'Send a test event to a webhook',
  description:
    'Delivers the example of the event type in this API description, signed like every delivery. The webhook does not have to be subscribed to the event type.',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/TestEndpoint',
  access: { scope: 'webhooks:write' },
  params: webhookParams,
  body: z
    .strictObject({ type: eventName })
    .meta({ id: 'WebhookTest' })
    .register(examples, { example: { type: 'finding.created' } }),
  responses: { 202: { description: 'The webhook delivery of the test event.', schema: delivery.schema } },
  refusals: [409],
  async handle({ params, body }, { webhooks }) {
    const reply = await webhooks.testEndpoint({ endpointId: params.webhookId, eventType: body.type });
    return { status: 202, body: delivery.present(stated(reply.delivery)) };
  },
});

export const replayWebhook = route({
  operation: 'replayWebhook',
  method: 'post',
  path: '/webhooks/:webhookId/replay',
  summary: 'Send the failed deliveries of a webhook again',
  description:
    'Sends the FAILED deliveries of a webhook that were created since the given time again: at most 10,000, oldest first. While the deliveries are being sent, a repeated request joins the replay in progress and returns the same response.',
  rpc: 'invoicecontrol.webhooks.v1.EndpointService/ReplayFailedDeliveries',
  timeoutMs: REPLAY_TIMEOUT_MS,
  access: { minimumRole: 'ADMIN', scope: 'webhooks:write' },
  params: webhookParams,
  body: z
    .strictObject({
      since: dateTime().describe(
        'The time from which failed webhook deliveries are sent again. Deliveries created at or after this time are included.',
      ),
    })
    .meta({ id: 'WebhookReplay' })
    .register(examples, { example: { since: EXAMPLE_INSTANT } }),
  responses: {
    202: { description: 'The number of webhook deliveries that are sent again.', schema: replayCount.schema },
  },
  refusals: [409],
  async handle({ params, body }, { webhooks }) {
    const reply = await webhooks.replayFailedDeliveries({
      endpointId: params.webhookId,
      sinceTime: toInstant(body.since),
    });
    return { status: 202, body: replayCount.present(reply) };
  },
});
