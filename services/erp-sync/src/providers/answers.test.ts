// Tests responses of every ERP, and of proxies in front of it. Only a response of the ERP itself is a fault that
// someone must fix.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpCalls } from '../clients/erp-http.js';
import type { ErpFault } from '../domain/faults.js';
import { APP, consent, control, openTestSession, readAll, testCalls } from '../testing/consented-session.js';
import { businessCentralProvider } from './business-central/provider.js';
import { odooProvider } from './odoo/provider.js';
import type { Credentials, Provider } from './provider.js';
import { quickBooksProvider } from './quickbooks/provider.js';
import { xeroProvider } from './xero/provider.js';

type Product = 'businessCentral' | 'odoo' | 'quickBooks' | 'xero';
type Names = { readonly provider: Provider; readonly config: object; readonly credentials: Credentials };

let simulators: ErpSimulators;
const calls: (ErpCalls & { close(): void })[] = [];
beforeAll(async () => {
  simulators = await startErpSimulators({ quickBooksApp: APP, xeroApp: APP });
});
afterEach(async () => {
  for (const one of calls.splice(0)) one.close();
  for (const url of Object.values(simulators.urls)) await control(`DELETE ${url}/control/faults`);
});
afterAll(() => simulators.stop());

const SECRET = 'a~secret';
const withSecret: Credentials = {
  secret: () => Promise.resolve(SECRET),
  accessToken: () => Promise.reject(new TypeError('There is no consent.')),
  renewedAccessToken: () => Promise.reject(new TypeError('There is no consent.')),
};

const make: Readonly<Record<Product, (url: string) => Promise<Names>>> = {
  async businessCentral(url) {
    const [tenantId, companyId, clientId] = [randomUUID(), randomUUID(), randomUUID()];
    const config = { tenantId, environmentName: 'Production', companyId, clientId };
    const settings = { environmentName: 'Production', companyId, clientId, clientSecret: SECRET };
    await control(`PUT ${url}/control/tenants/${tenantId}`, settings);
    return {
      provider: businessCentralProvider({ loginUrl: url, apiUrl: url }),
      config,
      credentials: withSecret,
    };
  },
  async odoo(url) {
    await control(`PUT ${url}/control/tenants/acme`, { apiKey: SECRET });
    return { provider: odooProvider, config: { baseUrl: `${url}/acme` }, credentials: withSecret };
  },
  async quickBooks(url) {
    const realmId = '4620816365291273680';
    await control(`PUT ${url}/control/tenants/${realmId}`, {});
    const credentials = await consent({
      authorizeUrl: `${url}/connect/oauth2`,
      tokenUrl: `${url}/oauth2/v1/tokens/bearer`,
      scope: 'com.intuit.quickbooks.accounting',
      tenant: realmId,
    });
    return { provider: quickBooksProvider({ apiUrl: url }), config: { realmId }, credentials };
  },
  async xero(url) {
    const tenantId = randomUUID();
    await control(`PUT ${url}/control/tenants/${tenantId}`, {});
    const credentials = await consent({
      authorizeUrl: `${url}/identity/connect/authorize`,
      tokenUrl: `${url}/connect/token`,
      scope:
        'offline_access accounting.contacts.read accounting.invoices.read accounting.settings.read accounting.payments.read',
      tenant: tenantId,
    });
    return { provider: xeroProvider({ apiUrl: url }), config: { tenantId }, credentials };
  },
};

/** Reads the bills of a company, or tests it, while matching calls get a given response. */
async function faultsOf(product: Product, spec: object, more: object = {}): Promise<(ErpFault | undefined)[]> {
  const url = simulators.urls[product];
  const { provider, config, credentials } = await make[product](url);
  const http = testCalls(url);
  calls.push(http);
  const faults: (ErpFault | undefined)[] = [];
  const open = () => openTestSession(provider, { config: { ...config, ...more }, http, credentials });
  for (const work of [() => readAll(open(), 'bills'), () => open().test()]) {
    await control(`DELETE ${url}/control/faults`);
    await control(`POST ${url}/control/faults`, spec);
    faults.push(
      await work().then(
        () => undefined,
        (error: unknown) => error as ErpFault,
      ),
    );
  }
  return faults;
}

const formats = {
  'a page': ['text/html', '<!doctype html><html><title>Bad gateway</title><body>No database, no company</body></html>'],
  nothing: ['text/html', ''],
  'nothing as JSON': ['application/json', ''],
  'JSON that is cut off': ['application/json', '{"value":[{"id":"1","QueryResponse":{"Bi'],
  'JSON of somebody else': ['application/json', '{"message":"no healthy upstream"}'],
  'an error of somebody else': [
    'application/json',
    '{"error":{"code":"E17"},"name":"x.Y","Detail":"x","error_codes":[1]}',
  ],
  XML: ['application/xml', '<?xml version="1.0"?><Error code="17"/>'],
} as const;
const statuses = [200, 400, 401, 402, 403, 404, 405, 409, 410, 413, 418, 422, 429, 500, 502, 503, 504];
const unknown = Object.entries(formats).flatMap(([format, [contentType, body]]) =>
  statuses.map((status) => [status, format, { status, body, headers: { 'content-type': contentType } }] as const),
);
const targets = [
  ['businessCentral', '/token'],
  ['businessCentral', '/api/v2.0/'],
  ['odoo', '/json/2/'],
  ['quickBooks', '/v3/company'],
  ['xero', '/api.xro/'],
] as const;

