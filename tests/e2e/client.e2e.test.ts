// The lines of packages/client/README.md, compiled and run as an integrator would copy them.
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
// Below the root, so that the package is found by its name.
const directory = `${root}.cache/client-readme-${process.pid}`;
const COMPILER_FLAGS =
  '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node'.split(' ');

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
  const readme = await readFile(`${root}packages/client/README.md`, 'utf8');
  const lines = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join('\n');
  await mkdir(directory, { recursive: true });
  for (const name of ['example.mts', 'example.mjs']) await writeFile(`${directory}/${name}`, lines);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await running.stop();
});

test('the example of the README compiles', async () => {
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const compiled = execute(process.execPath, [compiler, ...COMPILER_FLAGS, `${directory}/example.mts`], { cwd: root });
  await expect(compiled).resolves.toMatchObject({ stdout: '' });
});

test('the example of the README prints the decision, the findings and the refusal that it asks for', async () => {
  const { stdout } = await execute(process.execPath, [`${directory}/example.mjs`], {
    env: {
      ...process.env,
      INVOICE_CONTROL_URL: running.system.baseUrl,
      INVOICE_CONTROL_API_KEY: running.tenant.keys.owner,
    },
  });
  const [decision, finding, companyId, listed, refusal, meters, ...rest] = stdout.trimEnd().split('\n');
  expect(decision).toBe('PASS 0');
  expect(finding).toMatch(/^INFO Blue Harbour Logistics Ltd /);
  expect(companyId).toBe(running.tenant.companyId);
  expect(listed).toMatch(/^[0-9a-f-]{36} SUPPLIER_NEW$/);
  expect(refusal).toMatch(/^No such invoice\. \S+$/);
  expect(Number(meters)).toBeGreaterThan(0);
  expect(rest).toEqual([]);
});
