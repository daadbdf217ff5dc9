// What is measured: the ceilings, each in two processes, and the product in one process per service, as in production.
import { fileURLToPath } from 'node:url';
import type { Secrets } from '@invoicecontrol/dev/system';
import { startNodeProcess } from './node-process.js';
import type { NodeProcess } from './node-process.js';

export interface Ceiling {
  readonly gateway: NodeProcess;
  readonly service: NodeProcess;
}

export interface System {
  readonly gateway: NodeProcess;
  readonly analysis: NodeProcess;
  readonly scan: NodeProcess;
  readonly organization: NodeProcess;
}

export interface SystemOptions {
  readonly natsUrl: string;
  readonly secrets: Secrets;
  readonly logDir: string;
  /** Distinguishes the logs of several systems. */
  readonly name: string;
  readonly mongodbUrlFor: (service: string) => string | Promise<string>;
  /** The address that a caller is told instead of a service's own; a counting proxy stands there. */
  readonly addressFor?: (caller: string, called: string, address: string) => Promise<string>;
}

export const ANALYSIS_DATABASE = 'bench_analysis';
export const CEILING_DATABASE = 'bench_ceiling';

/** High enough that no limit is ever met. */
const REQUESTS_PER_MINUTE = '100000000';

/** @param mongodbUrl where the service end runs the bare commands of storage; without it nothing is stored */
export async function startCeiling(logDir: string, name: string, mongodbUrl?: string): Promise<Ceiling> {
  const env = { ...process.env, NODE_ENV: 'production' };
  const service = await startNodeProcess(
    `${name}-service`,
    program('ceiling-service.js'),
    { ...env, CEILING_MONGODB_URL: mongodbUrl },
    logDir,
  );
  const gateway = await startNodeProcess(
    `${name}-gateway`,
    program('ceiling-gateway.js'),
    { ...env, CEILING_SERVICE_ADDRESS: service.address },
    logDir,
  );
  return { gateway, service };
}

export async function startSystem(options: SystemOptions): Promise<System> {
  const { natsUrl, secrets, logDir, name, mongodbUrlFor } = options;
  const addressFor = options.addressFor ?? (async (_caller, _called, address: string) => address);
  const env = { ...process.env, NODE_ENV: 'production', NATS_URL: natsUrl, GRPC_PORT: '0', PORT: '0' };
  const start = (service: string, own: NodeJS.ProcessEnv): Promise<NodeProcess> =>
    startNodeProcess(
      `${name}-${service}`,
      program(`../../../services/${service}/dist/main.js`),
      { ...env, ...own },
      logDir,
    );
  const organization = await start('organization', {
    MONGODB_URL: await mongodbUrlFor('organization'),
    DATABASE_NAME: 'bench_organization',
    OPERATOR_TOKEN: secrets.operatorToken,
    API_KEY_PEPPERS: secrets.apiKeyPeppers,
  });
  const analysis = await start('analysis', {
    MONGODB_URL: await mongodbUrlFor('analysis'),
    DATABASE_NAME: ANALYSIS_DATABASE,
    ORGANIZATION_ADDRESS: await addressFor('analysis', 'organization', organization.address),
  });
  const scan = await start('scan', {
    MONGODB_URL: await mongodbUrlFor('scan'),
    DATABASE_NAME: 'bench_scan',
    ORGANIZATION_ADDRESS: await addressFor('scan', 'organization', organization.address),
    ANALYSIS_ADDRESS: await addressFor('scan', 'analysis', analysis.address),
  });
  const gateway = await start('gateway', {
    ORGANIZATION_ADDRESS: await addressFor('gateway', 'organization', organization.address),
    ANALYSIS_ADDRESS: await addressFor('gateway', 'analysis', analysis.address),
    SCAN_ADDRESS: await addressFor('gateway', 'scan', scan.address),
    RATE_LIMIT_DEFAULT_PER_MINUTE: REQUESTS_PER_MINUTE,
    RATE_LIMIT_ORGANIZATION_PER_MINUTE: REQUESTS_PER_MINUTE,
    RATE_LIMIT_WRITES_PER_MINUTE: REQUESTS_PER_MINUTE,
    RATE_LIMIT_SCANS_PER_MINUTE: REQUESTS_PER_MINUTE,
  });
  return { gateway, analysis, scan, organization };
}

export async function stopAll(processes: readonly NodeProcess[]): Promise<void> {
  await Promise.all(processes.map((running) => running.stop()));
}

/** Compiled programs stand in `tests/dist/bench`. */
function program(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
