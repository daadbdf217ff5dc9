// Hostile requests to the routes of ERP connections, runs and vendors: each is refused with what to change, and changes nothing.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startRunningSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';

interface Connection {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly isPaused: boolean;
  readonly nextSyncAt: string | null;
  readonly recentRuns: readonly { readonly status: string }[];
}
interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

const API_KEY = 'a-right-api-key';
const NUL = String.fromCharCode(0);
const HALF_PAIR = String.fromCharCode(0xd800);

let erps: ErpSimulators;
let running: RunningSystem;
let key: string;
let callers = 0;
/** ERP connection with the status CONNECTED, which the tests use for requests that change nothing. */
let unchanged: Connection;
beforeAll(async () => {
  erps = await startErpSimulators();
  running = await startRunningSystem({
    ERP_EGRESS_ALLOW_ORIGINS: erps.urls.odoo,
    QUICKBOOKS_CLIENT_ID: 'app',
    QUICKBOOKS_CLIENT_SECRET: 'secret',
    ERP_POLL_SECONDS: '1',
    ERP_BACKOFF_MS: '10',
  });
  key = running.tenant.keys.owner;
  unchanged = await connected();
});
afterAll(async () => {
  await running.stop();
  await erps.stop();
});

/** Creates an Odoo company and returns the request that connects it. */
async function newOdoo() {
  const instance = `odoo-${randomUUID()}`;
  const response = await fetch(`${erps.urls.odoo}/control/tenants/${instance}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiKey: API_KEY }),
  });
  expect(response.status).toBe(200);
  return { provider: 'ODOO', config: { baseUrl: `${erps.urls.odoo}/${instance}` }, api_key: API_KEY };
}

const call = (target: string, body?: unknown, headers: Record<string, string> = {}) =>
  running.request<Connection & ErrorBody>(target, { key, headers, ...(body === undefined ? {} : { body }) });
const connect = async (): Promise<Connection> => {
  const created = await call('POST /erp-connections', await newOdoo());
  expect(created.status).toBe(201);
  return created.body;
};
const connected = async (): Promise<Connection> => {
  const { id } = await connect();
  return eventually(async () => {
    const { body } = await call(`GET /erp-connections/${id}`);
    expect([body.status, body.recentRuns[0]?.status]).toEqual(['CONNECTED', 'SUCCEEDED']);
    return body;
  });
};
const connections = async (): Promise<readonly Connection[]> =>
  (await running.request<Page<Connection>>('GET /erp-connections?limit=100', { key })).body.items;

/** Expects 400 INVALID_REQUEST with a detail for the field. */
function expectRefusal(answer: Answer<ErrorBody>, path?: string): void {
  expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST']);
  if (path !== undefined) expect(answer.body.error.details?.map((detail) => detail.path)).toContain(path);
}

const guid = (digit: string) =>
  `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`;
const businessCentral = {
  provider: 'BUSINESS_CENTRAL',
  config: { tenantId: guid('a'), environmentName: 'Production', companyId: guid('b'), clientId: guid('c') },
  client_secret: 'secret',
};
const odoo = { provider: 'PROVIDER_B', config: { baseUrl: 'https://erp.example.com' }, api_key: 'key' };
const inBusinessCentral = (config: object, rest: object = {}) => ({
  ...businessCentral,
  ...rest,
  config: { ...businessCentral.config, ...config },
});
const inOdoo = (config: object, rest: object = {}) => ({ ...odoo, ...rest, config: { ...odoo.config, ...config } });

describe('POST /erp-connections', () => {
  test.each<[string, unknown, string | undefined]>([
    ['a list', [], undefined],
    ['null', null, undefined],
    ['no provider', { config: {}, api_key: 'k' }, 'provider'],
    ['a provider that is a number', { ...odoo, provider: 7 }, 'provider'],
    ['a provider in small letters', { ...odoo, provider: 'odoo' }, 'provider'],
    ['a provider with consent', { provider: 'XERO' }, 'provider'],
    ['a provider with consent, by its code', { provider: 'PROVIDER_C', config: {}, api_key: 'k' }, 'provider'],
    ['an unknown field', { ...odoo, status: 'CONNECTED' }, 'status'],
    ['an unknown field of the configuration', inOdoo({ secret: 'x' }), 'config.secret'],
    ['a configuration that is text', { ...odoo, config: 'https://erp.example.com' }, 'config'],
    ['a configuration that is a list', { ...odoo, config: [] }, 'config'],
    ['the secret of the other provider', { ...odoo, api_key: undefined, client_secret: 'x' }, undefined],
    ['both secrets', { ...odoo, client_secret: 'x' }, 'client_secret'],
    ['an empty key', { ...odoo, api_key: '' }, 'api_key'],
    ['a key of 513 characters', { ...odoo, api_key: 'k'.repeat(513) }, 'api_key'],
    ['a key with a line break', { ...odoo, api_key: 'k\r\nX-Other: 1' }, 'api_key'],
    ['a key with a zero-width blank', { ...odoo, api_key: 'k\u200b' }, 'api_key'],
    ['a key with a byte order mark', { ...odoo, api_key: '\ufeffk' }, 'api_key'],
    ['a secret of zero-width blanks', { ...businessCentral, client_secret: '\u200b\u200b' }, 'client_secret'],
    ['a secret with a blank behind it', { ...businessCentral, client_secret: 'secret ' }, 'client_secret'],
    ['a key with a NUL', { ...odoo, api_key: `k${NUL}` }, undefined],
    ['a key with half a surrogate pair', { ...odoo, api_key: `k${HALF_PAIR}` }, undefined],
    ['a key that is a number', { ...odoo, api_key: 5 }, 'api_key'],
    ['a company that is no id', { ...odoo, company_id: 'main' }, 'company_id'],
    ['a company that is unknown', { ...odoo, company_id: randomUUID() }, 'company_id'],
    ['a day that is none', { ...odoo, import_from: '2026-02-30' }, 'import_from'],
    ['a day before 2000', { ...odoo, import_from: '1999-12-31' }, 'import_from'],
    ['a day to come', { ...odoo, import_from: '2999-01-01' }, 'import_from'],
    ['no address', inOdoo({ baseUrl: undefined }), 'config.baseUrl'],
    ['an address that is a number', inOdoo({ baseUrl: 5 }), 'config.baseUrl'],
    ['an address over http', inOdoo({ baseUrl: 'http://erp.example.com' }), 'config.baseUrl'],
    ['an address with a user', inOdoo({ baseUrl: 'https://u:p@erp.example.com' }), 'config.baseUrl'],
    ['an address with a query', inOdoo({ baseUrl: 'https://erp.example.com/?db=x' }), 'config.baseUrl'],
    ['a loopback address', inOdoo({ baseUrl: 'https://127.0.0.1' }), 'config.baseUrl'],
    ['a loopback address as a number', inOdoo({ baseUrl: 'https://2130706433' }), 'config.baseUrl'],
    ['a loopback address in IPv6', inOdoo({ baseUrl: 'https://[::ffff:127.0.0.1]' }), 'config.baseUrl'],
    ['the address of instance metadata', inOdoo({ baseUrl: 'https://169.254.169.254/latest' }), 'config.baseUrl'],
    ['a private address', inOdoo({ baseUrl: 'https://10.0.0.8' }), 'config.baseUrl'],
    ['a name inside', inOdoo({ baseUrl: 'https://erp.internal' }), 'config.baseUrl'],
    [
      'an address of 3,000 characters',
      inOdoo({ baseUrl: `https://erp.example.com/${'x'.repeat(3_000)}` }),
      'config.baseUrl',
    ],
    ...['/json', '/json/2', '/json/2/', '/jsonrpc', '/xmlrpc', '/xmlrpc/2', '/odoo', '/web', '/JSONRPC'].map(
      (path): [string, unknown, string] => [
        `an address that ends in ${path}`,
        inOdoo({ baseUrl: `https://erp.example.com${path}` }),
        'config.baseUrl',
      ],
    ),
    ['a company of Odoo that is text', inOdoo({ erpCompanyId: '1' }), 'config.erpCompanyId'],
    ['a company of Odoo that is 0', inOdoo({ erpCompanyId: 0 }), 'config.erpCompanyId'],
    ['a company of Odoo that is 1.5', inOdoo({ erpCompanyId: 1.5 }), 'config.erpCompanyId'],
    ['a database with a line break', inOdoo({ database: 'main\nX: 1' }), 'config.database'],
    ['a login with a blank', inOdoo({ login: 'a b' }), 'config.login'],
    ['a tenant that is no name', inBusinessCentral({ tenantId: '../x' }), 'config.tenantId'],
    ['a tenant that has a line break', inBusinessCentral({ tenantId: `${guid('a')}\n` }), 'config.tenantId'],
    ['an environment with a slash', inBusinessCentral({ environmentName: 'a/b' }), 'config.environmentName'],
    [
      'an environment of 31 characters',
      inBusinessCentral({ environmentName: 'e'.repeat(31) }),
      'config.environmentName',
    ],
    ['an environment without a name', inBusinessCentral({ environmentName: '' }), 'config.environmentName'],
    ['a company of Business Central that is no GUID', inBusinessCentral({ companyId: 'CRONUS' }), 'config.companyId'],
    ['a client that is no GUID', inBusinessCentral({ clientId: '1' }), 'config.clientId'],
    ['no client', inBusinessCentral({ clientId: undefined }), 'config.clientId'],
    [
      'accounts at another host',
      inBusinessCentral({
        bankAccountEndpoint: 'https://evil.example/x',
        bankAccountVendorIdField: 'vendorNo',
        bankAccountIbanField: 'iban',
      }),
      'config.bankAccountEndpoint',
    ],
    [
      'accounts at a host that begins like the right one',
      inBusinessCentral({
        bankAccountEndpoint: 'https://api.businesscentral.dynamics.com.evil.example/x',
        bankAccountVendorIdField: 'vendorNo',
        bankAccountIbanField: 'iban',
      }),
      'config.bankAccountEndpoint',
    ],
    [
      'accounts with a user in the address',
      inBusinessCentral({
        bankAccountEndpoint: 'https://api.businesscentral.dynamics.com@evil.example/x',
        bankAccountVendorIdField: 'vendorNo',
        bankAccountIbanField: 'iban',
      }),
      'config.bankAccountEndpoint',
    ],
    [
      'accounts without the names of fields',
      inBusinessCentral({ bankAccountEndpoint: 'https://api.businesscentral.dynamics.com/v2.0/x' }),
      'config.bankAccountVendorIdField',
    ],
    [
      'a field whose name has 121 characters',
      inBusinessCentral({ bankAccountIbanField: 'f'.repeat(121) }),
      'config.bankAccountIbanField',
    ],
    [
      'a field whose name begins with a digit',
      inBusinessCentral({ bankAccountIbanField: '1iban' }),
      'config.bankAccountIbanField',
    ],
  ])('with %s is refused, and connects nothing', async (_, body, path) => {
    const before = await connections();
    expectRefusal(await call('POST /erp-connections', body), path);
    expect(await connections()).toEqual(before);
  });

  test('with a company of another organization is refused like one with an unknown company', async () => {
    const theirs = await call('POST /erp-connections', { ...odoo, company_id: running.other.companyId });
    const unknown = await call('POST /erp-connections', { ...odoo, company_id: randomUUID() });
    expectRefusal(theirs, 'company_id');
    const { request_id: _one, ...refusal } = theirs.body.error;
    const { request_id: _other, ...same } = unknown.body.error;
    expect(refusal).toEqual(same);
  });

  test('that is repeated with its Idempotency-Key connects one company once', async () => {
    const request = await newOdoo();
    const headers = { 'Idempotency-Key': randomUUID() };
    const [first, second] = [
      await call('POST /erp-connections', request, headers),
      await call('POST /erp-connections', request, headers),
    ];
    expect([first.status, second.status]).toEqual([201, 409]);
    expect((await connections()).filter(({ id }) => id === first.body.id)).toHaveLength(1);
  });
});

