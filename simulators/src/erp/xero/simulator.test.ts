import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Row } from '../call.js';
import { APP, oauthClient } from '../oauth/testing.js';
import { startErpSimulators } from '../simulators.js';
import type { ErpSimulators } from '../simulators.js';
import { call } from '../testing.js';
import type { TestAnswer } from '../testing.js';

const SCOPE = 'offline_access accounting.contacts.read accounting.invoices.read accounting.settings.read';
let tenant: string;
let simulators: ErpSimulators;
let base: string;
let client: ReturnType<typeof oauthClient>;
let accessToken: string;
let refreshToken: string;

beforeAll(async () => {
  simulators = await startErpSimulators({ xeroApp: APP });
  base = simulators.urls.xero;
  client = oauthClient({
    authorize: `${base}/identity/connect/authorize`,
    token: `${base}/connect/token`,
    scope: SCOPE,
  });
});
beforeEach(async () => {
  tenant = randomUUID();
  await call(`PUT ${control()}`, { tenantName: 'Liam & Sons' });
  await connect();
});
afterEach(() => call(`DELETE ${base}/control/faults`));
afterAll(() => simulators.stop());

const control = (): string => `${base}/control/tenants/${tenant}`;
async function connect(): Promise<void> {
  const tokens = await client.connect(tenant);
  accessToken = String(tokens['access_token']);
  refreshToken = String(tokens['refresh_token']);
}
const put = (entity: string, records: readonly object[], remove: readonly string[] = []): Promise<TestAnswer> =>
  call(`POST ${control()}/records`, { entity, records, remove });
const api = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<TestAnswer> =>
  call(`GET ${base}/api.xro/2.0/${path}`, undefined, {
    authorization: `Bearer ${accessToken}`,
    'xero-tenant-id': tenant,
    accept: 'application/json',
    ...headers,
  });
const connections = (query = ''): Promise<TestAnswer> =>
  call(`GET ${base}/connections${query}`, undefined, { authorization: `Bearer ${accessToken}` });
const tokens = async (): Promise<Row | undefined> => (await call(`GET ${control()}/tokens`)).json;
const advance = (seconds: number): Promise<TestAnswer> =>
  call(`POST ${base}/control/clock`, { advanceSeconds: seconds });
const claimsOf = (token: string): Row =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Row;
const invoices = async (query: string, headers: Readonly<Record<string, string>> = {}): Promise<readonly Row[]> =>
  ((await api(`Invoices?${query}`, headers)).json?.['Invoices'] ?? []) as readonly Row[];
const contacts = async (query: string): Promise<readonly Row[]> =>
  ((await api(`Contacts?${query}`)).json?.['Contacts'] ?? []) as readonly Row[];

describe('consent and connections', () => {
  test('the token names the consent, and the connections that came from it', async () => {
    const first = claimsOf(accessToken)['authentication_event_id'];
    expect((await connections(`?authEventId=${String(first)}`)).json).toMatchObject([
      { authEventId: first, tenantId: tenant, tenantType: 'ORGANISATION', tenantName: 'Liam & Sons' },
    ]);
    await connect();
    const second = claimsOf(accessToken)['authentication_event_id'];
    expect(second).not.toBe(first);
    expect((await connections(`?authEventId=${String(first)}`)).json).toEqual([]);
  });

  test.each([
    ['accounting.transactions.read', 'invalid_scope'],
    ['', 'invalid_scope'],
    ['offline_access app.connections', 'access_denied'],
  ])('scopes %j are refused', async (scope, error) => {
    const { headers } = await call(`GET ${client.authorizeUrl({ scope })}`);
    expect(new URL(headers.get('location') ?? '').searchParams.get('error')).toBe(error);
  });

  test('a removed connection refuses its tenant, although the token is valid', async () => {
    const [{ id }] = (await connections(`?authEventId=${String(claimsOf(accessToken)['authentication_event_id'])}`))
      .json as unknown as readonly [Row];
    const remove = () =>
      call(`DELETE ${base}/connections/${String(id)}`, undefined, { authorization: `Bearer ${accessToken}` });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
    expect(await api('Organisation')).toMatchObject({ status: 403, json: { Detail: 'AuthenticationUnsuccessful' } });
    expect((await connections()).status).toBe(200);
    expect(await tokens()).toMatchObject({ connected: false, revoked: 0 });
  });

  test('revoking a refresh token ends its grant and its connection', async () => {
    const answer = await client.form(`${base}/connect/revocation`, { token: refreshToken });
    expect([answer.status, (await connections()).status, (await client.refresh(refreshToken)).status]).toEqual([
      200, 401, 400,
    ]);
    expect(await tokens()).toMatchObject({ connected: false, revoked: 1, liveRefreshTokens: 0 });
  });
});

