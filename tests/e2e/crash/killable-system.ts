// Starts the product as it is deployed, with one process per service and a separate MongoDB and NATS. A test can kill and
// restart each of them.
import { startInfrastructure } from '@invoicecontrol/dev/infrastructure';
import type { Infrastructure } from '@invoicecontrol/dev/infrastructure';
import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { MongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { newSecrets, startServices } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { eraseBrokerStore } from './broker-store.js';
import { startServiceProcess, UNLIMITED_RATES } from './service-process.js';
import type { Killable } from './service-process.js';

/** The path of the compiled service is also correct when a test runs this file from its source. */
const compiled = new URL('../../dist/e2e/crash/', import.meta.url.replace('/dist/e2e/', '/e2e/'));
const MOVABLE_CLOCK = `--import=${new URL('clock-on-signal.js', compiled).href}`;
/** Each process that reads documents takes a second of CPU time to start, and most crash tests read few documents. */
const SETTINGS = { LOG_LEVEL: 'info', NODE_OPTIONS: MOVABLE_CLOCK, EXTRACTION_CHILDREN: '1' } as const;

/** Running system of which a test can kill each service, and the servers that the services use. */
export interface KillableSystem extends Readonly<Record<ServiceName, Killable>> {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  /** Base URL of the API of the system under test, `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string;
  readonly database: Killable;
  readonly broker: Killable & {
    /**
     * Deletes the data of the killed MongoDB or NATS server between `kill` and `restart`, so that it starts empty, as
     * with a new volume.
     */
    erase(): Promise<void>;
  };
  /** The proxy between a service and its database. */
  proxyOf(service: ServiceName): MongoProxy;
  /** Starts the service again after `kill`, as if it had been stopped for longer than its leases last. */
  restartLater(service: ServiceName): Promise<void>;
  newTenant(name: string, plan?: 'ENTERPRISE' | 'SCALE' | 'CORE'): Promise<Tenant>;
  /**
   * Advances all clocks and leases by three minutes for every service, while no work is in progress. Work that becomes
   * due is then done within seconds.
   */
  letTimePass(): void;
  /** Processes that ended although the test did not kill them, with their last output. */
  readonly unexpected: readonly string[];
  stop(): Promise<void>;
}

export interface KillableSystemOptions {
  /**
   * URL of a MongoDB server that the test has started and can interrupt itself, so no proxies are placed in front of
   * it.
   */
  readonly mongodbUrl?: string;
  /** Variables that are added to the environment of the service that sends webhooks. */
  readonly webhooksEnv?: Readonly<Record<string, string>>;
  /** Variables that are added to the environment of the service that stores uploads. */
  readonly documentsEnv?: Readonly<Record<string, string>>;
  /** Variables that are added to the environment of the service that reads ERPs. */
  readonly erpSyncEnv?: Readonly<Record<string, string>>;
  /** Variables that are added to the environment of the service that submits to KSeF. */
  readonly ksefEnv?: Readonly<Record<string, string>>;
}

export async function startKillableSystem({
  mongodbUrl: givenUrl,
  webhooksEnv = {},
  documentsEnv = {},
  erpSyncEnv = {},
  ksefEnv = {},
}: KillableSystemOptions = {}): Promise<KillableSystem> {
  const added: Partial<Record<ServiceName, Readonly<Record<string, string>>>> = {
    webhooks: webhooksEnv,
    documents: documentsEnv,
    'erp-sync': erpSyncEnv,
    ksef: ksefEnv,
  };
  const unexpected: string[] = [];
  const log = (line: string): void => void unexpected.push(line);
  let isStarted = false;
  const closing: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0).toReversed()) await close();
  };
  try {
    // The system starts MongoDB and NATS servers of its own, because it kills them. Other tests share the servers of
    // the test run.
    const infrastructure: Infrastructure = await startInfrastructure({
      hasStreamsDirectory: true,
      env: givenUrl === undefined ? {} : { MONGODB_URL: givenUrl },
      // The first lines of the output state where the MongoDB and NATS programs come from, and are not logged.
      log: (line) => void (isStarted && log(line)),
    });
    isStarted = true;
    closing.push(() => infrastructure.stop());
    const { mongodbUrl, natsUrl } = infrastructure;
    const proxies = new Map<ServiceName, MongoProxy>();
    const urlFor = serviceUrls(mongodbUrl);
    const mongodbUrlFor = async (name: ServiceName): Promise<string> => {
      // A proxy stands in front of one server, and not of a replica set.
      if (givenUrl !== undefined) return urlFor(name);
      const proxy = await startMongoProxy(await urlFor(name));
      closing.push(() => proxy.close());
      proxies.set(name, proxy);
      return proxy.url;
    };
    const secrets = newSecrets();
    const identities = await identitiesForTests();
    const services = await startServices({ natsUrl, mongodbUrlFor, secrets, identities }, async (name, own) => {
      const env = { ...SETTINGS, ...UNLIMITED_RATES, ...own, ...added[name] };
      const service = await startServiceProcess(name, env, { log });
      closing.push(() => service.stop());
      return service;
    });
    return {
      ...services,
      mongodbUrl,
      natsUrl,
      baseUrl: `http://${services.gateway.address}/v1`,
      database: infrastructure.mongodb,
      broker: { ...infrastructure.nats, erase: () => eraseBrokerStore(infrastructure) },
      proxyOf: (service) => proxies.get(service) ?? missing(service),
      async restartLater(service) {
        await endLeases(mongodbUrl, service);
        await services[service].restart();
      },
      newTenant: (name, plan) => createTenant(services.organization.address, identities, name, plan),
      letTimePass() {
        for (const { pid } of Object.values(services)) if (pid !== undefined) process.kill(pid, 'SIGUSR2');
      },
      unexpected,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Ends the leases in the database of a service. Call this only while that service is stopped, because a running service
 * relies on its leases.
 */
async function endLeases(mongodbUrl: string, databaseName: ServiceName): Promise<void> {
  const { db, close } = await connectMongo({ url: mongodbUrl, databaseName, appName: 'leases' });
  try {
    const past = new Date(Date.now() - 1);
    const collections = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
    for (const { name } of collections) {
      await db.collection(name).updateMany({ leaseUntil: { $gt: past } }, { $set: { leaseUntil: past } });
    }
  } finally {
    await close();
  }
}

function missing(service: ServiceName): never {
  throw new Error(`${service} has no database.`);
}
