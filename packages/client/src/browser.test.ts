import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as browser from './browser.js';
import * as node from './client.js';

/** Returns the modules that an entry imports at run time, with their code without comments. */
function modulesOf(entry: string, known = new Map<string, string>()): Map<string, string> {
  const source = readFileSync(new URL(entry, import.meta.url), 'utf8');
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  known.set(entry, code);
  for (const [, what = '', target = ''] of code.matchAll(/^(?:import|export)\s+([^;]*?)from\s+'([^']+)'/gm)) {
    if (what.startsWith('type ')) continue;
    const file = target.startsWith('./') ? target.replace(/\.js$/, '.ts') : target;
    if (known.has(file)) continue;
    if (file.startsWith('./')) modulesOf(file, known);
    else known.set(file, '');
  }
  return known;
}

describe('the entry for browsers', () => {
  const modules = modulesOf('./browser.ts');

  test('imports only modules of the client', () => {
    expect([...modules.keys()].filter((name) => !name.startsWith('./'))).toEqual([]);
    expect([...modules.keys()]).toContain('./verify-webhook-web.ts');
  });

  test('uses no global of Node.js', () => {
    for (const [name, code] of modules) {
      expect({ name, found: code.match(/\b(?:Buffer|process|require|setImmediate|__dirname)\b(?!:)/g) }).toEqual({
        name,
        found: null,
      });
    }
  });

  test('exports what the entry for Node.js does', () => {
    expect(Object.keys(browser).toSorted()).toEqual(Object.keys(node).toSorted());
  });
});

describe('the verification with Web Crypto', () => {
  const secret = 'whsec_4f9aQ2mZr7TtVx1Lk8HnYb3Cd5Ej6Gp0SuWiXoAyBzD';
  const t = 1_770_000_000;
  const id = 'evt_3k2j';
  const body = JSON.stringify({ id, type: 'finding.created', data: { finding_id: 'Grüße' } });
  const signed = (text: string, key = secret): string =>
    createHmac('sha256', key).update(`${id}.${t}.${text}`).digest('hex');
  const request = {
    body: new TextEncoder().encode(body) as Uint8Array | string,
    headers: { 'svc-event-id': id, 'svc-signature': `t=${t},v1=${signed(body)}` } as Record<string, string>,
    secret: secret as string | readonly string[],
    now: () => new Date(t * 1_000),
  };

  test('returns the event, also for one of two secrets', async () => {
    expect(await browser.verifyWebhook(request)).toEqual(JSON.parse(body));
    const rotated = { ...request, secret: ['whsec_new', secret] };
    expect(await browser.verifyWebhook(rotated)).toEqual(JSON.parse(body));
  });

  test.each([
    ['another body', { body: `${body} ` }],
    ['another secret', { secret: 'whsec_other' }],
    ['a header that is missing', { headers: {} }],
    ['a malformed signature', { headers: { 'svc-event-id': id, 'svc-signature': `t=${t},v1=00` } }],
    ['an old signature', { now: () => new Date((t + 301) * 1_000) }],
    ['a clock that is behind', { now: () => new Date((t - 301) * 1_000) }],
    [
      'a body that is no event',
      { body: '[]', headers: { 'svc-event-id': id, 'svc-signature': `t=${t},v1=${signed('[]')}` } },
    ],
  ])('refuses %s with the reason that Node.js gives', async (_, change) => {
    const changed = { ...request, ...change };
    const reasonOf = (error: unknown): unknown => (error as { reason?: unknown }).reason;
    const expected = await Promise.resolve()
      .then(() => node.verifyWebhook(changed))
      .then(() => 'accepted', reasonOf);
    const found = await browser.verifyWebhook(changed).then(() => 'accepted', reasonOf);
    expect(found).toBe(expected);
    expect(found).not.toBe('accepted');
    expect(found).toBeDefined();
  });
});