describe.each(targets)('of %s at %s', (product, match) => {
  test.each(unknown)(
    '%i with %s is an outage: once it is not noticed, and lasting it asks nobody to mend',
    async (...row) => {
      const [, , answer] = row;
      expect(await faultsOf(product, { match, kind: 'STATUS', times: 1, ...answer })).toEqual([undefined, undefined]);
      for (const fault of await faultsOf(product, { match, kind: 'STATUS', times: 0, ...answer })) {
        expect(['UPSTREAM_ERROR', 'BAD_RESPONSE', 'RATE_LIMITED', 'TIMEOUT']).toContain(fault?.code);
        expect(fault?.needsAPerson).toBe(false);
        expect(fault?.message).not.toMatch(/delete|secret|connect (it|the company) again|healthy|E17/i);
      }
    },
  );
});

describe('passing outages in an ERP’s own words', () => {
  const operational = (message: string) => ({
    name: 'psycopg2.OperationalError',
    message,
    arguments: [message],
    debug: 'Traceback',
  });
  const throttled = (detail: string) =>
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><IntuitResponse time="2026-03-02T10:00:00Z" xmlns="http://schema.intuit.com/finance/v3"><Fault type="SERVICE">${detail}</Fault></IntuitResponse>`;
  const xml = { headers: { 'content-type': 'application/xml' } };
  test.each<[string, Product, object, string]>([
    [
      'Odoo whose database takes no more connections',
      'odoo',
      { match: '/json/2/', status: 500, body: operational('FATAL:  sorry, too many clients already') },
      'UPSTREAM_ERROR',
    ],
    [
      'Odoo that repeats a transaction in vain',
      'odoo',
      { match: '/json/2/', status: 500, body: { ...operational('x'), name: 'psycopg2.errors.SerializationFailure' } },
      'UPSTREAM_ERROR',
    ],
    [
      'Odoo that selects no database because its database is silent',
      'odoo',
      { match: '/json/2/|/database/list', status: 404, body: '<p>No database is selected</p>' },
      'UPSTREAM_ERROR',
    ],
    [
      'Entra that is temporarily unavailable',
      'businessCentral',
      { match: '/token', status: 400, body: { error: 'temporarily_unavailable', error_codes: [90033] } },
      'UPSTREAM_ERROR',
    ],
    [
      'Business Central whose tenant is not available',
      'businessCentral',
      { match: '/api/v2.0/', status: 403, body: { error: { code: 'Internal_TenantUnavailable', message: 'x' } } },
      'UPSTREAM_ERROR',
    ],
    [
      'QuickBooks Online that throttles with 403 and XML',
      'quickBooks',
      {
        match: '/v3/company',
        status: 403,
        ...xml,
        body: throttled(
          '<Error code="3001"><Message>message=ThrottleExceeded; errorCode=003001; statusCode=403</Message></Error>',
        ),
      },
      'RATE_LIMITED',
    ],
    [
      'QuickBooks Online that throttles by name alone',
      'quickBooks',
      {
        match: '/v3/company',
        status: 403,
        ...xml,
        body: throttled('<Error><Message>ThrottleExceeded</Message></Error>'),
      },
      'RATE_LIMITED',
    ],
    [
      'QuickBooks Online with an error of its application',
      'quickBooks',
      { match: '/v3/company', status: 200, body: { Fault: { Error: [{ code: '10000' }], type: 'SystemFault' } } },
      'UPSTREAM_ERROR',
    ],
    [
      'Xero with an error of its own',
      'xero',
      { match: '/api.xro/', status: 412, body: { Type: null, Title: 'Precondition Failed', Status: 412, Detail: 'x' } },
      'UPSTREAM_ERROR',
    ],
  ])('%s', async (_, product, answer, code) => {
    const [read] = await faultsOf(product, { kind: 'STATUS', times: 1, ...answer });
    // The request for the list of databases is tested separately.
    if (!JSON.stringify(answer).includes('database/list')) expect(read).toBeUndefined();
    for (const fault of await faultsOf(product, { kind: 'STATUS', times: 0, ...answer })) {
      expect([fault?.code, fault?.needsAPerson]).toEqual([code, false]);
      expect(fault?.message).not.toMatch(/delete|secret|connect (it|the company) again/i);
    }
  });

  test('a 403 of Xero while its list of connections is silent is no proof that a right is missing', async () => {
    const refused = { Type: null, Title: 'Forbidden', Status: 403, Detail: 'AuthenticationUnsuccessful' };
    const url = simulators.urls.xero;
    const { provider, config, credentials } = await make.xero(url);
    const http = testCalls(url);
    calls.push(http);
    const fault = { kind: 'STATUS', times: 0 };
    await control(`POST ${url}/control/faults`, { ...fault, match: 'Invoices', status: 403, body: refused });
    await control(`POST ${url}/control/faults`, { ...fault, match: '/connections', status: 403, body: '<html>' });
    const session = openTestSession(provider, {
      config: config as Readonly<Record<string, unknown>>,
      http,
      credentials,
    });
    await expect(readAll(session, 'bills')).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });
});
