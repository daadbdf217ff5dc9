import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { startRunningSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';
import { plainInvoice, plainRow } from './shapes.js';
import type { AcceptedAnalysis, CreatedApiKey, LatestAnalysis, Page } from './shapes.js';

let running: RunningSystem;
let receiver: WebhookReceiver;
let live: string;
let trial: CreatedApiKey & { readonly test: boolean };

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  running = await startRunningSystem({ EGRESS_ALLOW_CIDRS: '127.0.0.1/32', WEBHOOK_TEST_CA_FILE: receiver.caFile });
  live = running.tenant.keys.owner;
  const created = await running.request<typeof trial>('POST /api-keys', {
    key: live,
    body: { name: 'Trial', role: 'OWNER', test: true },
  });
  trial = created.body;
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
});

const ask = <Body>(target: string, key: string, body?: unknown): Promise<Answer<Body>> =>
  running.request<Body>(target, { key, ...(body === undefined ? {} : { body }) });

describe('a test key', () => {
  test('begins with ick_test_ and acts on a test organization', async () => {
    expect(trial.key).toMatch(/^ick_test_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
    expect(trial.test).toBe(true);
    const { body } = await ask<{ id: string }>('GET /organizations/current', trial.key);
    expect(body).toMatchObject({ name: 'Test organization', test: true, plan: 'SCALE', subscriptionStatus: 'none' });
    expect(body.id).not.toBe(running.tenant.organizationId);
    expect(await ask('GET /organizations/current', live)).toMatchObject({ body: { test: false } });
  });

  test('neither sees what live keys store nor is seen by them, and a duplicate counts on one side only', async () => {
    const post = (key: string) => ask<AcceptedAnalysis>('POST /invoices', key, plainInvoice(1));
    const [real, tried] = [await post(live), await post(trial.key)];
    // The invoice of the live key would be an exact duplicate if the test organization knew it.
    expect(tried).toMatchObject({ status: 202, body: { findings: [{ type: 'SUPPLIER_NEW' }] } });
    const repeated = await post(trial.key);
    expect(repeated.body.findings.some(({ type }) => type.includes('DUPLICATE'))).toBe(true);
    const latest = await ask<LatestAnalysis>(`GET /invoices/${real.body.id}/analysis/latest`, live);
    expect(latest.body).toMatchObject({ decision: real.body.decision, findings: [{ type: 'SUPPLIER_NEW' }] });
    const texts = [];
    for (const [id, key] of [
      [real.body.id, trial.key],
      [tried.body.id, live],
      ['01990000-0000-7000-8000-000000000000', live],
    ]) {
      const answer = await running.request(`GET /invoices/${id}`, { key: key ?? '', requestId: 'whose-invoice' });
      expect(answer.status).toBe(404);
      texts.push(answer.text);
    }
    expect(new Set(texts).size).toBe(1);
    const listed = await ask<Page<{ id: string }>>('GET /invoices?limit=100', live);
    expect(listed.body.items.map(({ id }) => id)).not.toContain(tried.body.id);
  });

  test('has quotas of its own, also where the plan has none', async () => {
    const scan = (count: number) => ({ rows: Array.from({ length: count }, (_, index) => plainRow(index + 1)) });
    expect(await ask<ErrorBody>('POST /scans', trial.key, scan(501))).toMatchObject({
      status: 429,
      body: { error: { code: 'USAGE_LIMIT_EXCEEDED' } },
    });
    expect(await ask('POST /scans', trial.key, scan(500))).toMatchObject({ status: 201 });
    expect(await ask('POST /scans', live, scan(501))).toMatchObject({ status: 201 });
  });

  test('receives the events of the test organization only, and they contain nothing of the organization', async () => {
    const hook = async (path: string, key: string) =>
      ask('POST /webhooks', key, { url: `${receiver.origin}${path}`, events: ['invoice.analysis.completed'] });
    expect(await hook('/live', live)).toMatchObject({ status: 201 });
    expect(await hook('/trial', trial.key)).toMatchObject({ status: 201 });
    const { body } = await ask<AcceptedAnalysis>('POST /invoices', trial.key, plainInvoice(7));
    await eventually(() => expect(receiver.to('/trial')).toHaveLength(1));
    const [event] = receiver.to('/trial');
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ data: { invoice_id: body.id } });
    const { organizationId, companyId } = running.tenant;
    for (const id of [organizationId, companyId]) expect(JSON.stringify(event)).not.toContain(id);
    const second = await ask<AcceptedAnalysis>('POST /invoices', live, plainInvoice(8));
    await eventually(() => expect(receiver.to('/live')).toHaveLength(1));
    expect(receiver.to('/live')[0]?.body).toContain(second.body.id);
    expect(receiver.to('/trial')).toHaveLength(1);
  });

  test('is listed, read and revoked by the organization, and refused on the next call', async () => {
    const { body: other } = await ask<CreatedApiKey>('POST /api-keys', trial.key, { name: 'Second', role: 'VIEWER' });
    expect(other.key).toMatch(/^ick_test_/);
    const { body: page } = await ask<Page<{ id: string; test: boolean }>>('GET /api-keys?test=true', live);
    expect(page.items).toMatchObject([
      { id: other.id, test: true },
      { id: trial.id, test: true },
    ]);
    const { body: own } = await ask<Page<{ id: string; test: boolean }>>('GET /api-keys?limit=100', live);
    expect(own.items.filter((item) => item.test)).toEqual([]);
    expect(await ask(`GET /api-keys/${other.id}`, live)).toMatchObject({ status: 200, body: { name: 'Second' } });
    expect(await ask(`DELETE /api-keys/${other.id}`, running.other.keys.owner)).toMatchObject({ status: 404 });
    expect((await ask(`DELETE /api-keys/${other.id}`, live)).status).toBe(204);
    expect((await ask('GET /organizations/current', other.key)).status).toBe(401);
    expect(await ask('POST /api-keys', trial.key, { name: 'Live', role: 'VIEWER', test: false })).toMatchObject({
      status: 403,
    });
  });
});
