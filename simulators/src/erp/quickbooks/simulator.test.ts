import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Row } from '../call.js';
import { APP, oauthClient } from '../oauth/testing.js';
import { startErpSimulators } from '../simulators.js';
import type { ErpSimulators } from '../simulators.js';
import { call } from '../testing.js';
import type { TestAnswer } from '../testing.js';

const REALM = '4620816365291273680';
const SCOPE = 'com.intuit.quickbooks.accounting';
let simulators: ErpSimulators;
let base: string;
let control: string;
let client: ReturnType<typeof oauthClient>;
let accessToken: string;
let refreshToken: string;

beforeAll(async () => {
  simulators = await startErpSimulators({ quickBooksApp: APP });
  base = simulators.urls.quickBooks;
  control = `${base}/control/tenants/${REALM}`;
  const authorize = `${base}/connect/oauth2`;
  client = oauthClient({ authorize, token: `${base}/oauth2/v1/tokens/bearer`, scope: SCOPE });
});
beforeEach(async () => {
  await call(`PUT ${control}`, { companyName: 'Norton & Co', homeCurrency: 'USD' });
  const tokens = await client.connect(REALM);
  accessToken = String(tokens['access_token']);
  refreshToken = String(tokens['refresh_token']);
});
afterEach(() => call(`DELETE ${base}/control/faults`));
afterAll(() => simulators.stop());

const put = (entity: string, records: readonly object[], remove: readonly string[] = []): Promise<TestAnswer> =>
  call(`POST ${control}/records`, { entity, records, remove });
const api = (path: string, token = accessToken): Promise<TestAnswer> =>
  call(`GET ${base}/v3/company/${REALM}/${path}`, undefined, { authorization: `Bearer ${token}` });
const query = (statement: string): Promise<TestAnswer> =>
  api(`query?query=${encodeURIComponent(statement)}&minorversion=75`);
const rowsOf = ({ json }: TestAnswer, entity: string): readonly Row[] =>
  ((json?.['QueryResponse'] as Row | undefined)?.[entity] ?? []) as readonly Row[];
const idsOf = async (statement: string, entity: string): Promise<unknown[]> =>
  rowsOf(await query(statement), entity).map(({ Id }) => Id);
const tokens = async (): Promise<Row | undefined> => (await call(`GET ${control}/tokens`)).json;
const advance = (seconds: number): Promise<TestAnswer> =>
  call(`POST ${base}/control/clock`, { advanceSeconds: seconds });

describe('consent', () => {
  test('leads back with code, state and the company, once a person allowed it', async () => {
    const location = await client.consent(REALM);
    expect(location.origin + location.pathname).toBe(APP.redirectUris[0]);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      code: expect.any(String),
      state: 'st',
      realmId: REALM,
    });
    const denied = await call(`GET ${client.authorizeUrl({ simulate: 'deny' })}`);
    const { searchParams } = new URL(denied.headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).toEqual({ error: 'access_denied', state: 'st' });
  });

  test('is a page with the companies and both buttons, and escapes what it repeats', async () => {
    const { status, text } = await call(`GET ${client.authorizeUrl({ state: '"><b>' })}`);
    expect(status).toBe(200);
    expect(text).toContain('Norton &#38; Co');
    expect(text).toMatch(/name="simulate" value="allow".*name="simulate" value="deny"/s);
    expect(text).not.toContain('<b>');
  });

  test.each([
    ['an unknown app', { client_id: 'other' }],
    ['a redirect URI that is not registered', { redirect_uri: 'https://product.example.com/callback/' }],
    ['no state', { state: undefined }],
    ['an unknown company', { simulate: 'allow', tenant: '1' }],
  ])('refuses %s without a redirect', async (_, parameters) => {
    const { status, headers } = await call(`GET ${client.authorizeUrl(parameters)}`);
    expect([status, headers.get('location')]).toEqual([400, null]);
  });

  test.each([
    ['other scopes', { scope: 'everything' }, 'invalid_scope'],
    ['another grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ])('refuses %s by a redirect', async (_, parameters, error) => {
    const { headers } = await call(`GET ${client.authorizeUrl(parameters)}`);
    expect(new URL(headers.get('location') ?? '').searchParams.get('error')).toBe(error);
  });
});

