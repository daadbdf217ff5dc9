import { randomBytes } from 'node:crypto';
import { ConnectionServiceDefinition, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { startFakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';

/** Who calls in these tests. */
export const caller = {
  context: { requestId: 'test', actor: { type: 'API_KEY', id: 'key' } },
  timeoutMs: 20_000,
} as const;

function connectClients(address: string) {
  const channel = openChannel(address);
  return { connections: client(ConnectionServiceDefinition, channel), close: () => channel.close() };
}

type Clients = ReturnType<typeof connectClients>;

/** The ksef service with fakes of the services that it calls, started once per test file. */
export interface RunningKsef extends Clients {
  readonly organization: FakeOrganization;
  readonly mongo: MongoConnection;
  readonly bus: Bus;
  /** A further replica. */
  startReplica(env?: Readonly<Record<string, string | undefined>>): Promise<Clients & { stop(): Promise<void> }>;
  /** Stops the service that was started first. */
  stopService(): Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  readonly infrastructure: { readonly mongodbUrl: string; readonly natsUrl: string };
  readonly databaseName: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** @param startService the service's own, from compose.ts */
export async function startKsef(
  startService: (config: Config, overrides: StartOverrides) => Promise<RunningService>,
  { infrastructure: { mongodbUrl, natsUrl }, databaseName, env = {} }: Options,
): Promise<RunningKsef> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const organization = await startFakeOrganization(logger);
  const mongo = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
  const bus = await connectNats({ url: natsUrl, name: 'test', logger });
  const secretboxKeys = `k1:${randomBytes(32).toString('base64')}`;
  const startReplica: RunningKsef['startReplica'] = async (own = {}) => {
    const config = configSchema.parse({
      GRPC_PORT: '0',
      MONGODB_URL: mongodbUrl,
      NATS_URL: natsUrl,
      DATABASE_NAME: databaseName,
      ORGANIZATION_ADDRESS: organization.address,
      ANALYSIS_ADDRESS: '127.0.0.1:1',
      DOCUMENTS_ADDRESS: '127.0.0.1:1',
      SECRETBOX_KEYS: secretboxKeys,
      LOG_LEVEL: 'silent',
      ...env,
      ...own,
    });
    const service = await startService(config, { jobPauseMsMax: 50 });
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
  const stopService: RunningKsef['stopService'] = async () => {
    if (!isStopped) await first.stop();
    isStopped = true;
  };
  return {
    ...first,
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

/** A token as KSeF writes one. */
export const exampleToken = `20260301-EC-0000000001-0000000002-AB|nip-5265877635|${'0f'.repeat(32)}`;

/** A request that connects the default company to the TEST environment. */
export function connectionRequest(organizationId: string) {
  return { organizationId, environment: Environment.TEST, contextNip: '5265877635', ksefToken: exampleToken };
}

export function stated<T>(part: T | undefined | null): T {
  if (part === undefined || part === null) throw new Error('a part of the answer is missing');
  return part;
}
