import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { readZip } from '@invoicecontrol/testkit/read-zip';
import { useSharedSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';
import { plainInvoice, plainRow } from './shapes.js';
import type { Finding, Page } from './shapes.js';
import { ubl, uploadXml } from './uploading.js';

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
  await Promise.all([fill(running.tenant), fill(running.other)]);
});
afterAll(() => running.stop());

const ERP_KEY = 'the-key-of-an-erp';
const KSEF_TOKEN = 'the-token-of-a-company-for-ksef';

type Line = Readonly<Record<string, unknown>>;

interface Archive {
  readonly headers: Headers;
  /** Names of the files in the exported archive, in their order. */
  readonly names: readonly string[];
  /** Unpacked contents of all files in the archive as text. */
  readonly text: string;
  lines(name: string): readonly Line[];
  file(name: string): Buffer;
}

const exportPath = (query: string): string => `${running.origin}/v1/organizations/current/export${query}`;

async function archiveOf({ keys }: Tenant, query = ''): Promise<Archive> {
  const response = await fetch(exportPath(query), { headers: { authorization: `Bearer ${keys.owner}` } });
  expect(response.status).toBe(200);
  const files = readZip(Buffer.from(await response.arrayBuffer()));
  const file = (name: string): Buffer => {
    const content = files.get(name);
    if (content === undefined) throw new Error(`${name} is not in the archive.`);
    return content;
  };
  return {
    headers: response.headers,
    names: [...files.keys()],
    text: [...files].map(([name, content]) => `${name}\n${content.toString('utf8')}`).join('\n'),
    file,
    lines: (name) =>
      file(name)
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Line),
  };
}

/** The electronic invoice of the test, with one invoice line. */
const original = ubl('R-1').replace(
  '</Invoice>',
  `  <cac:InvoiceLine>
    <cbc:ID>1</cbc:ID>
    <cbc:InvoicedQuantity unitCode="C62">2</cbc:InvoicedQuantity>
    <cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
    <cac:Item><cbc:Name>Blue ink</cbc:Name></cac:Item>
    <cac:Price><cbc:PriceAmount currencyID="EUR">50.00</cbc:PriceAmount></cac:Price>
  </cac:InvoiceLine>
</Invoice>`,
);

/** Buys the plan SCALE: sends the payment provider's notification to a system with development settings. */
async function subscribe({ keys, organizationId }: Tenant): Promise<void> {
  const options = await running.request<{ items: readonly { priceId: string }[]; customData: object }>(
    'POST /billing/checkout',
    {
      key: keys.owner,
      body: { plan_code: 'SCALE' },
    },
  );
  expect(options.status).toBe(200);
  const ids = { sub: `sub_${randomUUID()}`, custom_data: options.body.customData };
  const notify = async (type: string, data: object): Promise<void> => {
    const bytes = JSON.stringify({
      event_id: `evt_${randomUUID()}`,
      event_type: type,
      occurred_at: new Date().toISOString(),
      data,
    });
    const ts = Math.floor(Date.now() / 1_000);
    const h1 = createHmac('sha256', 'pdl_ntfset_development_only').update(`${ts}:${bytes}`).digest('hex');
    const { status } = await running.request('POST /billing/paddle/notifications', {
      bytes,
      headers: { 'paddle-signature': `ts=${ts};h1=${h1}` },
    });
    expect(status).toBe(200);
  };
  await notify('subscription.created', {
    id: ids.sub,
    status: 'active',
    customer_id: 'ctm_never_shown',
    items: [{ price: { id: options.body.items[0]?.priceId }, quantity: 1 }],
    custom_data: ids.custom_data,
  });
  await notify('transaction.completed', {
    id: `txn_${randomUUID()}`,
    subscription_id: ids.sub,
    customer_id: 'ctm_never_shown',
    status: 'completed',
    invoice_number: '325-10566',
    billed_at: '2026-03-01T10:00:00Z',
    currency_code: 'EUR',
    details: { totals: { grand_total: '11900', tax: '1900' } },
    custom_data: ids.custom_data,
  });
  // This subscription of another customer names the exported organization, and has a bill.
  const named = { custom_data: { organization_id: organizationId }, customer_id: 'ctm_stranger' };
  const price = { price: { id: options.body.items[0]?.priceId }, quantity: 1 };
  await notify('subscription.created', { id: 'sub_stranger', status: 'active', items: [price], ...named });
  await notify('transaction.completed', { id: 'txn_stranger', subscription_id: 'sub_stranger', ...named });
  await notify('transaction.completed', { id: 'txn_stranger', subscription_id: null, ...named });
  await eventually(async () => {
    const { body } = await running.request<Line>('GET /billing/subscription', { key: keys.owner });
    expect(body).toMatchObject({ plan: 'SCALE', active: true });
  });
}

