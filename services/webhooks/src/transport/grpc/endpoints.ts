import { EndpointServiceDefinition, EndpointStatus } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import type { Endpoint as WireEndpoint } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import { invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import { limitOf, requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import {
  createEndpoint,
  deleteEndpoint,
  requireEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../../application/change-endpoints.js';
import type { EndpointDeps } from '../../application/change-endpoints.js';
import type { DeliveryReader } from '../../application/read-deliveries.js';
import { replayFailed, testEndpoint } from '../../application/replay-deliveries.js';
import type { ReplayDeps } from '../../application/replay-deliveries.js';
import type { Endpoint } from '../../domain/endpoint.js';
import { encodeDelivery } from './encode-delivery.js';

interface Deps {
  readonly changes: EndpointDeps;
  readonly replays: ReplayDeps;
  readonly reader: DeliveryReader;
}

/** Implements the gRPC service invoicecontrol.webhooks.v1.EndpointService. */
export function endpointService({ changes, replays, reader }: Deps): Binding {
  const { endpoints } = changes;
  return bind(EndpointServiceDefinition, {
    async createEndpoint(request, context) {
      const limit = limitOf(context, 'webhooks');
      const { endpoint, secret } = await createEndpoint(changes)(
        { ...request, plan: requirePrincipal(context).plan, limit },
        context,
      );
      return { endpoint: encodeEndpoint(endpoint), secret };
    },
    async listEndpoints({ organizationId, ...page }) {
      const { items, nextPageToken } = await endpoints.list(organizationId, readPageRequest(page));
      return { endpoints: items.map(encodeEndpoint), nextPageToken };
    },
    async getEndpoint({ organizationId, endpointId }) {
      const endpoint = await requireEndpoint(endpoints, organizationId, endpointId);
      return { endpoint: encodeEndpoint(endpoint), lastDay: await reader.lastDay(endpointId) };
    },
    async updateEndpoint({ status, ...request }, context) {
      const update = { ...request, url: request.url, status: optionalEnumName(EndpointStatus, status) };
      return { endpoint: encodeEndpoint(await updateEndpoint(changes)(update, context)) };
    },
    async deleteEndpoint({ organizationId, endpointId }, context) {
      await deleteEndpoint(changes)(organizationId, endpointId, context);
      return {};
    },
    async rotateSecret({ organizationId, endpointId, revokePrevious: isPreviousRevoked }, context) {
      const request = { organizationId, endpointId, isPreviousRevoked };
      const { secret, previousExpiresAt } = await rotateSecret(changes)(request, context);
      return { endpointId, secret, previousSecretExpiresTime: previousExpiresAt };
    },
    async testEndpoint({ organizationId, endpointId, eventType }) {
      return { delivery: encodeDelivery(await testEndpoint(replays)(organizationId, endpointId, eventType)) };
    },
    async replayFailedDeliveries({ organizationId, endpointId, sinceTime }, context) {
      if (sinceTime === undefined) throw invalidField('since', 'is required.');
      return { count: await replayFailed(replays)(organizationId, endpointId, sinceTime, context) };
    },
  });
}

function encodeEndpoint({ id, url, events, status, createdAt }: Endpoint): WireEndpoint {
  return {
    endpointId: id,
    url,
    events: events.map(({ type }) => type),
    status: status === 'ACTIVE' ? EndpointStatus.ACTIVE : EndpointStatus.DISABLED,
    createdTime: createdAt,
  };
}
