import { ConnectionServiceDefinition } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { RunServiceDefinition } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { OAuthServiceDefinition } from '@invoicecontrol/contracts/erp_sync/v1/oauth_service';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { startTestedService } from '@invoicecontrol/tenants/tested-service';
import type { TestedService } from '@invoicecontrol/tenants/tested-service';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import type { ErpOverrides } from '../application/open-erp.js';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';
import { startFakeAnalysis } from './fake-analysis.js';
import type { FakeAnalysis } from './fake-analysis.js';

/** Request context of the caller in the tests of the erp-sync service. */
export const caller = {
  context: { requestId: 'test', actor: { type: 'API_KEY', id: 'key' } },
  timeoutMs: 20_000,
} as const;

function connectClients(address: string) {
  const channel = openTestChannel('erp-sync', address);
  return {
    connections: client(ConnectionServiceDefinition, channel),
    runs: client(RunServiceDefinition, channel),
    oauth: client(OAuthServiceDefinition, channel),
    usage: client(UsageServiceDefinition, channel),
    close: () => channel.close(),
  };
}

type Clients = ReturnType<typeof connectClients>;

/** The erp-sync service with fakes of the services that it calls, started once for each test file. */
export interface RunningErpSync extends Clients, Omit<TestedService<Clients>, 'clients'> {
  readonly analysis: FakeAnalysis;
}

interface Options {
  readonly infrastructure: { readonly mongodbUrl: string; readonly natsUrl: string };
  readonly databaseName: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Replacements for parts of the access to ERPs in a test. If absent, due import runs are not started. */
  readonly erps?: ErpOverrides;
}

/**
 * Starts the erp-sync service with fakes for a test.
 * @param startService the function in compose.ts
 * @returns the running service
 */
export async function startErpSync(
  startService: (config: Config, overrides: StartOverrides, erps: ErpOverrides) => Promise<RunningService>,
  { env, erps = { runsDue: false }, ...options }: Options,
): Promise<RunningErpSync> {
  const analysis = await startFakeAnalysis(createLogger({ service: 'test', level: 'silent' }));
  const { clients, ...tested } = await startTestedService({
    service: 'erp-sync',
    ...options,
    env: { ANALYSIS_ADDRESS: analysis.address, ...env },
    startService: (all) => startService(configSchema.parse(all), { jobPauseMsMax: 250 }, erps),
    connectClients,
  });
  return {
    ...clients,
    ...tested,
    analysis,
    async stop() {
      await tested.stop();
      await analysis.stop(1_000);
    },
  };
}

export const guid = (last: number): string => `f7a5738a-44e3-ea11-bb43-${last.toString(16).padStart(12, '0')}`;

/** Returns a request that connects Business Central. Each number names another company. */
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
