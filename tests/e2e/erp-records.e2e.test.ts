// Tests the imported records in the API: vendors, bills, and what is left after an ERP is disconnected.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startRunningSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import type { Page } from './shapes.js';

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };
interface Connection {
  readonly id: string;
  readonly status: string;
  readonly recentRuns: readonly { readonly id: string; readonly status: string; readonly finishedAt: string | null }[];
}

const CLIENT_SECRET = 'a~right.secret';
const IBAN = 'DE89370400440532013000';
const VENDOR = 'f7a5738a-44e3-ea11-bb43-000d3a2feca1';
const BILL = 'a1a5738a-44e3-ea11-bb43-000d3a2feca2';
const CREDIT_NOTE = 'b1a5738a-44e3-ea11-bb43-000d3a2feca3';

let erps: ErpSimulators;
let running: RunningSystem;
beforeAll(async () => {
  erps = await startErpSimulators();
  running = await startRunningSystem({
    BUSINESS_CENTRAL_LOGIN_URL: erps.urls.businessCentral,
    BUSINESS_CENTRAL_API_URL: erps.urls.businessCentral,
    BUSINESS_CENTRAL_BANK_ORIGINS: erps.urls.businessCentral,
    EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    ERP_POLL_SECONDS: '1',
  });
});
afterAll(async () => {
  await running.stop();
  await erps.stop();
});