describe('tokens', () => {
  test.each([
    ['another verifier', { code_verifier: 'w'.repeat(64) }],
    ['another redirect URI', { redirect_uri: 'https://product.example.com/other' }],
  ])('are not given for %s', async (_, fields) => {
    const code = (await client.consent(REALM)).searchParams.get('code') ?? '';
    expect(await client.exchange(code, fields)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect((await client.exchange(code)).status).toBe(200);
    expect((await client.exchange(code)).status).toBe(400);
  });

  test('need the secret of the app', async () => {
    const wrong = `Basic ${Buffer.from('app-id:wrong').toString('base64')}`;
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const answer = await client.form(`${base}/oauth2/v1/tokens/bearer`, fields, wrong);
    expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
  });

  test('refresh with the same value for a day, then with a new one, and the old one fails', async () => {
    expect((await client.refresh(refreshToken)).json).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: refreshToken,
      x_refresh_token_expires_in: 8_726_400,
    });
    await advance(86_400);
    const renewed = (await client.refresh(refreshToken)).json;
    expect(renewed?.['refresh_token']).not.toBe(refreshToken);
    const old = await client.refresh(refreshToken);
    expect(old).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect(await tokens()).toEqual({
      issued: 1,
      refreshed: 2,
      reused: 1,
      liveRefreshTokens: 1,
      revoked: 0,
      connected: true,
    });
  });

  test('of access end after an hour, and those of refresh after 101 days without use', async () => {
    expect((await api('preferences')).status).toBe(200);
    await advance(3_600);
    const refused = await api('preferences');
    expect(refused).toMatchObject({ status: 401, json: { fault: { type: 'AUTHENTICATION' } } });
    await advance(8_726_400);
    expect((await client.refresh(refreshToken)).status).toBe(400);
  });

  test('end when they are revoked', async () => {
    const revoke = () =>
      client.form(`${base}/v2/oauth2/tokens/revoke`, { token: refreshToken }).then(({ status }) => status);
    expect([await revoke(), (await api('preferences')).status, (await client.refresh(refreshToken)).status]).toEqual([
      200, 401, 400,
    ]);
    expect(await tokens()).toMatchObject({ revoked: 1, liveRefreshTokens: 0, connected: false });
  });

  test('can be ended one kind at a time', async () => {
    const expire = (what: string) => call(`POST ${control}/expire`, { what });
    await expire('ACCESS');
    expect((await api('preferences')).status).toBe(401);
    accessToken = String((await client.refresh(refreshToken)).json?.['access_token']);
    await expire('RIGHTS');
    expect((await api(`companyinfo/${REALM}`)).status).toBe(200);
    expect(await api('query?query=select%20*%20from%20Bill')).toMatchObject({
      status: 403,
      json: { Fault: { Error: [{ code: '5020' }] } },
    });
    await expire('SECRET');
    expect(await client.refresh(refreshToken)).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    await call(`PUT ${control}`, {});
    const again = await client.connect(REALM);
    await expire('REFRESH');
    expect(await client.refresh(again['refresh_token'])).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
  });

  test('of one company give no access to another one', async () => {
    await call(`PUT ${base}/control/tenants/1234567890`, {});
    const answer = await call(`GET ${base}/v3/company/1234567890/companyinfo/1234567890`, undefined, {
      authorization: `Bearer ${accessToken}`,
    });
    expect(answer).toMatchObject({ status: 403, json: { Fault: { Error: [{ code: '3100' }] } } });
  });
});

