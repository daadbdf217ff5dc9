import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import type { Delivery as WireDelivery } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import type { Delivery } from '../../domain/delivery.js';

export function encodeDelivery(delivery: Delivery): WireDelivery {
  return {
    deliveryId: delivery.id,
    endpointId: delivery.endpointId,
    eventId: delivery.eventId,
    eventType: delivery.type,
    status: DeliveryStatus[delivery.state],
    responseCode: delivery.lastStatusCode,
    attemptCount: delivery.attemptCount,
    createdTime: delivery.createdAt,
    nextAttemptTime: delivery.nextAttemptAt,
    test: delivery.isTest,
  };
}
