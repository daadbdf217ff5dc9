// Webhook events of results that people wait for: submissions to KSeF and failed runs of ERPs.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { startErps } from '@invoicecontrol/dev/simulators';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { fa3, startKsef } from './ksef-actions.js';
import type { Ksef } from './ksef-actions.js';
import { startRunningSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { uploadXml } from './uploading.js';

const RESULTS = ['ksef.submission.accepted', 'ksef.submission.refused', 'erp.run.failed'];
const ENDS_MS_MAX = 60_000;
const API_KEY = 'a-right-api-key';

let running: RunningSystem;
let ksef: Ksef;
let erps: ErpSimulators;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  ksef = await startKsef();
  const started = await startErps({});
  erps = started.simulators;
  running = await startRunningSystem({
    ...ksef.env,
    ...started.env,
    KSEF_WAIT_FACTOR: '0.05',
    ERP_POLL_SECONDS: '1',
    ERP_BACKOFF_MS: '5',
    ERP_BACKOFF_MAX_SECONDS: '1',
    EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    WEBHOOK_TEST_CA_FILE: receiver.caFile,
  });
}, 120_000);
afterAll(async () => {
  await running.stop();
  await erps.stop();
  await ksef.stop();
  await receiver.close();
});

async function post<Body>(path: string, key: string, body?: unknown): Promise<Body> {
  const answer = await running.request<Body>(`POST ${path}`, { key, ...(body === undefined ? {} : { body }) });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Creates a webhook and returns a function that reads what it has received. */
async function webhookOf({ keys }: Tenant, events: readonly string[]): Promise<() => Received[]> {
  const path = `/${randomUUID()}`;
  await post('/webhooks', keys.owner, { url: `${receiver.origin}${path}`, events });
  return () => receiver.to(path).map(({ body }) => JSON.parse(body) as Received);
}

interface Filer {
  readonly key: string;
  readonly nip: string;
  readonly connectionId: string;
}

async function newFiler({ keys }: Tenant): Promise<Filer> {
  const { nip, token } = await ksef.newCompany();
  const body = { environment: 'TEST', context_nip: nip, ksef_token: token };
  const { id } = await post<{ id: string }>('/ksef-connections', keys.admin, body);
  await post(`/ksef-connections/${id}/test`, keys.admin);
  return { key: keys.admin, nip, connectionId: id };
}

/** Submits a new invoice to KSeF and returns the ids of the invoice and of its submission. */
async function submit({ key, nip, connectionId }: Filer, number: string): Promise<{ invoiceId: string; id: string }> {
  const upload = await uploadXml(running, key, fa3({ nip, number }));
  const { id: invoiceId } = await post<{ id: string }>('/invoices/from-upload', key, { upload_id: upload });
  const path = `/ksef-connections/${connectionId}/submissions`;
  return { invoiceId, id: (await post<{ id: string }>(path, key, { invoice_id: invoiceId })).id };
}

test('a submission that KSeF accepts, and one that it refuses, are told once to the webhooks that name the events', async () => {
  const [tenant, other] = [await running.newTenant(), await running.newTenant()];
  const results = await webhookOf(tenant, RESULTS);
  const unsubscribed = await webhookOf(tenant, ['invoice.analysis.completed']);
  const foreign = await webhookOf(other, RESULTS);
  const filer = await newFiler(tenant);

  const accepted = await submit(filer, 'FV/1');
  await eventually(() => expect(results()).toHaveLength(1), { timeoutMs: ENDS_MS_MAX });
  await ksef.fault({
    context: filer.nip,
    operation: 'S2',
    kind: 'INVOICE_STATUS',
    code: 410,
    description: 'Nieprawidłowy zakres uprawnień',
  });
  const refused = await submit(filer, 'FV/2');
  await eventually(() => expect(results()).toHaveLength(2), { timeoutMs: ENDS_MS_MAX });

  const ids = { connection_id: filer.connectionId, company_id: expect.any(String) };
  expect(results().map(({ type, data }) => ({ type, data }))).toEqual([
    {
      type: 'ksef.submission.accepted',
      data: { ...ids, submission_id: accepted.id, invoice_id: accepted.invoiceId, ksef_number: expect.any(String) },
    },
    {
      type: 'ksef.submission.refused',
      data: {
        ...ids,
        submission_id: refused.id,
        invoice_id: refused.invoiceId,
        status: 'REJECTED',
        error_code: 'KSEF_410',
      },
    },
  ]);
  await eventually(() => expect(unsubscribed()).toHaveLength(2));
  expect(unsubscribed().map(({ type }) => type)).not.toContain('ksef.submission.accepted');
  expect(foreign()).toEqual([]);
}, 180_000);

test('a run of an ERP that fails is told once, with its code and without its secret, and one that succeeds is not', async () => {
  const [tenant, other] = [await running.newTenant(), await running.newTenant()];
  const results = await webhookOf(tenant, RESULTS);
  const foreign = await webhookOf(other, RESULTS);
  const instance = `i${randomUUID().slice(0, 8)}`;
  const url = erps.urls.odoo;
  const control = async (method: string, path: string, body: object) => {
    const response = await fetch(`${url}/control/tenants/${instance}${path}`, { method, body: JSON.stringify(body) });
    expect(response.status).toBeLessThan(300);
  };
  await control('PUT', '', { apiKey: API_KEY });
  const { keys } = tenant;
  const { id } = await post<{ id: string }>('/erp-connections', keys.owner, {
    provider: 'ODOO',
    config: { baseUrl: `${url}/${instance}` },
    api_key: API_KEY,
  });
  const lastRun = async () => {
    const { body } = await running.request<{
      recentRuns: { id: string; status: string; finishedAt: string | null }[];
    }>(`GET /erp-connections/${id}`, { key: keys.owner });
    return body.recentRuns[0];
  };
  await eventually(async () => expect(await lastRun()).toMatchObject({ status: 'SUCCEEDED' }));

  await control('POST', '/expire', { what: 'SECRET' });
  await post(`/erp-connections/${id}/sync`, keys.owner, {});
  await eventually(async () => expect(await lastRun()).toMatchObject({ status: 'FAILED' }), { timeoutMs: ENDS_MS_MAX });
  await eventually(() => expect(results()).toHaveLength(1));
  expect(results()).toEqual([
    {
      id: expect.stringMatching(/^evt_/),
      type: 'erp.run.failed',
      data: {
        run_id: (await lastRun())?.id,
        connection_id: id,
        error_code: 'AUTH_FAILED',
        created: 0,
        updated: 0,
        deleted: 0,
        failed: 0,
      },
    },
  ]);
  expect(JSON.stringify(results())).not.toContain(API_KEY);
  expect(foreign()).toEqual([]);
}, 120_000);
