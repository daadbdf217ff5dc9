// npm test: each test once, integration tests and attacks on the Node that runs this, all others on the Node of the image (ADR 0112).
// With arguments, as in `npm run test:node24 -- tests/e2e/scans`, these tests on the Node of the image.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { imageNode } from './image-node.js';

/** More than a lane prints, because a lane whose output is not read would stop. */
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** Runs one vitest command after the other. */
type Lane = readonly (readonly [node: string, vitestArgs: readonly string[]])[];

const root = fileURLToPath(new URL('../../..', import.meta.url));
const args = process.argv.slice(2);
const running = new Set<ChildProcess>();
let isEnded = false;

try {
  const found = await imageNode(console.log);
  if (found === undefined)
    console.log('npm has the Node version of the image only for Linux on x86-64: all tests run on the installed Node.');
  const image = found ?? process.execPath;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      isEnded = true;
      // A terminal sends SIGINT to every process, and a second signal would end the tests without tidying up.
      if (signal === 'SIGTERM' || !process.stdin.isTTY) for (const run of running) run.kill(signal);
    });
  }
  if (args.length > 0) await runLane([[image, args]], process.stdout);
  else await runAll(image);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

/** Integration tests and attacks run on the Node at hand, all others on the Node of the image (ADR 0112). */
async function runAll(image: string): Promise<void> {
  const projects = (...names: string[]) => names.flatMap((name) => ['--project', name]);
  // Crash tests mostly wait and unit tests only compute, so both lanes together use two processors (ADR 0130).
  const shown: Lane = [
    [image, projects('unit', 'isolated')],
    [process.execPath, projects('integration')],
  ];
  const held: Lane = [
    [image, projects('crash')],
    [image, projects('contract', 'e2e')],
  ];
  const output = new PassThrough({ highWaterMark: OUTPUT_BYTES_MAX });
  await Promise.all([
    runLane(held, output).finally(() => output.end()),
    // The output of the other lane follows, so that no two lines are mixed.
    runLane(shown, process.stdout).then(() => void output.pipe(process.stdout, { end: false })),
    finished(output),
  ]);
  // Attacks measure how long a service blocks its event loop, so nothing else may run at the same time.
  await runLane([[process.execPath, projects('attack')]], process.stdout);
}

/** Runs the commands, and the next one also when one has failed. */
async function runLane(lane: Lane, output: Writable): Promise<void> {
  for (const [node, vitestArgs] of lane) {
    if (!isEnded && !(await haveTestsPassed(node, vitestArgs, output))) process.exitCode = 1;
  }
}

function haveTestsPassed(node: string, vitestArgs: readonly string[], output: Writable): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const isShown = output === process.stdout;
  const run = spawn(node, [vitest, 'run', ...vitestArgs], {
    cwd: root,
    stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: isShown || !process.stdout.isTTY ? process.env : { ...process.env, FORCE_COLOR: '1' },
  });
  running.add(run);
  run.stdout?.pipe(output, { end: false });
  run.stderr?.pipe(output, { end: false });
  return new Promise((resolve, reject) => {
    run.on('error', reject);
    run.on('close', (code) => {
      running.delete(run);
      resolve(code === 0);
    });
  });
}
