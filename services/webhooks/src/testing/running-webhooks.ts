import { randomBytes, randomUUID } from 'node:crypto';
import { Decision, InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import { DeliveryServiceDefinition, DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import type { Delivery, GetDeliveryResponse } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { EndpointServiceDefinition } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import type { Endpoint } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { startTestedService } from '@invoicecontrol/tenants/tested-service';
import type { TestedService } from '@invoicecontrol/tenants/tested-service';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';
import { ID_BYTES, idText } from '../domain/id-text.js';

/** Request context of the caller in the tests of the webhooks service. */
export const caller = {
  context: { requestId: 'test', actor: { type: 'API_KEY', id: 'key' } },
  timeoutMs: 20_000,
} as const;

function connectClients(address: string) {
  const channel = openTestChannel('webhooks', address);
  return {
    endpoints: client(EndpointServiceDefinition, channel),
    deliveries: client(DeliveryServiceDefinition, channel),
    usage: client(UsageServiceDefinition, channel),
    close: () => channel.close(),
  };
}

export type Clients = ReturnType<typeof connectClients>;

export interface Created {
  readonly endpoint: Endpoint;
  readonly secret: string;
  /** Path of the test receiver at which the requests of the webhook arrive. */
  readonly path: string;
}

/** The webhooks service with a fake organization service, started once for each test file. */
export interface RunningWebhooks extends Clients, Omit<TestedService<Clients>, 'clients'> {
  /** Creates a webhook with a separate path at the test receiver. */
  newEndpoint(organizationId: string, options?: { events?: readonly string[]; url?: string }): Promise<Created>;
  /** Publishes an event about an analyzed invoice, and returns the event id. */
  analyzed(organizationId: string, at?: Date): Promise<string>;
  publish<T extends EventHeader>(type: EventType<T>, event: T): Promise<void>;
  deliveriesOf(organizationId: string, endpointId?: string): Promise<readonly Delivery[]>;
  delivery(organizationId: string, deliveryId: string): Promise<GetDeliveryResponse>;
}

export interface Options {
  readonly infrastructure: { readonly mongodbUrl: string; readonly natsUrl: string };
  readonly databaseName: string;
  /** Receiver of the webhook requests in the tests. */
  readonly receiver: { readonly origin: string; readonly caFile: string };
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Maximum difference on a busy machine between the clock of the database, which the services use, and the clock of a
 * test.
 */
const CLOCK_DIFFERENCE_MS_MAX = 2_000;

/**
 * Starts the webhooks service for a test.
 * @param startService function that starts the service, such as the one in compose.ts
 */
export async function startWebhooks(
  startService: (config: Config, overrides?: StartOverrides) => Promise<RunningService>,
  { receiver, env, ...options }: Options,
): Promise<RunningWebhooks> {
  const { clients: first, ...tested } = await startTestedService({
    service: 'webhooks',
    ...options,
    env: {
      EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
      WEBHOOK_TEST_CA_FILE: receiver.caFile,
      WEBHOOK_RETRY_WAITS_MS: '100,100,100,100',
      WEBHOOK_RETRY_FLOOR_MS: '50',
      ...env,
    },
    startService: (all) => startService(configSchema.parse(all)),
    connectClients,
  });
  const publishers = new Map(
    await Promise.all(
      ['analysis', 'scan', 'organization'].map(
        async (service) => [service, await eventPublisher(tested.bus, service)] as const,
      ),
    ),
  );
  let paths = 0;
  const publish: RunningWebhooks['publish'] = async (type, event) => {
    await publishers
      .get(type.service)
      ?.publish({ id: event.eventId, subject: type.subject, payload: JSON.stringify(type.codec.toJSON(event)) });
  };
  return {
    ...first,
    ...tested,
    publish,
    async newEndpoint(organizationId, { events: names = ['invoice.analysis.completed'], url } = {}) {
      const path = `/${organizationId}/${paths++}`;
      const { endpoint, secret } = await first.endpoints.createEndpoint(
        { organizationId, url: url ?? `${receiver.origin}${path}`, events: [...names] },
        caller,
      );
      if (endpoint === undefined) throw new Error('no endpoint');
      return { endpoint, secret, path };
    },
    async analyzed(organizationId, eventTime = new Date(Date.now() + CLOCK_DIFFERENCE_MS_MAX)) {
      const eventId = newEventId();
      await publish(events.invoiceAnalyzed, {
        eventId,
        eventTime,
        organizationId,
        invoiceId: randomUUID(),
        analysisId: randomUUID(),
        companyId: 'c-main',
        decision: Decision.PASS,
        riskScore: 0,
        source: InvoiceSource.API,
      });
      return eventId;
    },
    async deliveriesOf(organizationId, endpointId) {
      const request = { organizationId, endpointId, status: DeliveryStatus.UNSPECIFIED, pageSize: 100, pageToken: '' };
      return (await first.deliveries.listDeliveries(request, caller)).deliveries;
    },
    delivery: (organizationId, deliveryId) => first.deliveries.getDelivery({ organizationId, deliveryId }, caller),
  };
}

/** Returns the id of a webhook event in the form in which the outbox of a service derives such ids. */
export function newEventId(): string {
  return `evt_${idText(randomBytes(ID_BYTES))}`;
}