/** Creates at least one record of every kind in the organization. */
async function fill(tenant: Tenant): Promise<void> {
  const { keys, users } = tenant;
  const key = keys.owner;
  const post = (target: string, body: unknown) => running.request<Line>(`POST ${target}`, { key, body });
  await post('/webhooks', {
    url: 'https://127.0.0.1:1024/',
    events: ['invoice.analysis.completed', 'finding.created'],
  });
  const rule = { name: 'All', position: 1, match: {}, assign_to: users.analyst };
  expect((await post('/finding-routing-rules', rule)).status).toBe(201);
  for (const number of [1, 2, 2]) expect((await post('/invoices', plainInvoice(number))).status).toBe(202);
  const { body } = await running.request<Page<Finding>>('GET /findings', { key });
  const [finding] = body.items;
  if (finding === undefined) throw new Error('no finding');
  await post(`/findings/${finding.id}/review`, { disposition: 'CONFIRMED', note: 'Paid twice.' });
  const rows = [
    { ...plainRow(1), externalId: 'A-1' },
    { ...plainRow(2), externalId: 'A-1' },
  ];
  expect((await post('/scans', { rows })).status).toBe(201);
  const uploadId = await uploadXml(running, key, original);
  expect((await post('/invoices/from-upload', { upload_id: uploadId })).status).toBe(200);
  const corrections = { fields: { 'supplier.name': 'Nordlicht Energie AG' } };
  const corrected = await running.request(`PUT /uploads/${uploadId}/corrections`, { key, body: corrections });
  expect(corrected.status).toBe(200);
  const brokenId = await uploadXml(running, key, '<?xml version="1.0"?><Invoice>');
  expect((await post('/invoices/from-upload', { upload_id: brokenId })).status).toBe(422);
  const erp = { provider: 'ODOO', config: { baseUrl: 'https://127.0.0.1:1024' }, api_key: ERP_KEY };
  const connection = await running.request<Line>('POST /erp-connections', { key, body: erp });
  expect(connection.status).toBe(201);
  // The ERP connection is deleted, so that nothing changes it afterwards.
  await running.request(`DELETE /erp-connections/${String(connection.body['id'])}`, { key });
  const ksef = { environment: 'TEST', context_nip: '5265877635', ksef_token: KSEF_TOKEN };
  expect((await running.request('POST /ksef-connections', { key, body: ksef })).status).toBe(201);
  await subscribe(tenant);
  await eventually(async () => {
    const { body: deliveries } = await running.request<Page<Line>>('GET /webhooks/deliveries', { key });
    expect(deliveries.items.length).toBeGreaterThan(2);
  });
}

