import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import type { Delivery } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { EXAMPLE_DELIVERY_ID, EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';

export const deliveryStatus = z.enum(['PENDING', 'DELIVERED', 'FAILED', 'CANCELED', 'SKIPPED']);

export const delivery = shown.record<Delivery>('Delivery')({
  id: shown.text('deliveryId', EXAMPLE_DELIVERY_ID, 'The id of the delivery.'),
  webhookId: shown.id('endpointId', EXAMPLE_IDS.webhook, 'The webhook that it goes to.'),
  eventId: shown.text('eventId', 'evt_5yrwm2kzq7xk3n4v6c2j5tqa3e', 'The event, as in the header `svc-event-id`.'),
  eventType: shown.text('eventType', 'finding.created', 'The type of the event.'),
  status: shown.name(
    deliveryStatus.describe(
      'PENDING: an attempt is to come. FAILED: five attempts failed. CANCELED: the webhook was deleted. SKIPPED: it was disabled, or the plan has no webhooks.',
    ),
    DeliveryStatus,
    'status',
    'PENDING',
  ),
  responseCode: shown.orNull(
    z.int(),
    'responseCode',
    503,
    'The HTTP status of the last attempt. Null without an answer.',
  ),
  attemptCount: shown.count('attemptCount', 1, 'Attempts so far, those before a replay included.'),
  createdAt: shown.instant('createdTime', EXAMPLE_INSTANT, 'When the event was taken up.'),
  nextAttemptAt: shown.instantOrNull('nextAttemptTime', '2026-03-14T09:31:04.000Z', 'Null when nothing is to come.'),
  test: shown.flag('test', false, 'Whether it carries an example that was asked for.'),
});
