import { describe, expect, test } from '@jest/globals';
import { run } from './run.js';

async function admin(args: readonly string[], isTTY = false, env: NodeJS.ProcessEnv = {}) {
  let stdout = '';
  let stderr = '';
  const exitCode = await run(args, {
    env,
    stdout: { write: (text: string) => (stdout += text), isTTY },
    stderr: { write: (text: string) => (stderr += text) },
  });
  return { exitCode, stdout, stderr };
}

const names = [
  'create-organization',
  'restore-organization',
  'create-key',
  'create-member',
  'set-plan',
  'replay-analyses',
  'dry-run-policy',
  'override-policy',
];

describe('help', () => {
  test('lists every command', async () => {
    const { exitCode, stdout } = await admin(['--help']);
    expect(exitCode).toBe(0);
    for (const name of names) expect(stdout).toContain(`  ${name} `);
  });

  test.each(names)('of %s shows its usage, without a running system', async (name) => {
    const { exitCode, stdout, stderr } = await admin([name, '--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`npm run admin -- ${name} --`);
    expect(stdout).toContain('--json');
  });

  test('is coloured only on a terminal without NO_COLOR', async () => {
    const hasColours = async (isTTY: boolean, env: NodeJS.ProcessEnv) =>
      (await admin(['--help'], isTTY, env)).stdout.includes('\u001b[');
    expect(await hasColours(false, {})).toBe(false);
    expect(await hasColours(true, { NO_COLOR: '1' })).toBe(false);
  });
});

describe('a wrong command line', () => {
  test.each([
    ['no command', [], /^$/],
    ['an unknown command', ['drop-everything'], /Unknown command drop-everything/],
    ['an unknown option', ['set-plan', '--price', '1'], /Unknown option '--price'.*set-plan --help/s],
    ['a missing required option', ['create-key', '--role', 'ADMIN'], /create-key needs --organization ID/],
    ['an additional argument', ['create-key', 'ADMIN'], /Unexpected argument 'ADMIN'/],
  ])('ends with exit code 2 and an explanation: %s', async (_, args, message) => {
    const { exitCode, stderr } = await admin(args);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});
