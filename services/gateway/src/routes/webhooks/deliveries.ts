import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import type { DeliveryAttempt } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { PAGE_SIZE_MAX } from '@invoicecontrol/runtime/page';
import { z } from 'zod';
import { EXAMPLE_INSTANT, EXAMPLE_DELIVERY_ID, examples } from '../../http/description/examples.js';
import { shownInstant, showInstant, stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { delivery, deliveryFields, deliveryStatus, exampleDelivery, presentDelivery } from './delivery-record.js';

const attempt = z.object({
  at: shownInstant().describe('When it began.'),
  outcome: z
    .string()
    .describe(
      'SUCCESS, HTTP_ERROR, TIMEOUT, DNS_ERROR, CONNECT_ERROR, TLS_ERROR, BLOCKED_ADDRESS, RESPONSE_TOO_LARGE or INTERRUPTED.',
    ),
  responseCode: z.int().nullable().describe('The HTTP status. Null without an answer.'),
  durationMs: z.int().min(0).describe('Until the status line.'),
});

const deliveryWithAttempts = z
  .object({
    ...deliveryFields,
    attempts: z.array(attempt).describe('Oldest first; the last 20.'),
    responseExcerpt: z.string().nullable().describe('The beginning of the last answer; kept for 7 days.'),
  })
  .meta({ id: 'DeliveryWithAttempts' })
  .register(examples, {
    example: {
      ...exampleDelivery,
      attempts: [{ at: EXAMPLE_INSTANT, outcome: 'HTTP_ERROR', responseCode: 503, durationMs: 84 }],
      responseExcerpt: 'Service Unavailable',
    },
  });

const deliveryParams = z.object({
  deliveryId: z
    .string()
    .regex(/^dlv_[a-z2-7]{26}$/)
    .meta({ description: 'The id of the delivery.', param: { example: EXAMPLE_DELIVERY_ID } }),
});

export const listDeliveries = route({
  operation: 'listDeliveries',
  method: 'get',
  path: '/webhooks/deliveries',
  summary: 'List the latest 100 deliveries, newest first',
  rpc: 'invoicecontrol.webhooks.v1.DeliveryService/ListDeliveries',
  access: { scope: 'webhooks:read' },
  query: pageQuery.omit({ created_from: true, created_to: true }).extend({
    limit: pageQuery.shape.limit
      .unwrap()
      .meta({ ...pageQuery.shape.limit.unwrap().meta(), default: PAGE_SIZE_MAX })
      .optional(),
    webhook_id: uuid().optional().describe('Those of this webhook.'),
    status: deliveryStatus.optional().describe('Those with this status.'),
  }),
  responses: { 200: { description: 'A page of deliveries.', schema: pageOf(delivery) } },
  async handle({ query }, { deliveries }): Promise<Reply> {
    const list = listRequest('listDeliveries', query);
    const { pageToken, pageSize } = list.request;
    const reply = await deliveries.listDeliveries({
      pageToken,
      pageSize: query.limit === undefined ? PAGE_SIZE_MAX : pageSize,
      endpointId: query.webhook_id,
      status: query.status === undefined ? DeliveryStatus.UNSPECIFIED : DeliveryStatus[query.status],
    });
    return { status: 200, body: list.page(reply.deliveries.map(presentDelivery), reply.nextPageToken) };
  },
});

export const getDelivery = route({
  operation: 'getDelivery',
  method: 'get',
  path: '/webhooks/deliveries/:deliveryId',
  summary: 'Read a delivery with its attempts',
  rpc: 'invoicecontrol.webhooks.v1.DeliveryService/GetDelivery',
  resourceName: 'delivery',
  access: { scope: 'webhooks:read' },
  params: deliveryParams,
  responses: { 200: { description: 'The delivery.', schema: deliveryWithAttempts } },
  async handle({ params }, { deliveries }): Promise<Reply> {
    const reply = await deliveries.getDelivery(params);
    const shown: z.infer<typeof deliveryWithAttempts> = {
      ...presentDelivery(stated(reply.delivery)),
      attempts: reply.attempts.map(presentAttempt),
      responseExcerpt: reply.responseExcerpt ?? null,
    };
    return { status: 200, body: shown };
  },
});

export const replayDelivery = route({
  operation: 'replayDelivery',
  method: 'post',
  path: '/webhooks/deliveries/:deliveryId/replay',
  summary: 'Send a failed or skipped delivery again',
  description:
    'The same event with the same id, to the URL and with the secrets of the moment; five attempts of its own.',
  rpc: 'invoicecontrol.webhooks.v1.DeliveryService/ReplayDelivery',
  resourceName: 'delivery',
  access: { minimumRole: 'ADMIN', scope: 'webhooks:write' },
  params: deliveryParams,
  responses: { 202: { description: 'The delivery, PENDING.', schema: delivery } },
  refusals: [409],
  async handle({ params }, { deliveries }): Promise<Reply> {
    const reply = await deliveries.replayDelivery(params);
    return { status: 202, body: presentDelivery(stated(reply.delivery)) };
  },
});

function presentAttempt(message: DeliveryAttempt): z.infer<typeof attempt> {
  return {
    at: showInstant(message.attemptTime),
    outcome: message.outcome,
    responseCode: message.responseCode ?? null,
    durationMs: message.durationMs,
  };
}
