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

/**
 * Words for the features of the product. Names of services are missing where texts of the runtime take one as their example, and `ksef`
 * because the logger cuts `ksef_token` out by its name.
 */
const FEATURES = new Set(
  [
    'archive audit bill billing checkout company extraction finding invoice notification payment plan purge quota',
    'rendering scan supplier upload usage vendor webhook',
  ].flatMap((words) => words.split(' ')),
);
/** Tests of the runtime call contracts of the product, as their examples. */
const FEATURES_IN_TESTS = new Set(['invoice']);

/** The declarations of all metrics and fields of log lines are data about the product. */
const TELEMETRY = new Set(['packages/runtime/src/telemetry/schema.ts', 'packages/runtime/src/telemetry/log-fields.ts']);

test('packages/runtime knows no feature of the product, except in the names of metrics and of fields of log lines', () => {
  const paths = filesIn('packages/runtime').filter((path) => !TELEMETRY.has(path));
  const knowing = paths.flatMap((path) => {
    const isForTests = path.endsWith('.test.ts') || path.startsWith('packages/runtime/src/testing/');
    const features = isForTests ? FEATURES_IN_TESTS : FEATURES;
    const words = wordsOf(readFileSync(join(root, path), 'utf8'));
    return [...words].filter((word) => features.has(word)).map((word) => `${path}: ${word}`);
  });
  expect(knowing).toEqual([]);
});

test('a feature is found in sentences and in names, in each of its forms', () => {
  const text = '`wasPurged` AUDIT_LINES findings, stuckCompanies usageOf @invoicecontrol/errors';
  expect([...wordsOf(text)].filter((word) => FEATURES.has(word))).toEqual([
    'purge',
    'audit',
    'finding',
    'company',
    'usage',
  ]);
});

/** The words of a text and of the names in it, without their endings. The product and the page about its events have names, too. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text
    .replaceAll(/invoicecontrol|webhooks-and-events|(?:cpu|memory)Usage/gi, '')
    .match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g);
  return new Set(
    words?.map((word) =>
      word
        .toLowerCase()
        .replace(/ies$/, 'y')
        .replace(/s$|(?<=e)d$/, ''),
    ),
  );
}

/** Returns all files and directories as paths from the root of the repository. */
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
