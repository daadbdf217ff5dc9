import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHadolint } from '@invoicecontrol/dev/hadolint';
import { root } from './kubernetes-objects.js';
import { skipWithout } from './skip-without.js';

const hadolint = await findHadolint(() => {}).catch((error: Error) => skipWithout('hadolint', error.message));

test.skipIf(hadolint === undefined)('the Dockerfile has no fault that hadolint knows', () => {
  expect(lint('Dockerfile')).toBe('');
});

test.skipIf(hadolint === undefined)('a Dockerfile with an image of no exact version is refused', () => {
  expect(lint('-', 'FROM node\nRUN cd /app && npm ci\n')).toContain('DL3006');
});

/** Returns the faults that hadolint finds in a Dockerfile, one line each. */
function lint(file: string, input = ''): string {
  const path = file === '-' ? file : join(root, file);
  const { stdout, stderr } = spawnSync(hadolint?.binary ?? '', ['--no-color', path], {
    encoding: 'utf8',
    input,
  });
  return stdout + stderr;
}
