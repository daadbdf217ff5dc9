import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';
import { introduction } from './introduction.js';

/** The header of a browser that follows a link. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let gateway: RunningGateway;
let site: Map<string, string>;
beforeAll(async () => {
  gateway = await startGateway({});
  site = await crawl();
});
afterAll(() => gateway.stop());

/** Reads every page that a browser can reach from `/docs` by links of the site. */
async function crawl(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const open = ['/docs'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const response = await fetch(`${gateway.origin}${path}`, { headers: BROWSER, redirect: 'manual' });
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    const text = await response.text();
    pages.set(path, text);
    if (response.headers.get('content-type') !== 'text/html; charset=utf-8') continue;
    open.push(...linksOf(path, text).flatMap(({ target }) => (isSource(target) ? [] : [target])));
  }
  return pages;
}

/** Returns the links of a page within the site, with the address that a browser makes of them. */
function linksOf(path: string, page: string): { target: string; anchor: string }[] {
  return [...page.matchAll(/ (?:href|src)="([^"]+)"/g)]
    .map(([, link]) => new URL(link ?? '', `${gateway.origin}${path}`))
    .filter(({ origin }) => origin === gateway.origin)
    .map(({ pathname, hash }) => ({ target: pathname, anchor: decodeURIComponent(hash.slice(1)) }));
}

/** Tells whether an address is that of the Markdown of a page, from which browsers are redirected. */
function isSource(path: string): boolean {
  return path.endsWith('.md');
}

const isPage = ([, text]: [string, string]): boolean => text.startsWith('<!DOCTYPE html>');

