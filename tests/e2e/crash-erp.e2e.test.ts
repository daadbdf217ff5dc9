// Kills the erp-sync service during synchronisations: at every page, at its own writes, while it refreshes tokens, and
// while the analysis service ends a synchronisation.
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startErps } from '@invoicecontrol/dev/simulators';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { HoldOptions } from '@invoicecontrol/testkit/mongo-proxy';
import { startKillableSystem } from './crash/killable-system.js';
import type { KillableSystem } from './crash/killable-system.js';
import { reached } from './crash/reached.js';

/** For a long test run, set `CRASH_ERP_ROUNDS=50`. By default, each kind of kill happens once. */
const ROUNDS = Number(process.env['CRASH_ERP_ROUNDS'] ?? 13);
const ROUND_MS_MAX = 90_000;
/**
 * Time limit in milliseconds, several times the duration of the lease that a killed process leaves on its
 * synchronisation.
 */
const TAKEOVER_MS_MAX = 60_000;
const CALLBACK_URL = 'https://product.example.com/v1/erp-connections/oauth/callback';
/** Each round has two full pages of bills and one page that is not full. */
const PAGE_SIZE = 3;
const BILLS_PER_ROUND = 7;

type Erp = 'businessCentral' | 'odoo' | 'quickBooks' | 'xero';
const uuidOf = (n: number): string => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;

/** Rows of an ERP, and the ids that the API returns for them. */
interface Sample {
  readonly provider: string;
  readonly idOf: (n: number) => string;
  readonly vendors: string;
  readonly vendor: (n: number) => object;
  readonly bills: string;
  readonly bill: (n: number) => object;
}

const samples: Readonly<Record<Erp, Sample>> = {
  businessCentral: {
    provider: 'PROVIDER_A',
    idOf: uuidOf,
    vendors: 'vendors',
    vendor: (n: number) => ({ id: uuidOf(n), number: `V${n}`, displayName: `Vendor ${n}`, blocked: '_x0020_' }),
    bills: 'purchaseInvoices',
    bill: (n: number) => ({
      id: uuidOf(n),
      number: `1${n}`,
      vendorInvoiceNumber: `RE-${n}`,
      invoiceDate: '2026-02-27',
      vendorId: uuidOf(1),
      vendorNumber: 'V1',
      vendorName: 'Vendor 1',
      currencyCode: 'EUR',
      totalAmountIncludingTax: 1_000 + n,
      status: 'Open',
    }),
  },
  odoo: {
    provider: 'PROVIDER_B',
    idOf: String,
    vendors: 'res.partner',
    vendor: (n: number) => ({ id: n, name: `Vendor ${n}`, supplier_rank: 1 }),
    bills: 'account.move',
    bill: (n: number) => ({
      id: n,
      name: `BILL/${n}`,
      ref: `O-${n}`,
      partner_id: [1, 'Vendor 1'],
      invoice_date: '2026-02-27',
      amount_total: 4_000 + n,
    }),
  },
  quickBooks: {
    provider: 'PROVIDER_C',
    idOf: String,
    vendors: 'Vendor',
    vendor: (n: number) => ({ Id: String(n), DisplayName: `Vendor ${n}` }),
    bills: 'Bill',
    bill: (n: number) => ({ Id: String(n), DocNumber: `A-${n}`, VendorRef: { value: '1' }, TotalAmt: 2_000 + n }),
  },
  xero: {
    provider: 'PROVIDER_D',
    idOf: uuidOf,
    vendors: 'Contacts',
    vendor: (n: number) => ({ ContactID: uuidOf(n), Name: `Vendor ${n}` }),
    bills: 'Invoices',
    bill: (n: number) => ({
      InvoiceID: uuidOf(n),
      InvoiceNumber: `X-${n}`,
      Contact: { ContactID: uuidOf(1), Name: 'Vendor 1' },
      Total: 3_000 + n,
    }),
  },
};

