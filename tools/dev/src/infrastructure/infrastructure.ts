// Provides MongoDB and NATS for `npm start`, the tests and the benchmarks, with the same order of sources for all of
// them (docs/architecture.md section 9).
import { mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { identitiesForTests } from '../identities-for-tests.js';
import { dockerIfRunning, mongodbInDocker, natsInDocker } from './docker.js';
import { embeddedMongodb, embeddedNats } from './embedded.js';
import { brokerAccess } from './nats-config.js';
import type { Broker, Server } from './server.js';

/** Source of the MongoDB or NATS server: a configured address, a container, or a child process. */
export type Source = 'environment' | 'docker' | 'embedded';

export interface Infrastructure {
  mongodbUrl: string;
  natsUrl: string;
  source: { mongodb: Source; nats: Source };
  /** Text that names the servers and where they come from. */
  about: string;
  mongodb: Omit<Server, 'url' | 'stop'>;
  nats: Omit<Broker, 'url' | 'stop'>;
  /**
   * Directory in which the broker stores its streams on this machine. Undefined for a configured server and for a
   * server that stores its streams in its container.
   */
  streamsDirectory: string | undefined;
  /** Stops the MongoDB and NATS servers that this process started. Configured servers keep running. */
  stop(): Promise<void>;
}

export interface InfrastructureOptions {
  /**
   * Directory in which MongoDB and NATS store their data. Docker and the embedded servers each use their own
   * subdirectory, because their formats differ. No other process may use the data: a mongod that uses it is ended.
   * Without this setting, the data is temporary and removed by `stop`.
   */
  dataDir?: string;
  /**
   * Folder with the identities of the services, the operator and the servers. By default, the identities for tests are
   * used.
   */
  identities?: string;
  /**
   * Prefix of the databases of the only system that uses these servers. Without it, the broker accepts systems with any
   * prefix, and tests have all rights.
   */
  databasePrefix?: string;
  /**
   * True if temporary NATS streams are stored in a directory of this machine even with Docker, so that a test can
   * delete them.
   */
  hasStreamsDirectory?: boolean;
  /**
   * Environment variables that replace the variables of this process. A test that kills servers passes `{}` and gets
   * separate servers.
   */
  env?: NodeJS.ProcessEnv;
  /**
   * Function that receives lines of text: which MongoDB and NATS servers are used, which steps take long, and which
   * server ended unexpectedly.
   */
  log?: (line: string) => void;
}

/**
 * Provides MongoDB and NATS. If MONGODB_URL or NATS_URL names a server, that server is used. Otherwise the server is
 * started in Docker or, if Docker does not respond, as a program on this machine. INFRASTRUCTURE=embedded skips Docker,
 * for machines whose Docker responds but cannot run these images.
 *
 * Started servers are ended when this process ends, even if it is killed.
 *
 * @throws Error with a sentence that states what to install or set, if no source provides a server
 */
export async function startInfrastructure({
  dataDir,
  identities: givenIdentities,
  databasePrefix,
  hasStreamsDirectory = dataDir !== undefined,
  env = process.env,
  log = console.error,
}: InfrastructureOptions = {}): Promise<Infrastructure> {
  const identities = givenIdentities ?? (await identitiesForTests());
  const given = { mongodb: env.MONGODB_URL, nats: env.NATS_URL };
  const wantsDocker = env.INFRASTRUCTURE !== 'embedded' && !(given.mongodb && given.nats);
  const docker = wantsDocker ? await dockerIfRunning() : undefined;
  const started: Source = docker ? 'docker' : 'embedded';
  const isTemporary = dataDir === undefined;
  const temporary: string[] = [];
  const directoryFor = async (name: string, makeTemporary: () => Promise<string>): Promise<string> => {
    if (dataDir !== undefined) return ensureDirectory(join(resolve(dataDir), started, name));
    const path = await makeTemporary();
    temporary.push(path);
    return path;
  };

  const startMongodb = async (): Promise<Server> => {
    if (given.mongodb) return givenServer('MongoDB', 'MONGODB_URL', given.mongodb);
    if (docker)
      return mongodbInDocker(docker, isTemporary ? undefined : await directoryFor('mongodb', temporaryDataDir));
    return embeddedMongodb({ path: await directoryFor('mongod', temporaryDataDir), isTemporary }, log);
  };
  let streamsDirectory: string | undefined;
  const startNats = async (): Promise<Broker> => {
    // The operator who configured this broker also renews its certificate, so nothing is done here.
    if (given.nats) return { ...givenServer('NATS', 'NATS_URL', given.nats), readIdentity: async () => {} };
    const access = brokerAccess(identities, databasePrefix);
    if (docker && !hasStreamsDirectory) return natsInDocker(docker, access, undefined);
    // The NATS streams are not kept in memory, because JetStream reserves the maximum size of its streams, which is more
    // than fits into memory.
    streamsDirectory = await directoryFor('nats', () => mkdtemp(join(tmpdir(), TEMPORARY_PREFIX)));
    return docker
      ? natsInDocker(docker, access, streamsDirectory)
      : embeddedNats({ path: streamsDirectory, isTemporary }, access, log);
  };
  const running: Server[] = [];
  const stop = async () => {
    for (const server of running.toReversed()) await server.stop();
    for (const path of temporary) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  };

  try {
    // MongoDB and NATS start one after another. If MongoDB fails, no other server is left starting.
    const mongodb = await startMongodb();
    running.push(mongodb);
    const nats = await startNats();
    running.push(nats);
    const about = `MongoDB: ${mongodb.about}. NATS: ${nats.about}.`;
    log(about);
    return {
      mongodbUrl: mongodb.url,
      natsUrl: nats.url,
      source: { mongodb: given.mongodb ? 'environment' : started, nats: given.nats ? 'environment' : started },
      about,
      mongodb,
      nats,
      streamsDirectory,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const TEMPORARY_PREFIX = 'invoice-control-';
/**
 * Minimum of free memory in bytes for temporary data in memory. With less, the data could take memory that the services
 * need.
 */
const MEMORY_FREE_BYTES_MIN = 4 * 1024 ** 3;

/**
 * Returns a directory for temporary data of MongoDB and NATS. If there is enough memory, the directory is in memory,
 * which makes a database several times as fast as a disk.
 */
export async function temporaryDataDir(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  const isLarge = memory !== undefined && memory.bavail * memory.bsize >= MEMORY_FREE_BYTES_MIN;
  return mkdtemp(join(isLarge ? '/dev/shm' : tmpdir(), TEMPORARY_PREFIX));
}

function givenServer(name: string, variable: string, url: string): Server {
  const refuse = () =>
    Promise.reject(
      new Error(
        `${name} comes from ${variable}, so it is not stopped here. Unset ${variable} to use a server of this command.`,
      ),
    );
  return {
    url,
    about: `the server of ${variable}`,
    processId: () => undefined,
    kill: refuse,
    restart: refuse,
    pause: refuse,
    resume: refuse,
    stop: () => Promise.resolve(),
  };
}

async function ensureDirectory(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  return path;
}
