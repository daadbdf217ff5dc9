// Connections to ERPs with credentials, through everything: the gateway, the services, and simulators of the ERPs.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startRunningSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';

interface Run {
  readonly id: string;
  readonly status: string;
  readonly trigger: string;
  readonly mode: string;
  readonly finishedAt: string | null;
}
interface Connection {
  readonly id: string;
  readonly status: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly nextSyncAt: string | null;
  readonly lastErrorCode: string | null;
  readonly recentRuns: readonly Run[];
  readonly isPaused: boolean;
  readonly version: number;
}
interface Page<T> {
  readonly items: readonly T[];
}

const CLIENT_SECRET = 'a~right.secret';
const API_KEY = 'a-right-api-key';

let erps: ErpSimulators;
let running: RunningSystem;
beforeAll(async () => {
  erps = await startErpSimulators();
  running = await startRunningSystem({
    BUSINESS_CENTRAL_LOGIN_URL: erps.urls.businessCentral,
    BUSINESS_CENTRAL_API_URL: erps.urls.businessCentral,
    ERP_EGRESS_ALLOW_ORIGINS: erps.urls.odoo,
    ERP_POLL_SECONDS: '1',
    ERP_BACKOFF_MS: '10',
    ERP_BACKOFF_MAX_SECONDS: '1',
    ERP_CALL_SECONDS: '3',
  });
});
afterEach(async () => {
  for (const url of [erps.urls.odoo, erps.urls.businessCentral]) await control(url, 'DELETE', '/faults');
});
afterAll(async () => {
  await running.stop();
  await erps.stop();
});

