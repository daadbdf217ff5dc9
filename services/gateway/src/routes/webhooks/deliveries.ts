import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import type { DeliveryAttempt, GetDeliveryResponse } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { PAGE_SIZE_MAX } from '@invoicecontrol/runtime/page';
import { z } from 'zod';
import { EXAMPLE_INSTANT, EXAMPLE_DELIVERY_ID } from '../../http/description/examples.js';
import { stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { delivery, deliveryStatus } from './delivery-record.js';
import { eventName } from './webhooks.js';

const attempt = shown.record<DeliveryAttempt>()({
  at: shown.instant(EXAMPLE_INSTANT, 'The time when the attempt to deliver the webhook event began.', 'attemptTime'),
  outcome: shown.text(
    'HTTP_ERROR',
    'The outcome of the attempt to deliver the webhook event: SUCCESS, HTTP_ERROR, TIMEOUT, DNS_ERROR, CONNECT_ERROR, TLS_ERROR, BLOCKED_ADDRESS, RESPONSE_TOO_LARGE or INTERRUPTED.',
  ),
  responseCode: shown.orNull(
    z.int(),
    503,
    'The HTTP status of the response to the attempt to deliver the webhook event, or null if the receiver did not respond.',
  ),
  durationMs: shown.count(
    84,
    'The time in milliseconds from the start of the attempt to deliver the webhook event until the status line of the response was received.',
  ),
});

const deliveryWithAttempts = shown.record<GetDeliveryResponse>('DeliveryWithAttempts')({
  ...shown.within('delivery', delivery),
  attempts: shown.list(attempt, 'The last 20 attempts of the webhook delivery, oldest first.'),
  responseExcerpt: shown.textOrNull(
    'Service Unavailable',
    'The beginning of the body of the last response to the webhook delivery, kept for 7 days. Null if there is none.',
  ),
});

const deliveryParams = z.object({
  deliveryId: z
    .string()
    .regex(/^dlv_[a-z2-7]{26}$/)
    .meta({ description: 'The id of the webhook delivery.', param: { example: EXAMPLE_DELIVERY_ID } }),
});

export const listDeliveries = route({
  operation: 'listDeliveries',
  method: 'get',
  path: '/webhooks/deliveries',
  summary: 'List webhook deliveries, newest first',
  rpc: 'invoicecontrol.webhooks.v1.DeliveryService/ListDeliveries',
  access: { scope: 'webhooks:read' },
  query: pageQuery.extend({
    limit: pageQuery.shape.limit
      .unwrap()
      .meta({ ...pageQuery.shape.limit.unwrap().meta(), default: PAGE_SIZE_MAX })
      .optional(),
    webhook_id: uuid().optional().describe('Return only webhook deliveries to the webhook with this id.'),
    status: deliveryStatus.optional().describe('Return only webhook deliveries with this status.'),
    event_type: eventName.optional().describe('Return only webhook deliveries of events of this type.'),
    invoice_id: uuid().optional().describe('Return only webhook deliveries of events about the invoice with this id.'),
  }),
  responses: {
    200: { description: 'A page of webhook deliveries.', schema: pageOf('webhook deliveries', delivery.schema) },
  },
  async handle({ query }, { deliveries }) {
    const list = listRequest('listDeliveries', query);
    const reply = await deliveries.listDeliveries({
      ...list.request,
      pageSize: query.limit === undefined ? PAGE_SIZE_MAX : list.request.pageSize,
      endpointId: query.webhook_id,
      eventType: query.event_type,
      invoiceId: query.invoice_id,
      status: query.status === undefined ? DeliveryStatus.UNSPECIFIED : DeliveryStatus[query.status],
    });
    return { status: 200, body: list.page(reply.deliveries.map(delivery.present), reply.nextPageToken) };
  },
});

export const getDelivery = route({
  operation: 'getDelivery',
  method: 'get',
  path: '/webhooks/deliveries/:deliveryId',
  summary: 'Read a webhook delivery and its attempts',
  rpc: 'invoicecontrol.webhooks.v1.DeliveryService/GetDelivery',
  resourceName: 'delivery',
  access: { scope: 'webhooks:read' },
  params: deliveryParams,
  responses: { 200: { description: 'The webhook delivery with its attempts.', schema: deliveryWithAttempts.schema } },
  async handle({ params }, { deliveries }) {
    const reply = await deliveries.getDelivery(params);
    return { status: 200, body: deliveryWithAttempts.present(reply) };
  },
});

export const replayDelivery = route({
  operation: 'replayDelivery',
  method: 'post',
  path: '/webhooks/deliveries/:deliveryId/replay',
  summary: 'Send a failed or skipped webhook delivery again',
  description:
    'Sends the webhook event with the same id again, to the current URL and signed with the current secrets. The replay is attempted up to five times, whatever the number of earlier attempts.',
  rpc: 'invoicecontrol.webhooks.v1.DeliveryService/ReplayDelivery',
  resourceName: 'delivery',
  access: { minimumRole: 'ADMIN', scope: 'webhooks:write' },
  params: deliveryParams,
  responses: { 202: { description: 'The webhook delivery, which is PENDING again.', schema: delivery.schema } },
  refusals: [409],
  async handle({ params }, { deliveries }) {
    const reply = await deliveries.replayDelivery(params);
    return { status: 202, body: delivery.present(stated(reply.delivery)) };
  },
});
