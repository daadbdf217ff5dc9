import { randomBytes, randomUUID } from 'node:crypto';
import { Decision, InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import { DeliveryServiceDefinition, DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import type { Delivery, GetDeliveryResponse } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { EndpointServiceDefinition } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import type { Endpoint } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { startFakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';
import { ID_BYTES, idText } from '../domain/id-text.js';

/** Who calls in these tests. */
export const caller = {
  context: { requestId: 'test', actor: { type: 'API_KEY', id: 'key' } },
  timeoutMs: 20_000,
} as const;

function connectClients(address: string) {
  const channel = openChannel(address);
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
  /** Where the receiver gets what is sent to it. */
  readonly path: string;
}

/** The webhooks service with a fake organization service, started once per test file. */
export interface RunningWebhooks extends Clients {
  readonly organization: FakeOrganization;
  readonly mongo: MongoConnection;
  readonly bus: Bus;
  /** A further replica. */
  startReplica(env?: Readonly<Record<string, string>>): Promise<Clients & { stop(): Promise<void> }>;
  /** Stops the service that was started first; it takes no more calls. */
  stopService(): Promise<void>;
  /** An endpoint with a path of its own on the receiver. */
  newEndpoint(organizationId: string, options?: { events?: readonly string[]; url?: string }): Promise<Created>;
  /** Announces a decided invoice, and says under which id. */
  analyzed(organizationId: string, at?: Date): Promise<string>;
  publish<T extends EventHeader>(type: EventType<T>, event: T): Promise<void>;
  deliveriesOf(organizationId: string, endpointId?: string): Promise<readonly Delivery[]>;
  delivery(organizationId: string, deliveryId: string): Promise<GetDeliveryResponse>;
  stop(): Promise<void>;
}

export interface Options {
  readonly infrastructure: { readonly mongodbUrl: string; readonly natsUrl: string };
  readonly databaseName: string;
  /** Where the endpoints of the tests are. */
  readonly receiver: { readonly origin: string; readonly caFile: string };
  readonly env?: Readonly<Record<string, string>>;
}

/** Services go by the database's clock, which they measure; on a busy machine it differs from that of a test. */
const CLOCK_DIFFERENCE_MS_MAX = 2_000;

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;

/** @param startService the service's own, from compose.ts */
export async function startWebhooks(
  startService: (config: Config, overrides?: StartOverrides) => Promise<RunningService>,
  { infrastructure: { mongodbUrl, natsUrl }, databaseName, receiver, env = {} }: Options,
): Promise<RunningWebhooks> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const organization = await startFakeOrganization(logger);
  const mongo = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
  const bus = await connectNats({ url: natsUrl, name: 'test', logger });
  const publishers = new Map(
    await Promise.all(
      ['analysis', 'scan', 'organization'].map(
        async (service) => [service, await eventPublisher(bus, service)] as const,
      ),
    ),
  );
  const secretboxKeys = key('k1');
  const startReplica: RunningWebhooks['startReplica'] = async (own = {}) => {
    const config = configSchema.parse({
      GRPC_PORT: '0',
      MONGODB_URL: mongodbUrl,
      NATS_URL: natsUrl,
      DATABASE_NAME: databaseName,
      ORGANIZATION_ADDRESS: organization.address,
      SECRETBOX_KEYS: secretboxKeys,
      LOG_LEVEL: 'silent',
      EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
      WEBHOOK_TEST_CA_FILE: receiver.caFile,
      WEBHOOK_RETRY_WAITS_MS: '100,100,100,100',
      WEBHOOK_RETRY_FLOOR_MS: '50',
      ...env,
      ...own,
    });
    const service = await startService(config);
    const clients = connectClients(service.address);
    return {
      ...clients,
      async stop() {
        clients.close();
        await service.stop();
      },
    };
  };
  const first = await startReplica();
  let isStopped = false;
  const stopService: RunningWebhooks['stopService'] = async () => {
    if (!isStopped) await first.stop();
    isStopped = true;
  };
  let paths = 0;
  const publish: RunningWebhooks['publish'] = async (type, event) => {
    await publishers
      .get(type.service)
      ?.publish({ id: event.eventId, subject: type.subject, payload: JSON.stringify(type.codec.toJSON(event)) });
  };
  return {
    ...first,
    organization,
    mongo,
    bus,
    startReplica,
    stopService,
    publish,
    async newEndpoint(organizationId, { events: names = ['invoice.analysis.completed'], url } = {}) {
      const path = `/${organizationId}/${paths++}`;
      const { endpoint, secret } = await first.endpoints.createEndpoint(
        { organizationId, url: url ?? `${receiver.origin}${path}`, events: [...names], plan: 'SCALE' },
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
    async stop() {
      await stopService();
      await organization.stop(1_000);
      await bus.close();
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}

/** As the outbox would derive it. */
export function newEventId(): string {
  return `evt_${idText(randomBytes(ID_BYTES))}`;
}
