import { ConnectionServiceDefinition, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { InboxServiceDefinition } from '@invoicecontrol/contracts/ksef/v1/inbox_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { startTestedService } from '@invoicecontrol/tenants/tested-service';
import type { TestedService } from '@invoicecontrol/tenants/tested-service';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';

/** Request context of the caller in the tests of the ksef service. */
export const caller = {
  context: { requestId: 'test', actor: { type: 'API_KEY', id: 'key' } },
  timeoutMs: 20_000,
} as const;

function connectClients(address: string) {
  const channel = openTestChannel('ksef', address);
  return {
    connections: client(ConnectionServiceDefinition, channel),
    inbox: client(InboxServiceDefinition, channel),
    close: () => channel.close(),
  };
}

type Clients = ReturnType<typeof connectClients>;

/** The ksef service with fakes of the services that it calls, started once per test file. */
export type RunningKsef = Clients & Omit<TestedService<Clients>, 'clients'>;

interface Options {
  readonly infrastructure: { readonly mongodbUrl: string; readonly natsUrl: string };
  readonly databaseName: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Clock of the tested ksef service. The default is the clock of the database. */
  readonly clock?: Clock;
}

/**
 * Starts the ksef service for a test file.
 * @param startService function of the service in compose.ts
 */
export async function startKsef(
  startService: (config: Config, overrides: StartOverrides) => Promise<RunningService>,
  { env, clock, ...options }: Options,
): Promise<RunningKsef> {
  const { clients, ...tested } = await startTestedService({
    service: 'ksef',
    ...options,
    env: { ANALYSIS_ADDRESS: '127.0.0.1:1', DOCUMENTS_ADDRESS: '127.0.0.1:1', ...env },
    startService: (all) =>
      startService(configSchema.parse(all), { jobPauseMsMax: 250, ...(clock === undefined ? {} : { clock }) }),
    connectClients,
  });
  return { ...clients, ...tested };
}

/** An invented KSeF token for tests, in the form that KSeF uses. */
export const exampleToken = `20260301-EC-0000000001-0000000002-AB|nip-5265877635|${'0f'.repeat(32)}`;

/** A test request that connects the default company to the TEST environment. */
export function connectionRequest(organizationId: string) {
  return { organizationId, environment: Environment.TEST, contextNip: '5265877635', ksefToken: exampleToken };
}

export function stated<T>(part: T | undefined | null): T {
  if (part === undefined || part === null) throw new Error('a part of the answer is missing');
  return part;
}
