// Starts the measured servers: the minimal programs for comparison (ceilings), each in two processes, and the product
// in one process per service, as in production.
import { fileURLToPath } from 'node:url';
import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { startServices } from '@invoicecontrol/topology/start';
import type { Installation } from '@invoicecontrol/topology/start';
import { startNodeProcess } from './node-process.js';
import type { NodeProcess } from './node-process.js';
import type { Stores } from './stores.js';

export interface Ceiling {
  readonly gateway: NodeProcess;
  readonly service: NodeProcess;
}

export type System = Readonly<Record<ServiceName, NodeProcess>>;

export interface SystemOptions extends Omit<Installation, 'mongodbUrlFor'> {
  readonly databasePrefix: string;
  readonly mongodbUrl: string;
  /**
   * Function that returns the database address of each service. Without this function, the addresses from `serviceUrls`
   * are used.
   */
  readonly mongodbUrlFor?: Installation['mongodbUrlFor'];
  readonly logDir: string;
  /** Name of the benchmarked system, which distinguishes the logs of several systems. */
  readonly name: string;
  /** Settings of the services in addition to those that every benchmark uses. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Rate limit that is so high that no benchmark reaches it. */
const REQUESTS_PER_MINUTE = '100000000';

/**
 * Starts a minimal gateway and service for comparison (a ceiling).
 * @param stores database in which the service runs the commands that storing an invoice takes; without it, nothing is
 * stored
 */
export async function startCeiling(logDir: string, name: string, stores?: Stores): Promise<Ceiling> {
  const env = { ...process.env, NODE_ENV: 'production' };
  const service = await startNodeProcess(
    `${name}-service`,
    program('ceiling-service.js'),
    { ...env, CEILING_MONGODB_URL: stores?.mongodbUrl, CEILING_DATABASE: `${stores?.databasePrefix}ceiling` },
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
  const { logDir, name } = options;
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    GRPC_PORT: '0',
    PORT: '0',
    RATE_LIMIT_DEFAULT_PER_MINUTE: REQUESTS_PER_MINUTE,
    RATE_LIMIT_ORGANIZATION_PER_MINUTE: REQUESTS_PER_MINUTE,
    RATE_LIMIT_WRITES_PER_MINUTE: REQUESTS_PER_MINUTE,
    RATE_LIMIT_SCANS_PER_MINUTE: REQUESTS_PER_MINUTE,
    ...options.env,
  };
  const mongodbUrlFor = serviceUrls(options.mongodbUrl, options.databasePrefix);
  return startServices({ mongodbUrlFor, ...options }, (service, own) =>
    startNodeProcess(
      `${name}-${service}`,
      program(`../../../services/${service}/dist/main.js`),
      { ...env, ...own },
      logDir,
    ),
  );
}

export async function stopAll(processes: readonly NodeProcess[]): Promise<void> {
  await Promise.all(processes.map((running) => running.stop()));
}

/** Returns the path of a compiled program of the benchmark, in `tests/dist/bench`. */
function program(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
