// MongoDB and NATS for `npm start`, the tests and the benchmarks: the same order of sources for all of them (docs/architecture.md section 9).
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { dockerIfRunning, mongodbInDocker, natsInDocker } from './infrastructure-docker.js';
import { embeddedMongodb, embeddedNats } from './infrastructure-embedded.js';
import type { Server } from './infrastructure-server.js';

/** Where a server comes from: an address that was given, a container, or a child process of ours. */
export type Source = 'environment' | 'docker' | 'embedded';

export interface Infrastructure {
  mongodbUrl: string;
  natsUrl: string;
  source: { mongodb: Source; nats: Source };
  mongodb: Omit<Server, 'url' | 'stop'>;
  nats: Omit<Server, 'url' | 'stop'>;
  /** Stops what was started here; servers that were given stay. */
  stop(): Promise<void>;
}

export interface InfrastructureOptions {
  /** Keeps the data here, below the name of the source, since each has a format of its own. Without it the data is temporary and goes with `stop`. */
  dataDir?: string;
  /** Read instead of the environment of this process; a test that kills servers passes `{}` and gets a pair of its own. */
  env?: NodeJS.ProcessEnv;
  /** Takes lines for people: what takes long, and what ended unexpectedly. */
  log?: (line: string) => void;
}

/**
 * Finds or starts MongoDB and NATS, each from the first of: MONGODB_URL / NATS_URL; Docker; the embedded pair.
 * INFRASTRUCTURE=embedded skips Docker, for machines whose Docker answers but cannot run these images.
 *
 * What is started ends with this process however that ends.
 *
 * @throws Error with a sentence saying what to install or set when a server can be had from nowhere.
 */
export async function startInfrastructure({
  dataDir,
  env = process.env,
  log = console.error,
}: InfrastructureOptions = {}): Promise<Infrastructure> {
  const given = { mongodb: env.MONGODB_URL, nats: env.NATS_URL };
  const wantsDocker = env.INFRASTRUCTURE !== 'embedded' && !(given.mongodb && given.nats);
  const docker = wantsDocker ? await dockerIfRunning() : undefined;
  const started: Source = docker ? 'docker' : 'embedded';
  const directory = dataDir === undefined ? await mkdtemp(join(tmpdir(), 'invoice-control-')) : resolve(dataDir);

  const startMongodb = async (): Promise<Server> => {
    if (given.mongodb) return givenServer('MongoDB', 'MONGODB_URL', given.mongodb);
    const data = await ensureDirectory(join(directory, started, 'mongodb'));
    return docker ? mongodbInDocker(docker, dataDir && data) : embeddedMongodb(data, log);
  };
  const startNats = async (): Promise<Server> => {
    if (given.nats) return givenServer('NATS', 'NATS_URL', given.nats);
    const data = await ensureDirectory(join(directory, started, 'nats'));
    return docker ? natsInDocker(docker, dataDir && data) : embeddedNats(data, log);
  };
  const running: Server[] = [];
  const stop = async () => {
    for (const server of running.toReversed()) await server.stop();
    if (dataDir === undefined) await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };

  try {
    // One after the other: the embedded MongoDB locks its directory, so a second start on the same data ends before it touches the streams.
    const mongodb = await startMongodb();
    running.push(mongodb);
    const nats = await startNats();
    running.push(nats);
    return {
      mongodbUrl: mongodb.url,
      natsUrl: nats.url,
      source: { mongodb: given.mongodb ? 'environment' : started, nats: given.nats ? 'environment' : started },
      mongodb,
      nats,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function givenServer(name: string, variable: string, url: string): Server {
  const refuse = () =>
    Promise.reject(new Error(`${name} comes from ${variable} and is not ours to end: unset ${variable} for this.`));
  return { url, kill: refuse, restart: refuse, pause: refuse, resume: refuse, stop: () => Promise.resolve() };
}

async function ensureDirectory(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  return path;
}
