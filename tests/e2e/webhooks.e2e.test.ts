import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { ReceivedRequest, WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { startRunningSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { plainInvoice, plainRow } from './shapes.js';
import type { AcceptedAnalysis, LatestAnalysis } from './shapes.js';

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: string;
  readonly secret: string;
}
interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: string;
  readonly responseCode: number | null;
  readonly attemptCount: number;
  readonly test: boolean;
}

let running: RunningSystem;
let receiver: WebhookReceiver;
let key: string;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  running = await startRunningSystem({
    EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    WEBHOOK_TEST_CA_FILE: receiver.caFile,
    WEBHOOK_RETRY_WAITS_MS: '200,300,400,500',
    WEBHOOK_RETRY_FLOOR_MS: '100',
  });
  key = running.tenant.keys.owner;
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
});

const post = <Body>(path: string, body: unknown, withKey = key) =>
  running.request<Body>(`POST ${path}`, { key: withKey, body });
const get = <Body>(path: string, withKey = key) => running.request<Body>(`GET ${path}`, { key: withKey });

let paths = 0;
/** Creates a webhook with a separate path on the receiver. */
async function newWebhook(events: readonly string[], withKey = key): Promise<Webhook & { readonly path: string }> {
  const path = `/hook-${paths++}`;
  const { status, body } = await post<Webhook>('/webhooks', { url: `${receiver.origin}${path}`, events }, withKey);
  expect(status).toBe(201);
  return { ...body, path };
}

async function received(path: string, count = 1): Promise<readonly ReceivedRequest[]> {
  await eventually(() => expect(receiver.to(path).length).toBeGreaterThanOrEqual(count));
  return receiver.to(path);
}

async function deliveriesOf({ id }: Webhook, withKey = key): Promise<readonly Delivery[]> {
  const { body } = await get<{ items: Delivery[] }>(`/webhooks/deliveries?webhook_id=${id}`, withKey);
  return body.items;
}

/** Computes the signature header as specification section 6 describes it. */
function signatures({ headers, body }: ReceivedRequest, secrets: readonly string[]): string[] {
  const [t = ''] = String(headers['svc-signature']).split(',');
  const text = `${String(headers['svc-event-id'])}.${t.slice(2)}.${body}`;
  return [t, ...secrets.map((secret) => `v1=${createHmac('sha256', secret).update(text).digest('hex')}`)];
}

async function expectSigned(request: ReceivedRequest, secrets: readonly string[]): Promise<void> {
  expect(String(request.headers['svc-signature']).split(',')).toEqual(signatures(request, secrets));
}

describe('an event', () => {
  test('of a decided invoice arrives signed, with the id of the event and exactly its members', async () => {
    const webhook = await newWebhook(['invoice.analysis.completed']);
    const { body: analysis } = await post<AcceptedAnalysis>('/invoices', plainInvoice(1));
    const [request] = await received(webhook.path);
    if (request === undefined) throw new Error('nothing came');
    await expectSigned(request, [webhook.secret]);
    expect(JSON.parse(request.body)).toEqual({
      id: request.headers['svc-event-id'],
      type: 'invoice.analysis.completed',
      data: {
        invoice_id: analysis.id,
        decision: analysis.decision,
        risk_score: analysis.risk_score,
        export_ready: analysis.decision === 'PASS',
        canonical_export_path: `/v1/invoices/${analysis.id}/export?format=json`,
      },
    });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'InvoiceControl-Webhooks/1',
    });
    await eventually(async () => {
      expect(await deliveriesOf(webhook)).toMatchObject([
        {
          status: 'DELIVERED',
          responseCode: 200,
          attemptCount: 1,
          eventType: 'invoice.analysis.completed',
          test: false,
        },
      ]);
    });
  });

  test('of a finding, its review and a scan arrives at each subscribed endpoint, and at no other', async () => {
    const webhook = await newWebhook(['finding.created', 'finding.reviewed', 'scan.completed']);
    const elsewhere = await newWebhook(['invoice.analysis.failed']);
    await post('/invoices', plainInvoice(2));
    const { body: copy } = await post<AcceptedAnalysis>('/invoices', plainInvoice(2));
    const { body: latest } = await get<LatestAnalysis>(`/invoices/${copy.id}/analysis/latest`);
    const findingId = latest.findings[0]?.id ?? '';
    await post(`/findings/${findingId}/review`, { disposition: 'CONFIRMED' });
    const { body: scan } = await post<{ id: string; decisionCounts: object; findingCounts: object }>('/scans', {
      rows: [plainRow(20)],
    });
    await eventually(() => {
      const types = receiver.to(webhook.path).map(({ body }) => (JSON.parse(body) as { type: string }).type);
      expect(types).toEqual(expect.arrayContaining(['finding.created', 'finding.reviewed', 'scan.completed']));
    });
    const bodies = receiver.to(webhook.path).map(({ body }) => JSON.parse(body) as { type: string; data: object });
    expect(bodies.find(({ type }) => type === 'finding.reviewed')?.data).toEqual({
      finding_id: findingId,
      invoice_id: copy.id,
      disposition: 'CONFIRMED',
      previous_disposition: 'OPEN',
      reviewed_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(bodies.find(({ type }) => type === 'scan.completed')?.data).toEqual({
      scan_id: scan.id,
      invoices_analyzed: 1,
      rows_skipped: 0,
      decision_counts: scan.decisionCounts,
      finding_counts: scan.findingCounts,
    });
    expect(receiver.to(elsewhere.path)).toEqual([]);
  });
});