async function control(method: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${erps.urls.businessCentral}/control${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

/**
 * Creates a company in Business Central with a vendor, its account, a bill and a credit note, and returns the request
 * that connects it.
 */
async function newCompany() {
  const [tenantId, companyId, clientId] = [randomUUID(), randomUUID(), randomUUID()];
  const environmentName = 'Production';
  await control('PUT', `/tenants/${tenantId}`, { environmentName, companyId, clientId, clientSecret: CLIENT_SECRET });
  const put = (entity: string, ...records: object[]) =>
    control('POST', `/tenants/${tenantId}/records`, { entity, records });
  await put('vendors', {
    id: VENDOR,
    number: '10000',
    displayName: 'Nordlicht Energie GmbH',
    taxRegistrationNumber: 'DE136695976',
    city: 'Hamburg',
    country: 'DE',
  });
  await put('vendorBankAccounts', { id: randomUUID(), code: 'GIRO', vendorNo: '10000', iban: IBAN });
  const ofVendor = {
    vendorId: VENDOR,
    vendorNumber: '10000',
    vendorName: 'Nordlicht Energie GmbH',
    currencyCode: 'EUR',
  };
  await put('purchaseInvoices', {
    ...ofVendor,
    id: BILL,
    number: '108001',
    vendorInvoiceNumber: 'RE-4711',
    invoiceDate: '2026-10-14',
    dueDate: '2026-11-13',
    orderNumber: '106021',
    totalAmountExcludingTax: 1000.5,
    totalTaxAmount: 190.1,
    totalAmountIncludingTax: 1190.6,
    status: 'Open',
  });
  await put('purchaseCreditMemos', {
    ...ofVendor,
    id: CREDIT_NOTE,
    number: '109001',
    vendorCreditMemoNumber: 'GS-1',
    creditMemoDate: '2026-10-20',
    totalAmountExcludingTax: 10,
    totalTaxAmount: 1.9,
    totalAmountIncludingTax: 11.9,
    status: 'Open',
  });
  const bankAccountEndpoint = `${erps.urls.businessCentral}/v2.0/${tenantId}/${environmentName}/api/navipartner/core/v1.0/companies({companyId})/vendorBankAccounts`;
  const config = {
    tenantId,
    environmentName,
    companyId,
    clientId,
    bankAccountEndpoint,
    bankAccountVendorIdField: 'vendorNo',
    bankAccountIbanField: 'iban',
  };
  return { provider: 'PROVIDER_A', config, client_secret: CLIENT_SECRET };
}

const list = async (key: string, target: string): Promise<readonly Shown[]> =>
  (await running.request<Page<Shown>>(`GET ${target}`, { key })).body.items;

/** Connects a simulated ERP and waits for its first synchronisation. */
async function connect(key: string, request: object): Promise<Connection> {
  const { status, body } = await running.request<Connection>('POST /erp-connections', { key, body: request });
  expect({ status, body }).toMatchObject({ status: 201 });
  return eventually(async () => {
    const { body: connection } = await running.request<Connection>(`GET /erp-connections/${body.id}`, { key });
    expect(connection).toMatchObject({ status: 'CONNECTED', recentRuns: [{ status: 'SUCCEEDED' }] });
    return connection;
  });
}

describe('records of an ERP', () => {
  let tenant: Tenant;
  let request: Awaited<ReturnType<typeof newCompany>>;
  let connection: Connection;
  beforeAll(async () => {
    tenant = await running.newTenant();
    request = await newCompany();
    connection = await connect(tenant.keys.owner, request);
  });

  test('is shown as invoices with source ERP, in the list and by id, and not among other invoices', async () => {
    const key = tenant.keys.viewer;
    const bills = await list(key, '/invoices?source=ERP');
    expect(bills).toHaveLength(2);
    const bill = bills.find(({ invoice }) => (invoice as { invoice_number: string }).invoice_number === 'RE-4711');
    expect(bill).toEqual({
      id: expect.any(String),
      companyId: tenant.companyId,
      source: 'ERP',
      status: 'RECEIVED',
      invoice: {
        supplier: { name: 'Nordlicht Energie GmbH', tax_id: 'DE136695976' },
        invoice_number: 'RE-4711',
        issue_date: '2026-10-14',
        due_date: '2026-11-13',
        currency: 'EUR',
        net_amount: '1000.5',
        tax_amount: '190.1',
        gross_amount: '1190.6',
        purchase_order_ref: '106021',
      },
      decision: null,
      riskScore: null,
      analysisId: null,
      documentId: null,
      scanId: null,
      createdAt: expect.any(String),
      erp: {
        connectionId: connection.id,
        externalId: BILL,
        erpNumber: '108001',
        kind: 'BILL',
        state: 'OPEN',
        linkedInvoiceId: null,
      },
    });
    const credit = bills.find((other) => other !== bill);
    expect(credit).toMatchObject({
      invoice: { invoice_number: 'GS-1', net_amount: '-10', tax_amount: '-1.9', gross_amount: '-11.9' },
      erp: { kind: 'CREDIT_NOTE', state: 'OPEN' },
    });
    expect((await running.request(`GET /invoices/${bill?.id}`, { key })).body).toEqual(bill);
    expect(await list(key, '/invoices')).toEqual([]);
    expect(await list(key, `/invoices?source=ERP&company_id=${randomUUID()}`)).toEqual([]);
    expect((await running.request(`GET /invoices/${bill?.id}/analysis/latest`, { key })).status).toBe(404);
    const usage = await running.request<{ items: readonly { meter: string; used: number }[] }>(
      'GET /organizations/current/usage',
      { key },
    );
    expect(usage.body.items).toContainEqual(expect.objectContaining({ meter: 'analyses', used: 0 }));
  });

  test('has vendors with masked accounts, found by the beginning of their names', async () => {
    const key = tenant.keys.owner;
    const [vendor, ...others] = await list(key, '/vendors?name=nordl');
    expect(others).toEqual([]);
    expect(vendor).toMatchObject({
      connectionId: connection.id,
      companyId: tenant.companyId,
      externalId: VENDOR,
      number: '10000',
      name: 'Nordlicht Energie GmbH',
      taxId: 'DE136695976',
      address: { city: 'Hamburg', country: 'DE' },
      status: 'ACTIVE',
      accounts: ['DE89**************3000'],
      isMaster: true,
      deletedAt: null,
    });
    const { body } = await running.request<Shown>(`GET /vendors/${vendor?.id}`, { key });
    expect(body).toMatchObject({ ...vendor, openFindingIds: [] });
    expect(body['invoiceIds']).toHaveLength(2);
    expect(await list(key, '/vendors?name=energie')).toEqual([]);
    expect(await list(key, `/vendors?connection_id=${connection.id}`)).toEqual([vendor]);
    expect(await list(key, `/vendors?company_id=${randomUUID()}`)).toEqual([]);
  });

  test('stays when the ERP is disconnected, whose vendors stop being a master, and connecting again doubles nothing', async () => {
    const key = tenant.keys.owner;
    const before = await list(key, '/invoices?source=ERP');
    const [vendor] = await list(key, '/vendors');
    expect((await running.request(`DELETE /erp-connections/${connection.id}`, { key })).status).toBe(204);
    await eventually(async () => expect(await list(key, '/vendors')).toEqual([{ ...vendor, isMaster: false }]));
    expect(await list(key, '/invoices?source=ERP')).toEqual(before);
    const again = await connect(key, request);
    expect(await list(key, '/vendors')).toEqual([{ ...vendor, connectionId: again.id }]);
    const bills = await list(key, '/invoices?source=ERP');
    expect(bills.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(bills).toEqual(
      before.map((bill) => ({ ...bill, erp: { ...(bill['erp'] as object), connectionId: again.id } })),
    );
  });

  test('is hidden from others: vendors and bills of another organization look like missing ones', async () => {
    const other = await running.newTenant();
    const [vendor] = await list(tenant.keys.owner, '/vendors');
    const [bill] = await list(tenant.keys.owner, '/invoices?source=ERP');
    for (const target of [`/vendors/${vendor?.id}`, `/invoices/${bill?.id}`]) {
      const requestId = randomUUID();
      const foreign = await running.request(`GET ${target}`, { key: other.keys.owner, requestId });
      const unknown = await running.request(`GET ${target.replace(/[^/]+$/, randomUUID())}`, {
        key: other.keys.owner,
        requestId,
      });
      expect(foreign.status).toBe(404);
      expect(foreign.body).toEqual(unknown.body);
    }
    expect(await list(other.keys.owner, '/vendors')).toEqual([]);
    expect(await list(other.keys.owner, '/invoices?source=ERP')).toEqual([]);
  });
});