describe('queries', () => {
  beforeEach(async () => {
    const at = (day: number) => ({ LastUpdatedTime: `2026-01-0${day}T10:00:00-08:00` });
    await put('Vendor', [
      { Id: '10', DisplayName: 'Ten', MetaData: at(3) },
      { Id: '9', DisplayName: 'Nine', MetaData: at(2) },
      { Id: '8', DisplayName: "O'Neill", Active: false, MetaData: at(1) },
    ]);
  });

  test('show active rows alone, unless they name the property', async () => {
    expect(await idsOf('select * from Vendor', 'Vendor')).toEqual(['9', '10']);
    expect(await idsOf('SELECT * FROM Vendor WHERE Active IN (true,false)', 'Vendor')).toEqual(['8', '9', '10']);
    expect(
      await idsOf(String.raw`select Id from Vendor where Active = false and DisplayName = 'O\'Neill'`, 'Vendor'),
    ).toEqual(['8']);
  });

  test('filter by time in any zone, order by numbers of ids, and page', async () => {
    const statement =
      "select * from Vendor where Active in (true,false) and MetaData.LastUpdatedTime >= '2026-01-02T18:00:00+00:00' orderby Id startposition 1 maxresults 1";
    const { json } = await query(statement);
    expect(json).toMatchObject({ QueryResponse: { Vendor: [{ Id: '9' }], startPosition: 1, maxResults: 1 } });
    expect(await idsOf(statement.replace('startposition 1', 'startposition 2'), 'Vendor')).toEqual(['10']);
    const { json: empty } = await query(statement.replace('startposition 1', 'startposition 3'));
    expect(empty?.['QueryResponse']).toEqual({});
    expect((await query('select count(*) from Vendor')).json?.['QueryResponse']).toEqual({ totalCount: 2 });
  });

  test('give 100 rows when they name no number, and never more than 1,000', async () => {
    await put(
      'Bill',
      Array.from({ length: 1_001 }, (_, at) => ({ Id: String(at + 1), TotalAmt: 1 })),
    );
    expect(await idsOf('select * from Bill', 'Bill')).toHaveLength(100);
    expect(await idsOf('select * from Bill maxresults 5000', 'Bill')).toHaveLength(1_000);
    expect(await idsOf('select * from Bill startposition 1001 maxresults 1000', 'Bill')).toEqual(['1001']);
  });

  test.each([
    ["select * from Vendor where Colour = 'red'", '4001', /Property Colour not found for Entity Vendor/],
    ['select * from Estimate2', '4001', /Invalid context declaration: Estimate2/],
    ['select * from Vendor where', '4000', /Encountered <EOF>/],
    ["select * from Vendor where Id = '9' or Id = '10'", '4000', /Encountered "or"/],
    ["select * from Vendor where DisplayName = 'O'Neill'", '4000', /QueryParserError/],
    ['select * from Vendor startposition 0', '4000', /Encountered "0"/],
  ])('%s is refused', async (statement, code, detail) => {
    const { status, json } = await query(statement);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      Fault: { type: 'ValidationFault', Error: [{ code, Detail: expect.stringMatching(detail) }] },
    });
  });

  test('show tax ids and account numbers with their last four characters', async () => {
    await put('Vendor', [
      {
        Id: '1',
        TaxIdentifier: '123456789',
        VendorPaymentBankDetail: { BankAccountNumber: '12345678', BankAccountName: 'N' },
      },
    ]);
    expect(rowsOf(await query("select * from Vendor where Id = '1'"), 'Vendor')).toMatchObject([
      { TaxIdentifier: 'XXXXX6789', VendorPaymentBankDetail: { BankAccountNumber: 'XXXX5678', BankAccountName: 'N' } },
    ]);
  });

  test('complete a bill that is put: name of the vendor, currency, balance, times', async () => {
    await put('Bill', [{ Id: '1', VendorRef: { value: '9' }, TotalAmt: 12.5 }]);
    await put('Bill', [{ Id: '1', Balance: 0 }]);
    expect(rowsOf(await query('select * from Bill'), 'Bill')).toMatchObject([
      {
        Id: '1',
        SyncToken: '1',
        VendorRef: { value: '9', name: 'Nine' },
        CurrencyRef: { value: 'USD' },
        TotalAmt: 12.5,
        Balance: 0,
        MetaData: { LastUpdatedTime: expect.stringMatching(/-08:00$/) },
      },
    ]);
  });
});

