import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fixtures = join(root, 'tests/architecture/fixtures/words');

test('the check of words reports each fragment and each banned word with its line, and no sentence', async () => {
  const failed = await promisify(execFile)('node', [join(root, 'tools/check-words.mjs'), '--root', fixtures]).catch(
    (error: unknown) => error,
  );
  const { stdout, code } = failed as { stdout: string; code: unknown };
  const reported = stdout.trimEnd().split('\n');
  expect(reported.map((line) => /^\S+:\d+: "[^"]+"/.exec(line)?.[0])).toEqual([
    'fragments.ts:1: "What a tenant may store."',
    'fragments.ts:3: "Whether the scan is done."',
    'fragments.ts:6: "Of two that arrive at once, one wins."',
    'fragments.ts:7: "As the deletion answered it."',
    'fragments.ts:9: "When the key was created; absent in old "',
    'fragments.ts:11: "In which order they run."',
    'fragments.ts:13: "Null: any amount."',
    'fragments.ts:15: "In seconds."',
    'fragments.ts:17: "Without a leading zero; ISO 8601 has non"',
    'service.proto:3: "Which accounts are checked."',
    'service.proto:4: "Whose accounts they are."',
    'settings.yaml:1: "Where the files are stored."',
    'words.md:3: "anew"',
    'words.md:3: "of old"',
    'words.md:3: "Whoever"',
  ]);
  expect(code).toBe(1);
});
