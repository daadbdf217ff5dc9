import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import sharp from 'sharp';

const GUIDES = join('docs', 'guides');
const PICTURES = join(GUIDES, 'pictures');
/** Maximum size of a picture of a guide in bytes, so that a clone of the repository stays small. */
const BYTES_MAX = 120_000;

const names = readdirSync(PICTURES);

test('every picture of a guide is a small WebP file as wide as the window of the screenshots', async () => {
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    const path = join(PICTURES, name);
    const { format, width } = await sharp(path).metadata();
    expect({ name, format, width, isSmall: statSync(path).size <= BYTES_MAX }).toEqual({
      name,
      format: 'webp',
      width: 1_280,
      isSmall: true,
    });
  }
});

test('every picture is shown in a guide with a text for people who do not see it, and every shown picture exists', () => {
  const guides = readdirSync(GUIDES).filter((name) => name.endsWith('.md'));
  const shown = guides.flatMap((name) => [
    ...readFileSync(join(GUIDES, name), 'utf8').matchAll(/!\[([^\]]{20,})\]\(pictures\/([\w-]+\.webp)\)/g),
  ]);
  const byName = (one: string, other: string): number => one.localeCompare(other);
  expect([...new Set(shown.map(([, , name = '']) => name))].toSorted(byName)).toEqual(names.toSorted(byName));
});

test('the first page of the repository shows a picture that exists', () => {
  const [, path = ''] =
    /!\[[^\]]{20,}\]\((docs\/guides\/pictures\/[\w-]+\.webp)\)/.exec(readFileSync('README.md', 'utf8')) ?? [];
  expect(statSync(path).isFile()).toBe(true);
});
