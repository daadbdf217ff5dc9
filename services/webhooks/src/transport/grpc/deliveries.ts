import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import { DeliveryServiceDefinition, DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import type { DeliveryReader } from '../../application/read-deliveries.js';
import { replayDelivery } from '../../application/replay-deliveries.js';
import type { ReplayDeps } from '../../application/replay-deliveries.js';
import { encodeDelivery } from './encode-delivery.js';

interface Deps {
  readonly replays: ReplayDeps;
  readonly reader: DeliveryReader;
}

/** Implements the gRPC service invoicecontrol.webhooks.v1.DeliveryService. */
export function deliveryService({ replays, reader }: Deps): Binding {
  return bind(DeliveryServiceDefinition, {
    async listDeliveries({ organizationId, endpointId, status, eventType, invoiceId, ...request }) {
      const page = readPageRequest(request);
      const { createdFrom, createdTo } = page;
      const state = optionalEnumName(DeliveryStatus, status);
      const filter = { endpointId, state, type: eventType, invoiceId, createdFrom, createdTo };
      const { items, nextPageToken } = await reader.list(organizationId, filter, page);
      return { deliveries: items.map(encodeDelivery), nextPageToken };
    },
    async getDelivery({ organizationId, deliveryId }) {
      const delivery = await reader.get(organizationId, deliveryId);
      return {
        delivery: encodeDelivery(delivery),
        attempts: delivery.attempts.map(({ at, outcome, statusCode, durationMs }) => ({
          attemptTime: at,
          outcome,
          responseCode: statusCode,
          durationMs,
        })),
        responseExcerpt: delivery.lastExcerpt,
      };
    },
    async replayDelivery({ organizationId, deliveryId }, context) {
      return { delivery: encodeDelivery(await replayDelivery(replays)(organizationId, deliveryId, context)) };
    },
  });
}
