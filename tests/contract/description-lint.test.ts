import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The first run installs spectral and redocly into .cache. */
const LINT_MS_MAX = 300_000;

function lint(description: string): { status: number | null; stdout: string } {
  const args = [`${root}tools/clients.mjs`, 'lint', '--description', description];
  return spawnSync(process.execPath, args, { encoding: 'utf8', timeout: LINT_MS_MAX });
}

/** Only a machine that says so may leave the tests out. */
const hasNoRegistry = (process.env['SKIP_WITHOUT'] ?? '').split(',').includes('npm-registry');

test.skipIf(hasNoRegistry)(
  'spectral and redocly find nothing in the API description but what their configurations except with a reason',
  () => {
    const { status, stdout } = lint(`${root}services/gateway/openapi.json`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\| lint .*\| yes /m) as unknown });
  },
  LINT_MS_MAX,
);

test.skipIf(hasNoRegistry)(
  'a description with two operations of one name is refused',
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'description-'));
    try {
      const text = readFileSync(`${root}services/gateway/openapi.json`, 'utf8');
      const file = join(directory, 'openapi.json');
      writeFileSync(file, text.replace('"operationId": "listInvoices"', '"operationId": "analyzeInvoice"'));
      const { status, stdout } = lint(file);
      expect({ status, stdout }).toEqual({
        status: 1,
        stdout: expect.stringContaining('operation-operationId') as unknown,
      });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
  LINT_MS_MAX,
);