interface Connected {
  readonly erp: Erp;
  /** Name of the company in the simulated ERP. */
  readonly company: string;
  readonly id: string;
  /** Number of vendors and bills in the ERP. */
  vendors: number;
  bills: number;
}

interface ShownRun {
  readonly id: string;
  readonly status: string;
  readonly finishedAt: string | null;
}

let erps: Awaited<ReturnType<typeof startErps>>;
let system: KillableSystem;
let tenant: Tenant;
beforeAll(async () => {
  erps = await startErps({ ERP_OAUTH_CALLBACK_URL: CALLBACK_URL });
  system = await startKillableSystem({
    erpSyncEnv: {
      ...erps.env,
      ERP_OAUTH_CALLBACK_URL: CALLBACK_URL,
      ERP_OAUTH_CONFIRM: 'false',
      ERP_POLL_SECONDS: '1',
      ERP_LEASE_SECONDS: '2',
      ERP_CALL_SECONDS: '2',
      ERP_PAGE_SIZE: String(PAGE_SIZE),
    },
  });
  tenant = await system.newTenant('Synchronised');
}, 120_000);
afterAll(async () => {
  await system.stop();
  await erps.simulators.stop();
});

async function request<Body>(target: string, body?: object): Promise<{ status: number; body: Body; location: string }> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(`${system.baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${tenant.keys.owner}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const location = response.headers.get('location') ?? '';
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body, location };
}

async function control<Body>(erp: Erp, target: string, body?: object): Promise<Body> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(`${erps.simulators.urls[erp]}/control${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as Body;
}

async function connectBusinessCentral(): Promise<Connected> {
  const [tenantId, companyId, clientId] = [randomUUID(), randomUUID(), randomUUID()];
  const environmentName = 'Production';
  const secret = 'right~secret.1';
  await control('businessCentral', `PUT /tenants/${tenantId}`, {
    environmentName,
    companyId,
    clientId,
    clientSecret: secret,
  });
  const { status, body } = await request<{ id: string }>('POST /erp-connections', {
    provider: 'PROVIDER_A',
    config: { tenantId, environmentName, companyId, clientId },
    client_secret: secret,
  });
  expect(status).toBe(201);
  return { erp: 'businessCentral', company: tenantId, id: body.id, vendors: 0, bills: 0 };
}

async function connectOdoo(): Promise<Connected> {
  const instance = `odoo-${randomUUID()}`;
  await control('odoo', `PUT /tenants/${instance}`, { apiKey: 'right-key' });
  const { status, body } = await request<{ id: string }>('POST /erp-connections', {
    provider: 'PROVIDER_B',
    config: { baseUrl: `${erps.simulators.urls.odoo}/${instance}` },
    api_key: 'right-key',
  });
  expect(status).toBe(201);
  return { erp: 'odoo', company: instance, id: body.id, vendors: 0, bills: 0 };
}

async function connectByConsent(erp: 'quickBooks' | 'xero'): Promise<Connected> {
  const company = erp === 'xero' ? randomUUID() : String(randomInt(1e9, 1e12));
  await control(erp, `PUT /tenants/${company}`, {});
  const started = await request<{ authorize_url: string }>('POST /erp-connections/oauth/start', {
    provider: samples[erp].provider,
  });
  const click = `${started.body.authorize_url}&simulate=allow&tenant=${company}`;
  const { headers } = await fetch(click, { redirect: 'manual' });
  const callback = new URL(headers.get('location') ?? 'none:');
  const { location } = await request(`GET ${callback.pathname.slice('/v1'.length)}${callback.search}`);
  const { searchParams } = new URL(location);
  expect(searchParams.get('status')).toBe('connected');
  return { erp, company, id: searchParams.get('connection_id') ?? '', vendors: 0, bills: 0 };
}

/** Adds vendors and bills, which the next synchronisation must import. */
async function addRecords(one: Connected): Promise<void> {
  const { vendors, vendor, bills, bill } = samples[one.erp];
  const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at + 1);
  const put = (entity: string, records: readonly object[]) =>
    control(one.erp, `POST /tenants/${one.company}/records`, { entity, records });
  await put(vendors, numbers(one.vendors, 2).map(vendor));
  await put(bills, numbers(one.bills, BILLS_PER_ROUND).map(bill));
  one.vendors += 2;
  one.bills += BILLS_PER_ROUND;
}

