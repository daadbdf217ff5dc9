import { afterAll, beforeAll, expect, test } from 'vitest';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { runInProcess } from './testing/run-in-process.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'run-program-'));
  await writeFile(
    join(directory, 'serves.mjs'),
    `console.log('{"address":"127.0.0.1:1"}'); setInterval(() => {}, 1e6);`,
  );
  await writeFile(join(directory, 'fails.mjs'), `console.log('the environment is not complete'); process.exit(1);`);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Starts the service, prints its process id, and continues with the code of each test. */
const program = (then: string): string => `
  await runProgram(async () => {
    onEnd(() => console.log('closed'));
    const start = (name) => startNodeProcess(name, '${directory}/' + name + '.mjs', process.env, '${directory}');
    const { pid } = await start('serves');
    console.log('pid ' + pid);
    step('measuring');
    ${then}
  });
`;
const FOREVER = 'await new Promise((resolve) => setTimeout(resolve, 1e6));';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each([
  ['did its work', '', 0, ''],
  ['failed', `throw new Error('no measurement');`, 1, 'no measurement'],
  ['has a service that does not start', `await start('fails');`, 1, 'the environment is not complete'],
  [
    'runs for longer than its bound',
    `endAfter(0.01); ${FOREVER}`,
    1,
    'did not end within 0.01 minutes; its last step: measuring',
  ],
])('a benchmark that %s closes what it opened, ends its children and exits', async (_what, then, code, message) => {
  const ended = await runInProcess(program(then)).ended;
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: expect.stringContaining(message) });
  expect(ended.stdout).toMatch(/^closed$/m);
  expect(isRunning(Number(/^pid (\d+)$/m.exec(ended.stdout)?.[1]))).toBe(false);
});

test.each(['SIGINT', 'SIGTERM'] as const)('a benchmark that is ended by %s closes what it opened', async (signal) => {
  const running = runInProcess(program(FOREVER));
  await eventually(() => expect(running.stderr()).toContain('measuring'));
  running.child.kill(signal);
  // npm forwards a signal that the terminal has already sent to all processes.
  running.child.kill(signal);
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`ended by ${signal}`) });
  expect(stdout).toMatch(/^closed$/m);
  expect(isRunning(Number(/^pid (\d+)$/m.exec(stdout)?.[1]))).toBe(false);
});

test('the children of a benchmark end with it when it is killed', async () => {
  const running = runInProcess(program(FOREVER));
  await eventually(() => expect(running.stderr()).toContain('measuring'));
  running.child.kill('SIGKILL');
  const { stdout } = await running.ended;
  await eventually(() => expect(isRunning(Number(/^pid (\d+)$/m.exec(stdout)?.[1]))).toBe(false));
});

test('many children are watched without a warning', async () => {
  const { stderr } = await runInProcess(
    program(`await Promise.all(Array.from({ length: 12 }, () => start('serves')));`),
  ).ended;
  expect(stderr).not.toContain('MaxListenersExceededWarning');
});
