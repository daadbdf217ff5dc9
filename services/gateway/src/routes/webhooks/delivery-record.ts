import { enumName } from '@invoicecontrol/contracts/enum-name';
import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import type { Delivery } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { z } from 'zod';
import { EXAMPLE_DELIVERY_ID, EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { shownId, shownInstant, showInstant } from '../../http/description/fields.js';

export const deliveryStatus = z.enum(['PENDING', 'DELIVERED', 'FAILED', 'CANCELED', 'SKIPPED']);

export const deliveryFields = {
  id: z.string().describe('The id of the delivery.'),
  webhookId: shownId().describe('The webhook that it goes to.'),
  eventId: z.string().describe('The event, as in the header `svc-event-id`.'),
  eventType: z.string().describe('The type of the event.'),
  status: deliveryStatus.describe(
    'PENDING: an attempt is to come. FAILED: five attempts failed. CANCELED: the webhook was deleted. SKIPPED: it was disabled, or the plan has no webhooks.',
  ),
  responseCode: z.int().nullable().describe('The HTTP status of the last attempt. Null without an answer.'),
  attemptCount: z.int().min(0).describe('Attempts so far, those before a replay included.'),
  createdAt: shownInstant().describe('When the event was taken up.'),
  nextAttemptAt: shownInstant().nullable().describe('Null when nothing is to come.'),
  test: z.boolean().describe('Whether it carries an example that was asked for.'),
};

export const exampleDelivery = {
  id: EXAMPLE_DELIVERY_ID,
  webhookId: EXAMPLE_IDS.webhook,
  eventId: 'evt_5yrwm2kzq7xk3n4v6c2j5tqa3e',
  eventType: 'finding.created',
  status: 'PENDING' as const,
  responseCode: 503,
  attemptCount: 1,
  createdAt: EXAMPLE_INSTANT,
  nextAttemptAt: '2026-03-14T09:31:04.000Z',
  test: false,
};

export const delivery = z
  .object(deliveryFields)
  .meta({ id: 'Delivery' })
  .register(examples, { example: exampleDelivery });

export function presentDelivery(message: Delivery): z.infer<typeof delivery> {
  return {
    id: message.deliveryId,
    webhookId: message.endpointId,
    eventId: message.eventId,
    eventType: message.eventType,
    status: enumName(DeliveryStatus, message.status),
    responseCode: message.responseCode ?? null,
    attemptCount: message.attemptCount,
    createdAt: showInstant(message.createdTime),
    nextAttemptAt: message.nextAttemptTime === undefined ? null : showInstant(message.nextAttemptTime),
    test: message.test,
  };
}
