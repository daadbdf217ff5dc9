import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attachInvoice } from '@invoicecontrol/extraction/testing/attach-invoice';
import { printInvoice } from '@invoicecontrol/extraction/testing/printed-invoice';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { startRunningSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';
import type { AcceptedAnalysis } from './shapes.js';
import { ubl, uploadFile, uploadXml } from './uploading.js';

interface Status {
  readonly status: string;
  readonly invoice_id: string | null;
  readonly decision: string | null;
  readonly failure: { readonly message: string; readonly reason: string } | null;
}

let running: RunningSystem;
let receiver: WebhookReceiver;
let key: string;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  running = await startRunningSystem({
    EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    WEBHOOK_TEST_CA_FILE: receiver.caFile,
  });
  key = running.tenant.keys.owner;
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
});

const upload = (text: string): Promise<string> => uploadXml(running, key, text);
const analyze = <Body = AcceptedAnalysis>(body: object, headers: Record<string, string> = {}) =>
  running.request<Body>('POST /invoices/from-upload', { key, body, headers });
const get = <Body>(path: string) => running.request<Body>(`GET ${path}`, { key });

test('an XML invoice is uploaded, decided, shown, exported and given back', async () => {
  const xml = ubl('UP-1');
  const upload_id = await upload(xml);
  const first = await analyze({ upload_id });
  expect(first).toMatchObject({ status: 200, body: { status: 'ANALYZING' } });
  const { id, decision } = first.body;
  const again = await analyze({ upload_id });
  expect([again.status, again.headers.get('idempotency-replayed'), again.body.id]).toEqual([200, 'true', id]);
  expect((await analyze<ErrorBody>({ upload_id, purchase_order_ref: 'PO-1' })).status).toBe(409);
  expect((await get<Status>(`/uploads/${upload_id}/status`)).body).toMatchObject({
    status: 'COMPLETED',
    invoice_id: id,
    decision,
  });
  expect((await get(`/invoices/${id}`)).body).toMatchObject({
    source: 'UPLOAD',
    status: 'ANALYZED',
    documentId: upload_id,
    invoice: { invoice_number: 'UP-1', gross_amount: '119.00', supplier: { tax_id: 'DE136695976' } },
  });
  const exported = await get(`/invoices/${id}/export?format=json&include=unready`);
  expect(exported.body).toMatchObject({
    invoiceId: id,
    decision,
    exportReady: decision === 'PASS',
    document: {
      documentId: upload_id,
      sha256: createHash('sha256').update(xml).digest('hex'),
      format: 'UBL',
      method: 'XML',
      fields: { gross_amount: { value: '119.00', method: 'XML', page: null, box: null } },
    },
  });
  // This response is a file, so the contract of JSON responses does not apply.
  const headers = { authorization: `Bearer ${key}` };
  const original = await fetch(`${running.origin}/v1/invoices/${id}/document`, { headers });
  expect([original.status, await original.text()]).toEqual([200, xml]);
  for (const query of ['format=csv', 'include=all', 'unknown=1', 'format=json&format=json']) {
    expect((await get(`/invoices/${id}/export?${query}`)).status).toBe(400);
  }
});

test.each([
  ['contradicts', 'XRECHNUNG', 1],
  ['agrees with', 'EN 16931', 0],
])(
  'a PDF whose metadata %s the profile of its XML raises E_INVOICE_PROFILE_CONFLICT only then',
  async (_, level, count) => {
    const number = `UP-PDF-${count}`;
    const date = new Date().toISOString().slice(0, 10);
    const lines = [
      'Nordlicht Energie GmbH',
      `Invoice number: ${number}`,
      `Invoice date: ${date}`,
      'Net EUR 100.00',
      'VAT 19% EUR 19.00',
      'Total EUR 119.00',
    ];
    const page = await printInvoice({ name: number, truth: {}, companies: [], lines });
    const upload_id = await uploadFile(running, key, await attachInvoice(page, ubl(number), level), 'application/pdf');
    const { status, body } = await analyze({ upload_id });
    expect(status).toBe(200);
    const conflicts = body.findings.filter(({ type }) => type === 'E_INVOICE_PROFILE_CONFLICT');
    expect(conflicts).toHaveLength(count);
    for (const conflict of conflicts) {
      expect(conflict).toMatchObject({ severity: 'LOW', evidence: { profiles: ['urn:cen.eu:en16931:2017', level] } });
    }
  },
);

