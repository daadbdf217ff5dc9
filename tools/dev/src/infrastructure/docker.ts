// Starts MongoDB as a replica set of one member, and NATS with JetStream, in containers. testcontainers removes the
// containers when this process has ended.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { GenericContainer, StartedTestContainer } from 'testcontainers';
import { createToolsUser, newMongodbSecret, QUICK_PASSWORDS, systemUrl } from './mongodb-users.js';
import { natsConfig } from './nats-config.js';
import type { BrokerAccess } from './nats-config.js';
import { freePort } from './port.js';
import { becomePrimary, REPLICA_SET } from './replica-set.js';
import type { Broker, Server } from './server.js';

// The Docker images that compose.yaml uses.
const MONGODB_IMAGE = 'mongo:8.0.17-noble';
const NATS_IMAGE = 'nats:2.15.2-alpine';
const MONGODB_PORT = 27017;
/** Folder with the certificate of NATS in its container. */
const NATS_IDENTITY = '/etc/nats/identity';
/**
 * Time limit in milliseconds for starting a Docker container, long enough to download an image over a slow connection.
 */
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 10_000;

type Docker = typeof import('testcontainers');

/**
 * Returns the library testcontainers if Docker responds. The library takes half a second to load, so it is not loaded
 * if this machine has no sign of a Docker installation.
 */
export async function dockerIfRunning(): Promise<Docker | undefined> {
  if (!mayHaveDocker()) return undefined;
  const docker = await import('testcontainers');
  try {
    await docker.getContainerRuntimeClient();
    return docker;
  } catch (error) {
    // Other sources of MongoDB and NATS are tried only if no Docker is found. A Docker that is present but broken must
    // be reported.
    if (error instanceof Error && /container runtime/i.test(error.message)) return undefined;
    throw error;
  }
}

/** Checks whether this machine has one of the sockets or settings with which testcontainers finds Docker. */
function mayHaveDocker(): boolean {
  if (process.platform === 'win32' || process.env.DOCKER_HOST) return true;
  return [
    '/var/run/docker.sock',
    join(process.env.XDG_RUNTIME_DIR ?? '/run', 'docker.sock'),
    join('/run/user', String(process.getuid?.()), 'docker.sock'),
    join(homedir(), '.docker/run/docker.sock'),
    join(homedir(), '.docker/desktop/docker.sock'),
    join(homedir(), '.testcontainers.properties'),
  ].some((path) => existsSync(path));
}

/**
 * Commands that write the key of the replica set and start mongod. mongod refuses a key that other users can read, and
 * the image runs mongod as the user `mongodb` if the container runs as root. Linux does not let even root write to a
 * file of another user in /tmp, so a second start creates a new file.
 */
const WITH_KEY =
  'umask 077; rm -f /tmp/replica-set.key; printf %s "$MONGODB_KEY" > /tmp/replica-set.key; ' +
  '[ "$(id -u)" != 0 ] || chown mongodb /tmp/replica-set.key; ' +
  'exec docker-entrypoint.sh mongod --auth --keyFile /tmp/replica-set.key "$@"';

/**
 * Starts MongoDB in a container. Every user needs a password. The key and the passwords are new at each start.
 * @param dataDir absolute path, mounted into the container. Without it, the data is removed with the container.
 */
export async function mongodbInDocker(docker: Docker, dataDir: string | undefined): Promise<Server> {
  // The port of MongoDB is chosen here, because a port that Docker chooses would change at every restart of the
  // container.
  const port = await freePort();
  const key = newMongodbSecret();
  const container = withData(new docker.GenericContainer(MONGODB_IMAGE), dataDir, '/data/db')
    .withEnvironment({ MONGODB_KEY: key })
    .withCommand([
      'sh',
      '-c',
      WITH_KEY,
      'sh',
      '--replSet',
      REPLICA_SET,
      '--bind_ip_all',
      '--setParameter',
      QUICK_PASSWORDS,
    ])
    .withExposedPorts({ container: MONGODB_PORT, host: port })
    .withWaitStrategy(docker.Wait.forLogMessage(/Waiting for connections/));
  const started = await start('MongoDB', container);
  const address = `mongodb://${started.getHost()}:${port}/?directConnection=true`;
  const preparingUrl = systemUrl(address, key);
  const set = { url: preparingUrl, host: `127.0.0.1:${MONGODB_PORT}` };
  await becomePrimary(set);
  const url = await createToolsUser(preparingUrl, address, newMongodbSecret());
  const server = asServer(docker, started, MONGODB_IMAGE, url);
  return {
    ...server,
    async restart() {
      await server.restart();
      await becomePrimary(set);
    },
  };
}

/**
 * Starts NATS in a container.
 * @param dataDir absolute path, mounted into the container. Without a directory, the data is removed with the
 * container.
 */
export async function natsInDocker(
  docker: Docker,
  { identity, authorization }: BrokerAccess,
  dataDir: string | undefined,
): Promise<Broker> {
  const port = await freePort();
  const place = { host: '0.0.0.0', port: 4222, storeDir: '/data' };
  const identityFiles = () =>
    ['tls.crt', 'tls.key', 'ca.crt'].map((name) => ({
      content: readFileSync(join(identity, name)),
      target: `${NATS_IDENTITY}/${name}`,
    }));
  const config = natsConfig({ ...place, identity: NATS_IDENTITY, authorization });
  const container = withData(new docker.GenericContainer(NATS_IMAGE), dataDir, '/data')
    .withCopyContentToContainer([...identityFiles(), { content: config, target: '/etc/nats/nats.conf' }])
    .withCommand(['--config', '/etc/nats/nats.conf'])
    .withExposedPorts({ container: 4222, host: port })
    .withWaitStrategy(docker.Wait.forLogMessage(/Server is ready/));
  const started = await start('NATS', container);
  return {
    ...asServer(docker, started, NATS_IMAGE, `tls://${started.getHost()}:${port}`),
    async readIdentity() {
      await started.copyContentToContainer(identityFiles());
      const { container } = await docker.getContainerRuntimeClient();
      await container.getById(started.getId()).kill({ signal: 'SIGHUP' });
    },
  };
}

function withData(container: GenericContainer, dataDir: string | undefined, target: string): GenericContainer {
  if (!dataDir) return container;
  // The container of MongoDB or NATS runs as the user of this process, so that this user can remove the files without
  // being root.
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  return container.withBindMounts([{ source: dataDir, target }]).withUser(user);
}

async function start(name: string, container: GenericContainer): Promise<StartedTestContainer> {
  try {
    return await container.withStartupTimeout(START_TIMEOUT_MS).start();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Docker is running but could not start ${name} (${reason}). Correct that, or set MONGODB_URL and NATS_URL to servers of your own, ` +
        'or set INFRASTRUCTURE=embedded to run without Docker.',
      { cause },
    );
  }
}

function asServer(docker: Docker, started: StartedTestContainer, image: string, url: string): Server {
  return {
    url,
    about: `${image} in Docker`,
    processId: () => undefined,
    async kill() {
      const { container } = await docker.getContainerRuntimeClient();
      await container.getById(started.getId()).kill();
    },
    restart: () => started.restart(),
    async pause() {
      const { container } = await docker.getContainerRuntimeClient();
      await container.getById(started.getId()).pause();
    },
    async resume() {
      const { container } = await docker.getContainerRuntimeClient();
      await container.getById(started.getId()).unpause();
    },
    async stop() {
      await started.stop({ timeout: STOP_TIMEOUT_MS });
    },
  };
}
