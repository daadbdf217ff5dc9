import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '@invoicecontrol/gateway/routes';
import { notBuiltYet, ours, specified } from './endpoints.js';
import { useSharedSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';

interface Published {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

const table = routes.map(({ method, path, operation, access }) => ({
  endpoint: `${method.toUpperCase()} ${path.replaceAll(/:([A-Za-z]+)/g, '{$1}')}`,
  operation,
  access,
}));
const built = table.map(({ endpoint }) => endpoint);
const known = [...specified.map(({ endpoint }) => endpoint), ...ours];

let running: RunningSystem;
let published: Published;
beforeAll(async () => {
  running = await useSharedSystem();
  published = (await running.request<Published>('GET //openapi.json')).body;
});
afterAll(() => running.stop());

function sorted(values: readonly string[]): string[] {
  return values.toSorted((left, right) => left.localeCompare(right));
}

describe('the endpoints', () => {
  test('of the list, the table and the published description are the same, except for those not built yet', () => {
    const described = Object.entries(published.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(sorted(described)).toEqual(sorted(built));
    expect(sorted(built)).toEqual(sorted(known.filter((endpoint) => !notBuiltYet.includes(endpoint))));
  });

  test('that are built are not listed as missing, and each missing one is an endpoint', () => {
    expect(notBuiltYet.filter((endpoint) => built.includes(endpoint))).toEqual([]);
    expect(notBuiltYet.filter((endpoint) => !known.includes(endpoint))).toEqual([]);
    expect(new Set(notBuiltYet).size).toBe(notBuiltYet.length);
  });

  test('of the specification are all listed, each once', () => {
    expect(specified.map(({ number }) => number)).toEqual(Array.from({ length: 23 }, (_, index) => index + 1));
    expect(new Set(known).size).toBe(known.length);
  });

  test('of the specification ask for the role that it names, and for none when it names none', () => {
    const asked = table.flatMap(({ endpoint, access }) => {
      const entry = specified.find((candidate) => candidate.endpoint === endpoint);
      const role = access === 'public' ? 'public' : access.minimumRole;
      return entry === undefined ? [] : [{ endpoint, role, expected: entry.role }];
    });
    expect(asked.filter(({ role, expected }) => role !== expected)).toEqual([]);
  });

  test('are described under the operation of the table', () => {
    for (const { endpoint, operation } of table) {
      const [method = '', path = ''] = endpoint.split(' ');
      expect([endpoint, published.paths[path]?.[method.toLowerCase()]?.operationId]).toEqual([endpoint, operation]);
    }
  });
});

describe('a path that is not listed', () => {
  test.each(['/nothing', '/Invoices', '/invoices/', '/invoices/x/y/z', '/../v1', '//invoices', '/openapi.json', '/'])(
    '/v1%s is 404, with a key or without',
    async (path) => {
      for (const key of [running.tenant.keys.owner, undefined]) {
        const answer = await running.request<ErrorBody>(`GET //v1${path}`, key === undefined ? {} : { key });
        expect(answer).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
      }
    },
  );
});

describe('besides the endpoints', () => {
  test.each(['/livez', '/readyz', '/openapi.json'])('%s can be read without a key, and only read', async (path) => {
    expect((await running.request(`GET /${path}`)).status).toBe(200);
    expect(await running.request(`POST /${path}`)).toMatchObject({ status: 405 });
  });

  test('the API page may run only its own scripts, and no page may frame it', async () => {
    const { status, headers } = await fetch(`${running.origin}/docs`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = headers.get('content-security-policy')?.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
    );
  });

  test.each(['/docs', '/docs/console'])('%s loads nothing from elsewhere', async (path) => {
    const page = await (await fetch(`${running.origin}${path}`)).text();
    const loaded = /<(?:link|script|img)\b[^>]{0,300}?\b(?:src|href)="([^"]*)"/g;
    const addresses = [...page.matchAll(loaded)].map(([, address]) => address ?? '');
    expect(addresses).not.toEqual([]);
    for (const address of addresses) {
      expect(address).toMatch(/^\/docs\//);
      expect((await fetch(`${running.origin}${address}`)).status).toBe(200);
    }
  });
});
