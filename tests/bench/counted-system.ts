import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import { startDatabaseProxy, startRpcProxy } from './counting-proxy.js';
import type { CountingProxy, DatabaseCommand } from './counting-proxy.js';
import { startSystem, stopAll } from './servers.js';
import type { System, SystemOptions } from './servers.js';

/** The whole benchmarked system behind proxies that count its commands and calls. */
export interface CountedSystem {
  readonly system: System;
  /** Commands of the benchmarked system to the database so far, in the order in which they were sent. */
  readonly commands: DatabaseCommand[];
  /** Number of calls between the benchmarked services so far, by `caller>called`. */
  readonly calls: Record<string, number>;
  /** Counting proxies in front of the database of the benchmarked system. */
  readonly databases: readonly CountingProxy[];
  stop(): Promise<void>;
}

export async function startCountedSystem(options: SystemOptions): Promise<CountedSystem> {
  const commands: DatabaseCommand[] = [];
  const calls: Record<string, number> = {};
  const databases: CountingProxy[] = [];
  const others: CountingProxy[] = [];
  const urlFor = serviceUrls(options.mongodbUrl, options.databasePrefix);
  const system = await startSystem({
    ...options,
    async mongodbUrlFor(service) {
      const url = new URL(await urlFor(service));
      const proxy = await startDatabaseProxy(url.host, service, commands);
      databases.push(proxy);
      url.host = proxy.address;
      url.searchParams.set('directConnection', 'true');
      return url.href;
    },
    async addressFor(caller, called, address) {
      const way = `${caller}>${called}`;
      const count = (): void => void (calls[way] = (calls[way] ?? 0) + 1);
      const { identities } = options;
      const proxy = await startRpcProxy({ caller, called, address, identities }, count);
      others.push(proxy);
      return proxy.address;
    },
  });
  return {
    system,
    commands,
    calls,
    databases,
    async stop() {
      await stopAll(Object.values(system));
      await Promise.all([...databases, ...others].map((proxy) => proxy.close()));
    },
  };
}
