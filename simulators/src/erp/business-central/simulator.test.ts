import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Row } from '../call.js';
import { startErpSimulators } from '../simulators.js';
import type { ErpSimulators } from '../simulators.js';
import { call } from '../testing.js';
import type { TestAnswer } from '../testing.js';

const tenant = '3f9d5b5c-1d55-4f0d-9d36-0d1c1d0d5b01';
const company = 'a7d1e6a2-8b1d-4b8e-9a53-1f0b7c2d3e4f';
const application = {
  clientId: '5a6b7c8d-1111-4222-8333-444455556666',
  clientSecret: 'se.cr~et',
};
const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

let simulators: ErpSimulators;
let control: string;
let api: string;
let token: string;
beforeAll(async () => {
  simulators = await startErpSimulators();
  const { businessCentral } = simulators.urls;
  control = `${businessCentral}/control`;
  api = `${businessCentral}/v2.0/${tenant}/Production/api`;
});
beforeEach(async () => {
  const settings = { environmentName: 'Production', companyId: company, companyName: 'Cronus', ...application };
  await call(`PUT ${control}/tenants/${tenant}`, settings);
  token = String((await login()).json?.['access_token']);
});
afterAll(async () => simulators.stop());

const login = async (change: Readonly<Record<string, string>> = {}, of = tenant): Promise<TestAnswer> => {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
    scope: 'https://api.businesscentral.dynamics.com/.default',
    ...change,
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return call(`POST ${simulators.urls.businessCentral}/${of}/oauth2/v2.0/token`, form.toString(), headers);
};
const get = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<TestAnswer> =>
  call(`GET ${path.startsWith('http') ? path : `${api}/v2.0/companies(${company})/${path}`}`, undefined, {
    authorization: `Bearer ${token}`,
    ...headers,
  });
const put = async (entity: string, records: readonly Row[], remove: readonly string[] = []): Promise<TestAnswer> =>
  call(`POST ${control}/tenants/${tenant}/records`, { entity, records, remove });
const valuesOf = ({ json }: TestAnswer): readonly Row[] => json?.['value'] as readonly Row[];

describe('login', () => {
  test('answers a token for the right secret in the body', async () => {
    expect(await login()).toMatchObject({
      status: 200,
      json: { token_type: 'Bearer', expires_in: 3_599, access_token: expect.any(String) },
    });
  });

  test.each([
    ['another secret', { client_secret: 'wrong' }, 401, 'invalid_client', 7_000_215],
    ['another application', { client_id: id(1) }, 400, 'unauthorized_client', 700_016],
    ['another scope', { scope: 'https://graph.microsoft.com/.default' }, 400, 'invalid_scope', 70_011],
    ['another grant', { grant_type: 'password' }, 400, 'unsupported_grant_type', 70_003],
    ['an empty field', { client_id: '' }, 400, 'invalid_request', 900_144],
  ])('refuses %s', async (_, change, status, error, code) => {
    const answer = await login(change);
    expect(answer).toMatchObject({ status, json: { error, error_codes: [code] } });
    expect(answer.json?.['error_description']).toMatch(new RegExp(`^AADSTS${code}: .*Trace ID: `));
  });

  test('refuses an unknown tenant, and an expired secret', async () => {
    expect(await login({}, id(9))).toMatchObject({ status: 400, json: { error_codes: [90_002] } });
    await call(`POST ${control}/tenants/${tenant}/expire`, { what: 'SECRET' });
    expect(await login()).toMatchObject({ status: 401, json: { error_codes: [7_000_222] } });
    expect((await get('vendors')).status).toBe(200);
  });
});

