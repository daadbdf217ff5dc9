import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { Loot, Prying } from '../testing/prying-child.js';
import { confines } from './confinement.js';

const parent = fileURLToPath(new URL('../../dist/testing/prying-parent.js', import.meta.url));
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const secret = `canary-${randomBytes(16).toString('hex')}`;
const secretReversed = Array.from(secret).toReversed().join('');
/** Environment of each process in which the test plants a secret. */
const env = { PATH: process.env['PATH'], MONGODB_URL: `mongodb://documents:${secret}@127.0.0.1` };
/**
 * Root without capabilities is like an ordinary user that owns its files, as in a pod. An ordinary user needs no
 * change.
 */
const ORDINARY =
  process.getuid?.() === 0 ? ['setpriv', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'] : [];
const TEST_MS_MAX = 60_000;

let directories: string[];
let files: string[];
let neighbour: ChildProcess;
let server: Server;
beforeAll(async () => {
  await mkdir(join(root, '.cache'), { recursive: true });
  // The first directory resembles the secrets that a pod mounts. The second one resembles the secrets of `npm start`,
  // which are next to the code.
  directories = [await mkdtemp(join(tmpdir(), 'secrets-')), await mkdtemp(join(root, '.cache/secrets-'))];
  files = directories.map((directory) => join(directory, 'MONGODB_URL'));
  for (const file of files) await writeFile(file, secret, { mode: 0o600 });
  neighbour = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)', secret], { env, stdio: 'ignore' });
  server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(neighbour, 'spawn')]);
});
afterAll(async () => {
  neighbour.kill();
  server.close();
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

/**
 * Runs the child that searches for secrets and returns what it found.
 * @param launch command that runs the program as another user
 */
async function lootOf(confinement: 'CONFINED' | 'FREE', launch: readonly string[] = []): Promise<Loot> {
  const document: Prying = {
    secretReversed,
    files,
    processes: [neighbour.pid ?? 0, process.pid, process.ppid],
    port: (server.address() as AddressInfo).port,
  };
  const program = [process.execPath, parent, confinement, JSON.stringify(document), secret];
  // The shell stays alive as the parent of the parent process.
  const [command = '', ...args] = [...launch, 'sh', '-c', '"$@"; exit', 'sh', ...program];
  const started = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await Promise.all([text(started.stdout), once(started, 'exit')]);
  return JSON.parse(said) as Loot;
}

(process.platform === 'linux' ? describe : describe.skip)('a child that a document has taken over', () => {
  test.each([
    ['the user of the tests', []],
    ['a user without privileges', ORDINARY],
  ])(
    'of %s finds no secret in any process or file, reaches no port and no process, and writes nothing',
    async (_, launch) => {
      expect(await lootOf('CONFINED', launch)).toEqual({ secretIn: [], opened: 0, done: [] });
    },
    TEST_MS_MAX,
  );

  test(
    'finds all of it without confinement, by which this test could fail',
    async () => {
      expect(await lootOf('FREE')).toMatchObject({
        secretIn: ['cmdline', 'environ', 'environ by cat', 'file', 'file by cat'],
        done: expect.arrayContaining(['signalled its parent', 'wrote a file', 'connected']),
      });
    },
    TEST_MS_MAX,
  );

  test('is confined on this machine, also where that is required, and the log says what the kernel leaves open', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    expect(await confines('REQUIRED', createLogger({ service: 'test', level: 'info', destination }))).toBe(true);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        landlockVersion: expect.any(Number),
        notDenied: expect.arrayContaining(['UDP']),
        msg: 'the processes that read documents are confined, except for what this kernel cannot deny',
      }),
    ]);
  });
});
