// Starts the product with each service in a separate process, as in production, and creates the organizations that the
// attacks use.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { newSecrets, startServices } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { childrenOf, residentBytesOf, startNodeProcess } from '../bench/node-process.js';
import type { NodeProcess } from '../bench/node-process.js';
import type { Inside } from './inside.js';

/** Memory limit of a gateway in Kubernetes (`k8s/base/gateway`). */
export const MEMORY_BYTES_MAX = 512 * 1024 * 1024;
/**
 * Maximum heap size of an attacked process. It equals half of the memory limit, which is the default of Node.js in a
 * container; the attacked processes run outside a container.
 */
const HEAP_MIB_MAX = 256;
const COLLECTION_MS = 250;
const METER_MS_MAX = 30_000;
const METER_EACH_MS = 2;

export interface AttackedSystem {
  /** Origin of the gateway, such as `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly port: number;
  /** The organization that attacks, or that is served during the attack. */
  readonly tenant: Tenant;
  /** An organization that is not involved in the attack. */
  readonly bystander: Tenant;
  newTenant(name: string): Promise<Tenant>;
  /** Returns the resident memory of the attacked gateway in bytes. */
  residentBytes(): Promise<number>;
  /** Returns the resident memory of the gateway in bytes after a garbage collection. */
  collectedBytes(): Promise<number>;
  /** Returns the resident memory of the gateway, the documents service and its child processes in bytes. */
  receivingBytes(): Promise<number>;
  /** Runs an attack and returns the longest time for which one turn of the gateway's event loop used the processor. */
  longestHoldMs(work: () => Promise<void>): Promise<number>;
  readonly mongodbUrl: string;
  readonly databasePrefix: string;
  /** The addresses of the services, the broker and the databases, for attacks from inside the network. */
  readonly inside: Inside;
  stop(): Promise<void>;
}

export interface AttackedSystemOptions {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  readonly databasePrefix: string;
  readonly logDir: string;
}

/** Starts the services with the limits of production, except for the number of history scans in a minute. */
export async function startAttackedSystem(options: AttackedSystemOptions): Promise<AttackedSystem> {
  const { mongodbUrl, natsUrl, databasePrefix, logDir } = options;
  const secrets = newSecrets();
  const mongodbUrlFor = serviceUrls(mongodbUrl, databasePrefix);
  const identities = await identitiesForTests();
  const processes: NodeProcess[] = [];
  const holdMeterFile = join(logDir, 'holds');
  const stop = async (): Promise<void> => {
    for (const running of processes.splice(0).toReversed()) await running.stop();
  };
  try {
    const services = await startServices(
      { natsUrl, mongodbUrlFor, databasePrefix, secrets, identities },
      async (name, own) => {
        const env = {
          ...process.env,
          NODE_ENV: 'production',
          GRPC_PORT: '0',
          PORT: '0',
          RATE_LIMIT_SCANS_PER_MINUTE: '1000',
          ...(name === 'gateway' ? { NODE_OPTIONS: gatewayOptions(), HOLD_METER_FILE: holdMeterFile } : {}),
          ...own,
        };
        const started = await startNodeProcess(name, program(`../../../services/${name}/dist/main.js`), env, logDir);
        processes.push(started);
        return started;
      },
    );
    const { gateway, organization, documents } = services;
    const newTenant = (name: string): Promise<Tenant> => createTenant(organization.address, identities, name);
    const residentBytes = (): Promise<number> => residentBytesOf(gateway.pid);
    return {
      origin: `http://${gateway.address}`,
      port: Number(gateway.address.split(':')[1]),
      tenant: await newTenant('Attacker'),
      bystander: await newTenant('Bystander'),
      newTenant,
      residentBytes,
      async collectedBytes() {
        process.kill(gateway.pid, 'SIGUSR2');
        await delay(COLLECTION_MS);
        return residentBytes();
      },
      async longestHoldMs(work) {
        await answerOfMeter(gateway.pid, holdMeterFile);
        try {
          await work();
        } finally {
          await answerOfMeter(gateway.pid, holdMeterFile);
        }
        return Number(linesOf(holdMeterFile).at(-1));
      },
      async receivingBytes() {
        const pids = [gateway.pid, documents.pid, ...(await childrenOf(documents.pid))];
        // A process of the attacked system that reads documents may have been killed in the meantime.
        const bytes = await Promise.all(pids.map((pid) => residentBytesOf(pid).catch(() => 0)));
        return bytes.reduce((sum, one) => sum + one, 0);
      },
      mongodbUrl,
      databasePrefix,
      inside: {
        addresses: addressesOf(services),
        natsUrl,
        mongodbUrlOf: async (name) => mongodbUrlFor(name),
        databasePrefix,
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function addressesOf(services: Readonly<Record<ServiceName, NodeProcess>>): Readonly<Record<ServiceName, string>> {
  return Object.fromEntries(Object.entries(services).map(([name, { address }]) => [name, address])) as Record<
    ServiceName,
    string
  >;
}

function gatewayOptions(): string {
  const loaded = ['collect-on-signal.js', 'hold-meter.js'].map((file) => `--import=${new URL(file, compiled).href}`);
  return [`--max-old-space-size=${HEAP_MIB_MAX}`, ...loaded].join(' ');
}

/** Starts or ends a measurement in the gateway, and waits for its confirmation. */
async function answerOfMeter(pid: number, file: string): Promise<void> {
  const before = linesOf(file).length;
  process.kill(pid, 'SIGCONT');
  const deadlineMs = performance.now() + METER_MS_MAX;
  while (linesOf(file).length === before) {
    if (performance.now() > deadlineMs) throw new Error('The meter of the gateway does not answer.');
    await delay(METER_EACH_MS);
  }
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

/**
 * The compiled directory is named in full, so that the file is found also when a test runs this module from its source.
 */
const compiled = new URL('../dist/attack/', import.meta.url.replace('/dist/attack/', '/attack/'));

function program(path: string): string {
  return fileURLToPath(new URL(path, compiled));
}
