// Starts all services on one machine, in one process or in one process each. `npm start`, the crash tests and the
// benchmarks use this module.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { addressVariable } from '@invoicecontrol/runtime/config';
import { databaseName, entries, services, startOrder } from './services.js';
import type { Service, ServiceName } from './services.js';

/** Values of the secret settings, by the name of the setting. They are created once per installation. */
export type Secrets = Readonly<Record<string, string>>;

export interface Installation {
  readonly natsUrl: string;
  readonly mongodbUrlFor: (service: ServiceName) => string | Promise<string>;
  /** Prefix of every database name, so that several systems can share one MongoDB. */
  readonly databasePrefix?: string;
  readonly secrets: Secrets;
  /** Directory with the identity files of each service, `<service>/tls.crt`, `tls.key` and `ca.crt`. */
  readonly identities: string;
  /** Environment variables that replace the development defaults of settings. */
  readonly given?: NodeJS.ProcessEnv;
  /** Returns the address that a caller gets instead of the address of a service, if a proxy listens there. */
  readonly addressFor?: (caller: string, called: string, address: string) => Promise<string>;
}

/** Creates a secret for every setting of a service that needs one. */
export function newSecrets(): Secrets {
  const values: Record<string, string> = {};
  for (const [, { settings }] of entries) {
    for (const [name, { secret }] of Object.entries(settings)) {
      if (secret === 'key-ring') values[name] = `k1:${randomBytes(32).toString('base64')}`;
    }
  }
  return values;
}

/** Returns the default settings of a service that its environment does not replace. */
export function developmentSettings(service: ServiceName): Readonly<Record<string, string>> {
  const { settings }: Service = services[service];
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, { development }]) =>
      development === undefined ? [] : [[name, development]],
    ),
  );
}

/** Returns the names of all databases of a product with this prefix. */
export function databaseNames(prefix: string): string[] {
  return entries.flatMap(([name, { protocol }]) => (protocol === 'grpc' ? [`${prefix}${databaseName(name)}`] : []));
}

/**
 * Starts each service after the services that it calls.
 * @param start receives the environment of the service, without the settings that the caller adds for all services: log
 * level, ports, limits
 * @returns the results of `start`, by service
 */
export async function startServices<Started extends { readonly address: string }>(
  {
    natsUrl,
    mongodbUrlFor,
    databasePrefix = '',
    secrets,
    identities,
    given = {},
    addressFor = async (_caller, _called, address) => address,
  }: Installation,
  start: (name: ServiceName, env: Readonly<Record<string, string>>) => Promise<Started>,
): Promise<Readonly<Record<ServiceName, Started>>> {
  const started: Record<string, Started> = {};
  for (const [name, { protocol, calls, settings }] of entries) {
    const env: Record<string, string> = { NATS_URL: natsUrl, TLS_DIR: join(identities, name) };
    if (protocol === 'grpc') {
      env['HEALTH_PORT'] = '0';
      env['MONGODB_URL'] = await mongodbUrlFor(name);
      env['DATABASE_NAME'] = `${databasePrefix}${databaseName(name)}`;
    }
    for (const called of calls) {
      const { address } = started[called] ?? missing(called);
      env[addressVariable(called)] = await addressFor(name, called, address);
    }
    for (const setting of Object.keys(settings)) {
      const secret = secrets[setting];
      if (secret !== undefined) env[setting] = secret;
    }
    for (const [setting, value] of Object.entries(developmentSettings(name))) {
      env[setting] ??= given[setting] || value;
    }
    started[name] = await start(name, env);
  }
  return started as Record<ServiceName, Started>;
}

function missing(service: string): never {
  throw new Error(`${service} is not started: ${startOrder.join(', ')} is not an order to start in.`);
}
