// Runs MongoDB and NATS without Docker: mongod and nats-server are child processes on loopback.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChildServer } from './child.js';
import type { ChildServer } from './child.js';
import { createToolsUser, newMongodbSecret, QUICK_PASSWORDS, systemUrl } from './mongodb-users.js';
import { becomePrimary, REPLICA_SET } from './replica-set.js';
import { findMongod } from './mongod.js';
import { endSurvivor, refuseForeignData } from './mongod-data.js';
import { natsConfig } from './nats-config.js';
import type { BrokerAccess } from './nats-config.js';
import { findNatsServer } from './nats-server.js';
import type { Log } from './program.js';
import { freePort } from './port.js';
import type { Broker, Server } from './server.js';

/** Size of the MongoDB cache. By default, MongoDB would use half of the memory of the machine. */
const MONGODB_CACHE_GB = 0.5;
const MONGODB_OPLOG_MB = 64;
/** Name of the file with the key of the replica set, next to the data files of mongod. */
const KEY_FILE = 'replica-set.key';
/** Name of the file with the configuration of NATS, next to the stored streams. */
const NATS_CONFIG = 'nats.conf';
/**
 * Time limit in milliseconds for starting mongod, which first replays its journal. This takes long on a busy machine.
 */
const MONGODB_READY_MS_MAX = 120_000;

export interface DataDirectory {
  readonly path: string;
  /** True if the data directory is removed with the mongod server, however the server ends. */
  readonly isTemporary: boolean;
}

/**
 * Starts MongoDB as a replica set of one member, because the driver and production expect a replica set. Every user
 * needs a password. The key and the passwords are new at each start; data that was stored with other passwords can
 * still be used.
 */
export async function embeddedMongodb({ path, isTemporary }: DataDirectory, log: Log): Promise<Server> {
  const { binary, env, version, origin } = await findMongod(log);
  if (!isTemporary) {
    await refuseForeignData(path);
    await endSurvivor(path);
  }
  const key = newMongodbSecret();
  const keyFile = join(path, KEY_FILE);
  await rm(keyFile, { force: true });
  await writeFile(keyFile, key, { mode: 0o600, flag: 'wx' });
  const addressOf = (port: number): string => `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const preparingUrl = (port: number): string => systemUrl(addressOf(port), key);
  const start = async (known?: number): Promise<ChildServer> => {
    const port = known ?? (await freePort());
    const running = await startChildServer({
      name: 'MongoDB',
      command: binary,
      args: [
        ['--dbpath', path, '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket'],
        ['--auth', '--keyFile', keyFile, '--setParameter', QUICK_PASSWORDS],
        ['--replSet', REPLICA_SET, '--oplogSize', String(MONGODB_OPLOG_MB)],
        ['--wiredTigerCacheSizeGB', String(MONGODB_CACHE_GB)],
        ['--setParameter', 'diagnosticDataCollectionEnabled=false'],
        // A replica set of one member has no other member that could take over, so the server need not wait for one
        // before it stops.
        ['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
      ].flat(),
      env,
      readPort: (line) => (line.includes('"msg":"Waiting for connections"') ? port : undefined),
      readable: readableLogLine,
      readyMsMax: MONGODB_READY_MS_MAX,
      log,
      ...(isTemporary ? { temporaryDir: path } : {}),
    });
    try {
      await becomePrimary({ url: preparingUrl(port), host: `127.0.0.1:${port}` });
    } catch (error) {
      await running.kill();
      throw error;
    }
    return running;
  };
  const { port, ...server } = await restartable(start);
  try {
    const url = await createToolsUser(preparingUrl(port), addressOf(port), newMongodbSecret());
    return { ...server, url, about: `mongod ${version} ${origin}, a replica set of one` };
  } catch (error) {
    await server.kill();
    throw error;
  }
}

/** Returns the text of a line of mongod's log, which is JSON. */
export function readableLogLine(line: string): string {
  try {
    const { msg, attr } = JSON.parse(line) as { msg?: string; attr?: { error?: unknown } };
    if (msg === undefined) return line;
    return attr?.error === undefined
      ? msg
      : `${msg}: ${typeof attr.error === 'string' ? attr.error : JSON.stringify(attr.error)}`;
  } catch {
    return line;
  }
}

/**
 * Starts a NATS server as a child process. Clients authenticate with their certificates.
 * @param data directory in which JetStream stores its streams
 */
export async function embeddedNats(
  { path, isTemporary }: DataDirectory,
  access: BrokerAccess,
  log: Log,
): Promise<Broker> {
  const config = join(path, NATS_CONFIG);
  await mkdir(path, { recursive: true });
  const { binary, version, origin } = await findNatsServer(log);
  const { port, ...server } = await restartable(async (known) => {
    // With port -1 nats-server chooses a free port, so no other process can take the port in the meantime.
    await writeFile(config, natsConfig({ host: '127.0.0.1', port: known ?? -1, storeDir: path, ...access }));
    return startChildServer({
      name: 'NATS',
      command: binary,
      args: ['--config', config],
      readPort: (line) => {
        const port = /Listening for client connections on \S+:(\d+)$/.exec(line)?.[1];
        return port === undefined ? undefined : Number(port);
      },
      log,
      ...(isTemporary ? { temporaryDir: path } : {}),
    });
  });
  return {
    ...server,
    url: `tls://127.0.0.1:${port}`,
    about: `nats-server ${version} ${origin}`,
    async readIdentity() {
      const processId = server.processId();
      if (processId !== undefined) process.kill(processId, 'SIGHUP');
    },
  };
}

async function restartable(
  start: (port?: number) => Promise<ChildServer>,
): Promise<Omit<Server, 'about' | 'url'> & { readonly port: number }> {
  let running = await start();
  const { port } = running;
  return {
    port,
    processId: () => running.pid,
    kill: () => running.kill(),
    async restart() {
      running = await start(port);
    },
    pause: async () => running.pause(),
    resume: async () => running.resume(),
    stop: () => running.stop(),
  };
}
