import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** One process for each worker of the killed test run. */
const FILES = ['one.test.mjs', 'two.test.mjs'];

/**
 * Source of a test that never ends. The test writes the addresses of its worker and of the servers that it started to a
 * file.
 */
const ENDLESS = `
  import { renameSync, writeFileSync } from 'node:fs';
  import { createServer } from 'node:net';
  import { test } from 'vitest';
  import { startInfrastructure } from '${root}tools/dev/dist/infrastructure/infrastructure.js';

  test('never ends', async () => {
    const { mongodbUrl, natsUrl } = await startInfrastructure({ env: { INFRASTRUCTURE: 'embedded' } });
    const worker = createServer().listen(0, '127.0.0.1', () => {
      const ports = [worker.address().port, ...[mongodbUrl, natsUrl].map((url) => Number(new URL(url).port))];
      const unfinished = '.' + process.pid;
      writeFileSync(unfinished, JSON.stringify(ports));
      renameSync(unfinished, process.env.STARTED + process.pid);
    });
    await new Promise(() => {});
  });
`;

const CONFIG = 'vitest.config.mjs';
/** Vitest configuration of the killed test run, which ends its workers as the runs of this repository do. */
const CONFIGURATION = `
  export default {
    test: {
      include: ['*.test.mjs'],
      pool: 'forks',
      maxWorkers: 2,
      testTimeout: 600_000,
      teardownTimeout: 600_000,
      setupFiles: ['${root}tools/end-with-parent.mjs'],
      server: { deps: { external: [/[/]dist[/]/] } },
    },
  };
`;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'killed-test-run-'));
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  await writeFile(join(directory, CONFIG), CONFIGURATION);
  for (const name of FILES) await writeFile(join(directory, name), ENDLESS);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'a test run ended by %s leaves no process behind',
  async (signal) => {
    const run = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', CONFIG], {
      cwd: directory,
      env: { ...process.env, STARTED: `${signal}-` },
      stdio: 'ignore',
    });
    const ended = once(run, 'close');
    const started = await eventually(async () => {
      const names = (await readdir(directory)).filter((name) => name.startsWith(signal));
      expect(names).toHaveLength(FILES.length);
      return names;
    });
    const texts = await Promise.all(started.map((name) => readFile(join(directory, name), 'utf8')));
    const ports = texts.flatMap((text) => JSON.parse(text) as number[]);
    expect(await listening(ports)).toEqual(ports);
    run.kill(signal);
    await ended;
    await eventually(async () => expect(await listening(ports)).toEqual([]));
  },
);

/** Returns those of the ports that accept connections. */
async function listening(ports: readonly number[]): Promise<number[]> {
  const taken = await Promise.all(
    ports.map(
      (port) =>
        new Promise<boolean>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => socket.destroy());
          socket.once('connect', () => resolve(true));
          socket.once('error', () => resolve(false));
        }),
    ),
  );
  return ports.filter((_, index) => taken[index]);
}
