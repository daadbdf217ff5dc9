import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway } from '../testing/running-gateway.js';
import type { RunningGateway } from '../testing/running-gateway.js';

const PAGE = '<!doctype html><script type="module" src="/app/assets/main-abc.js"></script>';
const SCRIPT = 'console.log("main")';

let folder: string;
let gateway: RunningGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'invoice-control-console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), PAGE);
  await writeFile(join(folder, 'assets/main-abc.js'), SCRIPT);
  await writeFile(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(folder, 'secret.txt'), 'not of the application');
  gateway = await startGateway({}, { consoleFolder: folder });
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

const get = (path: string, init: RequestInit = {}) => fetch(`${gateway.origin}${path}`, init);

describe('/app', () => {
  test.each(['/app', '/app/', '/app/payment-runs', '/app/payment-runs/0198a000?list=HOLD', '/app/index.html'])(
    '%s is the page, which the browser asks for each time and which loads nothing from elsewhere',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(PAGE);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
      });
    },
  );

  test('serves a file with a hashed name for good, compressed for a browser that reads it', async () => {
    for (const encoding of ['br', 'identity']) {
      const response = await get('/app/assets/main-abc.js', { headers: { 'accept-encoding': encoding } });
      expect(response.headers.get('content-encoding')).toBe(encoding === 'br' ? 'br' : null);
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      expect(await response.text()).toBe(SCRIPT);
    }
  });

  test.each([
    '/app/assets/gone.js',
    '/app/assets/../secret.txt',
    '/app/assets/%2e%2e/secret.txt',
    '/app/assets/main-abc.js.br',
  ])('serves no file that the build has not made: %s', async (path) => {
    const response = await get(path);
    expect(await response.text()).not.toContain('not of the application');
    if (response.status === 200) expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    else expect(response.status).toBe(404);
  });

  test('supports only GET', async () => {
    expect((await get('/app/payment-runs', { method: 'POST' })).status).toBe(405);
  });

  test('without a build says how to build it', async () => {
    const unbuilt = await startGateway({}, { consoleFolder: join(folder, 'assets') });
    const response = await fetch(`${unbuilt.origin}/app`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('The web application is not built. Run `npm run build`');
    await unbuilt.stop();
  });

  test('does not exist where it is switched off', async () => {
    const off = await startGateway({});
    const response = await fetch(`${off.origin}/app`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('This path does not exist.');
    await off.stop();
  });
});
