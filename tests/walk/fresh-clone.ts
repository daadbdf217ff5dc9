import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../contract/receiver-languages.js';
import { readDemo } from '../e2e/npm-start.js';

const READY_MS_MAX = 20 * 60_000;
const POLL_EACH_MS = 500;

/** The parts of `.data/demo.json` that the walk of an integrator needs. */
export interface Demonstration {
  readonly baseUrl: string;
  readonly keys: { readonly owner: string };
}

/**
 * Clones the committed state of this repository, and runs `npm start` there until it is ready.
 * @throws Error with the output if the product does not start
 */
export async function startFreshClone(log: (line: string) => void): Promise<Demonstration & { stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'invoice-control-walk-'));
  const clone = join(directory, 'clone');
  const begunMs = performance.now();
  const cloning = spawn('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone], { stdio: 'inherit' });
  const [code] = await once(cloning, 'close');
  if (code !== 0) throw new Error('The repository could not be cloned.');
  const { INIT_CWD: _directory, NODE_OPTIONS: _options, ...env } = process.env;
  // `npm start` gets a process group of its own, so that npm, its shell and the product end together.
  const product = spawn('npm', ['start'], {
    cwd: clone,
    detached: true,
    env: { ...env, PORT: '0', EGRESS_ALLOW_CIDRS: '127.0.0.1/32', EGRESS_ALLOW_HTTP: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [product.stdout, product.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(product, 'close');
  const stop = async (): Promise<void> => {
    if (product.pid !== undefined && product.exitCode === null) process.kill(-product.pid, 'SIGTERM');
    await ended;
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  while (!/^Ready after/m.test(output)) {
    if (product.exitCode !== null || performance.now() - begunMs > READY_MS_MAX) {
      await stop();
      throw new Error(`The product did not start:\n${output.slice(-4_000)}`);
    }
    await delay(POLL_EACH_MS);
  }
  log(`A fresh clone is ready after ${Math.round((performance.now() - begunMs) / 1_000)} s.`);
  return { ...(await readDemo(join(clone, '.data'))), stop };
}
