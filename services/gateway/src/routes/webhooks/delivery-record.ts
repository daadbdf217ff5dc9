import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import type { Delivery } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { EXAMPLE_DELIVERY_ID, EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';

export const deliveryStatus = z.enum(['PENDING', 'DELIVERED', 'FAILED', 'CANCELED', 'SKIPPED']);

export const delivery = shown.record<Delivery>('Delivery')({
  id: shown.text('deliveryId', EXAMPLE_DELIVERY_ID, 'The id of the webhook delivery.'),
  webhookId: shown.id(
    'endpointId',
    EXAMPLE_IDS.webhook,
    'The id of the webhook that the webhook event is delivered to.',
  ),
  eventId: shown.text(
    'eventId',
    'evt_5yrwm2kzq7xk3n4v6c2j5tqa3e',
    'The id of the delivered webhook event, as in the header `svc-event-id`.',
  ),
  eventType: shown.text('eventType', 'finding.created', 'The type of the delivered webhook event.'),
  status: shown.name(
    deliveryStatus.describe(
      'The status of the webhook delivery: PENDING (an attempt is due), DELIVERED, FAILED (five attempts failed), CANCELED (the webhook was deleted) or SKIPPED (the webhook was disabled, or the plan has no webhooks).',
    ),
    DeliveryStatus,
    'status',
    'PENDING',
  ),
  responseCode: shown.orNull(
    z.int(),
    'responseCode',
    503,
    'The HTTP status of the response to the last attempt to deliver the webhook event, or null if there was no response.',
  ),
  attemptCount: shown.count(
    'attemptCount',
    1,
    'The number of attempts to deliver the webhook event so far, including the attempts before a replay.',
  ),
  createdAt: shown.instant('createdTime', EXAMPLE_INSTANT, 'The time when the webhook delivery was created.'),
  nextAttemptAt: shown.instantOrNull(
    'nextAttemptTime',
    '2026-03-14T09:31:04.000Z',
    'The time of the next attempt to deliver the webhook event, or null if no attempt is due.',
  ),
  test: shown.flag('test', false, 'Whether the webhook delivery is a test that carries an example event.'),
});
