// Tests the checks that a connected ERP adds, through the whole product: the gateway, the services and a simulated Odoo.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startRunningSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { plainInvoice } from './shapes.js';
import type { AcceptedAnalysis, Finding, Page, StoredInvoice } from './shapes.js';

const API_KEY = 'a-right-api-key';
const HOME = 'DE89370400440532013000';
const FORGED = 'DE02500105170137075030';
const { issue_date: ISSUE_DATE } = plainInvoice(1);
const supplier = { name: 'Azure Interior', tax_id: 'DE136695976' };

interface Connection {
  readonly id: string;
  readonly recentRuns: readonly { readonly id: string; readonly status: string; readonly finishedAt: string | null }[];
}

let erps: ErpSimulators;
let running: RunningSystem;
beforeAll(async () => {
  erps = await startErpSimulators();
  running = await startRunningSystem({ ERP_EGRESS_ALLOW_ORIGINS: erps.urls.odoo, ERP_POLL_SECONDS: '1' });
});
afterAll(async () => {
  await running.stop();
  await erps.stop();
});

async function control(method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${erps.urls.odoo}/control${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

const bill = (id: number, changes: object) => ({
  id,
  name: `BILL/${id}`,
  state: 'posted',
  payment_state: 'not_paid',
  partner_id: [14, 'Azure Interior'],
  commercial_partner_id: [14, 'Azure Interior'],
  invoice_date: ISSUE_DATE,
  date: ISSUE_DATE,
  amount_untaxed: 1000,
  amount_tax: 190,
  amount_total: 1190,
  amount_residual: 1190,
  ...changes,
});

test('a connected ERP blocks a forged account, knows what is booked, and reports what is wrong in the books, once', async () => {
  const { keys } = await running.newTenant();
  const key = keys.owner;
  const instance = `odoo-${randomUUID()}`;
  const put = (entity: string, records: object[]) =>
    control('POST', `/tenants/${instance}/records`, { entity, records });
  await control('PUT', `/tenants/${instance}`, { apiKey: API_KEY });
  await put('res.partner', [
    { id: 14, name: supplier.name, vat: supplier.tax_id, supplier_rank: 1 },
    { id: 15, name: 'Other Vendor', supplier_rank: 1 },
  ]);
  await put('res.partner.bank', [
    { id: 7, partner_id: [14, supplier.name], acc_number: HOME },
    { id: 8, partner_id: [15, 'Other Vendor'], acc_number: 'DE75512108001245126199' },
  ]);
  const post = async (changes: object) =>
    (
      await running.request<AcceptedAnalysis>('POST /invoices', {
        key,
        body: { ...plainInvoice(1), supplier, currency: 'EUR', ...changes },
      })
    ).body;
  const posted = await post({ invoice_number: 'INV-2026-77', gross_amount: '1190.00' });
  expect(posted.decision).toBe('PASS');

  await put('account.move', [
    bill(51, { ref: 'INV-2026-77' }),
    bill(52, { ref: 'B-4000', amount_total: 400, amount_residual: 400 }),
    bill(53, { ref: 'b 4000', amount_total: 400, amount_residual: 400 }),
    bill(54, {
      ref: 'C-17',
      amount_total: 80,
      amount_residual: 0,
      payment_state: 'paid',
      partner_bank_id: [8, 'DE75'],
    }),
    bill(55, { ref: 'D-9', amount_total: 60, amount_residual: -5, payment_state: 'paid' }),
  ]);
  await put('purchase.order', [
    {
      id: 3,
      name: 'P00012',
      partner_id: [14, supplier.name],
      state: 'purchase',
      amount_untaxed: 90,
      amount_total: 100,
    },
  ]);
  const created = await running.request<Connection>('POST /erp-connections', {
    key,
    body: { provider: 'ODOO', config: { baseUrl: `${erps.urls.odoo}/${instance}` }, api_key: API_KEY },
  });
  const { id } = created.body;
  const ended = (runs: number) =>
    eventually(async () => {
      const { body } = await running.request<Connection>(`GET /erp-connections/${id}`, { key });
      expect(body.recentRuns).toHaveLength(runs);
      expect(body.recentRuns[0]).toMatchObject({ status: 'SUCCEEDED', finishedAt: expect.any(String) });
    });
  await ended(1);

  const { items: bills } = (await running.request<Page<StoredInvoice>>('GET /invoices?source=ERP', { key })).body;
  const linked = bills.filter(({ erp }) => erp?.linkedInvoiceId !== null);
  expect(linked).toMatchObject([{ erp: { externalId: '51', linkedInvoiceId: posted.id } }]);

  const inBooks = async () => {
    const { items } = (await running.request<Page<Finding>>('GET /findings?limit=100', { key })).body;
    return items.filter(({ invoiceId }) => invoiceId === null);
  };
  const types = (await inBooks()).map(({ type }) => type).sort();
  expect(types).toEqual(['BOOKS_DUPLICATE_BILL', 'PAYMENT_ACCOUNT_MISMATCH', 'PAYMENT_AMOUNT_MISMATCH']);

  const typesOf = ({ findings }: AcceptedAnalysis): string[] => findings.map(({ type }) => type);
  const forged = await post({
    invoice_number: 'INV-2026-90',
    gross_amount: '33.10',
    supplier: { ...supplier, bank_account: { iban: FORGED } },
  });
  expect(forged.decision).toBe('BLOCK');
  expect(typesOf(forged)).toContain('BANK_ACCOUNT_MASTER_MISMATCH');
  const booked = await post({ invoice_number: 'B4000', gross_amount: '400.00' });
  expect(booked.decision).toBe('BLOCK');
  expect(typesOf(booked)).toContain('DUPLICATE_INVOICE');
  const overbilled = await post({ invoice_number: 'E-5', gross_amount: '250.00', purchase_order_ref: 'P00012' });
  expect(typesOf(overbilled)).toContain('PO_OVERBILLED');
  const stranger = await post({ invoice_number: 'F-1', gross_amount: '21.00', supplier: { name: 'Nobody Known Ltd' } });
  expect(typesOf(stranger)).toContain('SUPPLIER_NOT_IN_MASTER');

  await put('res.partner.bank', [{ id: 7, partner_id: [14, supplier.name], acc_number: FORGED }]);
  await running.request(`POST /erp-connections/${id}/sync`, { key, body: { mode: 'FULL' } });
  await ended(2);
  expect((await inBooks()).map(({ type }) => type).sort()).toEqual([...types, 'VENDOR_MASTER_BANK_CHANGED']);

  const changed = (await inBooks()).find(({ type }) => type === 'VENDOR_MASTER_BANK_CHANGED');
  const vendor = await running.request<{ readonly name: string; readonly openFindingIds: readonly string[] }>(
    `GET /vendors/${String(changed?.evidence?.['vendorId'])}`,
    { key },
  );
  expect(vendor.body).toMatchObject({ name: supplier.name, openFindingIds: expect.arrayContaining([changed?.id]) });
}, 120_000);
