// The product as it is deployed, one process per service, on a MongoDB and a NATS of its own, all of which can be
// killed and brought back.
import { startInfrastructure } from '@invoicecontrol/dev/infrastructure';
import type { Infrastructure } from '@invoicecontrol/dev/infrastructure';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { MongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { newSecrets, startServices } from '@invoicecontrol/topology/start';
import { eraseBrokerStore } from './broker-store.js';
import { startServiceProcess, UNLIMITED_RATES } from './service-process.js';
import type { Killable } from './service-process.js';

/** Also when this file is run by a test from its source. */
const compiled = new URL('../../dist/e2e/crash/', import.meta.url.replace('/dist/e2e/', '/e2e/'));
const MOVABLE_CLOCK = `--import=${new URL('clock-on-signal.js', compiled).href}`;

/** Each service by its name, and the servers that the services use. */
export interface KillableSystem extends Readonly<Record<ServiceName, Killable>> {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  /** `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string;
  readonly database: Killable;
  readonly broker: Killable & {
    /** Deletes the data between `kill` and `restart`: the server comes back empty, as with a new volume. */
    erase(): Promise<void>;
  };
  /** The proxy between a service and its database. */
  proxyOf(service: ServiceName): MongoProxy;
  /** Starts it again after `kill` as if it had been away for longer than the leases that it held. */
  restartLater(service: ServiceName): Promise<void>;
  newTenant(name: string, plan?: 'ENTERPRISE' | 'SCALE' | 'CORE'): Promise<Tenant>;
  /** Moves times as if three minutes had passed for every service, while nothing is in progress: due work is done within seconds. */
  letTimePass(): void;
  /** Processes that ended although the test did not kill them, with their last output. */
  readonly unexpected: readonly string[];
  stop(): Promise<void>;
}

export interface KillableSystemOptions {
  /** A database that is not started here, without proxies before it; the test that started it breaks it. */
  readonly mongodbUrl?: string;
  /** Added to the environment of the service that sends webhooks. */
  readonly webhooksEnv?: Readonly<Record<string, string>>;
  /** Added to the environment of the service that stores uploads. */
  readonly documentsEnv?: Readonly<Record<string, string>>;
  /** Added to the environment of the service that reads ERPs. */
  readonly erpSyncEnv?: Readonly<Record<string, string>>;
  /** Added to the environment of the service that submits to KSeF. */
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
    // Not the one that the tests of this run share: ours is killed.
    const infrastructure: Infrastructure = await startInfrastructure({
      hasStreamsDirectory: true,
      env: givenUrl === undefined ? {} : { MONGODB_URL: givenUrl },
      // The lines of the start report the sources of the servers.
      log: (line) => void (isStarted && log(line)),
    });
    isStarted = true;
    closing.push(() => infrastructure.stop());
    const { mongodbUrl, natsUrl } = infrastructure;
    const proxies = new Map<ServiceName, MongoProxy>();
    const mongodbUrlFor = async (name: ServiceName): Promise<string> => {
      if (givenUrl !== undefined) return givenUrl;
      const proxy = await startMongoProxy(mongodbUrl);
      closing.push(() => proxy.close());
      proxies.set(name, proxy);
      return proxy.url;
    };
    const secrets = newSecrets();
    const services = await startServices({ natsUrl, mongodbUrlFor, secrets }, async (name, own) => {
      const env = { LOG_LEVEL: 'info', NODE_OPTIONS: MOVABLE_CLOCK, ...UNLIMITED_RATES, ...own, ...added[name] };
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
      newTenant: (name, plan) => createTenant(services.organization.address, secrets.OPERATOR_TOKEN, name, plan),
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

/** Must be called only while the service that holds the leases is dead: a running one relies on them. */
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