describe('the documentation site', () => {
  test('has no dead link: each leads to a page, and to a heading of it', () => {
    const dead = [...site].filter(isPage).flatMap(([path, page]) =>
      linksOf(path, page)
        .filter(({ target, anchor }) => {
          if (isSource(target)) return false;
          const aim = site.get(target);
          return aim === undefined || (anchor !== '' && !aim.includes(` id="${anchor}"`));
        })
        .map(({ target, anchor }) => `${path}: ${target}#${anchor}`),
    );
    expect(dead).toEqual([]);
    expect([...site.keys()]).toEqual(
      expect.arrayContaining([
        '/docs/guides/receiving-webhooks',
        '/docs/guides/receivers',
        '/docs/guides/buying-a-plan',
      ]),
    );
    expect([...site.keys()]).toEqual(
      expect.arrayContaining([
        '/docs/concepts',
        '/docs/errors',
        '/docs/events',
        '/docs/changelog',
        '/docs/api/invoices',
      ]),
    );
  });

  test('has each page that the list of documents has for integrators and for people who review', async () => {
    const list = await readFile(new URL('../../../../../docs/README.md', import.meta.url), 'utf8');
    const part = list.slice(list.indexOf('For integrators:'), list.indexOf('For operators:'));
    const files = [...part.matchAll(/\]\((?:\.\.\/)?([\w/-]+)\.md\)/g)].map(([, file]) => file ?? '');
    expect(files.length).toBeGreaterThan(15);
    // The README of a package is served under the name of its folder, and the overview as the first page.
    const pages = files.map((file) => `/docs/${/([\w-]+)\/README$/.exec(file)?.[1] ?? file}`);
    expect(pages.filter((page) => page !== '/docs/overview' && !site.has(page))).toEqual([]);
  });

  test('shows pictures, which are sent as WebP', async () => {
    const page = site.get('/docs/guides/using-the-app') ?? '';
    const sources = [...page.matchAll(/<img [^>]*?src="([^"]+)"/g)].map(([, source = '']) => source);
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) {
      const response = await fetch(`${gateway.origin}${source}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
      expect(Buffer.from(await response.arrayBuffer()).toString('latin1', 8, 12)).toBe('WEBP');
    }
  });

  test('loads nothing from elsewhere, runs no script and applies no style that is written in a page', () => {
    for (const [path, page] of [...site].filter(isPage)) {
      const loaded = [...page.matchAll(/<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="([^"]+)"/g)];
      expect({ path, elsewhere: loaded.map(([, url]) => url).filter((url) => !url?.startsWith('/docs/')) }).toEqual({
        path,
        elsewhere: [],
      });
      expect({ path, inline: /<script(?![^>]* src=)|<style|<[^>]+ (?:style|on\w+)="/.exec(page)?.[0] }).toEqual({
        path,
        inline: undefined,
      });
    }
  });

  test('forbids inline scripts and styles, and other origins', async () => {
    for (const path of ['/docs', '/docs/console', '/docs/api/invoices']) {
      const policy = (await fetch(`${gateway.origin}${path}`)).headers.get('content-security-policy') ?? '';
      expect({ path, policy }).toEqual({
        path,
        policy: expect.stringContaining("script-src 'self'; style-src 'self';"),
      });
      expect(policy).not.toContain('unsafe');
    }
  });

  test('names every operation and every event of the description', () => {
    const api = JSON.parse(site.get('/openapi.json') ?? '') as {
      paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
      webhooks: Record<string, unknown>;
    };
    for (const { operationId, tags } of Object.values(api.paths).flatMap((item) => Object.values(item))) {
      expect({ operationId, isShown: site.get(`/docs/api/${tags[0]}`)?.includes(` id="${operationId}"`) }).toEqual({
        operationId,
        isShown: true,
      });
    }
    for (const type of Object.keys(api.webhooks)) expect(site.get('/docs/events')).toContain(`>${type} <a`);
  });

  test('finds a section by the words in it', async () => {
    const address = /data-index="([^"]+)"/.exec(site.get('/docs') ?? '')?.[1] ?? '';
    const index = await (await fetch(`${gateway.origin}${address}`)).text();
    expect(index).toContain('/docs/guides/receiving-webhooks#3-requirements-on-a-receiver');
    expect(index).toContain('/docs/api/invoices#analyzeInvoice');
  });
});

describe('the address of a guide with .md', () => {
  const guide = '/docs/guides/receiving-webhooks';

  test('returns Markdown to programs, whose links lead to Markdown', async () => {
    const linked = (text: string) => [...text.matchAll(/\]\((\/[^)\s#]+)/g)].map(([, path]) => path ?? '');
    const open = linked(introduction);
    const seen = new Set<string>();
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const response = await fetch(`${gateway.origin}${path}`, { redirect: 'manual' });
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      if (!isSource(path)) continue;
      expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      open.push(...linked(await response.text()));
    }
    expect([...seen]).toEqual(expect.arrayContaining([`${guide}.md`, '/docs/guides/receivers/receiver.go']));
  });

  test('leads a browser to the page', async () => {
    const response = await fetch(`${gateway.origin}${guide}.md`, { headers: BROWSER, redirect: 'manual' });
    expect([response.status, response.headers.get('location'), response.headers.get('vary')]).toEqual([
      302,
      guide,
      'Accept, Accept-Encoding',
    ]);
  });
});

test('an address with a slash at its end leads to the page', async () => {
  const response = await fetch(`${gateway.origin}/docs/`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
});

test('files are compressed for those who can read that, and not sent twice', async () => {
  const bundle = /src="([^"]+bundle\.js)"/.exec(site.get('/docs/console') ?? '')?.[1] ?? '';
  for (const [path, cacheControl] of [
    [bundle, 'public, max-age=31536000, immutable'],
    ['/docs', 'private, no-cache'],
    ['/openapi.json', 'private, no-cache'],
  ]) {
    const sizeOf = async (encoding: string) => {
      const response = await fetch(`${gateway.origin}${path}`, { headers: { 'accept-encoding': encoding } });
      expect({ path, caching: response.headers.get('cache-control') }).toEqual({ path, caching: cacheControl });
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      expect(response.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null);
      const etag = response.headers.get('etag') ?? '';
      const again = await fetch(`${gateway.origin}${path}`, {
        headers: { 'accept-encoding': encoding, 'if-none-match': etag },
      });
      expect({ path, status: again.status, text: await again.text() }).toEqual({ path, status: 304, text: '' });
      expect(again.headers.get('content-security-policy')).toContain("default-src 'none'");
      return Number(response.headers.get('content-length'));
    };
    const [plain, compressed] = [await sizeOf('identity'), await sizeOf('gzip')];
    expect(compressed * 1.5).toBeLessThan(plain);
  }
});
