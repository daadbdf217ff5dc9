import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { detectors } from './detectors.js';
import { families } from './explanation/catalogue.js';
import { answer } from './testing/example.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');
const block = (language: string): string | undefined =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];

test('the worked example of the README is the code that runs here, with its answer', () => {
  expect(block('ts')).toBe(read('./testing/example.ts'));
  expect(JSON.parse(block('json') ?? '')).toEqual(answer);
});

test('the table of the README is the index of detectors', () => {
  const cells = readme
    .split('\n')
    .filter((line) => /^\| `\w/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(cells.filter(([file = '']) => !file.includes('/'))).toEqual(
    detectors.map(({ file, families: found, policy, sections }) => [
      `\`${file}\``,
      found.join(', '),
      `\`${policy}\``,
      sections,
    ]),
  );
});

test('every family has a detector, but for the findings about scans and books', () => {
  const found = new Set(detectors.flatMap((detector) => detector.families));
  expect(Object.keys(families).filter((family) => !found.has(family as keyof typeof families))).toEqual(['SCAN']);
});