describe('POST /erp-connections/oauth/start', () => {
  test.each<[string, unknown, string | undefined]>([
    ['no provider', {}, 'provider'],
    ['a provider with credentials', { provider: 'PROVIDER_A' }, 'provider'],
    ['a provider that is unknown', { provider: 'SAP' }, 'provider'],
    ['a provider that is a list', { provider: ['PROVIDER_C'] }, 'provider'],
    ['a provider of 100,000 characters', { provider: 'P'.repeat(100_000) }, 'provider'],
    ['a provider with a NUL', { provider: `PROVIDER_C${NUL}` }, undefined],
    ['an unknown field', { provider: 'PROVIDER_C', redirect_uri: 'https://evil.example' }, 'redirect_uri'],
    ['a company that is unknown', { provider: 'PROVIDER_C', company_id: randomUUID() }, 'company_id'],
    ['a company that is no id', { provider: 'PROVIDER_C', company_id: '1' }, 'company_id'],
  ])('with %s is refused', async (_, body, path) => {
    expectRefusal(await call('POST /erp-connections/oauth/start', body), path);
  });
});

describe('a callback', () => {
  test.each([
    ['nothing', ''],
    ['a code alone', 'code=x'],
    ['an empty state', 'state='],
    ['a state that nobody made', 'state=x&code=y'],
    ['two states', 'state=x&state=y&code=z'],
    ['a state of a dot', 'state=.&code=y'],
    ['an empty object in place of a state', 'state=e30.e30&code=y'],
    ['a state of 5,000 characters', `state=${'A'.repeat(5_000)}&code=y`],
    ['NULs', 'state=%00&code=%00'],
    ['bytes that are no text', 'state=%ED%A0%80&code=y'],
    ['a list in place of a state', 'state[]=x&code=y'],
    ['a refusal alone', 'error=access_denied'],
  ])('with %s is refused without a redirect', async (_, query) => {
    // Each request of this test has another IP address, because refused callbacks are limited by address.
    const headers = { 'X-Forwarded-For': `198.51.100.${++callers}` };
    for (const path of ['', '/PROVIDER_C', '/XERO', '/nothing']) {
      const answer = await running.request<ErrorBody>(`GET /erp-connections/oauth/callback${path}?${query}`, {
        headers,
      });
      expectRefusal(answer);
      expect(answer.headers.get('location')).toBeNull();
    }
  });
});

