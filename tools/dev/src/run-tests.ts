// npm test: each test once, integration tests and attacks on the Node that runs this, all others on the Node of the image (ADR 0112).
// With arguments, as in `npm run test:node24 -- tests/e2e/scans`, these tests on the Node of the image.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { imageNode } from './image-node.js';

/** Test projects that run inside the image, the cheapest first. */
const OF_THE_IMAGE = ['unit', 'isolated', 'contract', 'e2e', 'crash'];
const OF_THIS_NODE = ['integration', 'attack'];

const root = fileURLToPath(new URL('../../..', import.meta.url));
/**
 * V8 keeps compiled code here, and each service that a test starts takes 0.1 s of CPU time less to load. Node.js 20 ignores the
 * variable.
 */
const COMPILE_CACHE = join(root, '.cache/compiled-code');
const args = process.argv.slice(2);
let isEnded = false;

try {
  const found = await imageNode(console.log);
  if (found === undefined)
    console.log('npm has the Node version of the image only for Linux on x86-64: all tests run on the installed Node.');
  const node = found ?? process.execPath;
  const runs = args.length > 0 ? [[node, args] as const] : allTests(node);
  // The second part of the tests runs and reports its result even if the first part has failed.
  for (const [binary, these] of runs) {
    if (!isEnded && !(await haveTestsPassed(binary, these))) process.exitCode = 1;
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function allTests(node: string) {
  const these = (projects: readonly string[]) => projects.flatMap((name) => ['--project', name]);
  return [[node, these(OF_THE_IMAGE)] as const, [process.execPath, these(OF_THIS_NODE)] as const];
}

function haveTestsPassed(node: string, vitestArgs: readonly string[]): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE };
  const run = spawn(node, [vitest, 'run', ...vitestArgs], { cwd: root, env, stdio: 'inherit' });
  const end = (signal: NodeJS.Signals): void => {
    isEnded = true;
    // A terminal sends SIGINT to this process and to vitest. Forwarding the signal would end the tests without cleaning
    // up.
    if (signal === 'SIGTERM' || !process.stdin.isTTY) run.kill(signal);
  };
  process.on('SIGTERM', end).on('SIGINT', end);
  return new Promise((resolve, reject) => {
    run.on('error', reject);
    run.on('close', (code) => {
      process.off('SIGTERM', end).off('SIGINT', end);
      resolve(code === 0);
    });
  });
}
