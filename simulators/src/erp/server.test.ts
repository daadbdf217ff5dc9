import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Row } from './call.js';
import { startErpSimulators } from './simulators.js';
import type { ErpSimulators } from './simulators.js';
import { call } from './testing.js';
import type { TestAnswer } from './testing.js';

let simulators: ErpSimulators;
let control: string;
let base: string;
beforeAll(async () => {
  simulators = await startErpSimulators();
  control = `${simulators.urls.odoo}/control`;
  base = `${simulators.urls.odoo}/acme`;
});
beforeEach(async () => {
  await call(`PUT ${control}/tenants/acme`, { apiKey: 'key' });
  const records = [1, 2, 3].map((id) => ({ id, name: `Vendor ${id}`, supplier_rank: 1 }));
  await call(`POST ${control}/tenants/acme/records`, { entity: 'res.partner', records });
});
afterEach(async () => {
  await call(`DELETE ${control}/faults`);
});
afterAll(async () => simulators.stop());

const partners = async (more: object = {}): Promise<TestAnswer> =>
  call(
    `POST ${base}/json/2/res.partner/search_read`,
    { domain: [['supplier_rank', '>', 0]], fields: ['name'], limit: 2, ...more },
    { authorization: 'bearer key' },
  );
const fault = async (spec: object): Promise<TestAnswer> => call(`POST ${control}/faults`, spec);
const faults = async (): Promise<readonly Row[]> =>
  ((await call(`GET ${control}/faults`)).json?.['items'] ?? []) as readonly Row[];

describe('faults', () => {
  test('apply to the given number of matching calls after those that are skipped', async () => {
    const { status, json } = await fault({
      match: 'res\\.partner/search_read',
      kind: 'STATUS',
      status: 503,
      times: 2,
      skip: 1,
    });
    expect(status).toBe(201);
    expect(json).toEqual({ id: expect.any(String) });
    const statuses: number[] = [];
    for (let sent = 0; sent < 5; sent++) statuses.push((await partners()).status);
    expect(statuses).toEqual([200, 503, 503, 200, 200]);
    expect(await faults()).toMatchObject([{ id: json?.['id'], hits: 2, kind: 'STATUS', times: 2, skip: 1 }]);
  });

  test('apply once without a number, and until they are removed with 0', async () => {
    await fault({ match: '.', kind: 'STATUS', status: 500 });
    expect([(await partners()).status, (await partners()).status]).toEqual([500, 200]);
    await fault({ match: '.', kind: 'STATUS', status: 500, times: 0 });
    expect([(await partners()).status, (await partners()).status]).toEqual([500, 500]);
    expect((await call(`DELETE ${control}/faults`)).status).toBe(204);
    expect((await partners()).status).toBe(200);
    expect(await faults()).toEqual([]);
  });

  test('match method, path, query and body, and may apply to only one tenant', async () => {
    await call(`PUT ${control}/tenants/other`, { apiKey: 'key' });
    await fault({
      match: '^POST /acme/json/2/res\\.partner/search_read \\{.*"limit":2',
      kind: 'STATUS',
      status: 500,
      times: 0,
      tenant: 'acme',
    });
    await fault({ match: '^GET /\\w+/web/version\\?a=b c$', kind: 'STATUS', status: 418, tenant: 'other' });
    expect((await partners()).status).toBe(500);
    expect((await partners({ limit: 3 })).status).toBe(200);
    expect((await call(`GET ${base}/web/version?a=b%20c`)).status).toBe(200);
    expect((await call(`GET ${simulators.urls.odoo}/other/web/version?a=b%20c`)).status).toBe(418);
  });

  test('answer with a status code, headers and body of their own, or with those of the vendor', async () => {
    await fault({ match: '.', kind: 'STATUS', status: 401 });
    expect((await partners()).json).toMatchObject({ name: 'werkzeug.exceptions.Unauthorized' });
    await fault({ match: '.', kind: 'STATUS', status: 409, headers: { 'X-Reason': 'test' }, body: { a: 1 } });
    const answer = await partners();
    expect([answer.status, answer.headers.get('x-reason'), answer.json]).toEqual([409, 'test', { a: 1 }]);
    await fault({ match: '.', kind: 'THROTTLE', retryAfter: 7 });
    const throttled = await partners();
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '7']);
    await fault({ match: '.', kind: 'REDIRECT', location: 'http://10.0.0.1/' });
    const redirected = await partners();
    expect([redirected.status, redirected.headers.get('location')]).toEqual([302, 'http://10.0.0.1/']);
    await fault({ match: '.', kind: 'BODY', body: '{"not": "a list"', contentType: 'text/html' });
    const other = await partners();
    expect([other.status, other.headers.get('content-type'), other.text]).toEqual([
      200,
      'text/html',
      '{"not": "a list"',
    ]);
  });

  test('close the connection, before or after the call was done', async () => {
    await fault({ match: '.', kind: 'DROP' });
    await expect(partners()).rejects.toThrow('fetch failed');
    await fault({ match: '.', kind: 'LOSE_ANSWER' });
    await expect(partners()).rejects.toThrow('fetch failed');
    expect((await partners()).status).toBe(200);
  });

  test('wait, send slowly, and send very much', async () => {
    await fault({ match: '.', kind: 'HANG', seconds: 0.2 });
    const started = performance.now();
    expect((await partners()).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(190);
    await fault({ match: '.', kind: 'HANG', seconds: 60 });
    await expect(fetch(`${base}/web/version`, { signal: AbortSignal.timeout(100) })).rejects.toThrow('timeout');
    const { text } = await partners();
    await fault({ match: '.', kind: 'DRIP', bytesPerSecond: text.length * 5 });
    const dripping = performance.now();
    expect((await partners()).text).toBe(text);
    expect(performance.now() - dripping).toBeGreaterThan(100);
    await fault({ match: '.', kind: 'HUGE', bytes: 3_000_000 });
    const huge = await partners();
    expect(huge.text.length).toBe(text.length + 3_000_000);
    expect(huge.json).toEqual(JSON.parse(text));
  });

  test('change a field of each row of a page, several at once', async () => {
    await fault({ match: '.', kind: 'PATCH', field: 'name', value: 5 });
    await fault({ match: '.', kind: 'PATCH', field: 'more', value: { a: null } });
    expect((await partners()).json).toEqual([
      { id: 1, name: 5, more: { a: null } },
      { id: 2, name: 5, more: { a: null } },
    ]);
  });

  test('repeat one page for ever', async () => {
    await fault({ match: '.', kind: 'ENDLESS', times: 0 });
    const first = await partners();
    for (let page = 0; page < 3; page++) expect((await partners({ domain: [['id', '>', 2]] })).text).toBe(first.text);
  });

  test.each([
    [{ match: '(', kind: 'DROP' }],
    [{ match: '.', kind: 'EXPLODE' }],
    [{ match: '.', kind: 'STATUS' }],
    [{ match: '.', kind: 'DROP', tmes: 1 }],
    [{ kind: 'DROP' }],
  ])('are refused when they are not complete: %j', async (spec) => {
    const { status, json } = await fault(spec);
    expect([status, typeof json?.['error']]).toEqual([400, 'string']);
  });
});

