import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Prints the CommonJS files that a process has loaded after it imported the module in its argument. */
const printLoaded = `
  import { createRequire } from 'node:module';
  await import(process.argv[1]);
  process.stdout.write(JSON.stringify(Object.keys(createRequire(process.argv[1]).cache)));`;

/**
 * Imports the compiled service in a separate process.
 * @returns whether a separate process that imports the compiled service loads the MongoDB driver
 */
async function loadsDriver(service: 'gateway' | 'scan'): Promise<boolean> {
  const compiled = new URL(`../../../${service}/dist/compose.js`, import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', printLoaded, compiled]);
  return (JSON.parse(stdout) as string[]).some((file) => file.includes('/node_modules/mongodb/'));
}

test('the gateway loads no MongoDB driver', async () => {
  expect(await loadsDriver('gateway')).toBe(false);
});

test('a service with a database loads it, so the check sees what it looks for', async () => {
  expect(await loadsDriver('scan')).toBe(true);
});
