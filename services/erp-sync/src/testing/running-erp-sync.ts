import { randomBytes } from 'node:crypto';
import { ConnectionServiceDefinition } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { RunServiceDefinition } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { OAuthServiceDefinition } from '@invoicecontrol/contracts/erp_sync/v1/oauth_service';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
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
import type { ErpOverrides } from '../application/open-erp.js';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';
import { startFakeAnalysis } from './fake-analysis.js';
import type { FakeAnalysis } from './fake-analysis.js';

/** Who calls in these tests. */
export const caller = {
  context: { requestId: 'test', actor: { type: 'API_KEY', id: 'key' } },
  timeoutMs: 20_000,
} as const;

function connectClients(address: string) {
  const channel = openChannel(address);
  return {
    connections: client(ConnectionServiceDefinition, channel),
    runs: client(RunServiceDefinition, channel),
    oauth: client(OAuthServiceDefinition, channel),
    usage: client(UsageServiceDefinition, channel),
    close: () => channel.close(),
  };
}

type Clients = ReturnType<typeof connectClients>;

/** The erp-sync service with fakes of the services that it calls, started once per test file. */
export interface RunningErpSync extends Clients {
  readonly organization: FakeOrganization;
  readonly analysis: FakeAnalysis;
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
  /** Without it due connections are not run. */
  readonly erps?: ErpOverrides;
}

/** @param startService the service's own, from compose.ts */
export async function startErpSync(
  startService: (config: Config, overrides: StartOverrides, erps: ErpOverrides) => Promise<RunningService>,
  { infrastructure: { mongodbUrl, natsUrl }, databaseName, env = {}, erps = { runsDue: false } }: Options,
): Promise<RunningErpSync> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const organization = await startFakeOrganization(logger);
  const analysis = await startFakeAnalysis(logger);
  const mongo = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
  const bus = await connectNats({ url: natsUrl, name: 'test', logger });
  const secretboxKeys = `k1:${randomBytes(32).toString('base64')}`;
  const startReplica: RunningErpSync['startReplica'] = async (own = {}) => {
    const config = configSchema.parse({
      GRPC_PORT: '0',
      MONGODB_URL: mongodbUrl,
      NATS_URL: natsUrl,
      DATABASE_NAME: databaseName,
      ORGANIZATION_ADDRESS: organization.address,
      ANALYSIS_ADDRESS: analysis.address,
      SECRETBOX_KEYS: secretboxKeys,
      LOG_LEVEL: 'silent',
      ...env,
      ...own,
    });
    const service = await startService(config, { jobPauseMsMax: 50 }, erps);
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
  const stopService: RunningErpSync['stopService'] = async () => {
    if (!isStopped) await first.stop();
    isStopped = true;
  };
  return {
    ...first,
    organization,
    analysis,
    mongo,
    bus,
    startReplica,
    stopService,
    async stop() {
      await stopService();
      await analysis.stop(1_000);
      await organization.stop(1_000);
      await bus.close();
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}

export const guid = (last: number): string => `f7a5738a-44e3-ea11-bb43-${last.toString(16).padStart(12, '0')}`;

/** A request that connects Business Central; each number names another remote company. */
export function businessCentralRequest(organizationId: string, company = 1) {
  return {
    organizationId,
    provider: 'PROVIDER_A',
    configJson: JSON.stringify({
      tenantId: guid(0xa),
      environmentName: 'Production',
      companyId: guid(company),
      clientId: guid(0xc),
    }),
    secretName: 'client_secret',
    secret: 'a~client.secret',
  };
}

export function stated<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('a part of the answer is missing');
  return part;
}