const runsOf = async ({ id }: Connected): Promise<readonly ShownRun[]> => {
  const { status, body } = await request<{ recentRuns: ShownRun[] }>(`GET /erp-connections/${id}`);
  expect(status).toBe(200);
  return body.recentRuns;
};

/** Starts a synchronisation if none is in progress. */
async function start({ id }: Connected): Promise<void> {
  await eventually(async () => expect((await request(`POST /erp-connections/${id}/sync`)).status).toBe(202), {
    timeoutMs: TAKEOVER_MS_MAX,
  });
}

/** Waits until a synchronisation that is not one of these has succeeded, and none is in progress. */
async function expectSuccess(one: Connected, before: ReadonlySet<string>): Promise<void> {
  await eventually(
    async () => {
      const runs = await runsOf(one);
      expect(runs.every(({ status }) => status !== 'RUNNING')).toBe(true);
      // The next synchronisation imports what an earlier one left out after an outage.
      if (runs[0]?.status !== 'SUCCEEDED') await request(`POST /erp-connections/${one.id}/sync`);
      expect(runs[0]?.status).toBe('SUCCEEDED');
      expect(before.has(runs[0]?.id ?? '')).toBe(false);
    },
    { timeoutMs: TAKEOVER_MS_MAX },
  );
}

async function allOf<Item>(path: string): Promise<Item[]> {
  const found: Item[] = [];
  let cursor = '';
  do {
    const { status, body } = await request<{ items: Item[]; nextCursor: string | null }>(
      `GET ${path}&limit=100${cursor}`,
    );
    expect(status).toBe(200);
    found.push(...body.items);
    cursor = body.nextCursor === null ? '' : `&cursor=${encodeURIComponent(body.nextCursor)}`;
  } while (cursor !== '');
  return found;
}

/** Checks that no row is missing and none is stored twice. */
async function expectAllThere(all: readonly Connected[]): Promise<void> {
  const bills = await allOf<{ erp: { connectionId: string; externalId: string } }>('/invoices?source=ERP');
  for (const one of all) {
    const { idOf } = samples[one.erp];
    const ids = bills.filter(({ erp }) => erp.connectionId === one.id).map(({ erp }) => erp.externalId);
    expect(ids.toSorted()).toEqual(Array.from({ length: one.bills }, (_, at) => idOf(at + 1)).toSorted());
  }
  const vendors = await allOf<{ connectionId: string }>('/vendors?');
  for (const { id, vendors: expected } of all) {
    expect(vendors.filter(({ connectionId }) => connectionId === id)).toHaveLength(expected);
  }
}

/** Kills the service during a call to the ERP that has no response yet, after the given number of calls. */
async function killAtCall(one: Connected, skip: number): Promise<void> {
  await control(one.erp, 'POST /faults', { match: '.', kind: 'HANG', seconds: 30, skip, tenant: one.company });
  await start(one);
  await eventually(async () => {
    const { items } = await control<{ items: { hits: number }[] }>(one.erp, 'GET /faults');
    expect(items[0]?.hits).toBeGreaterThan(0);
  });
  await system['erp-sync'].kill();
  await control(one.erp, 'DELETE /faults');
  await system['erp-sync'].restart();
}

/** Kills the service at one of its own writes, or at a write of the analysis service, which is then killed too. */
async function killAtWrite(one: Connected, victim: 'erp-sync' | 'analysis', options: HoldOptions): Promise<void> {
  const hold = system.proxyOf(victim).hold(options);
  // The request is not awaited, because its response may wait for the paused call.
  request(`POST /erp-connections/${one.id}/sync`).catch(() => {});
  await reached(hold, `${options.side} "${options.command}" was not reached`);
  await system[victim].kill();
  hold.drop();
  await system[victim].restart();
}

