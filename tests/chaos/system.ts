// Starts the product as it is deployed, with one process per service and replica. Every connection uses a proxy of the
// test.
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startInfrastructure } from '@invoicecontrol/dev/infrastructure';
import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { startTcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import type { TcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import { newSecrets, startServices } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { eraseBrokerStore } from '../e2e/crash/broker-store.js';
import { startServiceProcess, UNLIMITED_RATES } from '../e2e/crash/service-process.js';
import { links } from './plan.js';
import type { Link } from './plan.js';

/** The remains of an upload whose PUT broke are removed after a minute instead of an hour. */
const DOCUMENTS_ENV = { UPLOAD_SWEEP_SECONDS: '1' } as const;
/**
 * The webhook receivers are on loopback, and failed deliveries end within a minute: the waits between the attempts take
 * 16 s in total, or 19 s with their jitter.
 */
const WEBHOOKS_ENV = {
  EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
  EGRESS_ALLOW_HTTP: 'true',
  WEBHOOK_RETRY_WAITS_MS: '1000,2000,5000,8000',
  WEBHOOK_RETRY_FLOOR_MS: '1000',
} as const;
/** A service exits at its start while MongoDB or NATS is unavailable, and its supervisor restarts it repeatedly. */
const RESTART_MS_MAX = 300_000;
const RESTART_PAUSE_MS = 500;

/** A process that a fault of the chaos run can affect. */
interface Node {
  /** Process id of the running service. It changes when the process is started again. */
  readonly pid?: number | undefined;
  kill(): Promise<void>;
  /** Starts the process of the product again, and resolves when it serves. */
  restart(): Promise<void>;
  pause(): void | Promise<void>;
  resume(): void | Promise<void>;
}

export interface ChaosSystem {
  /** Base URL of the API, `http://127.0.0.1:<port>/v1`, which leads through a proxy. */
  readonly baseUrl: string;
  /** URL of the MongoDB server itself, without a proxy in front of it. */
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  /**
   * Returns the process with the given name.
   * @param name name of a process as in a chaos plan: `analysis-1`, `database`
   */
  node(name: string): Node;
  /** Names of the service processes in a chaos run. */
  readonly services: readonly string[];
  /** Deletes what the broker of the chaos run has stored, whether the broker runs or not. */
  eraseBrokerStore(): Promise<void>;
  /**
   * Returns the proxies of a connection in a chaos run: one, or one for each replica if replicas connect to a database.
   */
  proxiesOf(link: Link): readonly TcpProxy[];
  newTenant(name: string): Promise<Tenant>;
  /**
   * Processes that ended although the chaos run did not kill them, with their last output. Each of these processes was
   * started again.
   */
  readonly ended: readonly string[];
  stop(): Promise<void>;
}

export interface ChaosSystemOptions {
  readonly directory: string;
  readonly replicas: number;
  /** Settings of all services in addition to those of every chaos run. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the system under test. Its data and logs are written to the directory and are not deleted. */
export async function startChaosSystem({
  directory,
  replicas,
  env: given = {},
}: ChaosSystemOptions): Promise<ChaosSystem> {
  const logDir = join(directory, 'logs');
  await mkdir(logDir, { recursive: true });
  const ended: string[] = [];
  const closing: (() => unknown)[] = [];
  let isStarted = false;
  let isStopping = false;
  const stop = async (): Promise<void> => {
    isStopping = true;
    for (const close of closing.splice(0).toReversed()) await close();
  };
  const proxies = new Map<Link, TcpProxy[]>();
  const nodes = new Map<string, Node>();
  const services: string[] = [];
  const replicaPorts = new Map<string, number[]>();

  const proxied = async (link: Link, [serverPort, ...others]: readonly number[]): Promise<number> => {
    if (serverPort === undefined) throw new Error(`${link} has no server.`);
    const proxy = await startTcpProxy({ serverHost: '127.0.0.1', serverPort, replicaPorts: others });
    closing.push(() => proxy.close());
    proxies.set(link, [...(proxies.get(link) ?? []), proxy]);
    return proxy.port;
  };
  const proxiedUrl = async (link: Link, url: string): Promise<string> => {
    const through = new URL(url);
    through.port = String(await proxied(link, [Number(through.port)]));
    return through.href;
  };
  /**
   * Starts an ended process of the tested system, again and again until it serves calls, because other faults may still
   * affect it.
   */
  const untilStarted = async (start: () => Promise<void>): Promise<void> => {
    const givenUpAtMs = performance.now() + RESTART_MS_MAX;
    for (;;) {
      try {
        await start();
        return;
      } catch (error) {
        if (isStopping || performance.now() > givenUpAtMs) throw error;
      }
      await delay(RESTART_PAUSE_MS);
    }
  };

  try {
    const infrastructure = await startInfrastructure({
      dataDir: join(directory, 'data'),
      env: {},
      // The output during the start of the tested system only reports slow steps. A start that fails throws an error.
      log: (line) => void (isStarted && ended.push(line)),
    });
    isStarted = true;
    closing.push(() => infrastructure.stop());
    const { mongodbUrl, natsUrl, mongodb, nats } = infrastructure;
    nodes.set('database', { ...mongodb, restart: () => untilStarted(mongodb.restart) });
    nodes.set('broker', { ...nats, restart: () => untilStarted(nats.restart) });
    const secrets = newSecrets();
    const identities = await identitiesForTests();

    const startReplica = async (service: string, replica: number, own: NodeJS.ProcessEnv): Promise<number> => {
      const name = `${service}-${replica}`;
      const kept = createWriteStream(join(logDir, `${name}.log`));
      closing.push(() => kept.end());
      const natsLink = linkOf(service, 'broker');
      const env = {
        LOG_LEVEL: 'info',
        ...UNLIMITED_RATES,
        ...given,
        ...own,
        NATS_URL: await proxiedUrl(natsLink, natsUrl),
      };
      if (service === 'documents') Object.assign(env, DOCUMENTS_ENV);
      if (service === 'webhooks') Object.assign(env, WEBHOOKS_ENV);
      if (own['MONGODB_URL'] !== undefined) {
        Object.assign(env, { MONGODB_URL: await proxiedUrl(linkOf(service, 'database'), own['MONGODB_URL']) });
      }
      const process = await startServiceProcess(service, env, {
        onOutput: (line) => void kept.write(`${line}\n`),
        log(line) {
          ended.push(line);
          if (!isStopping) untilStarted(process.restart).catch((error: unknown) => void ended.push(String(error)));
        },
      });
      closing.push(() => {
        process.resume();
        return process.stop();
      });
      nodes.set(name, {
        ...process,
        get pid() {
          return process.pid;
        },
        restart: () => untilStarted(process.restart),
      });
      services.push(name);
      return portOf(process.address);
    };
    const started = await startServices(
      {
        natsUrl,
        mongodbUrlFor: serviceUrls(mongodbUrl),
        secrets,
        identities,
        addressFor: async (caller, called) => {
          const port = await proxied(linkOf(caller, called), replicaPorts.get(called) ?? []);
          return `127.0.0.1:${port}`;
        },
      },
      async (service, env) => {
        const ports: number[] = [];
        for (let replica = 1; replica <= replicas; replica++) ports.push(await startReplica(service, replica, env));
        replicaPorts.set(service, ports);
        return { address: `127.0.0.1:${ports[0]}` };
      },
    );
    const gatewayPort = await proxied('clients>gateway', replicaPorts.get('gateway') ?? []);
    return {
      baseUrl: `http://127.0.0.1:${gatewayPort}/v1`,
      mongodbUrl,
      natsUrl,
      node: (name) => nodes.get(name) ?? missing(name),
      services,
      eraseBrokerStore: () => eraseBrokerStore(infrastructure),
      proxiesOf: (link) => proxies.get(link) ?? missing(link),
      newTenant: (name) => createTenant(started.organization.address, identities, name),
      ended,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function linkOf(from: string, to: string): Link {
  return links.find((link) => link === `${from}>${to}`) ?? missing(`${from}>${to}`);
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

function missing(name: string): never {
  throw new Error(`The plan knows no ${name}.`);
}
