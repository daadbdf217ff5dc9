import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { useSharedSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';
import type { CreatedApiKey, Page } from './shapes.js';

type KeyRecord = Omit<CreatedApiKey, 'key'> & {
  name: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
};

let running: RunningSystem;
let owner: string;
let admin: string;
beforeAll(async () => {
  running = await useSharedSystem();
  owner = running.tenant.keys.owner;
  admin = running.tenant.keys.admin;
});
afterAll(() => running.stop());

function create(body: unknown, key = owner): Promise<Answer<KeyRecord & CreatedApiKey & ErrorBody>> {
  return running.request('POST /api-keys', { key, body });
}

async function newKey(role: string, scopes?: readonly string[]): Promise<CreatedApiKey> {
  const answer = await create({ name: `${role} of a test`, role, ...(scopes === undefined ? {} : { scopes }) });
  expect(answer.status).toBe(201);
  return answer.body;
}

const change = (id: string, body: unknown, key = owner): Promise<Answer<KeyRecord & ErrorBody>> =>
  running.request(`PATCH /api-keys/${id}`, { key, body });
const revoke = (id: string, key = owner): Promise<Answer<ErrorBody>> =>
  running.request(`DELETE /api-keys/${id}`, { key });
const use = (key: string): Promise<Answer> => running.request('GET /organizations/current', { key });

const forbidden = { status: 403, body: { error: { code: 'FORBIDDEN' } } };
const conflict = { status: 409, body: { error: { code: 'CONFLICT' } } };
const invalid = { status: 400, body: { error: { code: 'INVALID_REQUEST' } } };
const notFound = { status: 404, body: { error: { code: 'NOT_FOUND' } } };

describe('a key', () => {
  test('is shown only when it is created, and works at once', async () => {
    const created = await create({ name: ' Integration ', role: 'ADMIN', expires_at: '2199-12-31T00:00:00+02:00' });
    expect(created.status).toBe(201);
    const { key, ...record } = created.body;
    expect(key).toMatch(/^ick_live_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
    expect(key).toContain(`_${record.id}_`);
    expect(record).toEqual({
      id: expect.any(String),
      name: 'Integration',
      role: 'ADMIN',
      scopes: expect.arrayContaining(['invoices:write', 'organization:write']),
      test: false,
      createdAt: expect.any(String),
      expiresAt: '2199-12-30T22:00:00.000Z',
      lastUsedAt: null,
    });
    expect(created.headers.get('location')).toBe(`/v1/api-keys/${record.id}`);
    expect((await use(key)).status).toBe(200);
    // The service records the last use of a key once a minute, which may happen between any two requests.
    const unused = ({ lastUsedAt: _lastUsedAt, ...rest }: KeyRecord) => rest;
    const read = await running.request<KeyRecord>(`GET /api-keys/${record.id}`, { key: admin });
    expect(unused(read.body)).toEqual(unused(record));
    const list = await running.request<Page<KeyRecord>>('GET /api-keys', { key: admin });
    expect(list.body.items.map(unused)[0]).toEqual(unused(record));
  });

  test('without scopes has those of its role', async () => {
    expect((await newKey('VIEWER')).scopes.every((scope) => scope.endsWith(':read'))).toBe(true);
    expect((await newKey('ANALYST')).scopes).toEqual(expect.arrayContaining(['invoices:write', 'findings:review']));
    expect((await newKey('OWNER')).scopes).toEqual(['*']);
  });

  test.each<[string, unknown, string]>([
    ['nothing', {}, 'name'],
    ['no role', { name: 'A' }, 'role'],
    ['an unknown role', { name: 'A', role: 'ROOT' }, 'role'],
    ['a role in lower case', { name: 'A', role: 'owner' }, 'role'],
    ['a blank name', { name: ' ', role: 'VIEWER' }, 'name'],
    ['an unknown scope', { name: 'A', role: 'ADMIN', scopes: ['everything'] }, 'scopes[0]'],
    ['no scopes at all', { name: 'A', role: 'ADMIN', scopes: [] }, 'scopes'],
    ['a viewer who writes', { name: 'A', role: 'VIEWER', scopes: ['invoices:write'] }, 'scopes'],
    ['an expiry that has passed', { name: 'A', role: 'VIEWER', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an expiry without an offset', { name: 'A', role: 'VIEWER', expires_at: '2199-01-01T00:00:00' }, 'expires_at'],
    ['a key of one’s own choice', { name: 'A', role: 'VIEWER', key: 'x' }, 'key'],
  ])('is not created from %s', async (_, body, path) => {
    const answer = await create(body);
    expect(answer).toMatchObject(invalid);
    expect(answer.body.error.message.split(': ', 1)).toEqual([path]);
  });

  test('never gets more rights than its creator has', async () => {
    expect(await create({ name: 'A', role: 'OWNER' }, admin)).toMatchObject(forbidden);
    expect(await create({ name: 'A', role: 'ADMIN', scopes: ['*'] }, admin)).toMatchObject(forbidden);
    const narrow = await newKey('ADMIN', ['organization:write', 'organization:read']);
    expect(await create({ name: 'A', role: 'VIEWER', scopes: ['invoices:read'] }, narrow.key)).toMatchObject(forbidden);
    expect((await create({ name: 'A', role: 'VIEWER', scopes: ['organization:read'] }, narrow.key)).status).toBe(201);
  });

  test('loses rights and never gains any', async () => {
    const { id, key } = await newKey('ADMIN', ['invoices:read', 'organization:read']);
    expect(await change(id, { scopes: ['invoices:read', 'invoices:write'] })).toMatchObject(conflict);
    expect(await change(id, { role: 'OWNER' })).toMatchObject(conflict);
    expect((await use(key)).status).toBe(200);
    const lowered = await change(id, { scopes: ['invoices:read'], name: 'Narrow' });
    expect(lowered).toMatchObject({ status: 200, body: { name: 'Narrow', scopes: ['invoices:read'], role: 'ADMIN' } });
    expect((await use(key)).status).toBe(403);
    expect(await change(id, { scopes: ['invoices:read', 'organization:read'] })).toMatchObject(conflict);
    expect(await change(id, {})).toMatchObject(invalid);
  });

  test('neither revokes nor lowers itself, nor one above it', async () => {
    const self = await newKey('ADMIN');
    expect(await revoke(self.id, self.key)).toMatchObject(conflict);
    expect(await change(self.id, { role: 'VIEWER' }, self.key)).toMatchObject(conflict);
    const above = await newKey('OWNER');
    expect(await revoke(above.id, admin)).toMatchObject(forbidden);
    expect(await change(above.id, { name: 'Mine' }, admin)).toMatchObject(forbidden);
    expect((await use(above.key)).status).toBe(200);
  });

  test('is refused, not listed and not found after its revocation', async () => {
    const { id, key } = await newKey('ANALYST');
    const answer = await revoke(id, admin);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    expect((await use(key)).status).toBe(401);
    expect(await running.request(`GET /api-keys/${id}`, { key: admin })).toMatchObject(notFound);
    expect(await revoke(id, admin)).toMatchObject(notFound);
    const list = await running.request<Page<KeyRecord>>('GET /api-keys?limit=100', { key: admin });
    expect(list.body.items.map((item) => item.id)).not.toContain(id);
  });

  test('loses its rights on the next call after it is revoked or lowered', async () => {
    for (let round = 1; round <= 10; round += 1) {
      const { id, key } = await newKey('ADMIN', ['invoices:read', 'organization:read']);
      expect((await use(key)).status).toBe(200);
      await change(id, { scopes: ['invoices:read'] });
      expect((await use(key)).status).toBe(403);
      await revoke(id);
      expect((await use(key)).status).toBe(401);
    }
  });

  test.each(['nonsense', 'A'.repeat(17), '%20'])('is not found under the malformed id %s', async (id) => {
    expect(await revoke(id)).toMatchObject(notFound);
  });

  test('is refused once the list shows it as revoked, even if two keys revoke each other at once', async () => {
    const [one, two] = await Promise.all([newKey('OWNER'), newKey('OWNER')]);
    await Promise.all([revoke(one.id, two.key), revoke(two.id, one.key)]);
    // Timing decides whether one or both of the keys are revoked. A revoked key must not work.
    const list = await running.request<Page<KeyRecord>>('GET /api-keys?limit=100', { key: owner });
    const alive = new Set(list.body.items.map((item) => item.id));
    await eventually(async () => {
      for (const { id, key } of [one, two]) expect((await use(key)).status).toBe(alive.has(id) ? 200 : 401);
    });
  });
});

describe('a revocation under load', () => {
  const WORKERS = 10;

  test('leaves no success among the requests that start after the first refusal', async () => {
    const { id, key } = await newKey('VIEWER');
    const calls: { startedAt: number; endedAt: number; status: number }[] = [];
    const refused = () => calls.filter(({ status }) => status === 401);
    let isOver = false;
    const work = async (): Promise<void> => {
      while (!isOver) {
        const startedAt = performance.now();
        const { status } = await use(key);
        calls.push({ startedAt, endedAt: performance.now(), status });
      }
    };
    const load = Promise.all(Array.from({ length: WORKERS }, work));
    await eventually(() => expect(calls.length).toBeGreaterThan(100));
    await revoke(id);
    await eventually(() => expect(refused().length).toBeGreaterThan(100));
    isOver = true;
    await load;
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200, 401]));
    const firstRefusalAt = Math.min(...refused().map(({ endedAt }) => endedAt));
    expect(calls.filter(({ startedAt, status }) => status === 200 && startedAt > firstRefusalAt)).toEqual([]);
  });
});