describe('a connection', () => {
  test.each<[string, unknown, string | undefined]>([
    ['nothing', {}, undefined],
    ['a list', [], undefined],
    ['an unknown field', { status: 'CONNECTED' }, 'status'],
    ['a configuration', { config: { baseUrl: 'https://10.0.0.8' } }, 'config'],
    ['another provider', { provider: 'PROVIDER_A' }, 'provider'],
    ['another company', { company_id: randomUUID() }, 'company_id'],
    ['a pause that is text', { paused: 'true' }, 'paused'],
    ['a pause that is null', { paused: null }, 'paused'],
    ['the secret of another provider', { client_secret: 'x' }, undefined],
    ['two secrets', { client_secret: 'x', api_key: 'y' }, 'api_key'],
    ['an empty key', { api_key: '' }, 'api_key'],
    ['a key of 513 characters', { api_key: 'k'.repeat(513) }, 'api_key'],
    ['a key of blanks', { api_key: '   ' }, 'api_key'],
    ['a key with a line break', { api_key: 'a\nb' }, 'api_key'],
    ['a key with a byte order mark', { api_key: '\ufeffk' }, 'api_key'],
    ['a day to come', { import_from: '2999-01-01' }, 'import_from'],
    ['a valid change next to an invalid one', { paused: true, import_from: '1999-01-01' }, 'import_from'],
  ])('is changed by none of: %s', async (_, body, path) => {
    const target = `/erp-connections/${unchanged.id}`;
    expectRefusal(await call(`PATCH ${target}`, body), path);
    const { version } = unchanged;
    expect(await call(`GET ${target}`)).toMatchObject({ body: { version, isPaused: false } });
  });

  test.each<[string, unknown]>([
    ['another mode', { mode: 'EVERYTHING' }],
    ['a mode that is a number', { mode: 1 }],
    ['an unknown field', { mode: 'FULL', from: '2026-01-01' }],
    ['a list', []],
  ])('is not synchronised with %s', async (_, body) => {
    const target = `/erp-connections/${unchanged.id}`;
    expectRefusal(await call(`POST ${target}/sync`, body));
    expect((await call(`GET ${target}`)).body.recentRuns).toHaveLength(1);
  });

  test('is in one state after requests of all kinds at the same moment, and DISABLED once one of them deleted it', async () => {
    const { id } = await connected();
    const target = `/erp-connections/${id}`;
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, (_, index) => call(`PATCH ${target}`, { paused: index % 2 === 0 })),
      ...Array.from({ length: 3 }, () => call(`PATCH ${target}`, { api_key: API_KEY })),
      ...Array.from({ length: 3 }, () => call(`POST ${target}/sync`, { mode: 'FULL' })),
      ...Array.from({ length: 2 }, () => call(`POST ${target}/test`)),
      ...Array.from({ length: 2 }, () => call(`DELETE ${target}`)),
    ]);
    for (const { status } of answers) expect([200, 202, 204, 409]).toContain(status);
    await eventually(async () => expect((await call(`DELETE ${target}`)).status).toBe(204));
    await eventually(async () => {
      const { body } = await call(`GET ${target}`);
      expect(body).toMatchObject({ status: 'DISABLED', nextSyncAt: null });
      expect(body.recentRuns.map(({ status }) => status)).not.toContain('RUNNING');
    });
    const after = [await call(`POST ${target}/sync`), await call(`PATCH ${target}`, { paused: false })];
    expect(after.map(({ status }) => status)).toEqual([409, 409]);
  });
});