describe('tenants', () => {
  test('begin empty each time they are put', async () => {
    expect((await partners()).json).toHaveLength(2);
    expect((await call(`PUT ${control}/tenants/acme`, { apiKey: 'key' })).status).toBe(200);
    expect((await partners()).json).toEqual([]);
  });

  test('count the records that are added, changed and removed', async () => {
    const change = { entity: 'res.partner', records: [{ id: 2, name: 'Changed' }], remove: [1] };
    expect((await call(`POST ${control}/tenants/acme/records`, change)).json).toEqual({ count: 2 });
    expect((await partners()).json).toEqual([
      { id: 2, name: 'Changed' },
      { id: 3, name: 'Vendor 3' },
    ]);
  });

  test('refuse unknown entities, and then change nothing', async () => {
    const records = `POST ${control}/tenants/acme/records`;
    expect((await call(records, { entity: 'res.planet', records: [] })).status).toBe(400);
    const change = { entity: 'res.partner', records: [{ id: 4, name: 'New' }, { name: 'Without an id' }] };
    expect((await call(records, change)).status).toBe(400);
    expect((await partners({ limit: 9 })).json).toHaveLength(3);
    expect((await call(`POST ${control}/tenants/nobody/records`, change)).status).toBe(404);
    expect((await call(`GET ${control}/tenants/acme/tokens`)).status).toBe(404);
    expect((await call(`POST ${control}/tenants/acme/expire`, { what: 'EVERYTHING' })).status).toBe(400);
    expect((await call(`GET ${control}/nothing`)).status).toBe(404);
  });

  test('record every request with what was sent and answered, oldest first', async () => {
    await partners();
    await fault({ match: '.', kind: 'DROP' });
    await partners().catch(() => undefined);
    await call(`GET ${base}/web/version?a=b%20c`);
    const items = async (after: unknown): Promise<readonly Row[]> =>
      (await call(`GET ${control}/tenants/acme/requests?after=${String(after)}`)).json?.['items'] as readonly Row[];
    const all = await items(0);
    expect(all).toMatchObject([
      {
        method: 'POST',
        path: '/acme/json/2/res.partner/search_read',
        query: {},
        headers: { authorization: 'bearer key' },
        body: expect.stringContaining('"supplier_rank"'),
        status: 200,
      },
      { method: 'POST', status: null },
      { method: 'GET', path: '/acme/web/version', query: { a: 'b c' }, body: '', status: 200 },
    ]);
    expect(await items(all[1]?.['n'])).toEqual([all[2]]);
  });
});

test('time moves for only one ERP, in stamps and headers', async () => {
  const other = `${simulators.urls.businessCentral}/control`;
  const before = Date.parse(String((await call(`POST ${other}/clock`, { advanceSeconds: 0 })).json?.['now']));
  const { json } = await call(`POST ${control}/clock`, { advanceSeconds: 86_400 });
  const now = Date.parse(String(json?.['now']));
  expect(now - before).toBeGreaterThanOrEqual(86_400_000);
  const after = Date.parse(String((await call(`POST ${other}/clock`, { advanceSeconds: 0 })).json?.['now']));
  expect(after - before).toBeLessThan(60_000);
  await call(`POST ${control}/tenants/acme/records`, { entity: 'res.partner', records: [{ id: 1 }] });
  const { json: rows, headers } = await partners({ fields: ['write_date'] });
  const [row] = rows as unknown as readonly Row[];
  expect(Date.parse(`${String(row?.['write_date'])}Z`)).toBeGreaterThan(now - 2_000);
  expect(Date.parse(headers.get('date') ?? '')).toBeGreaterThan(now - 2_000);
});
