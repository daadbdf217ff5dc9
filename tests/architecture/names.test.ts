import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const { LONGEST } = (await import('../../tools/longest-first.mjs' as string)) as { LONGEST: readonly string[] };

const root = fileURLToPath(new URL('../..', import.meta.url));
const notOurs = new Set(['node_modules', 'dist', 'gen', 'fixtures']);

test('no file or directory has a name without a subject', () => {
  const vague = /(^|[-._])(common|shared|utils?|helpers?|managers?|misc)([-._]|$)/i;
  expect(
    ours('packages', 'proto', 'services', 'simulators', 'tests', 'tools').filter((path) => vague.test(basename(path))),
  ).toEqual([]);
});

test('every file that a test run begins early with is there', () => {
  expect(LONGEST.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('there are no barrels', () => {
  expect(
    ours('packages', 'services', 'simulators', 'tests', 'tools').filter((path) =>
      /^index\.[cm]?[jt]s$/.test(basename(path)),
    ),
  ).toEqual([]);
});

test('src/integration of a service holds its integration tests and nothing else', () => {
  const isIntegrationTest = (path: string): boolean => path.endsWith('.int.test.ts');
  const placed = /^services\/[^/]+\/src\/integration\//;
  const files = filesIn('services').filter((path) => isIntegrationTest(path) || placed.test(path));
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((path) => !isIntegrationTest(path) || !placed.test(path))).toEqual([]);
});

test('packages/runtime knows no feature of the product', () => {
  const knowing = filesIn('packages/runtime').filter((path) =>
    /\binvoice\b/i.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(knowing).toEqual([]);
});

/** Files and directories, as paths from the root. */
function ours(...directories: string[]): string[] {
  return directories.flatMap((directory) => [directory, ...entries(directory).map(({ path }) => path)]);
}

function filesIn(directory: string): string[] {
  return entries(directory).flatMap(({ path, isFile }) => (isFile ? [path] : []));
}

function entries(directory: string): { path: string; isFile: boolean }[] {
  return readdirSync(join(root, directory), { withFileTypes: true })
    .filter((entry) => !notOurs.has(entry.name))
    .flatMap((entry) => {
      const path = `${directory}/${entry.name}`;
      return [{ path, isFile: entry.isFile() }, ...(entry.isDirectory() ? entries(path) : [])];
    });
}
