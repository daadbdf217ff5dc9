import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

/** The sources of services and packages, as text. */
function sources(): string[] {
  return ['packages/', 'services/'].flatMap((folder) =>
    readdirSync(new URL(folder, root)).flatMap((name) => {
      const base = new URL(`${folder}${name}/src/`, root);
      return readdirSync(base, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('gen/'))
        .map((path) => readFileSync(new URL(path, base), 'utf8'));
    }),
  );
}

const COUNTER = /(?<![.\w])count\(\s*'([a-z_.]+)'/g;
/** Gauges and durations are declared as keys of tables, from which the test reads their names. */
const DESCRIBED = /'([a-z_]+(?:\.[a-z_]+)+)': \{\s*(?:unit|description):/g;

/** Metrics of sealed records are named after the service and its records. */
const SEALED = /reportSealedRecords\(\s*\{ prefix: '([a-z]+)', one: '[a-z]+', many: '([a-z]+)' \}/g;

function namesOfSealedRecords(texts: readonly string[]): string[] {
  return texts.flatMap((text) =>
    [...text.matchAll(SEALED)].flatMap(([, prefix, many]) => [
      `${prefix}.sealed_${many}`,
      `${prefix}.unopenable_${many}`,
    ]),
  );
}

function namesIn(texts: readonly string[], pattern: RegExp): string[] {
  return texts.flatMap((text) => [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []));
}

test('the page of metrics lists every metric that the code records, and no other', () => {
  const texts = sources();
  const recorded = [...namesIn(texts, COUNTER), ...namesIn(texts, DESCRIBED), ...namesOfSealedRecords(texts)];
  expect(recorded.length).toBeGreaterThan(20);
  const page = readFileSync(new URL('docs/reference/metrics.md', root), 'utf8');
  const rows =
    page
      .split('## Traces')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| `')) ?? [];
  const listed = rows
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z_.]+)`/g)].flatMap(([, name]) => name ?? []))
    .filter((name) => !/^(nodejs|v8js)\./.test(name));
  expect([...new Set(listed)].sort()).toEqual([...new Set(recorded)].sort());
});
