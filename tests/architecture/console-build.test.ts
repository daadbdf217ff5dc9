// Checks the files of the web application as the set-up has built them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../console/dist/app', import.meta.url));
const page = readFileSync(join(folder, 'index.html'), 'utf8');
const assets = readdirSync(join(folder, 'assets'));
const read = (name: string) => readFileSync(join(folder, 'assets', name), 'utf8');
const compressedBytes = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0);

/** Returns the scripts that the page loads before it shows anything: its own, and those that it imports. */
function firstScripts(): string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, imported = ''] of read(name).matchAll(/(?:^|;)import[^;()]*?"\.\/([\w.-]+\.js)"/g)) add(imported);
  };
  for (const [, name = ''] of page.matchAll(/"\/app\/assets\/([\w.-]+\.js)"/g)) add(name);
  return [...found];
}

describe('the built web application', () => {
  test('has nothing inline, which the policy of the page would refuse', () => {
    expect(page.match(/<script(?![^>]*\bsrc=)/g)).toBeNull();
    expect(page.match(/<style|\bstyle=|\bon\w+=/g)).toBeNull();
  });

  test('publishes no source map, and has a compressed variant of each text', () => {
    expect(assets.filter((name) => name.endsWith('.map'))).toEqual([]);
    const texts = assets.filter((name) => /\.(?:js|css|svg)$/.test(name));
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter((name) => !assets.includes(`${name}.br`))).toEqual([]);
  });

  test('loads at most 90 kB of scripts and 15 kB of styles before the sign-in, compressed', () => {
    const scripts = firstScripts();
    expect(scripts.length).toBeGreaterThan(0);
    expect(compressedBytes(scripts)).toBeLessThan(90_000);
    expect(compressedBytes(assets.filter((name) => name.endsWith('.css')))).toBeLessThan(15_000);
  });

  test('has pages of at most 40 kB, compressed', () => {
    const pages = assets.filter((name) => /-page-[\w-]+\.js$/.test(name));
    expect(pages.length).toBeGreaterThan(1);
    for (const name of pages)
      expect({ name, isSmall: compressedBytes([name]) < 40_000 }).toEqual({ name, isSmall: true });
  });
});