describe('a list', () => {
  test('of runs refuses a cursor of another connection, and one of connections refuses a cursor of runs', async () => {
    const [one, other] = [await connected(), await connected()];
    for (let run = 2; run <= 2; run++) {
      expect((await call(`POST /erp-connections/${one.id}/sync`)).status).toBe(202);
      await eventually(async () =>
        expect((await call(`GET /erp-connections/${one.id}`)).body.recentRuns.map(({ status }) => status)).toEqual(
          Array.from({ length: run }, () => 'SUCCEEDED'),
        ),
      );
    }
    const { body } = await running.request<Page<object>>(`GET /erp-connections/${one.id}/runs?limit=1`, { key });
    const cursor = body.nextCursor ?? '';
    expect(cursor).not.toBe('');
    for (const target of [
      `/erp-connections/${other.id}/runs?limit=1&`,
      '/erp-connections?limit=1&',
      '/vendors?limit=1&',
    ]) {
      expectRefusal(await running.request<ErrorBody>(`GET ${target}cursor=${cursor}`, { key }), 'cursor');
    }
    const ids = await running.request<Page<object>>(`GET /erp-connections/${one.id}/runs?limit=1&cursor=${cursor}`, {
      key,
    });
    expect([ids.status, ids.body.items.length, ids.body.nextCursor]).toEqual([200, 1, null]);
  });

  test.each([
    ['/erp-connections', 'status=connected', 'status'],
    ['/erp-connections', 'status=CONNECTED&status=ERROR', undefined],
    ['/erp-connections', 'provider=SAP', 'provider'],
    ['/erp-connections', 'company_id=1', 'company_id'],
    ['/erp-connections', 'limit=0', 'limit'],
    ['/erp-connections', 'limit=101', 'limit'],
    ['/erp-connections', 'created_from=yesterday', 'created_from'],
    ['/erp-connections', 'organization_id=1', 'organization_id'],
    ['/erp-connections', 'status[$ne]=ERROR', undefined],
    ['/vendors', 'name=', 'name'],
    ['/vendors', `name=${'n'.repeat(201)}`, 'name'],
    ['/vendors', 'name=%00', undefined],
    ['/vendors', 'connection_id=1', 'connection_id'],
    ['/vendors', 'created_from=2026-01-01', 'created_from'],
    ['/vendors', 'cursor=AAAAAAAAAAAA', 'cursor'],
    ['/vendors', 'tax_id=1', 'tax_id'],
  ])('%s?%s is refused', async (path, query, field) => {
    expectRefusal(await running.request<ErrorBody>(`GET ${path}?${query}`, { key }), field);
  });

  test.each(['.*', '(a+)+$', '%24where', "a' or 1", '%25', 'İ', '\u{1F600}'])(
    'of vendors reads the name %s as a text',
    async (name) => {
      const answer = await running.request<Page<object>>(`GET /vendors?name=${encodeURIComponent(name)}`, { key });
      expect([answer.status, answer.body.items]).toEqual([200, []]);
    },
  );
});