describe('tokens', () => {
  test('refresh with a new one each time, and the previous one stays valid for 30 minutes', async () => {
    const second = (await client.refresh(refreshToken)).json?.['refresh_token'];
    expect(second).not.toBe(refreshToken);
    await advance(1_700);
    const third = (await client.refresh(refreshToken)).json?.['refresh_token'];
    expect([second, refreshToken]).not.toContain(third);
    expect(await tokens()).toMatchObject({ refreshed: 2, reused: 0, liveRefreshTokens: 1 });
    await advance(100);
    expect(await client.refresh(refreshToken)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect(await tokens()).toMatchObject({ refreshed: 2, reused: 1, liveRefreshTokens: 1 });
    expect((await client.refresh(third)).status).toBe(200);
  });

  test('of access end after 30 minutes', async () => {
    expect((await api('Organisation')).status).toBe(200);
    await advance(1_800);
    expect(await api('Organisation')).toMatchObject({
      status: 401,
      json: { Detail: expect.stringMatching(/^TokenExpired/) },
    });
  });

  test('without offline access have no refresh token', async () => {
    const location = await client.consent(tenant, { scope: 'accounting.contacts.read' });
    const { json } = await client.exchange(location.searchParams.get('code') ?? '');
    expect(json).not.toHaveProperty('refresh_token');
    accessToken = String(json?.['access_token']);
    expect((await api('Contacts?page=1')).status).toBe(200);
    expect(await api('Invoices?page=1')).toMatchObject({ status: 401, json: { Detail: 'AuthorizationUnsuccessful' } });
  });

  test('without rights are refused, but connections are listed', async () => {
    await call(`POST ${control()}/expire`, { what: 'RIGHTS' });
    expect(await api('Contacts')).toMatchObject({ status: 403, json: { Detail: 'AuthorizationUnsuccessful' } });
    expect((await connections()).status).toBe(200);
  });

  test('need the scope of payments for payments', async () => {
    expect((await api('Payments?page=1')).status).toBe(401);
    const location = await client.consent(tenant, { scope: `${SCOPE} accounting.payments.read` });
    const { json } = await client.exchange(location.searchParams.get('code') ?? '');
    accessToken = String(json?.['access_token']);
    expect((await api('Payments?page=1')).json).toMatchObject({ Payments: [] });
  });
});

describe('lists', () => {
  const ids = [1, 2, 3].map((n) => `0000000${n}-0000-4000-8000-000000000000`);

  test('are paged in the order of ids, with their number of pages', async () => {
    await put(
      'Invoices',
      ids.map((InvoiceID) => ({ InvoiceID })),
    );
    const { json } = await api('Invoices?page=2&pageSize=2&order=InvoiceID%20ASC');
    expect(json).toMatchObject({
      Status: 'OK',
      pagination: { page: 2, pageSize: 2, pageCount: 2, itemCount: 3 },
      Invoices: [{ InvoiceID: ids[2], Type: 'ACCPAY', CurrencyCode: 'GBP' }],
    });
  });

  test('leave fields out where no page is asked for', async () => {
    await put('Contacts', [{ ContactID: ids[0], Name: 'A', BatchPayments: { BankAccountNumber: '1' } }]);
    expect((await contacts(''))[0]).not.toHaveProperty('BatchPayments');
    expect((await contacts('page=1'))[0]).toHaveProperty('BatchPayments');
  });

  test('filter by type and day, and by the time of the last change', async () => {
    const changed = (n: number) => `/Date(${Date.UTC(2026, 0, n)}+0000)/`;
    await put('Invoices', [
      { InvoiceID: ids[0], Type: 'ACCREC', DateString: '2026-01-05T00:00:00', UpdatedDateUTC: changed(1) },
      { InvoiceID: ids[1], DateString: '2026-01-04T00:00:00', UpdatedDateUTC: changed(2) },
      { InvoiceID: ids[2], Date: changed(5), UpdatedDateUTC: changed(3) },
    ]);
    const idsOf = async (query: string, headers = {}) =>
      (await invoices(query, headers)).map(({ InvoiceID }) => ids.indexOf(String(InvoiceID)));
    const where = encodeURIComponent('Type=="ACCPAY" AND Date>=DateTime(2026,1,5)');
    expect(await idsOf(`page=1&where=${where}`)).toEqual([2]);
    expect(await idsOf('page=1&where=Type%3D%3D%22ACCPAY%22')).toEqual([1, 2]);
    expect(await idsOf('page=1', { 'if-modified-since': '2026-01-02T00:00:00' })).toEqual([1, 2]);
    expect(await idsOf('page=1', { 'if-modified-since': '2026-01-02T00:00:01' })).toEqual([2]);
    expect((await invoices('page=1'))[2]).toMatchObject({
      DateString: '2026-01-05T00:00:00',
      Date: changed(5),
    });
  });

  test('of contacts leave archived ones out unless they are asked for; nothing is deleted', async () => {
    await put('Contacts', [{ ContactID: ids[0], Name: 'A' }], [ids[0] ?? '']);
    await put('Invoices', [{ InvoiceID: ids[1] }, { InvoiceID: ids[2], Status: 'DRAFT' }], ids);
    expect(await contacts('page=1')).toEqual([]);
    expect(await contacts('page=1&includeArchived=true')).toMatchObject([{ ContactStatus: 'ARCHIVED' }]);
    expect((await invoices('page=1')).map(({ Status }) => Status)).toEqual(['VOIDED', 'DELETED']);
  });

  test.each([
    ['Invoices?page=1&where=Colour%3D%3D%22red%22', 16, /'Colour' exists in type 'Invoice'/],
    ['Invoices?page=1&order=Colour', 16, /'Colour' exists in type 'Invoice'/],
    ['Invoices?page=1&where=Type%3D%3DACCPAY', 16, /Unknown identifier 'ACCPAY'/],
    ['PurchaseOrders?page=1&where=Status%3D%3D%22BILLED%22', 16, /where is not supported/],
    ['Invoices?page=0', 10, /page/],
    ['Invoices?page=1&pageSize=1001', 10, /pageSize/],
  ])('%s is refused', async (path, number, message) => {
    expect(await api(path)).toMatchObject({
      status: 400,
      json: { ErrorNumber: number, Message: expect.stringMatching(message) },
    });
  });

  test('are XML unless JSON is asked for', async () => {
    expect((await api('Contacts?page=1', { accept: '*/*' })).headers.get('content-type')).toMatch(/xml/);
  });

  test('repeat a page for ever where a fault says so', async () => {
    await put(
      'Invoices',
      ids.map((InvoiceID) => ({ InvoiceID })),
    );
    await call(`POST ${base}/control/faults`, { match: 'Invoices', kind: 'ENDLESS', times: 0 });
    for (const page of [1, 2, 9]) {
      const { json } = await api(`Invoices?page=${page}&pageSize=2`);
      expect(json).toMatchObject({ pagination: { pageCount: page + 1 }, Invoices: [{ InvoiceID: ids[0] }, {}] });
    }
  });
});

test('answers say how many calls are left, and calls beyond a limit that was set are throttled', async () => {
  const { headers } = await api('Organisation');
  expect([headers.get('x-minlimit-remaining'), headers.get('x-daylimit-remaining')]).toEqual(['59', '4999']);
  await call(`PUT ${control()}`, { limits: { day: 1 } });
  await connect();
  expect((await api('Organisation')).status).toBe(200);
  const throttled = await api('Organisation');
  expect([throttled.status, throttled.headers.get('x-rate-limit-problem')]).toEqual([429, 'day']);
  expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(86_000);
  await advance(86_400);
  await connect();
  expect((await api('Organisation')).status).toBe(200);
});

test('the organisation has its currency, country and short code', async () => {
  expect((await api('Organisation')).json?.['Organisations']).toMatchObject([
    { Name: 'Liam & Sons', BaseCurrency: 'GBP', CountryCode: 'GB', ShortCode: expect.stringMatching(/^!/) },
  ]);
});
