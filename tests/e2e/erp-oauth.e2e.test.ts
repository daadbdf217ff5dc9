import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startErps } from '@invoicecontrol/dev/simulators';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startRunningSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';

// Tests how a person connects QuickBooks Online or Xero in the browser, from the start to the first runs.

const ERP_OAUTH_CALLBACK_URL = 'https://product.example.com/v1/erp-connections/oauth/callback';
const ERP_OAUTH_RETURN_URL = 'https://app.example.com/settings/erp';

interface Connection {
  readonly id: string;
  readonly provider: string;
  readonly companyId: string;
  readonly status: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly lastErrorCode: string | null;
  readonly nextSyncAt: string | null;
}

const erps = {
  quickBooks: { provider: 'PROVIDER_C', product: 'QUICKBOOKS_ONLINE', title: 'QuickBooks Online', idName: 'realmId' },
  xero: { provider: 'PROVIDER_D', product: 'XERO', title: 'Xero', idName: 'tenantId' },
} as const;
type Erp = keyof typeof erps;

let running: RunningSystem;
let simulators: Awaited<ReturnType<typeof startErps>>;
beforeAll(async () => {
  simulators = await startErps({ ERP_OAUTH_CALLBACK_URL });
  running = await startRunningSystem({
    ...simulators.env,
    ERP_OAUTH_CALLBACK_URL,
    ERP_OAUTH_RETURN_URL,
    ERP_POLL_SECONDS: '1',
    ERP_BACKOFF_MS: '1',
  });
});
afterAll(async () => {
  await running.stop();
  await simulators.simulators.stop();
});

