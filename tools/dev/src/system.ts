// Runs all services in one process, in which they call each other by gRPC on loopback ports. `npm start`, the
// end-to-end tests and the benchmarks use this module. Compose and Kubernetes start each service in a process of its
// own.
import type { RunningService } from '@invoicecontrol/runtime/process';
import { entries } from '@invoicecontrol/topology/services';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { startServices } from '@invoicecontrol/topology/start';
import type { Installation, Secrets } from '@invoicecontrol/topology/start';
import { serviceUrls } from './infrastructure/mongodb-users.js';

export interface SystemOptions {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  readonly secrets: Secrets;
  /** Directory with the identity files of each service and of the operator. */
  readonly identities: string;
  /**
   * Function that returns the database address of each service. Without this function, the addresses from
   * {@link serviceUrls} are used.
   */
  readonly mongodbUrlFor?: Installation['mongodbUrlFor'];
  /** Port of the gateway. With 0, the operating system chooses a free port. */
  readonly port?: number;
  /** Prefix of every database name, so that several systems can share one MongoDB. */
  readonly databasePrefix?: string;
  /**
   * Environment variables that every service gets: LOG_LEVEL, OTEL_EXPORTER_OTLP_ENDPOINT, and settings that the
   * service map passes on to services, such as RATE_LIMIT_...
   */
  readonly env?: NodeJS.ProcessEnv;
}

export interface System {
  /** Base URL of the API, such as `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  /** Address of each service, such as `127.0.0.1:50051`. */
  readonly addresses: Readonly<Record<ServiceName, string>>;
  stop(): Promise<void>;
}

/** Description of the shared product for the end-to-end tests, as JSON in `SHARED_SYSTEM`. */
export interface SharedSystem extends Pick<System, 'baseUrl' | 'addresses'> {
  /** Directory with the identity files of each service and of the operator. */
  readonly identities: string;
  readonly databasePrefix: string;
}

/** The modules `/config` and `/service` that each service's package exports. */
interface ServiceModule {
  readonly configSchema: { parse(env: unknown): unknown };
  startService(config: unknown): Promise<RunningService>;
}

/**
 * Starts every service after those that it calls. If a service cannot start, the services that were started are
 * stopped.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { mongodbUrl, databasePrefix, port = 0, env = {} } = options;
  const forAll = { ...passedOn(env), GRPC_PORT: '0', GRPC_REFLECTION: 'true', PORT: String(port) };
  const running: RunningService[] = [];
  const stop = async (): Promise<void> => {
    for (const service of running.splice(0).reverse()) await service.stop();
  };
  try {
    const services = await startServices(
      // The environment's NODE_ENV is left out, because billing refuses the simulator's prices in production.
      { mongodbUrlFor: serviceUrls(mongodbUrl, databasePrefix), given: { ...forAll, NODE_ENV: undefined }, ...options },
      async (name, own) => {
        const { configSchema, startService } = await load(name);
        const service = await startService(configSchema.parse({ ...forAll, ...own }));
        running.push(service);
        return service;
      },
    );
    const addresses = Object.fromEntries(Object.entries(services).map(([name, { address }]) => [name, address]));
    return {
      baseUrl: `http://${services.gateway.address}/v1`,
      addresses: addresses as Record<ServiceName, string>,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Returns the environment variables of the caller that the services get. Variables that this system sets itself are
 * left out, including secrets.
 */
function passedOn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = entries.flatMap(([, { settings }]) =>
    Object.entries(settings).flatMap(([name, { secret = 'optional' }]) => (secret === 'optional' ? [name] : [])),
  );
  const given = ['LOG_LEVEL', 'OTEL_EXPORTER_OTLP_ENDPOINT', ...names].filter((name) => env[name]);
  return Object.fromEntries(given.map((name) => [name, env[name]]));
}

async function load(name: ServiceName): Promise<ServiceModule> {
  const [config, service] = await Promise.all([
    import(`@invoicecontrol/${name}/config`),
    import(`@invoicecontrol/${name}/service`),
  ]);
  return { ...config, ...service } as ServiceModule;
}
