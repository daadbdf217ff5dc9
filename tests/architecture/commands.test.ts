import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

/** Returns the npm scripts that the table of commands in the README names. */
function commandsOf(readme: string): string[] {
  const rows = readme.split('\n').filter((line) => line.startsWith('|') && line.includes('`'));
  return rows.flatMap((row) => [...row.matchAll(/`(?:npm run )?([a-z][\w:-]*)[^`]*`/g)].map(([, name]) => name ?? ''));
}

test('the table of commands in the README names every script of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object };
  const readme = readFileSync(new URL('README.md', root), 'utf8');
  // The beginning of the README introduces the first two.
  const named = new Set([...commandsOf(readme.slice(readme.indexOf('## Commands'))), 'start', 'test']);
  expect(Object.keys(scripts).filter((name) => !named.has(name))).toEqual([]);
});

test('a script that no row names is found', () => {
  expect(commandsOf('| `npm run check -- lint` | ... `bench:erp` |')).toEqual(['check', 'bench:erp']);
  expect(commandsOf('npm run hidden')).toEqual([]);
});