async function control(url: string, method: string, path: string, body?: object): Promise<void> {
  const response = await fetch(`${url}/control${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

/** Creates a company in Business Central and returns the request that connects it. */
async function newBusinessCentral() {
  const [tenantId, companyId, clientId] = [randomUUID(), randomUUID(), randomUUID()];
  const settings = { environmentName: 'Production', companyId, clientId, clientSecret: CLIENT_SECRET };
  await control(erps.urls.businessCentral, 'PUT', `/tenants/${tenantId}`, settings);
  const config = { tenantId, environmentName: 'Production', companyId, clientId };
  return { provider: 'PROVIDER_A', config, client_secret: CLIENT_SECRET };
}

/** Creates an Odoo company and returns the request that connects it. */
async function newOdoo() {
  const instance = `odoo-${randomUUID()}`;
  await control(erps.urls.odoo, 'PUT', `/tenants/${instance}`, { apiKey: API_KEY });
  return { provider: 'ODOO', config: { baseUrl: `${erps.urls.odoo}/${instance}` }, api_key: API_KEY };
}

const create = (key: string, body: object): Promise<Answer<Connection & ErrorBody>> =>
  running.request('POST /erp-connections', { key, body });
const read = async (key: string, id: string): Promise<Connection> =>
  (await running.request<Connection>(`GET /erp-connections/${id}`, { key })).body;
const becomes = (key: string, id: string, status: string): Promise<Connection> =>
  eventually(async () => {
    const connection = await read(key, id);
    expect(connection.status).toBe(status);
    expect(connection.recentRuns[0]?.finishedAt).toEqual(expect.any(String));
    return connection;
  });
const testOf = (key: string, id: string) =>
  running.request<{ status: string; errorCode: string | null; errorMessage: string | null } & ErrorBody>(
    `POST /erp-connections/${id}/test`,
    { key },
  );

describe('a connection', () => {
  test('of Business Central is PENDING at first and CONNECTED after its first run, without its secret anywhere', async () => {
    const { keys } = await running.newTenant();
    const request = await newBusinessCentral();
    const created = await create(keys.owner, request);
    expect(created).toMatchObject({
      status: 201,
      body: {
        provider: 'PROVIDER_A',
        status: 'PENDING',
        config: request.config,
        lastSyncAt: null,
        lastSuccessAt: null,
        lastErrorCode: null,
        lastErrorMessage: null,
        recentRuns: [],
        version: 1,
      },
    });
    const connected = await becomes(keys.owner, created.body.id, 'CONNECTED');
    expect(connected).toMatchObject({
      config: request.config,
      lastErrorCode: null,
      recentRuns: [{ trigger: 'INITIAL', status: 'SUCCEEDED', errors: [] }],
    });
    expect(connected.nextSyncAt).not.toBeNull();
    const { body: runs } = await running.request<Page<Run>>(`GET /erp-connections/${created.body.id}/runs`, {
      key: keys.owner,
    });
    expect(runs.items).toEqual(connected.recentRuns);
    expect(await testOf(keys.owner, created.body.id)).toMatchObject({
      status: 200,
      body: { status: 'CONNECTED', errorCode: null, errorMessage: null },
    });
    expect(JSON.stringify([created.body, connected, runs])).not.toContain(CLIENT_SECRET);
  });

  test('with a wrong key turns to ERROR, tells owners and admins, and is CONNECTED again with the right key', async () => {
    const { keys } = await running.newTenant();
    const { body } = await create(keys.owner, { ...(await newOdoo()), api_key: 'wrong' });
    const failed = await becomes(keys.owner, body.id, 'ERROR');
    expect(failed).toMatchObject({
      lastErrorCode: 'AUTH_FAILED',
      nextSyncAt: null,
      recentRuns: [{ status: 'FAILED' }],
    });
    expect(await testOf(keys.owner, body.id)).toMatchObject({
      status: 200,
      body: { status: 'ERROR', errorCode: 'AUTH_FAILED', errorMessage: expect.any(String) },
    });
    await eventually(async () => {
      const { body: mails } = await running.request<Page<{ kind: string; subject: string }>>('GET /notifications', {
        key: keys.owner,
      });
      expect(
        mails.items.filter(({ kind }) => kind === 'ERP_REAUTH_REQUIRED').map(({ subject }) => subject),
      ).toContainEqual(expect.stringMatching(/^Odoo is no longer synchronised with /));
    });
    const changed = await running.request<Connection>(`PATCH /erp-connections/${body.id}`, {
      key: keys.owner,
      body: { api_key: API_KEY },
    });
    expect(changed).toMatchObject({ status: 200, body: { status: 'ERROR' } });
    expect(changed.body.nextSyncAt).not.toBeNull();
    expect(await becomes(keys.owner, body.id, 'CONNECTED')).toMatchObject({ lastErrorCode: null });
  });

  test('is not changed by a test that the ERP does not answer rightly: 502', async () => {
    const { keys } = await running.newTenant();
    const { body } = await create(keys.owner, await newOdoo());
    const before = await becomes(keys.owner, body.id, 'CONNECTED');
    await control(erps.urls.odoo, 'POST', '/faults', {
      match: 'POST .*/json/2/',
      kind: 'BODY',
      body: '<html>',
      times: 0,
    });
    const answer = await testOf(keys.owner, body.id);
    expect(answer).toMatchObject({ status: 502, body: { error: { code: 'PROCESSING_FAILED' } } });
    expect(answer.body.error.message).not.toContain('html');
    expect(await read(keys.owner, body.id)).toEqual(before);
  });

  test('is synchronised on demand, in one run at a time', async () => {
    const { keys } = await running.newTenant();
    const { body } = await create(keys.owner, await newOdoo());
    await becomes(keys.owner, body.id, 'CONNECTED');
    await control(erps.urls.odoo, 'POST', '/faults', { match: 'res.partner', kind: 'HANG', seconds: 2 });
    const sync = (mode?: string) =>
      running.request<Run & ErrorBody>(`POST /erp-connections/${body.id}/sync`, {
        key: keys.owner,
        ...(mode === undefined ? {} : { body: { mode } }),
      });
    const started = await sync('FULL');
    expect(started).toMatchObject({ status: 202, body: { status: 'RUNNING', trigger: 'MANUAL', mode: 'FULL' } });
    expect(await sync()).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    await eventually(async () =>
      expect((await read(keys.owner, body.id)).recentRuns[0]).toMatchObject({
        id: started.body.id,
        status: 'SUCCEEDED',
      }),
    );
    expect(await sync()).toMatchObject({ status: 202, body: { mode: 'INCREMENTAL' } });
  });

  test('that is paused has no next run, and one when it is resumed', async () => {
    const { keys } = await running.newTenant();
    const { body } = await create(keys.owner, await newOdoo());
    await becomes(keys.owner, body.id, 'CONNECTED');
    const change = (part: object) =>
      running.request<Connection>(`PATCH /erp-connections/${body.id}`, { key: keys.owner, body: part });
    expect(await change({ paused: true })).toMatchObject({ status: 200, body: { isPaused: true, nextSyncAt: null } });
    expect(await read(keys.owner, body.id)).toMatchObject({ isPaused: true, nextSyncAt: null });
    expect((await change({ paused: false })).body.nextSyncAt).not.toBeNull();
    await eventually(async () => expect((await read(keys.owner, body.id)).recentRuns).toHaveLength(2));
  });

  test('that is deleted stays as DISABLED, and its company can be connected again', async () => {
    const { keys } = await running.newTenant();
    const request = await newOdoo();
    const { body } = await create(keys.owner, request);
    expect(await create(keys.owner, request)).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    const remove = () => running.request(`DELETE /erp-connections/${body.id}`, { key: keys.owner });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(204);
    expect(await read(keys.owner, body.id)).toMatchObject({
      status: 'DISABLED',
      config: request.config,
      nextSyncAt: null,
    });
    for (const path of ['sync', 'test']) {
      const answer = await running.request(`POST /erp-connections/${body.id}/${path}`, { key: keys.owner });
      expect(answer.status).toBe(409);
    }
    expect((await create(keys.owner, request)).status).toBe(201);
    const { body: page } = await running.request<Page<Connection>>('GET /erp-connections?status=DISABLED', {
      key: keys.owner,
    });
    expect(page.items.map(({ id }) => id)).toEqual([body.id]);
  });

  test('is audited: connecting, testing, changing and deleting, each by its key', async () => {
    const { keys } = await running.newTenant();
    const { body } = await create(keys.owner, await newOdoo());
    await testOf(keys.owner, body.id);
    await running.request(`PATCH /erp-connections/${body.id}`, { key: keys.owner, body: { paused: true } });
    await running.request(`DELETE /erp-connections/${body.id}`, { key: keys.owner });
    await eventually(async () => {
      const { body: lines } = await running.request<Page<{ action: string; target: string; actor: { type: string } }>>(
        'GET /audit-events',
        { key: keys.owner },
      );
      const own = lines.items.filter(({ target }) => target === `erp_connection:${body.id}`);
      expect(own.map(({ action }) => action).sort()).toEqual(
        ['created', 'deleted', 'tested', 'updated'].map((act) => `erp_connection.${act}`),
      );
      expect(new Set(own.map(({ actor }) => actor.type))).toEqual(new Set(['API_KEY']));
    });
  });
});

describe('the plan', () => {
  const withPlan = async (plan: string, subscriptionStatus: string): Promise<Tenant> => {
    const tenant = await running.newTenant();
    await running.setPlan(tenant.organizationId, { plan, subscriptionStatus });
    return tenant;
  };

  test('allows connecting and synchronising only with an active subscription', async () => {
    const { organizationId, keys } = await running.newTenant();
    const { body } = await create(keys.owner, await newOdoo());
    await becomes(keys.owner, body.id, 'CONNECTED');
    await running.setPlan(organizationId, { plan: 'SCALE', subscriptionStatus: 'canceled' });
    const refused = { status: 403, body: { error: { code: 'FORBIDDEN' } } };
    await eventually(async () => expect(await create(keys.owner, await newOdoo())).toMatchObject(refused));
    expect(await running.request(`POST /erp-connections/${body.id}/sync`, { key: keys.owner })).toMatchObject(refused);
    expect(await read(keys.owner, body.id)).toMatchObject({ status: 'CONNECTED' });
  });

  test('limits the connections that are not DISABLED', async () => {
    const { keys } = await withPlan('CORE', 'active');
    const first = await eventually(async () => {
      const answer = await create(keys.owner, await newOdoo());
      expect(answer.status).toBe(201);
      return answer.body;
    });
    expect(await create(keys.owner, await newOdoo())).toMatchObject({
      status: 429,
      body: { error: { code: 'USAGE_LIMIT_EXCEEDED' } },
    });
    const { body: usage } = await running.request<{ items: object[] }>('GET /organizations/current/usage', {
      key: keys.owner,
    });
    expect(usage.items).toContainEqual({ meter: 'erp_connections', used: 1, limit: 1 });
    await running.request(`DELETE /erp-connections/${first.id}`, { key: keys.owner });
    expect((await create(keys.owner, await newOdoo())).status).toBe(201);
  });
});
