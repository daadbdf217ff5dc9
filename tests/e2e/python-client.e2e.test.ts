// Checks the Python client as its script does, with the examples of its README against the running product.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skipWithout } from '../contract/skip-without.js';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The first run installs the Python packages. */
const RUN_MS_MAX = 540_000;

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
});
afterAll(() => running.stop());

test(
  'the Python client is typed, passes its tests, and the examples of its README run',
  async ({ skip }) => {
    const { stdout } = await promisify(execFile)(process.execPath, [`${root}tools/python-client.mjs`], {
      env: {
        ...process.env,
        INVOICE_CONTROL_URL: running.system.baseUrl,
        INVOICE_CONTROL_API_KEY: running.tenant.keys.owner,
      },
    });
    if (stdout.startsWith('skipped')) {
      if (process.env['CI'] !== undefined) skipWithout('python', 'Python 3.11 with venv is not installed.');
      skip(stdout);
    }
    expect(stdout).toMatch(/^ok {7}mypy\nok {7}mypy of the examples\nok {7}tests\nok {7}examples\n/);
    const lines = stdout.trimEnd().split('\n').slice(4);
    expect(lines[0]).toBe('PASS 0');
    expect(lines).toContainEqual(expect.stringMatching(/^INFO This is the first invoice from Mill Lane Couriers Ltd/));
    expect(lines).toContain('422 PROCESSING_FAILED');
    expect(lines).toContainEqual(expect.stringMatching(/^NOT_FOUND No such invoice\. req_\w+ \[\]$/));
    expect(lines.slice(-2)).toEqual(['HEADER_MISSING', '400']);
  },
  RUN_MS_MAX,
);
