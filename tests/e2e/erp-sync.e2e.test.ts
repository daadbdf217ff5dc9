import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startErps } from '@invoicecontrol/dev/simulators';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startRunningSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import type { Page } from './shapes.js';

interface StreamCounts {
  readonly fetched: number;
  readonly created: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly failed: number;
}

interface Run {
  readonly id: string;
  readonly trigger: string;
  readonly mode: string;
  readonly status: string;
  readonly streams: Readonly<Record<string, StreamCounts>>;
  readonly errors: readonly { readonly stream: string | null; readonly code: string; readonly message: string }[];
  readonly httpCalls: number;
}

interface Connection {
  readonly id: string;
  readonly status: string;
  readonly lastErrorCode: string | null;
  readonly nextSyncAt: string | null;
  readonly recentRuns: readonly Run[];
}

interface Bill {
  readonly id: string;
  readonly source: string;
  readonly invoice: {
    readonly invoice_number: string;
    readonly gross_amount: string;
    readonly supplier: { readonly name: string };
  };
  readonly erp: { readonly connectionId: string; readonly externalId: string; readonly state: string };
}

let running: RunningSystem;
let erps: ErpSimulators;

const ERP_OAUTH_CALLBACK_URL = 'https://product.example.com/v1/erp-connections/oauth/callback';

beforeAll(async () => {
  const started = await startErps({ ERP_OAUTH_CALLBACK_URL });
  erps = started.simulators;
  running = await startRunningSystem({
    ...started.env,
    ERP_OAUTH_CALLBACK_URL,
    ERP_OAUTH_CONFIRM: 'false',
    ERP_POLL_SECONDS: '1',
    ERP_PAGE_SIZE: '10',
    ERP_BACKOFF_MS: '5',
    ERP_BACKOFF_MAX_SECONDS: '2',
    ERP_CALL_SECONDS: '1',
    ERP_RESPONSE_MAX_BYTES: String(1024 * 1024),
  });
});
afterAll(async () => {
  await running.stop();
  await erps.stop();
});