describe('changes', () => {
  /** Returns a time on the clock of the ERP, which other tests advance. */
  const since = async (secondsAgo: number): Promise<string> => {
    const now = Date.parse(String((await advance(0)).json?.['now']));
    return encodeURIComponent(new Date(now - secondsAgo * 1_000).toISOString());
  };

  test('show what was changed and deleted, each entity apart', async () => {
    await put('Bill', [{ Id: '1' }, { Id: '2' }]);
    await put('Bill', [], ['2', '77']);
    const { json } = await api(`cdc?entities=Vendor,Bill&changedSince=${await since(60)}`);
    expect(json).toMatchObject({
      CDCResponse: [{ QueryResponse: [{}, { Bill: [{ Id: '2', status: 'Deleted', domain: 'QBO' }, { Id: '1' }] }] }],
    });
    expect((await api(`cdc?entities=Bill&changedSince=${await since(31 * 86_400)}`)).status).toBe(400);
  });

  test('end at 1,000 objects', async () => {
    await put(
      'Bill',
      Array.from({ length: 1_001 }, (_, at) => ({ Id: String(at + 1) })),
    );
    const { json } = await api(`cdc?entities=Bill,Vendor&changedSince=${await since(60)}`);
    expect(json).toMatchObject({ CDCResponse: [{ QueryResponse: [{ maxResults: 1_000 }, {}] }] });
  });

  test('faults of pages change what was changed, too', async () => {
    await put('Bill', [{ Id: '1' }]);
    await put('Vendor', [{ Id: '1' }]);
    const path = `cdc?entities=Vendor,Bill&changedSince=${await since(60)}`;
    await call(`POST ${base}/control/faults`, { match: '/cdc', kind: 'PATCH', field: 'Id', value: 7 });
    expect((await api(path)).json).toMatchObject({
      CDCResponse: [{ QueryResponse: [{ Vendor: [{ Id: 7 }] }, { Bill: [{ Id: 7 }] }] }],
    });
    await call(`POST ${base}/control/faults`, { match: '/cdc', kind: 'ENDLESS' });
    expect((await api(path)).json).toMatchObject({
      CDCResponse: [{ QueryResponse: [{ maxResults: 500 }, { maxResults: 500 }] }],
    });
  });
});

test('a fault repeats a full page for ever', async () => {
  await put('Vendor', [{ Id: '1' }, { Id: '2' }]);
  await call(`POST ${base}/control/faults`, { match: 'from Vendor', kind: 'ENDLESS', times: 0 });
  expect(await idsOf('select * from Vendor maxresults 2', 'Vendor')).toEqual(['1', '2']);
  expect(await idsOf('select * from Vendor startposition 3 maxresults 2', 'Vendor')).toEqual(['1', '2']);
});

test('calls beyond a limit that was set are throttled', async () => {
  await call(`PUT ${control}`, { limits: { minute: 2 } });
  accessToken = String((await client.connect(REALM))['access_token']);
  const statuses = [(await api('preferences')).status, (await api('preferences')).status];
  const throttled = await api('preferences');
  expect([...statuses, throttled.status]).toEqual([200, 200, 429]);
  expect(throttled.json).toMatchObject({ Fault: { Error: [{ code: '003001' }] } });
  await advance(60);
  expect((await api('preferences')).status).toBe(200);
});

test('the log has calls of consent and tokens too', async () => {
  await api(`companyinfo/${REALM}`);
  const { json } = await call(`GET ${control}/requests`);
  expect(json?.['items']).toMatchObject([
    { method: 'GET', path: '/connect/oauth2' },
    { method: 'POST', path: '/oauth2/v1/tokens/bearer' },
    { method: 'GET', path: `/v3/company/${REALM}/companyinfo/${REALM}` },
  ]);
});