async function control<Reply>(erp: Erp, target: string, body?: object): Promise<Reply> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(`${simulators.simulators.urls[erp]}/control${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as Reply;
}

async function newCompany(erp: Erp, name = 'Norton <b>& Sons</b>'): Promise<string> {
  const id = erp === 'xero' ? randomUUID() : String(randomInt(1e9, 1e12));
  await control(erp, `PUT /tenants/${id}`, erp === 'xero' ? { tenantName: name } : { companyName: name });
  return id;
}

const start = (key: string, body: object): Promise<Answer<{ authorize_url: string } & ErrorBody>> =>
  running.request('POST /erp-connections/oauth/start', { key, body });

/** Clicks a button on the consent page. @returns the path and query of the callback */
async function click(key: string, erp: Erp, choice: string, body: object = {}): Promise<string> {
  const { body: started } = await start(key, { provider: erps[erp].provider, ...body });
  const response = await fetch(`${started.authorize_url}&${choice}`, { redirect: 'manual' });
  const location = new URL(response.headers.get('location') ?? 'none:');
  expect(`${location.origin}${location.pathname}`).toBe(`${ERP_OAUTH_CALLBACK_URL}/${erps[erp].provider}`);
  return `${location.pathname.slice('/v1'.length)}${location.search}`;
}

const callback = <Body = ErrorBody>(path: string): Promise<Answer<Body>> => running.request<Body>(`GET ${path}`);

/** Sends the form of the confirmation page for an ERP connection as a browser does. */
function press(page: Answer, decision: string): Promise<Answer<ErrorBody>> {
  const action = /<form method="post" action="\/v1([^"]+)">/.exec(page.text)?.[1] ?? '';
  const confirmation = /name="confirmation" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  return running.request(`POST ${action}`, {
    bytes: new URLSearchParams({ confirmation, decision }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

const tokensOf = (erp: Erp, tenant: string) =>
  control<Readonly<Record<string, unknown>>>(erp, `GET /tenants/${tenant}/tokens`);
const listed = async (key: string): Promise<readonly Connection[]> =>
  (await running.request<{ items: Connection[] }>('GET /erp-connections', { key })).body.items;
const read = async (key: string, id: string): Promise<Connection> =>
  (await running.request<Connection>(`GET /erp-connections/${id}`, { key })).body;
const locationOf = ({ headers }: Answer): URL => new URL(headers.get('location') ?? 'none:');

async function connect(key: string, erp: Erp, tenant: string, body: object = {}): Promise<string> {
  const page = await callback(await click(key, erp, `simulate=allow&tenant=${tenant}`, body));
  const { searchParams } = locationOf(await press(page, 'connect'));
  expect(searchParams.get('status')).toBe('connected');
  return searchParams.get('connection_id') ?? '';
}

describe.each(Object.keys(erps) as Erp[])('%s', (erp) => {
  const { provider, title, idName } = erps[erp];

  test('is connected by a person who consents and confirms, and is synchronised then', async () => {
    const { keys, companyId } = await running.newTenant();
    const tenant = await newCompany(erp);
    const page = await callback(await click(keys.admin, erp, `simulate=allow&tenant=${tenant}`));
    expect(page.status).toBe(200);
    expect(page.text).toContain(`Connect ${title}?`);
    expect(page.text).toContain('Norton &lt;b&gt;&amp; Sons&lt;/b&gt;');
    expect(await listed(keys.owner)).toEqual([]);

    const decided = await press(page, 'connect');
    expect(decided.status).toBe(303);
    const location = locationOf(decided);
    expect(`${location.origin}${location.pathname}`).toBe(ERP_OAUTH_RETURN_URL);
    expect([...location.searchParams.keys()]).toEqual(['status', 'connection_id']);
    const id = location.searchParams.get('connection_id') ?? '';
    expect(await read(keys.admin, id)).toMatchObject({
      provider,
      companyId,
      config: { [idName]: tenant, tenantName: 'Norton <b>& Sons</b>' },
    });
    await eventually(async () => expect(await read(keys.admin, id)).toMatchObject({ status: 'CONNECTED' }));
    expect((await press(page, 'connect')).status).toBe(400);
    expect((await press(page, 'cancel')).status).toBe(400);
    expect(await listed(keys.owner)).toHaveLength(1);
  });

  test('stays unconnected when the person cancels, and its access ends', async () => {
    const { keys } = await running.newTenant();
    const tenant = await newCompany(erp);
    const page = await callback(await click(keys.admin, erp, `simulate=allow&tenant=${tenant}`));
    const decided = await press(page, 'cancel');
    expect([decided.status, locationOf(decided).search]).toEqual([303, '?status=denied']);
    await eventually(async () =>
      expect(await tokensOf(erp, tenant)).toMatchObject({ liveRefreshTokens: 0, connected: false }),
    );
    expect(await listed(keys.owner)).toEqual([]);
  });

  test('stays unconnected when the person refuses at the provider', async () => {
    const { keys } = await running.newTenant();
    const path = await click(keys.admin, erp, 'simulate=deny');
    const answer = await callback(path);
    expect([answer.status, locationOf(answer).search]).toEqual([303, '?status=denied']);
    expect(await callback(path)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });

  test('is a conflict when another company of the organization has it', async () => {
    const { keys } = await running.newTenant('ENTERPRISE');
    const tenant = await newCompany(erp);
    await connect(keys.admin, erp, tenant);
    const second = await running.request<{ id: string }>('POST /companies', {
      key: keys.owner,
      body: { name: 'Second', tax_id: 'PL5260250995' },
    });
    const path = await click(keys.admin, erp, `simulate=allow&tenant=${tenant}`, { company_id: second.body.id });
    expect(locationOf(await press(await callback(path), 'connect')).search).toBe('?status=conflict');
    expect(await listed(keys.owner)).toHaveLength(1);
  });

  test('keeps working after its access token has expired, until the refresh token expires: then a second consent reconnects it', async () => {
    const { keys } = await running.newTenant();
    const tenant = await newCompany(erp);
    const id = await connect(keys.admin, erp, tenant);
    await eventually(async () => expect((await read(keys.admin, id)).status).toBe('CONNECTED'));
    await control(erp, `POST /tenants/${tenant}/expire`, { what: 'ACCESS' });
    const tested = await running.request(`POST /erp-connections/${id}/test`, { key: keys.admin });
    expect(tested).toMatchObject({ status: 200, body: { status: 'CONNECTED' } });
    expect(await tokensOf(erp, tenant)).toMatchObject({ refreshed: 1, reused: 0 });

    await control(erp, `POST /tenants/${tenant}/expire`, { what: 'ACCESS' });
    await control(erp, `POST /tenants/${tenant}/expire`, { what: 'REFRESH' });
    const ended = await running.request(`POST /erp-connections/${id}/test`, { key: keys.admin });
    expect(ended).toMatchObject({ status: 200, body: { status: 'ERROR', errorCode: 'REAUTH_REQUIRED' } });
    await running.request(`POST /erp-connections/${id}/sync`, { key: keys.admin });
    await eventually(async () =>
      expect(await read(keys.admin, id)).toMatchObject({ status: 'ERROR', lastErrorCode: 'REAUTH_REQUIRED' }),
    );
    expect(await connect(keys.admin, erp, tenant)).toBe(id);
    await eventually(async () =>
      expect(await read(keys.admin, id)).toMatchObject({ status: 'CONNECTED', lastErrorCode: null }),
    );
  });

  test('is disconnected at the provider, too', async () => {
    const { keys } = await running.newTenant();
    const tenant = await newCompany(erp);
    const id = await connect(keys.admin, erp, tenant);
    expect((await running.request(`DELETE /erp-connections/${id}`, { key: keys.admin })).status).toBe(204);
    await eventually(async () => expect(await tokensOf(erp, tenant)).toMatchObject({ connected: false }));
    expect(await read(keys.admin, id)).toMatchObject({ status: 'DISABLED' });
    expect(await connect(keys.admin, erp, tenant)).not.toBe(id);
  });

  test('does not connect another organization’s consent', async () => {
    const [mine, theirs] = [await running.newTenant(), await running.newTenant()];
    const path = await click(mine.keys.admin, erp, `simulate=allow&tenant=${await newCompany(erp)}`);
    await press(await callback(path), 'connect');
    expect(await listed(mine.keys.owner)).toHaveLength(1);
    expect(await listed(theirs.keys.owner)).toEqual([]);
  });
});

test('the start refuses providers with credentials, and names the endpoint for them', async () => {
  const { keys } = await running.newTenant();
  for (const provider of ['PROVIDER_A', 'ODOO']) {
    const answer = await start(keys.admin, { provider });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.body.error.message).toContain('/v1/erp-connections');
  }
});

test('both spellings of a provider begin a consent at its own callback', async () => {
  const { keys } = await running.newTenant();
  for (const { provider, product } of Object.values(erps)) {
    for (const spelling of [provider, product]) {
      const { status, body } = await start(keys.admin, { provider: spelling });
      expect(status).toBe(200);
      const redirectUri = new URL(body.authorize_url).searchParams.get('redirect_uri');
      expect(redirectUri).toBe(`${ERP_OAUTH_CALLBACK_URL}/${provider}`);
    }
  }
});

test('the start needs a subscription and a place of the plan', async () => {
  const { keys, organizationId } = await running.newTenant('SCALE');
  expect(await start(keys.admin, { provider: 'XERO' })).toMatchObject({
    status: 403,
    body: { error: { code: 'FORBIDDEN' } },
  });
  await running.setPlan(organizationId, { plan: 'CORE', subscriptionStatus: 'active' });
  await eventually(async () => expect((await start(keys.admin, { provider: 'XERO' })).status).toBe(200));
  await connect(keys.admin, 'xero', await newCompany('xero'));
  expect(await start(keys.admin, { provider: 'QUICKBOOKS_ONLINE' })).toMatchObject({
    status: 429,
    body: { error: { code: 'USAGE_LIMIT_EXCEEDED' } },
  });
});

test('a callback with a state that cannot be trusted gets the envelope', async () => {
  const { keys } = await running.newTenant();
  const path = await click(keys.admin, 'xero', `simulate=allow&tenant=${await newCompany('xero')}`);
  const [, query = ''] = path.split('?');
  const plain = '/erp-connections/oauth/callback';
  for (const bad of [
    plain,
    `${plain}?state=`,
    `${plain}?state=a.b&code=c`,
    `${plain}?${query}&state=x`,
    `${plain}/PROVIDER_C?${query}`,
    `${plain}/PROVIDER_A?${query}`,
    `${plain}/nobody?${query}`,
  ]) {
    expect(await callback(bad)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  }
  // The right callback still succeeds, because none of the refused ones has used up the state.
  expect((await callback(`${plain}?${query}`)).status).toBe(200);
});