describe('the API', () => {
  test('refuses calls without a valid token', async () => {
    const refused = { status: 401, json: { error: { code: 'Authentication_InvalidCredentials' } } };
    expect(await get('vendors', { authorization: '' })).toMatchObject(refused);
    await call(`POST ${control}/tenants/${tenant}/expire`, { what: 'ACCESS' });
    expect(await get('vendors')).toMatchObject(refused);
    token = String((await login()).json?.['access_token']);
    expect((await get('vendors')).status).toBe(200);
    await call(`POST ${control}/clock`, { advanceSeconds: 3_600 });
    expect(await get('vendors')).toMatchObject(refused);
  });

  test('names what does not exist or is not allowed', async () => {
    expect(await get(`${api}/v2.0/companies`)).toMatchObject({ json: { value: [{ id: company, name: 'Cronus' }] } });
    expect(await get(`${api}/v2.0/companies(${company})`)).toMatchObject({ json: { id: company } });
    const other = await get(`${api}/v2.0/companies(${id(1)})/vendors`);
    expect(other).toMatchObject({ status: 404, json: { error: { code: 'Internal_CompanyNotFound' } } });
    expect(other.text).toMatch(/CorrelationId: {2}[-0-9a-f]{36}\./);
    expect((await get(api.replace('Production', 'Sandbox') + `/v2.0/companies(${company})/vendors`)).status).toBe(404);
    expect(await get('planets')).toMatchObject({ status: 404, json: { error: { code: 'BadRequest_NotFound' } } });
    await call(`POST ${control}/tenants/${tenant}/expire`, { what: 'RIGHTS' });
    expect((await get('vendors')).status).toBe(403);
    expect((await login()).status).toBe(200);
  });

  test('gives records their defaults, stamps and encoded options', async () => {
    await put('vendors', [{ id: id(1), number: '10000', displayName: 'Fabrikam' }]);
    const row = { id: id(2), vendorId: id(1), status: 'In Review', lastModifiedDateTime: '2026-01-01T00:00:00Z' };
    await put('purchaseInvoices', [row]);
    const [vendor] = valuesOf(await get('vendors'));
    expect(vendor).toMatchObject({ '@odata.etag': expect.any(String), blocked: '_x0020_', currencyCode: 'EUR' });
    expect(Math.abs(Date.parse(String(vendor?.['lastModifiedDateTime'])) - Date.now())).toBeLessThan(90_000_000);
    expect(valuesOf(await get('purchaseInvoices'))).toMatchObject([
      {
        vendorNumber: '10000',
        vendorName: 'Fabrikam',
        status: 'In_x0020_Review',
        dueDate: '0001-01-01',
        lastModifiedDateTime: '2026-01-01T00:00:00Z',
      },
    ]);
    await put('purchaseInvoices', [], [id(2)]);
    expect(valuesOf(await get('purchaseInvoices'))).toEqual([]);
  });

  test('pages by the preferred size, and never loses or repeats a record', async () => {
    await put(
      'vendors',
      Array.from({ length: 25 }, (_, n) => ({ id: id(n), displayName: `V${n}` })),
    );
    for (const order of ['id', 'displayName desc']) {
      const seen: string[] = [];
      const sizes: number[] = [];
      let next: string | undefined = `vendors?$select=id,displayName&$orderby=${order}&$filter=number ne ''`;
      while (next !== undefined) {
        const answer: TestAnswer = await get(next, { prefer: 'odata.maxpagesize=10' });
        sizes.push(valuesOf(answer).length);
        seen.push(...valuesOf(answer).map((row) => String(row['id'])));
        expect(Object.keys(valuesOf(answer)[0] ?? {})).toEqual(['@odata.etag', 'id', 'displayName']);
        next = answer.json?.['@odata.nextLink'] as string | undefined;
      }
      expect(sizes).toEqual([10, 10, 5]);
      expect(new Set(seen).size).toBe(25);
    }
  });

  test('refuses a preferred size above 20,000 rows', async () => {
    expect((await get('vendors', { prefer: 'odata.maxpagesize=20000' })).status).toBe(200);
    const { status, json } = await get('vendors', { prefer: 'odata.maxpagesize=20001' });
    expect(status).toBe(413);
    expect(json).toMatchObject({ error: { code: 'Request_EntityTooLarge' } });
  });

  test('counts $top over all pages, and $skip once', async () => {
    await put(
      'vendors',
      Array.from({ length: 9 }, (_, n) => ({ id: id(n) })),
    );
    const first = await get('vendors?$top=5&$skip=2&$orderby=id', { prefer: 'odata.maxpagesize=3' });
    const second = await get(String(first.json?.['@odata.nextLink']), { prefer: 'odata.maxpagesize=3' });
    expect([...valuesOf(first), ...valuesOf(second)].map((row) => row['id'])).toEqual([2, 3, 4, 5, 6].map(id));
    expect(second.json).not.toHaveProperty(['@odata.nextLink']);
  });

  test.each([
    ["number eq '10000'", [1]],
    ['lastModifiedDateTime ge 2026-02-01T00:00:00Z', [2, 3]],
    ['lastModifiedDateTime ge 2026-02-01T00:00:00Z and lastModifiedDateTime lt 2026-03-01T00:00:00.000Z', [2]],
    ["number eq '10000' or number eq '30000'", [1, 3]],
    ["(number eq '10000' or number eq '30000') and balance gt 5", [3]],
    [`id gt ${id(1)}`, [2, 3]],
    ["number in ('10000','20000')&$schemaversion=2.1", [1, 2]],
    ["displayName eq 'O''Neill'", [3]],
  ])('filters by %s', async (filter, expected) => {
    await put('vendors', [
      { id: id(1), number: '10000', lastModifiedDateTime: '2026-01-31T23:59:59.99Z' },
      { id: id(2), number: '20000', lastModifiedDateTime: '2026-02-01T00:00:00Z' },
      { id: id(3), number: '30000', lastModifiedDateTime: '2026-03-01T00:00:00Z', balance: 10, displayName: "O'Neill" },
    ]);
    const answer = await get(`vendors?$orderby=id&$filter=${filter}`);
    expect(valuesOf(answer).map((row) => row['id'])).toEqual(expected.map(id));
  });

  test.each([
    ['$select=id,nonsense', "Could not find a property named 'nonsense' on type 'Microsoft.NAV.vendor'."],
    ['$filter=nonsense eq 1', "Could not find a property named 'nonsense'"],
    ["$filter=lastModifiedDateTime ge '2026-01-01T00:00:00Z'", 'incompatible types'],
    ["$filter=number eq '1' or displayName eq 'A'", 'two different fields'],
    ["$filter=number in ('1')", 'schema version'],
    ["$filter=blocked eq ' '", 'cannot be compared'],
    ['$filter=number eq', 'Syntax error'],
    ['$orderby=nonsense', "Could not find a property named 'nonsense'"],
    ['$top=many', '$top'],
    ['$nonsense=1', "'$nonsense' is not supported"],
  ])('refuses %s', async (query, message) => {
    const { status, json } = await get(`vendors?${query}`);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { code: 'BadRequest', message: expect.stringContaining(message) } });
  });

  test('has the bank page of a publisher below the company and with the parameter company', async () => {
    await put('vendorBankAccounts', [{ id: id(1), vendorNo: '10000', iban: 'DE89370400440532013000' }]);
    const page = `${api}/navipartner/core/v1.0`;
    for (const path of [`companies(${company})/vendorBankAccounts`, `vendorBankAccounts?company=${company}`]) {
      expect(valuesOf(await get(`${page}/${path}`))).toMatchObject([{ vendorNo: '10000', swiftCode: '' }]);
    }
    expect((await get(`${page}/vendorBankAccounts`)).status).toBe(400);
    expect((await get(`${page}/companies(${company})/vendors`)).status).toBe(404);
  });

  test('links to a foreign page, or to the same one again, when a fault says so', async () => {
    await put('vendors', [{ id: id(1) }]);
    await call(`POST ${control}/faults`, { match: '/vendors', kind: 'NEXT_LINK', url: 'https://example.com/more' });
    expect((await get('vendors')).json?.['@odata.nextLink']).toBe('https://example.com/more');
    await call(`POST ${control}/faults`, { match: '/vendors', kind: 'ENDLESS', times: 0 });
    const first = await get('vendors');
    const second = await get(String(first.json?.['@odata.nextLink']));
    expect(valuesOf(second)).toEqual(valuesOf(first));
    expect(second.json).toHaveProperty(['@odata.nextLink']);
    await call(`DELETE ${control}/faults`);
  });
});
