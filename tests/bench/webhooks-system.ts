// Starts the system that `npm run bench:webhooks` measures: each service and the receiver in a separate process.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Decision, InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import { EndpointServiceDefinition } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { startOutbox } from '@invoicecontrol/runtime/mongo/outbox';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import { createTestAuthority } from '@invoicecontrol/testkit/test-certificates';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { newSecrets, startServices } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { endChildren } from './children.js';
import { startDatabaseProxy, startRpcProxy } from './counting-proxy.js';
import type { DatabaseCommand } from './counting-proxy.js';
import { startNodeProcess } from './node-process.js';
import type { NodeProcess } from './node-process.js';
import { onEnd } from './run-program.js';
import type { Stores } from './stores.js';
import { startReceiverProcess } from './webhook-receiver-process.js';
import type { ReceiverProcess } from './webhook-receiver-process.js';

export interface Endpoint {
  readonly organizationId: string;
  /** Path of the webhook endpoint at the receiver, such as `/e17`. */
  readonly path: string;
  readonly url: string;
  readonly secret: string;
}

export interface WebhooksSystem {
  readonly receiver: ReceiverProcess;
  /** Process of the measured webhooks service. `killAndRestart` replaces it by another process. */
  readonly webhooks: NodeProcess;
  readonly caFile: string;
  readonly natsUrl: string;
  /** Connection to the database of the webhooks service. */
  readonly db: MongoConnection['db'];
  /** Counts of the commands of the webhooks service to its database, and of its calls to other services. */
  readonly counted: Counted;
  newTenant(): Promise<Tenant>;
  /** Webhook endpoints that receive all events of the tenant. */
  register(tenant: Tenant, count: number): Promise<Endpoint[]>;
  deleteEndpoints(): Promise<void>;
  /**
   * Publishes an `invoice_analyzed` event as the analysis service does. Resolves when the broker has stored the event.
   * @returns the time when the broker has stored it, by `Date.now()`
   */
  publish(organizationId: string, eventId: string): Promise<number>;
  /**
   * Opens a store in which the benchmark writes changes. Each change has a webhook event, which is published by an
   * outbox, as in every service.
   * @param natsUrl address at which this outbox reaches the broker; by default the address that the services use
   */
  openChanges(natsUrl?: string): Promise<Changes>;
  /**
   * Kills the measured webhooks service with SIGKILL and starts a new process at once.
   * @returns the time of the kill, by `Date.now()`
   */
  killAndRestart(): Promise<number>;
}

export interface Changes {
  write(organizationId: string): Promise<void>;
  /** Counts the webhook events that the broker does not have yet. */
  unpublished(): Promise<number>;
  /** Returns the time when each change of the webhook benchmark was written, by the id of its event. */
  writtenAtMs(): Promise<Map<string, number>>;
}

export interface Counted {
  readonly commands: DatabaseCommand[];
  calls: number;
  /** Delays every database command of the webhooks service by the given time. */
  delay(latencyMs: number): void;
}

const UNLIMITED = '100000000';
const CALL = { context: { requestId: 'bench', actor: { type: 'SYSTEM', id: 'bench' } }, timeoutMs: 30_000 } as const;
const REGISTERED_AT_ONCE = 8;
/** Payload of the webhook event about each change. */
const ANALYZED = {
  invoiceId: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d14',
  analysisId: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d15',
  companyId: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d16',
  decision: Decision.PASS,
  riskScore: 7,
  source: InvoiceSource.API,
};