async function control<Body = unknown>(target: string, body?: unknown): Promise<Body> {
  const [method = '', url = ''] = target.split(' ');
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([expect.any(Number), expect.anything()]);
  if (response.status >= 300) throw new Error(`${target}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}

/** A simulated ERP company with its records, and the functions that connect it. */
interface Company {
  readonly url: string;
  readonly tenant: string;
  put(entity: string, records: readonly object[]): Promise<void>;
  vanish(entity: string, ids: readonly unknown[]): Promise<void>;
  expire(what: string): Promise<void>;
  fault(fault: object): Promise<void>;
  /** Returns the calls that the ERP received after call number `after`, without calls for tokens. */
  calls(after?: number): Promise<readonly { readonly n: number; readonly path: string }[]>;
  /** Creates the simulated company again, without records and with another secret. */
  renew(secret: string): Promise<void>;
  readonly body: Readonly<Record<string, unknown>>;
}

function company(
  url: string,
  tenant: string,
  body: Readonly<Record<string, unknown>>,
  renew: (secret: string) => Promise<void>,
): Company {
  return {
    url,
    tenant,
    body,
    renew,
    async put(entity, records) {
      await control(`POST ${url}/control/tenants/${tenant}/records`, { entity, records });
    },
    async vanish(entity, ids) {
      await control(`POST ${url}/control/tenants/${tenant}/records`, { entity, records: [], remove: ids });
    },
    async expire(what) {
      await control(`POST ${url}/control/tenants/${tenant}/expire`, { what });
    },
    async fault(fault) {
      await control(`POST ${url}/control/faults`, { tenant, ...fault });
    },
    async calls(after = 0) {
      const { items } = await control<{ items: { n: number; path: string }[] }>(
        `GET ${url}/control/tenants/${tenant}/requests?after=${after}`,
      );
      return items;
    },
  };
}

const SECRET = 'right~secret.1';

async function businessCentral(): Promise<Company> {
  const url = erps.urls.businessCentral;
  const [tenantId, companyId, clientId] = [randomUUID(), randomUUID(), randomUUID()];
  const environmentName = 'Production';
  const make = async (clientSecret: string): Promise<void> => {
    const settings = { environmentName, companyId, companyName: 'Cronus', clientId, clientSecret };
    await control(`PUT ${url}/control/tenants/${tenantId}`, settings);
  };
  await make(SECRET);
  const config = { tenantId, environmentName, companyId, clientId };
  return company(url, tenantId, { provider: 'BUSINESS_CENTRAL', config, client_secret: SECRET }, make);
}

async function odoo(): Promise<Company> {
  const url = erps.urls.odoo;
  const instance = `i${randomUUID().slice(0, 8)}`;
  const make = async (apiKey: string): Promise<void> => {
    await control(`PUT ${url}/control/tenants/${instance}`, { apiKey });
  };
  await make(SECRET);
  return company(url, instance, { provider: 'ODOO', config: { baseUrl: `${url}/${instance}` }, api_key: SECRET }, make);
}

/** Returns a company of an ERP that is connected by consent and has no secret to renew. */
async function consented(erp: 'quickBooks' | 'xero'): Promise<Company> {
  const url = erps.urls[erp];
  const id = erp === 'xero' ? randomUUID() : String(randomInt(1e9, 1e12));
  await control(`PUT ${url}/control/tenants/${id}`, {});
  const provider = erp === 'xero' ? 'XERO' : 'QUICKBOOKS_ONLINE';
  return company(url, id, { provider }, () => Promise.reject(new TypeError('There is no secret.')));
}

const guid = (kind: number, id: number): string => `00000000-0000-${kind}000-8000-${String(id).padStart(12, '0')}`;
const bcVendor = (id: number) => ({
  id: guid(1, id),
  number: `V${id}`,
  displayName: `Vendor ${id}`,
  blocked: '_x0020_',
});
const bcInvoice = (id: number) => ({
  id: guid(2, id),
  number: `10${id}`,
  vendorInvoiceNumber: `RE-${id}`,
  invoiceDate: '2026-02-27',
  postingDate: '2026-03-02',
  dueDate: '2026-03-29',
  vendorId: guid(1, 1),
  vendorNumber: 'V1',
  vendorName: 'Vendor 1',
  currencyCode: 'EUR',
  totalAmountExcludingTax: 1_000 + id,
  totalTaxAmount: 190,
  totalAmountIncludingTax: 1_190 + id,
  status: 'Open',
});
const odooVendor = (id: number) => ({ id: 100 + id, name: `Vendor ${id}`, supplier_rank: 1, active: true });
const odooBill = (id: number) => ({
  id: 500 + id,
  name: `BILL/2026/${id}`,
  ref: `RE-${id}`,
  move_type: 'in_invoice',
  state: 'posted',
  payment_state: 'not_paid',
  partner_id: [101, 'Vendor 1'],
  commercial_partner_id: [101, 'Vendor 1'],
  invoice_date: '2026-02-03',
  invoice_date_due: '2026-03-05',
  currency_id: [126, 'EUR'],
  company_id: [1, 'Company'],
  amount_untaxed: 100,
  amount_tax: 21,
  amount_total: 121 + id,
  amount_residual: 121 + id,
});
const quickBooksVendor = (id: number) => ({ Id: String(id), DisplayName: `Vendor ${id}`, CompanyName: '' });
const quickBooksBill = (id: number) => ({
  Id: String(id),
  DocNumber: `RE-${id}`,
  TxnDate: '2026-02-03',
  VendorRef: { value: '1', name: 'Vendor 1' },
  TotalAmt: 121 + id,
  Balance: 121 + id,
});
const xeroContact = (id: number) => ({ ContactID: guid(1, id), Name: `Vendor ${id}` });
const xeroInvoice = (id: number) => ({
  InvoiceID: guid(2, id),
  InvoiceNumber: `RE-${id}`,
  Contact: { ContactID: guid(1, 1), Name: 'Vendor 1' },
  DateString: '2026-02-03T00:00:00',
  Total: 121 + id,
});
const many = <T>(count: number, make: (id: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

interface Case {
  readonly name: string;
  readonly make: () => Promise<Company>;
  readonly seed: (erp: Company, vendors: number, bills: number) => Promise<void>;
  /** Patterns for the calls that read vendors and bills. */
  readonly vendorCalls: string;
  readonly billCalls: string;
  /** Name of the ERP field that contains the name of a vendor. */
  readonly nameField: string;
}

const withCredentials = [
  {
    name: 'Business Central',
    make: businessCentral,
    seed: async (erp: Company, vendors: number, bills: number) => {
      await erp.put('vendors', many(vendors, bcVendor));
      await erp.put('purchaseInvoices', many(bills, bcInvoice));
    },
    vendorCalls: '/vendors',
    nameField: 'displayName',
    billCalls: '/purchaseInvoices',
    remove: (erp: Company) => erp.vanish('purchaseInvoices', [guid(2, 1)]),
    secretField: 'client_secret',
  },
  {
    name: 'Odoo',
    make: odoo,
    seed: async (erp: Company, vendors: number, bills: number) => {
      await erp.put('res.partner', many(vendors, odooVendor));
      await erp.put('account.move', many(bills, odooBill));
    },
    vendorCalls: 'res\\.partner/search_read',
    nameField: 'name',
    billCalls: 'account\\.move/search_read.*\\["in_invoice"\\].*invoice_date_due',
    remove: (erp: Company) => erp.vanish('account.move', [501]),
    secretField: 'api_key',
  },
] as const;

const byConsent: readonly Case[] = [
  {
    name: 'QuickBooks Online',
    make: () => consented('quickBooks'),
    seed: async (erp, vendors, bills) => {
      await erp.put('Vendor', many(vendors, quickBooksVendor));
      await erp.put('Bill', many(bills, quickBooksBill));
    },
    vendorCalls: 'from Vendor ',
    billCalls: 'from Bill ',
    nameField: 'DisplayName',
  },
  {
    name: 'Xero',
    make: () => consented('xero'),
    seed: async (erp, vendors, bills) => {
      await erp.put('Contacts', many(vendors, xeroContact));
      await erp.put('Invoices', many(bills, xeroInvoice));
    },
    vendorCalls: '/Contacts',
    billCalls: 'Type=="ACCPAY"',
    nameField: 'Name',
  },
];

let tenant: Tenant;
beforeEach(async () => {
  tenant = await running.newTenant();
});

/** Connects the ERP in the way of a user who gives consent. */
async function connectByConsent(erp: Company): Promise<Connection> {
  const key = tenant.keys.owner;
  const { body: started } = await running.request<{ authorize_url: string }>('POST /erp-connections/oauth/start', {
    key,
    body: erp.body,
  });
  const clicked = await fetch(`${started.authorize_url}&simulate=allow&tenant=${erp.tenant}`, { redirect: 'manual' });
  const callback = new URL(clicked.headers.get('location') ?? 'none:');
  const { headers } = await running.request(`GET ${callback.pathname.slice('/v1'.length)}${callback.search}`);
  const { searchParams } = new URL(headers.get('location') ?? 'none:');
  expect(searchParams.get('status')).toBe('connected');
  return read(searchParams.get('connection_id') ?? '');
}

async function connect(erp: Company): Promise<Connection> {
  if (erp.body['config'] === undefined) return connectByConsent(erp);
  const { status, body } = await running.request<Connection>('POST /erp-connections', {
    key: tenant.keys.owner,
    body: erp.body,
  });
  expect([status, body]).toMatchObject([201, { status: 'PENDING', recentRuns: [] }]);
  return body;
}

const read = async (id: string): Promise<Connection> =>
  (await running.request<Connection>(`GET /erp-connections/${id}`, { key: tenant.keys.owner })).body;

/** Waits until this number of synchronisations has ended, and returns the newest one. */
async function ended(id: string, count = 1): Promise<Run> {
  return eventually(async () => {
    const { recentRuns } = await read(id);
    expect(recentRuns.length).toBeGreaterThanOrEqual(count);
    const [run] = recentRuns;
    expect(run?.status).not.toBe('RUNNING');
    if (run === undefined) throw new Error('no run');
    return run;
  });
}

async function sync(id: string, count: number, mode?: string): Promise<Run> {
  const answer = await running.request<Run>(`POST /erp-connections/${id}/sync`, {
    key: tenant.keys.owner,
    ...(mode === undefined ? {} : { body: { mode } }),
  });
  expect([answer.status, answer.body]).toMatchObject([202, { status: 'RUNNING', trigger: 'MANUAL' }]);
  return ended(id, count);
}

async function bills(): Promise<Bill[]> {
  const found: Bill[] = [];
  let cursor = '';
  do {
    const { body } = await running.request<Page<Bill>>(`GET /invoices?source=ERP&limit=100${cursor}`, {
      key: tenant.keys.owner,
    });
    found.push(...body.items);
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  return found;
}

describe.each<Case>([...withCredentials, ...byConsent])(
  '$name',
  ({ make, seed, billCalls, vendorCalls, nameField }) => {
    test('is imported by the first run, page by page, and costs at most ten calls when nothing has changed', async () => {
      const erp = await make();
      await seed(erp, 25, 23);
      const { id } = await connect(erp);
      const first = await ended(id);
      expect(first).toMatchObject({ trigger: 'INITIAL', mode: 'FULL', status: 'SUCCEEDED', errors: [] });
      expect(first.streams['vendors']).toMatchObject({ fetched: 25, created: 25, failed: 0 });
      expect(first.streams['bills']).toMatchObject({ fetched: 23, created: 23, failed: 0 });
      expect(await read(id)).toMatchObject({ status: 'CONNECTED', lastErrorCode: null });
      const imported = await bills();
      expect(imported).toHaveLength(23);
      expect(new Set(imported.map(({ invoice }) => invoice.invoice_number)).size).toBe(23);
      expect(imported[0]).toMatchObject({ source: 'ERP', erp: { connectionId: id, state: 'OPEN' } });

      // The synchronisation an hour later reads again what changed shortly before the first one. The synchronisation
      // after that finds no change.
      await control(`POST ${erp.url}/control/clock`, { advanceSeconds: 3_000 });
      expect(await sync(id, 2)).toMatchObject({ status: 'SUCCEEDED', streams: { bills: { created: 0, updated: 0 } } });
      const before = (await erp.calls()).at(-1)?.n ?? 0;
      const third = await sync(id, 3);
      expect(third).toMatchObject({ status: 'SUCCEEDED', errors: [] });
      const calls = (await erp.calls(before)).filter(({ path }) => !path.endsWith('/token'));
      expect(calls.length).toBeGreaterThan(0);
      expect(calls.length).toBeLessThanOrEqual(10);
      expect(third.httpCalls).toBeLessThanOrEqual(10);
      expect(await bills()).toHaveLength(23);
    });

    test('that takes rights back turns to ERROR with PERMISSION_DENIED within one run', async () => {
      const erp = await make();
      await seed(erp, 2, 2);
      const { id } = await connect(erp);
      await ended(id);
      await erp.expire('RIGHTS');
      expect(await sync(id, 2)).toMatchObject({ status: 'FAILED' });
      expect(await read(id)).toMatchObject({ status: 'ERROR', lastErrorCode: 'PERMISSION_DENIED' });
    });

    test.each<[string, object, string]>([
      ['more bytes than the cap', { kind: 'HUGE', bytes: 3 * 1024 * 1024 }, 'BAD_RESPONSE'],
      ['a gigabyte', { kind: 'HUGE', bytes: 1024 ** 3 }, 'BAD_RESPONSE'],
      ['a drip', { kind: 'DRIP', bytesPerSecond: 20 }, 'TIMEOUT'],
      ['no answer', { kind: 'HANG', seconds: 30 }, 'TIMEOUT'],
      ['a redirect into the machine', { kind: 'REDIRECT', location: 'http://127.0.0.1:1/' }, 'BAD_RESPONSE'],
      ['a body that is no JSON', { kind: 'BODY', body: '<html>', contentType: 'application/json' }, 'BAD_RESPONSE'],
      ['the same page again and again', { kind: 'ENDLESS' }, 'BAD_RESPONSE'],
      ['errors of its own', { kind: 'STATUS', status: 500 }, 'UPSTREAM_ERROR'],
      ['broken connections', { kind: 'DROP' }, 'UPSTREAM_ERROR'],
    ])(
      'that sends %s for bills: the run is PARTIAL, the vendors are there, the next run is good',
      async (_, fault, code) => {
        const erp = await make();
        await seed(erp, 12, 25);
        await erp.fault({ match: billCalls, times: 0, ...fault });
        const { id } = await connect(erp);
        const run = await ended(id);
        expect([run.status, run.errors]).toMatchObject(['PARTIAL', expect.anything()]);
        expect(run.errors).toContainEqual(expect.objectContaining({ stream: 'bills', code }));
        expect(run.streams['vendors']).toMatchObject({ created: 12 });
        expect(JSON.stringify(run)).not.toMatch(/127\.0\.0\.1|html/);
        await control(`DELETE ${erp.url}/control/faults`);
        expect(await sync(id, 2)).toMatchObject({ status: 'SUCCEEDED', errors: [] });
        expect(await bills()).toHaveLength(25);
      },
    );

    test.each<[string, unknown]>([
      ['NUL', 'A\u0000B'],
      ['half a surrogate pair', 'A\uD800'],
      ['an object', { nested: ['x'] }],
      ['nothing', ''],
    ])('that names its vendors with %s: none of them is stored', async (_, value) => {
      const erp = await make();
      await seed(erp, 5, 0);
      await erp.fault({ match: vendorCalls, times: 0, kind: 'PATCH', field: nameField, value });
      const { id } = await connect(erp);
      const run = await ended(id);
      expect(run.streams['vendors']).toMatchObject({ fetched: 5, created: 0, failed: 5 });
      expect(run.errors[0]).toMatchObject({ stream: 'vendors', code: 'RECORD_INVALID' });
      expect(['PARTIAL', 'FAILED']).toContain(run.status);
      await control(`DELETE ${erp.url}/control/faults`);
    });

    test('that throttles briefly is waited for, and one that asks for an hour ends the run', async () => {
      const erp = await make();
      await seed(erp, 2, 2);
      await erp.fault({ match: billCalls, times: 1, kind: 'THROTTLE', retryAfter: 1 });
      const { id } = await connect(erp);
      expect(await ended(id)).toMatchObject({ status: 'SUCCEEDED' });
      await erp.fault({ match: billCalls, times: 1, kind: 'THROTTLE', retryAfter: 3_600 });
      const run = await sync(id, 2);
      expect(run.status).toBe('PARTIAL');
      expect(run.errors.map(({ code }) => code)).toEqual(['RATE_LIMITED']);
      const { nextSyncAt, status } = await read(id);
      expect(status).toBe('CONNECTED');
      expect(Date.parse(nextSyncAt ?? '') - Date.now()).toBeGreaterThan(3_500_000);
      await control(`DELETE ${erp.url}/control/faults`);
    });
  },
);

describe.each(withCredentials)('$name', ({ make, seed, remove, secretField }) => {
  test('without rights turns to ERROR with PERMISSION_DENIED', async () => {
    const erp = await make();
    await seed(erp, 2, 2);
    await erp.expire('RIGHTS');
    const { id } = await connect(erp);
    expect(await ended(id)).toMatchObject({ status: 'FAILED' });
    expect(await read(id)).toMatchObject({ status: 'ERROR', lastErrorCode: 'PERMISSION_DENIED' });
  });

  test('loses a bill in a full run, and the bill is VOID', async () => {
    const erp = await make();
    await seed(erp, 2, 3);
    const { id } = await connect(erp);
    await ended(id);
    await remove(erp);
    const run = await sync(id, 2, 'FULL');
    expect(run).toMatchObject({ mode: 'FULL', status: 'SUCCEEDED' });
    expect(run.streams['bills']).toMatchObject({ deleted: 1 });
    const states = (await bills()).map((bill) => bill.erp.state).sort();
    expect(states).toEqual(['OPEN', 'OPEN', 'VOID']);
  });

  test('with a revoked secret turns to ERROR within one run, and a new secret brings it back without a request', async () => {
    const erp = await make();
    await seed(erp, 2, 2);
    const { id } = await connect(erp);
    await ended(id);
    if (secretField === 'client_secret') await erp.expire('ACCESS');
    await erp.expire('SECRET');
    const failed = await sync(id, 2);
    expect(failed.status).toBe('FAILED');
    expect(failed.errors[0]?.code).toBe('AUTH_FAILED');
    expect(await read(id)).toMatchObject({ status: 'ERROR', lastErrorCode: 'AUTH_FAILED', nextSyncAt: null });
    await erp.renew('another~secret.2');
    const { status } = await running.request(`PATCH /erp-connections/${id}`, {
      key: tenant.keys.owner,
      body: { [secretField]: 'another~secret.2' },
    });
    expect(status).toBe(200);
    expect((await ended(id, 3)).status).toBe('SUCCEEDED');
    expect(await read(id)).toMatchObject({ status: 'CONNECTED', lastErrorCode: null });
  });
});

test('a link to the next page at another host ends the stream, and the token is not sent there', async () => {
  const erp = await businessCentral();
  await erp.put('vendors', many(25, bcVendor));
  const trap = await odoo();
  await erp.fault({ match: '/vendors', times: 0, kind: 'NEXT_LINK', url: `${trap.url}/${trap.tenant}/web/version` });
  const { id } = await connect(erp);
  const run = await ended(id);
  expect(run.errors).toContainEqual(expect.objectContaining({ stream: 'vendors', code: 'BAD_RESPONSE' }));
  expect(await trap.calls()).toEqual([]);
  await control(`DELETE ${erp.url}/control/faults`);
});
