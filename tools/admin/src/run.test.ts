import { describe, expect, test } from 'vitest';
import { entries } from '@invoicecontrol/topology/services';
import { operatedServices } from './command.js';
import { commands, run } from './run.js';
import { age } from './text-output.js';

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

const names = commands.map(({ name }) => name);

describe('help', () => {
  test('lists every command', async () => {
    const { exitCode, stdout } = await admin(['--help']);
    expect(exitCode).toBe(0);
    for (const name of names) expect(stdout).toContain(`  ${name} `);
  });

  test.each(names)('of %s shows its usage, without a running system', async (name) => {
    const { exitCode, stdout, stderr } = await admin([name, '--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`npm run admin -- ${name}`);
    expect(stdout).toContain('--json');
    expect(stdout).toMatch(/Example.*Exit codes: 0 success, 1 refused or failed, 2 wrong usage/s);
  });

  // A correct command line fails only because no system is running.
  const connected = commands.filter((command) => 'service' in command);
  test.each(connected.flatMap(({ name, examples }) => examples.map((example) => [name, example])))(
    'of %s has an example that is understood: %s',
    async (name, example) => {
      const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      const { exitCode, stderr } = await admin([...name.split(' '), ...words], false, { DATA_DIR: '/nonexistent' });
      expect(stderr).toMatch(/No running system was found/);
      expect(exitCode).toBe(2);
    },
  );

  test('of a group lists its commands', async () => {
    const { exitCode, stdout } = await admin(['dead-letters', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('dead-letters resend');
    expect(stdout).not.toContain('set-plan');
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
    ['a second argument', ['dead-letters', 'show', 'a', 'b'], /Unexpected argument 'b'/],
    ['a missing argument', ['dead-letters', 'show'], /dead-letters show needs ID/],
    ['half a command', ['dead-letters'], /dead-letters list, dead-letters show, dead-letters resend/],
    ['an unknown half', ['dead-letters', 'burn'], /Unknown command dead-letters burn/],
    [
      'an unknown service',
      ['dead-letters', 'list', '--service', 'moon'],
      /organization, analysis, documents, scan, webhooks/,
    ],
    ['an address of no service', ['dead-letters', 'list', '--address', 'a:1'], /Name that service with --service/],
  ])('ends with exit code 2 and an explanation: %s', async (_, args, message) => {
    const { exitCode, stderr } = await admin(args);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});

test('every service with a database can be asked', () => {
  const databased = entries.flatMap(([name, { protocol }]) => (protocol === 'grpc' ? [name] : []));
  expect([...operatedServices].toSorted()).toEqual(databased.toSorted());
});

test.each([
  [0, '0 s'],
  [119, '119 s'],
  [120, '2 min'],
  [7_200, '2 h'],
  [172_800, '2 d'],
])('an age of %d seconds is printed as %s', (seconds, printed) => {
  expect(age(new Date(0), new Date(seconds * 1_000))).toBe(printed);
});
