// The set-up step with a fake npm that installs one package and then waits until the test has seen enough.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const setup = fileURLToPath(new URL('../../setup.mjs', import.meta.url));
const NPM = `#!${process.execPath}
const { existsSync, mkdirSync, writeFileSync } = require('node:fs');
mkdirSync('node_modules/one', { recursive: true });
writeFileSync('node_modules/one/package.json', '{}');
mkdirSync('node_modules/typescript/bin', { recursive: true });
writeFileSync('node_modules/typescript/bin/tsc', '');
const poll = setInterval(() => existsSync('enough') && clearInterval(poll), 50);
`;

let clone: string;
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'invoice-control-setup-'));
  for (const folder of [
    'bin',
    'proto',
    'packages',
    'docs',
    'clients/python',
    'tools/generate/site',
    'services/gateway',
  ]) {
    await mkdir(join(clone, folder), { recursive: true });
  }
  await cp(setup, join(clone, 'tools/setup.mjs'));
  const packages = { '': {}, 'node_modules/one': { version: '1.0.0' }, 'node_modules/two': { version: '1.0.0' } };
  const files = {
    'package-lock.json': JSON.stringify({ packages }),
    'tsconfig.json': '{"references":[]}',
    'tsconfig.base.json': '{}',
    'buf.gen.yaml': '',
    'clients/python/README.md': '',
    'services/gateway/openapi.json': '{}',
    'tools/generate/generate.mjs': '',
    'tools/generate/site/site.mjs': '',
    'bin/npm': NPM,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(clone, name), text);
  await chmod(join(clone, 'bin/npm'), 0o755);
});
afterEach(() => rm(clone, { recursive: true, force: true }));

/** Runs it until the pattern was printed, lets npm end, and resolves to everything printed. */
async function runUntil(pattern: RegExp, isTerminal: boolean): Promise<{ code: number | null; output: string }> {
  const terminal = ['--import', 'data:text/javascript,process.stderr.isTTY=true'];
  const child = spawn(process.execPath, [...(isTerminal ? terminal : []), 'tools/setup.mjs'], {
    cwd: clone,
    env: { ...process.env, NODE_OPTIONS: '', PATH: [join(clone, 'bin'), process.env['PATH']].join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (bytes: Buffer) => {
    output += bytes.toString();
    if (pattern.test(output)) void writeFile(join(clone, 'enough'), '');
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, output };
}

test('a terminal sees each second that the installation goes on, and how many packages have arrived', async () => {
  const { code, output } = await runUntil(/(?:set-up: \d+ s, [^]*){2}/, true);
  expect([code, output]).toEqual([0, expect.stringMatching(/(?:\r\u001b\[Kset-up: \d+ s, packages so far: 1){2}/)]);
  expect(output).toMatch(/\r\u001b\[Kset-up: done in \d+\.\d s\n/);
});

test('a pipe gets a line each five seconds, without control characters', async () => {
  const { code, output } = await runUntil(/^set-up: \d+ s, packages so far: 1$/m, false);
  expect(code).toBe(0);
  expect(output).toMatch(/^set-up: installing packages .*\nset-up: \d+ s, packages so far: 1\nset-up: done in /);
  expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test('an npm that fails is shown with its output and what to do', async () => {
  await writeFile(
    join(clone, 'bin/npm'),
    `#!${process.execPath}\nconsole.error('npm error EINTEGRITY'); process.exitCode = 1;`,
  );
  const { code, output } = await runUntil(/never/, false);
  expect(code).toBe(1);
  expect(output).toContain('npm error EINTEGRITY\nset-up: `npm ci` failed; its output is above.\n');
});
