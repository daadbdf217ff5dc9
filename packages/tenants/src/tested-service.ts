import { randomBytes } from 'node:crypto';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { ServiceName } from '@invoicecontrol/runtime/telemetry/schema';
import { testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { startFakeOrganization } from './fake-organization.js';
import type { FakeOrganization } from './fake-organization.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The functions and values of a tested service that a test file uses. */
export interface TestedServiceOptions<Clients> {
  readonly service: ServiceName;
  readonly infrastructure: { readonly mongodbUrl: string; readonly natsUrl: string };
  readonly databaseName: string;
  /** Environment variables that every replica of the tested service gets. */
  readonly env: Environment;
  readonly startService: (env: Environment) => Promise<RunningService>;
  readonly connectClients: (address: string) => Clients;
}

/** A service with a fake organization service, which is started once for each test file. */
export interface TestedService<Clients> {
  /** gRPC clients that call the first replica of the tested service. */
  readonly clients: Clients;
  readonly organization: FakeOrganization;
  readonly mongo: MongoConnection;
  readonly bus: Bus;
  /** Starts another replica of the tested service. */
  startReplica(env?: Environment): Promise<Clients & { stop(): Promise<void> }>;
  /** Stops the first replica of the tested service. */
  stopService(): Promise<void>;
  /** Stops all replicas of the tested service and drops their database. */
  stop(): Promise<void>;
}

/** Starts the first replica of a tested service. All replicas share a database and the keys for secrets. */
export async function startTestedService<Clients extends { close(): void }>({
  service,
  infrastructure: { mongodbUrl, natsUrl },
  databaseName,
  env,
  startService,
  connectClients,
}: TestedServiceOptions<Clients>): Promise<TestedService<Clients>> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const organization = await startFakeOrganization(logger);
  const mongo = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
  const bus = await connectTestNats({ url: natsUrl, name: 'test', logger });
  const shared = {
    GRPC_PORT: '0',
    HEALTH_PORT: '0',
    TLS_DIR: testIdentityDirectory(service),
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    DATABASE_NAME: databaseName,
    ORGANIZATION_ADDRESS: organization.address,
    SECRETBOX_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    LOG_LEVEL: 'silent',
    ...env,
  };
  const startReplica = async (own: Environment = {}): Promise<Clients & { stop(): Promise<void> }> => {
    const replica = await startService({ ...shared, ...own });
    const clients = connectClients(replica.address);
    return {
      ...clients,
      async stop() {
        clients.close();
        await replica.stop();
      },
    };
  };
  const first = await startReplica();
  let isStopped = false;
  const stopService = async (): Promise<void> => {
    if (!isStopped) await first.stop();
    isStopped = true;
  };
  return {
    clients: first,
    organization,
    mongo,
    bus,
    startReplica,
    stopService,
    async stop() {
      await stopService();
      await organization.stop(1_000);
      await bus.close();
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}