const expireAccess = (one: Connected) => control(one.erp, `POST /tenants/${one.company}/expire`, { what: 'ACCESS' });

/** Actions of the rounds of the crash test. The list is repeated. */
const rounds: readonly ((all: Readonly<Record<Erp, Connected>>, round: number) => Promise<void>)[] = [
  ({ businessCentral }, round) => killAtCall(businessCentral, 3 + (round % 9)),
  ({ xero }, round) => killAtCall(xero, round % 9),
  ({ quickBooks }, round) => killAtCall(quickBooks, round % 9),
  ({ odoo }, round) => killAtCall(odoo, round % 9),
  async ({ xero }) => {
    await expireAccess(xero);
    await killAtWrite(xero, 'erp-sync', {
      command: 'update connections',
      side: 'before',
      mentioning: ['tokensRefreshedAt'],
    });
  },
  async ({ quickBooks }) => {
    await expireAccess(quickBooks);
    await killAtWrite(quickBooks, 'erp-sync', {
      command: 'update connections',
      side: 'after',
      mentioning: ['tokensRefreshedAt'],
    });
  },
  ({ businessCentral }) => killAtWrite(businessCentral, 'erp-sync', { command: 'insert runs', side: 'before' }),
  ({ businessCentral }) =>
    killAtWrite(businessCentral, 'erp-sync', {
      command: 'update connections',
      side: 'after',
      mentioning: ['streams.bills'],
    }),
  ({ odoo }) =>
    killAtWrite(odoo, 'erp-sync', { command: 'update connections', side: 'before', mentioning: ['streams.bills'] }),
  ({ xero }) =>
    killAtWrite(xero, 'analysis', { command: 'update erp_sources', side: 'before', mentioning: ['completedThrough'] }),
  ({ quickBooks }) =>
    killAtWrite(quickBooks, 'analysis', {
      command: 'update erp_sources',
      side: 'after',
      mentioning: ['completedThrough'],
    }),
  ({ businessCentral }) =>
    killAtWrite(businessCentral, 'analysis', { command: 'update erp_sources', side: 'before', mentioning: ['BILLS'] }),
  ({ xero }) =>
    killAtWrite(xero, 'analysis', { command: 'update erp_sources', side: 'after', mentioning: ['PAYMENTS'] }),
];

test(
  'synchronisations that are killed lose no row, bring none twice, and keep their access',
  async () => {
    const all = {
      businessCentral: await connectBusinessCentral(),
      odoo: await connectOdoo(),
      quickBooks: await connectByConsent('quickBooks'),
      xero: await connectByConsent('xero'),
    };
    for (const one of Object.values(all)) await expectSuccess(one, new Set());
    for (let round = 0; round < ROUNDS; round++) {
      const before = new Map<Connected, ReadonlySet<string>>();
      for (const one of Object.values(all)) {
        before.set(one, new Set((await runsOf(one)).map(({ id }) => id)));
        await addRecords(one);
      }
      await rounds[round % rounds.length]?.(all, round);
      for (const one of Object.values(all)) {
        // The killed synchronisation is continued, and the other connections have none in progress.
        const started = (await eventually(() => runsOf(one), { timeoutMs: TAKEOVER_MS_MAX })).some(
          ({ id }) => before.get(one)?.has(id) === false,
        );
        if (!started) await start(one);
      }
      for (const [one, runs] of before) await expectSuccess(one, runs);
      await expectAllThere(Object.values(all));
    }
    for (const { erp, company } of [all.quickBooks, all.xero]) {
      expect(await control(erp, `GET /tenants/${company}/tokens`)).toMatchObject({ reused: 0, connected: true });
    }
    expect(system.unexpected).toEqual([]);
  },
  ROUNDS * ROUND_MS_MAX,
);
