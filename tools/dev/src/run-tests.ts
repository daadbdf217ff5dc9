// Runs `npm test`, which runs each test once: integration tests and attacks on the installed Node.js, and all others on
// the Node.js of the image (ADR 0112). With arguments, as in `npm run test:node24 -- tests/e2e/scans`, it runs these
// tests on the Node.js of the image.
import { spawn } from 'node:child_process';
import type { StdioOptions } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { imageNode } from './image-node.js';

/** Test projects that run with the Node.js of the image, the fastest first. */
const OF_THE_IMAGE = ['unit', 'isolated', 'contract', 'e2e', 'crash'];
const OF_THIS_NODE = ['integration', 'attack'];

const root = fileURLToPath(new URL('../../..', import.meta.url));
/**
 * Directory in which V8 stores compiled code, so that each service that a test starts needs 0.1 s of CPU time less to
 * load. Node.js 20 ignores the variable.
 */
const COMPILE_CACHE = join(root, '.cache/compiled-code');
const args = process.argv.slice(2);

try {
  const found = await imageNode(console.log);
  if (found === undefined)
    console.log('npm has the Node version of the image only for Linux on x86-64: all tests run on the installed Node.');
  const node = found ?? process.execPath;
  const havePassed = args.length > 0 ? await runTests(node, args).havePassed : await runAllTests(node);
  if (!havePassed) process.exitCode = 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

/**
 * Runs both parts of the tests at the same time. Most integration tests wait for leases and pauses, which leaves the
 * processors to the other tests.
 */
async function runAllTests(node: string): Promise<boolean> {
  const these = (projects: readonly string[]) => projects.flatMap((name) => ['--project', name]);
  console.log(
    `The tests of ${OF_THIS_NODE.join(' and ')} run at the same time as the others. Their report comes last.`,
  );
  const second = runTests(process.execPath, these(OF_THIS_NODE), 'pipe');
  const [havePassed, haveSecondPassed, report] = await Promise.all([
    runTests(node, these(OF_THE_IMAGE)).havePassed,
    second.havePassed,
    second.report,
  ]);
  console.log(report.join('\n'));
  return havePassed && haveSecondPassed;
}

/** Runs vitest. Its report is shown while it runs (`inherit`) or returned at its end (`pipe`). */
function runTests(node: string, vitestArgs: readonly string[], output: 'inherit' | 'pipe' = 'inherit') {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE };
  const stdio: StdioOptions = output === 'inherit' ? output : ['ignore', output, output];
  const run = spawn(node, [vitest, 'run', ...vitestArgs], { cwd: root, env, stdio });
  const end = (signal: NodeJS.Signals): void => {
    // A terminal sends SIGINT to this process and to vitest. If this process forwarded the signal, vitest would get it
    // twice and end without cleaning up.
    if (signal === 'SIGTERM' || !process.stdin.isTTY) run.kill(signal);
  };
  process.on('SIGTERM', end).on('SIGINT', end);
  const havePassed = new Promise<boolean>((resolve, reject) => {
    run.on('error', reject);
    run.on('close', (code) => {
      process.off('SIGTERM', end).off('SIGINT', end);
      resolve(code === 0);
    });
  });
  const pipes = [run.stdout, run.stderr].filter((pipe) => pipe !== null);
  return { havePassed, report: Promise.all(pipes.map(text)) };
}
