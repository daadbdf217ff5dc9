import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import type { Delivery } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { EXAMPLE_DELIVERY_ID, EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';

export const deliveryStatus = z.enum(['PENDING', 'DELIVERED', 'FAILED', 'CANCELED', 'SKIPPED']);

export const delivery = shown.record<Delivery>('Delivery')({
  id: shown.text(EXAMPLE_DELIVERY_ID, 'The id of the webhook delivery.', 'deliveryId'),
  webhookId: shown.id(EXAMPLE_IDS.webhook, 'The id of the webhook to which the event is delivered.', 'endpointId'),
  eventId: shown.text(
    'evt_5yrwm2kzq7xk3n4v6c2j5tqa3e',
    'The id of the delivered webhook event, as in the header `svc-event-id`.',
  ),
  eventType: shown.text('finding.created', 'The type of the delivered webhook event.'),
  status: shown.name(
    deliveryStatus.describe(
      'The status of the webhook delivery: PENDING (an attempt is due), DELIVERED, FAILED (five attempts failed), CANCELED (the webhook was deleted) or SKIPPED (the webhook was disabled, or the plan has no webhooks).',
    ),
    DeliveryStatus,
    'PENDING',
  ),
  responseCode: shown.orNull(
    z.int(),
    503,
    'The HTTP status of the response to the last attempt to deliver the webhook event, or null if there was no response.',
  ),
  attemptCount: shown.count(
    1,
    'The number of attempts to deliver the webhook event so far, including the attempts before a replay.',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the webhook delivery was created.', 'createdTime'),
  nextAttemptAt: shown.instantOrNull(
    '2026-03-14T09:31:04.000Z',
    'The time of the next attempt to deliver the webhook event, or null if no attempt is due.',
    'nextAttemptTime',
  ),
  test: shown.flag(false, 'Whether the webhook delivery is a test that carries an example event.'),
});
