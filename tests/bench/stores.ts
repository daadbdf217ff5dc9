// Provides MongoDB and NATS to a benchmark.
import { randomBytes } from 'node:crypto';
import { dropDatabases } from '@invoicecontrol/dev/drop-databases';
import { startInfrastructure } from '@invoicecontrol/dev/infrastructure';
import type { Infrastructure } from '@invoicecontrol/dev/infrastructure';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { endChildren } from './children.js';
import { onEnd } from './run-program.js';
import { say } from './progress.js';

export interface Stores extends Pick<Infrastructure, 'mongodbUrl' | 'natsUrl' | 'about'> {
  /** Prefix of the names of all databases that the benchmark creates. */
  readonly databasePrefix: string;
  /**
   * Process ids of the database and the broker that the benchmark started. Their CPU time is shown next to that of the
   * product.
   */
  readonly pids: Readonly<Record<'database' | 'broker', number | undefined>>;
  /**
   * Connects to a database of the benchmark. The connection is closed when the stores are closed.
   * @param name name of the database without its prefix
   */
  openDatabase(name: string): Promise<MongoConnection['db']>;
}

/**
 * Starts MongoDB and NATS for a benchmark, or uses servers that are already running. When the benchmark ends, its child
 * processes end first, and then the servers that this function started. The databases and streams of the benchmark are
 * removed from servers that were already running.
 */
export async function startStores(): Promise<Stores> {
  const infrastructure = await startInfrastructure({ log: say });
  onEnd(() => infrastructure.stop());
  const { mongodbUrl, natsUrl, about, source, mongodb, nats } = infrastructure;
  const databasePrefix = `bench_${randomBytes(8).toString('hex')}_`;
  if (source.mongodb === 'environment') onEnd(() => dropDatabases(mongodbUrl, databasePrefix));
  if (source.nats === 'environment') {
    const existing = await onBus(natsUrl, streamNames);
    onEnd(() => onBus(natsUrl, (bus) => deleteStreams(bus, existing)));
  }
  onEnd(endChildren);
  return {
    mongodbUrl,
    natsUrl,
    about,
    databasePrefix,
    pids: { database: mongodb.processId(), broker: nats.processId() },
    async openDatabase(name) {
      const databaseName = `${databasePrefix}${name}`;
      const { db, close } = await connectMongo({ url: mongodbUrl, databaseName, appName: 'bench' });
      onEnd(close);
      return db;
    },
  };
}

async function onBus<T>(url: string, work: (bus: Bus) => Promise<T>): Promise<T> {
  const bus = await connectTestNats({
    url,
    name: 'bench',
    logger: createLogger({ service: 'bench', level: 'silent' }),
  });
  try {
    return await work(bus);
  } finally {
    await bus.close();
  }
}

async function streamNames({ manager }: Bus): Promise<string[]> {
  const names: string[] = [];
  for await (const name of manager.streams.names('invoicecontrol.>')) names.push(name);
  return names;
}

/**
 * Deletes the streams that the benchmark created. Streams have the same names for all systems, so streams that existed
 * before are kept.
 */
async function deleteStreams(bus: Bus, kept: readonly string[]): Promise<void> {
  for (const name of await streamNames(bus)) if (!kept.includes(name)) await bus.manager.streams.delete(name);
}