test('a queued analysis is answered at once, and its progress is read from its status', async () => {
  const upload_id = await upload(ubl('UP-2'));
  const status_url = `/v1/uploads/${upload_id}/status`;
  const queued = await analyze<{ status: string }>({ upload_id }, { prefer: 'handling=strict, respond-async' });
  expect(queued).toMatchObject({ status: 202, body: { upload_id, status: 'QUEUED', status_url } });
  expect(['preference-applied', 'location', 'vary'].map((name) => queued.headers.get(name))).toEqual([
    'respond-async',
    status_url,
    'Prefer',
  ]);
  await eventually(async () => {
    expect((await get<Status>(`/uploads/${upload_id}/status`)).body.status).toBe('COMPLETED');
  });
});

test('a caller who prefers to wait before it is queued gets the decision', async () => {
  const upload_id = await upload(ubl('UP-WAIT'));
  const decided = await analyze({ upload_id }, { prefer: 'wait=20, respond-async' });
  expect(decided).toMatchObject({ status: 200, body: { status: 'ANALYZING' } });
  expect(decided.headers.get('preference-applied')).toBeNull();
});

test('a document that cannot be read is refused alike each time, and announced', async () => {
  const url = `${receiver.origin}/failed`;
  await running.request('POST /webhooks', { key, body: { url, events: ['invoice.analysis.failed'] } });
  const upload_id = await upload('<Invoice><unclosed></Invoice>');
  const refused = await analyze<ErrorBody>({ upload_id });
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'PROCESSING_FAILED' } } });
  const { message } = refused.body.error;
  expect(refused.headers.get('idempotency-replayed')).toBeNull();
  const again = await analyze<ErrorBody>({ upload_id });
  expect([again.status, again.body.error.message, again.headers.get('idempotency-replayed')]).toEqual([
    422,
    message,
    'true',
  ]);
  const { body } = await get<Status>(`/uploads/${upload_id}/status`);
  expect(body).toMatchObject({ status: 'FAILED', failure: { code: 'PROCESSING_FAILED', message } });
  const failed = await get(`/invoices/${body.invoice_id}`);
  expect(failed.body).toMatchObject({
    status: 'FAILED',
    invoice: {},
    decision: null,
    riskScore: null,
    analysisId: null,
  });
  expect((await get(`/invoices/${body.invoice_id}/analysis/latest`)).status).toBe(404);
  expect((await get(`/invoices/${body.invoice_id}/export?include=unready`)).status).toBe(404);
  expect((await get(`/invoices/${body.invoice_id}/analyses`)).body).toEqual({ items: [], nextCursor: null });
  const reanalyzed = await running.request<ErrorBody>(`POST /invoices/${body.invoice_id}/reanalyze`, { key });
  expect(reanalyzed).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
  const { body: list } = await get<{ items: { id: string }[] }>('/invoices');
  expect(list.items.map(({ id }) => id)).not.toContain(body.invoice_id);
  await eventually(() => {
    expect(receiver.to('/failed').map((request) => JSON.parse(request.body) as object)).toMatchObject([
      {
        type: 'invoice.analysis.failed',
        data: { upload_id, invoice_id: body.invoice_id, error: { code: 'PROCESSING_FAILED', message } },
      },
    ]);
  });
});

test('a person corrects what was read', async () => {
  const upload_id = await upload(ubl('UP-3'));
  const early = await running.request<ErrorBody>(`PUT /uploads/${upload_id}/corrections`, {
    key,
    body: { fields: { due_date: '2026-12-31' } },
  });
  expect(early).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('from-upload') } } });
  const { body: first } = await analyze({ upload_id });
  const correct = (fields: Record<string, string>, by = key) =>
    running.request<AcceptedAnalysis>(`PUT /uploads/${upload_id}/corrections`, { key: by, body: { fields } });
  expect((await correct({ due_date: '2026-12-31' }, running.tenant.keys.viewer)).status).toBe(403);
  expect((await correct({ unknown: 'a' })).status).toBe(400);
  expect(await correct({ due_date: '2026-12-31' })).toMatchObject({ status: 200, body: { id: first.id } });
  expect(await analyze({ upload_id })).toMatchObject({ status: 200, body: { id: first.id } });
  expect((await get(`/invoices/${first.id}/export?include=unready`)).body).toMatchObject({
    invoice: { due_date: '2026-12-31' },
    document: { fields: { due_date: { value: '2026-12-31', raw: null, method: 'USER' } } },
  });
});