describe('the archive of an organization', () => {
  test('has every kind of record, each as the API shows it, and ends with a manifest of its contents', async () => {
    const { tenant } = running;
    const key = tenant.keys.owner;
    const { names, lines, file, headers } = await archiveOf(tenant);
    expect(headers.get('content-type')).toBe('application/zip');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="invoice-control-\d{4}-\d\d-\d\d\.zip"$/);
    expect(names).toEqual([
      'organization.json',
      'subscription.json',
      'companies.jsonl',
      'members.jsonl',
      'api_keys.jsonl',
      'views.jsonl',
      'routing_rules.jsonl',
      'suppliers.jsonl',
      'account_verifications.jsonl',
      'vendors.jsonl',
      'erp_orders.jsonl',
      'erp_payments.jsonl',
      'invoices.jsonl',
      'erp_bills.jsonl',
      'analyses.jsonl',
      'findings.jsonl',
      'finding_history.jsonl',
      'scans.jsonl',
      'uploads.jsonl',
      'readings.jsonl',
      'erp_connections.jsonl',
      'ksef_connections.jsonl',
      'ksef_submissions.jsonl',
      'ksef_inbox_runs.jsonl',
      'webhooks.jsonl',
      'webhook_deliveries.jsonl',
      'notifications.jsonl',
      'subscriptions.jsonl',
      'checkouts.jsonl',
      'payment_notifications.jsonl',
      'audit_events.jsonl',
      'manifest.json',
    ]);
    for (const [name, target] of [
      ['companies', 'companies'],
      ['members', 'members'],
      ['api_keys', 'api-keys'],
      ['routing_rules', 'finding-routing-rules'],
      ['invoices', 'invoices'],
      ['findings', 'findings'],
      ['erp_connections', 'erp-connections'],
      ['ksef_connections', 'ksef-connections'],
      ['webhooks', 'webhooks'],
    ] as const) {
      const { body } = await running.request<Page<Line>>(`GET /${target}?limit=100`, { key });
      const plain = ({ lastUsedAt: _, ...record }: Line): Line => record;
      expect({ name, items: lines(`${name}.jsonl`).map(plain) }).toEqual({ name, items: body.items.map(plain) });
    }
    const { body: organization } = await running.request<Line>('GET /organizations/current', { key });
    expect(JSON.parse(file('organization.json').toString())).toEqual(organization);
    const { body: subscription } = await running.request<Line>('GET /billing/subscription', { key });
    expect(JSON.parse(file('subscription.json').toString())).toEqual(subscription);
    // Three invoices, the first row of the history scan and the file, each with a separate analysis.
    expect(lines('invoices.jsonl')).toHaveLength(5);
    expect(new Set(lines('analyses.jsonl').map(({ invoiceId }) => invoiceId))).toEqual(
      new Set(lines('invoices.jsonl').map(({ id }) => id)),
    );
    expect(lines('suppliers.jsonl').map(({ name }) => name)).toContain('Supplier 2');
    expect(lines('scans.jsonl')).toMatchObject([{ invoicesAnalyzed: 1, skippedRows: [{ externalId: 'A-1' }] }]);
    expect(lines('uploads.jsonl')).toMatchObject(
      Array.from({ length: 2 }, () => ({ status: 'UPLOADED', mediaType: 'application/xml' })),
    );
    expect(lines('readings.jsonl')).toMatchObject([
      { status: 'FAILED', failure: { reason: 'MALFORMED_XML', message: expect.any(String) }, reading: null },
      {
        status: 'READ',
        failure: null,
        document: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        corrections: [{ field: 'supplier.name', value: 'Nordlicht Energie AG', by: expect.any(String) }],
        reading: {
          method: 'XML',
          format: 'UBL',
          fields: {
            'supplier.name': { value: 'Nordlicht Energie AG', raw: 'Nordlicht Energie GmbH', method: 'USER' },
            gross_amount: { value: '119.00', method: 'XML', confidence: 1, xpath: expect.any(String) },
          },
          lines: [{ description: 'Blue ink', quantity: '2', unitPrice: '50.00', netAmount: '100.00' }],
        },
      },
    ]);
    expect(lines('subscriptions.jsonl')).toMatchObject([{ plan: 'SCALE', status: 'active', billingInterval: 'month' }]);
    expect(lines('checkouts.jsonl')).toMatchObject([{ plan: 'SCALE', additionalLegalEntities: 0 }]);
    const payments = lines('payment_notifications.jsonl');
    expect(payments).toHaveLength(2);
    expect(payments).toContainEqual(
      expect.objectContaining({
        type: 'transaction.completed',
        bill: expect.objectContaining({ invoiceNumber: '325-10566', totalMinorUnits: '11900', currency: 'EUR' }),
      }),
    );
    expect(lines('finding_history.jsonl')).toHaveLength(lines('findings.jsonl').length);
    expect(JSON.stringify(lines('finding_history.jsonl'))).toContain('Paid twice.');
    expect(lines('webhook_deliveries.jsonl').length).toBeGreaterThan(2);
    const manifest = JSON.parse(file('manifest.json').toString()) as { records: Record<string, number> };
    expect(manifest).toMatchObject({
      format: 1,
      originals: 0,
      records: { invoices: 5, uploads: 2, scans: 1, readings: 2 },
    });
    for (const [kind, count] of Object.entries(manifest.records)) expect(lines(`${kind}.jsonl`)).toHaveLength(count);
  });

  test('has the originals, byte by byte, where they are asked for', async () => {
    const { names, lines, file } = await archiveOf(running.tenant, '?include=originals');
    const files = lines('uploads.jsonl').map(({ id }) => `originals/${String(id)}.xml`);
    expect(names.filter((name) => name.startsWith('originals/'))).toEqual(files);
    expect(files.map((name) => file(name).toString())).toContain(original);
    expect(names.at(-1)).toBe('manifest.json');
  });

  test('has no id of another organization, no secret and no hash of one', async () => {
    const { tenant, other } = running;
    const [own, foreign] = [await archiveOf(tenant, '?include=originals'), await archiveOf(other)];
    const idsIn = ({ text }: Archive): Set<string> =>
      new Set(text.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|evt_[a-z2-7]{26}/g));
    const shared = [...idsIn(own)].filter((id) => idsIn(foreign).has(id));
    expect(shared).toEqual([]);
    expect(own.text).toContain(tenant.organizationId);
    for (const id of [other.organizationId, other.companyId, ...Object.values(other.users)]) {
      expect(own.text).not.toContain(id);
    }
    expect(own.text).not.toContain(ERP_KEY);
    expect(own.text).not.toContain(KSEF_TOKEN);
    expect(own.text).not.toMatch(/\b(?:ick_(?:live|test)|rec|inv|whsec)_[0-9A-Za-z_-]{8,}/);
    expect(own.text).not.toMatch(/tokenHash|pepperId|"hash"|sealed|fingerprint|outbox|ctm_|pri_|pdl_/);
  });

  test('is audited before it is read, with originals or without', async () => {
    const { tenant } = running;
    await archiveOf(tenant);
    const { body } = await running.request<Page<Line>>('GET /audit-events?limit=100', { key: tenant.keys.owner });
    const actions = body.items.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['organization.exported', 'organization.exported_with_originals']));
  });

  test('is written once at a time for an organization, and others do not wait for it', async () => {
    const { tenant, other } = running;
    const headers = { authorization: `Bearer ${tenant.keys.owner}` };
    const leaving = new AbortController();
    const first = await fetch(exportPath('?include=originals'), { headers, signal: leaving.signal });
    expect(first.status).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        running.request<ErrorBody>('GET /organizations/current/export', { key: tenant.keys.owner }),
      ).concat(running.request<ErrorBody>('GET /organizations/current/export', { key: other.keys.owner })),
    );
    expect(answers.at(-1)?.status).toBe(200);
    expect(answers.slice(0, -1).filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    leaving.abort();
    await eventually(async () => {
      const { status } = await running.request('GET /organizations/current/export', { key: tenant.keys.owner });
      expect(status).toBe(200);
    });
  });

  test.each(['?include=all', '?include=', '?other=1'])('refuses the query %s and audits nothing', async (query) => {
    const { status, body } = await running.request<ErrorBody>(`GET /organizations/current/export${query}`, {
      key: running.tenant.keys.owner,
    });
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  });

  test('answers HEAD with only its headers', async () => {
    const { status, headers } = await running.request('HEAD /organizations/current/export', {
      key: running.tenant.keys.owner,
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/zip']);
  });
});