export async function startWebhooksSystem(options: {
  readonly stores: Stores;
  readonly directory: string;
  /** Number of addresses over which the webhook endpoints are distributed. */
  readonly servers: number;
  /**
   * True if proxies that count commands and calls are placed in front of the database and the services that the
   * webhooks service uses.
   */
  readonly isCounted: boolean;
}): Promise<WebhooksSystem> {
  const { stores, directory, servers, isCounted } = options;
  const { mongodbUrl, natsUrl, databasePrefix } = stores;
  const authority = createTestAuthority();
  const caFile = join(directory, 'authority.pem');
  await writeFile(caFile, authority.certificate);
  const { key, certificate: cert } = authority.issue();
  const receiver = await startReceiverProcess({ tls: { key, cert }, servers });

  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const shared = {
    ...process.env,
    NODE_ENV: 'production',
    GRPC_PORT: '0',
    PORT: '0',
    RATE_LIMIT_DEFAULT_PER_MINUTE: UNLIMITED,
    RATE_LIMIT_ORGANIZATION_PER_MINUTE: UNLIMITED,
    RATE_LIMIT_WRITES_PER_MINUTE: UNLIMITED,
  };
  // These settings of the webhooks service allow loopback addresses, which the service refuses to call in production.
  const forLoopback = { NODE_ENV: 'test', EGRESS_ALLOW_CIDRS: '127.0.0.1/32', WEBHOOK_TEST_CA_FILE: caFile };
  let webhooksEnv: NodeJS.ProcessEnv = {};
  const delays: ((latencyMs: number) => void)[] = [];
  const counted: Counted = {
    commands: [],
    calls: 0,
    delay: (latencyMs) => {
      for (const delayOne of delays) delayOne(latencyMs);
    },
  };
  const urlFor = serviceUrls(mongodbUrl, databasePrefix);
  const mongodbUrlFor = async (service: ServiceName): Promise<string> => {
    const own = await urlFor(service);
    if (!isCounted || service !== 'webhooks') return own;
    const url = new URL(own);
    const proxy = await startDatabaseProxy(url.host, service, counted.commands);
    onEnd(() => proxy.close());
    delays.push((latencyMs) => proxy.delay(latencyMs));
    url.host = proxy.address;
    url.searchParams.set('directConnection', 'true');
    return url.href;
  };
  const addressFor = async (caller: string, called: string, address: string): Promise<string> => {
    if (!isCounted || caller !== 'webhooks') return address;
    const proxy = await startRpcProxy({ caller, called, address, identities }, () => void counted.calls++);
    onEnd(() => proxy.close());
    return proxy.address;
  };
  let starts = 0;
  const startWebhooks = (): Promise<NodeProcess> =>
    startNodeProcess(`webhooks-${++starts}`, program('webhooks'), webhooksEnv, directory);
  const system = await startServices(
    { natsUrl, mongodbUrlFor, addressFor, databasePrefix, secrets, identities },
    (service, own) => {
      if (service !== 'webhooks') return startNodeProcess(service, program(service), { ...shared, ...own }, directory);
      webhooksEnv = { ...shared, ...own, ...forLoopback };
      return startWebhooks();
    },
  );
  let webhooks: NodeProcess = system.webhooks;
  // The child processes of the benchmark end before their proxies close.
  onEnd(endChildren);
  const db = await stores.openDatabase('webhooks');
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const bus = await connectTestNats({ url: natsUrl, name: 'bench', logger });
  onEnd(() => bus.close());

  const onEndpoints = async <T>(work: (endpoints: EndpointClient) => Promise<T>): Promise<T> => {
    const channel = openTestChannel('webhooks', webhooks.address);
    try {
      return await work(client(EndpointServiceDefinition, channel));
    } finally {
      channel.close();
    }
  };
  let registered: { organizationId: string; endpointId: string }[] = [];
  let paths = 0;
  const registerOne = async (endpoints: EndpointClient, organizationId: string): Promise<Endpoint> => {
    const path = `/e${(paths += 1)}`;
    const url = `${receiver.urls[paths % servers] ?? ''}${path}`;
    const { endpoint, secret } = await endpoints.createEndpoint(
      {
        organizationId,
        url,
        events: ['invoice.analysis.completed', 'finding.created'],
      },
      CALL,
    );
    receiver.setSecret(path, secret);
    registered.push({ organizationId, endpointId: endpoint?.endpointId ?? '' });
    return { organizationId, path, url, secret };
  };
  return {
    receiver,
    get webhooks() {
      return webhooks;
    },
    caFile,
    natsUrl,
    db,
    counted,
    newTenant: () => createTenant(system.organization.address, identities, 'Bench webhooks'),
    register: ({ organizationId }, count) =>
      onEndpoints(async (endpoints) => {
        const all: Endpoint[] = [];
        while (all.length < count) {
          const length = Math.min(REGISTERED_AT_ONCE, count - all.length);
          all.push(...(await Promise.all(Array.from({ length }, () => registerOne(endpoints, organizationId)))));
        }
        return all;
      }),
    deleteEndpoints: () =>
      onEndpoints(async (endpoints) => {
        for (const each of registered) await endpoints.deleteEndpoint(each, CALL);
        registered = [];
      }),
    async openChanges(outboxNatsUrl = natsUrl) {
      const outboxBus = await connectTestNats({ url: outboxNatsUrl, name: 'bench outbox', logger });
      onEnd(() => outboxBus.close());
      const collection = db.collection<Aggregate>('bench_changes');
      const outbox = await startOutbox({
        db,
        collectionNames: [collection.collectionName],
        publisher: await eventPublisher(outboxBus, events.invoiceAnalyzed.service),
        clock: systemClock,
        logger,
      });
      onEnd(() => outbox.stop());
      const changes = aggregateStore(collection, outbox, systemClock);
      return {
        write: (organizationId) =>
          changes.insert(
            { _id: randomUUID(), organizationId },
            { events: [announce(events.invoiceAnalyzed, ANALYZED)] },
          ),
        unpublished: () => collection.countDocuments({ outboxPending: true }),
        async writtenAtMs() {
          await outbox.idle();
          const documents = await collection.find().toArray();
          return new Map(
            documents.flatMap(({ recentEvents = [] }) => recentEvents.map(({ id, at }) => [id, at.getTime()] as const)),
          );
        },
      };
    },
    async publish(organizationId, eventId) {
      const { subject, codec } = events.invoiceAnalyzed;
      const publishedAtMs = Date.now();
      const message = codec.toJSON({ ...ANALYZED, eventId, eventTime: new Date(publishedAtMs), organizationId });
      await bus.jetstream.publish(subject, JSON.stringify(message), { msgID: eventId });
      return publishedAtMs;
    },
    async killAndRestart() {
      const killedAtMs = Date.now();
      process.kill(webhooks.pid, 'SIGKILL');
      webhooks = await startWebhooks();
      return killedAtMs;
    },
  };
}

type EndpointClient = ReturnType<typeof client<typeof EndpointServiceDefinition>>;

/**
 * Returns the path of the compiled program of a service. The path is relative to the compiled file of this module in
 * `tests/dist/bench`.
 */
function program(service: string): string {
  return fileURLToPath(new URL(`../../../services/${service}/dist/main.js`, import.meta.url));
}
