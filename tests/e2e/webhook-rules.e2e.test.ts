import { setTimeout as delay } from 'node:timers/promises';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { startRunningSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';
import { plainInvoice, UNKNOWN_ID } from './shapes.js';

/** Number of webhooks that the plan SCALE allows. */
const WEBHOOKS_MAX = 20;
const RETRY_WAIT_MS = 700;
const URL_LENGTH_MAX = 2_048;
const TYPE = 'invoice.analysis.completed';
const UNKNOWN_DELIVERY_ID = `dlv_${'a'.repeat(26)}`;

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly secret: string;
}
interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly attemptCount: number;
}
type Created = Answer<Webhook & ErrorBody>;

let running: RunningSystem;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  running = await startRunningSystem({
    EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    WEBHOOK_TEST_CA_FILE: receiver.caFile,
    WEBHOOK_RETRY_WAITS_MS: Array(4).fill(RETRY_WAIT_MS).join(','),
    WEBHOOK_RETRY_FLOOR_MS: '50',
  });
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
});

let paths = 0;
const newPath = (): string => `/rules-${paths++}`;
const create = (key: string, body: unknown = { url: `${receiver.origin}/any`, events: [TYPE] }): Promise<Created> =>
  running.request('POST /webhooks', { key, body });

/** Creates a webhook whose deliveries fail until the test tells the receiver to accept them. */
async function failingWebhook({ keys }: Tenant): Promise<Webhook & { readonly path: string }> {
  const path = newPath();
  receiver.answer(path, (_, response) => response.writeHead(503).end());
  const { body } = await create(keys.owner, { url: `${receiver.origin}${path}`, events: [TYPE] });
  return { ...body, path };
}

async function analyze({ keys }: Tenant): Promise<void> {
  const { status } = await running.request('POST /invoices', { key: keys.owner, body: plainInvoice(paths++) });
  expect(status).toBeLessThan(300);
}

async function deliveriesOf({ keys }: Tenant): Promise<readonly Delivery[]> {
  const { body } = await running.request<{ items: Delivery[] }>('GET /webhooks/deliveries', { key: keys.owner });
  return body.items;
}

const statuses = async (tenant: Tenant): Promise<readonly string[]> =>
  (await deliveriesOf(tenant)).map(({ status }) => status);

/** Returns a webhook delivery that has failed once and will be tried again. */
async function waitingDelivery(tenant: Tenant): Promise<Delivery> {
  await analyze(tenant);
  return eventually(async () => {
    const [delivery] = await deliveriesOf(tenant);
    expect(delivery).toMatchObject({ status: 'PENDING', attemptCount: 1 });
    return delivery as Delivery;
  });
}

describe('registering', () => {
  test('is refused in this order: scope, body, address, plan, number', async () => {
    const { keys } = await running.newTenant('CONTROL');
    const bad = { url: 'https://10.0.0.1/', events: ['nothing'] };
    const blocked = { url: 'https://10.0.0.1/', events: [TYPE] };
    expect(await create(keys.viewer, bad)).toMatchObject({ status: 403 });
    const body = await create(keys.owner, bad);
    expect([body.status, body.body.error.details?.map(({ path }) => path)]).toEqual([400, ['events[0]']]);
    const address = await create(keys.owner, blocked);
    expect([address.status, address.body.error.details?.map(({ path }) => path)]).toEqual([400, ['url']]);
    const plan = await create(keys.owner);
    expect([plan.status, plan.body.error.code]).toEqual([403, 'FORBIDDEN']);
  });

  test('succeeds exactly as often as the plan allows, at once and after a deletion', async () => {
    const { keys } = await running.newTenant('SCALE');
    const answers = await Promise.all(Array.from({ length: WEBHOOKS_MAX + 10 }, () => create(keys.owner)));
    const created = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(created).toHaveLength(WEBHOOKS_MAX);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.error.code}`))).toEqual(
      new Set(['429 USAGE_LIMIT_EXCEEDED']),
    );
    // The error message ends with the number of webhooks.
    expect((await create(keys.owner, { url: 'https://10.0.0.1/', events: [TYPE] })).status).toBe(400);
    const usage = await running.clientOf(keys.owner).get('/organizations/current/usage');
    expect(usage.data.items).toContainEqual({ meter: 'webhooks', used: WEBHOOKS_MAX, limit: WEBHOOKS_MAX });
    const id = created[0]?.body.id ?? '';
    expect((await running.request(`DELETE /webhooks/${id}`, { key: keys.owner })).status).toBe(204);
    const again = await Promise.all([create(keys.owner), create(keys.owner)]);
    expect(again.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([201, 429]);
  });

  test('takes a URL of 2,048 characters and none of 2,049', async () => {
    const { keys } = await running.newTenant('SCALE');
    const ofLength = (length: number): string => `${receiver.origin}/`.padEnd(length, 'x');
    expect((await create(keys.owner, { url: ofLength(URL_LENGTH_MAX), events: [TYPE] })).status).toBe(201);
    expect((await create(keys.owner, { url: ofLength(URL_LENGTH_MAX + 1), events: [TYPE] })).status).toBe(400);
  });

  test('counts a repeated name once, and shows the secret in no other response', async () => {
    const { keys } = await running.newTenant('SCALE');
    const { body: webhook } = await create(keys.owner, { url: `${receiver.origin}/once`, events: [TYPE, TYPE] });
    expect(webhook).toMatchObject({ events: [TYPE], secret: expect.stringMatching(/^whsec_[0-9A-Za-z]{43}$/) });
    const answers = await Promise.all([
      running.request('GET /webhooks', { key: keys.owner }),
      running.request(`GET /webhooks/${webhook.id}`, { key: keys.owner }),
      running.request(`PATCH /webhooks/${webhook.id}`, { key: keys.owner, body: { status: 'ACTIVE' } }),
      running.request(`POST /webhooks/${webhook.id}/test`, { key: keys.owner, body: { type: TYPE } }),
      running.request('GET /webhooks/deliveries', { key: keys.owner }),
      running.request('GET /audit-events', { key: keys.owner }),
    ]);
    expect(answers.map(({ text }) => text.includes('whsec_'))).toEqual(answers.map(() => false));
  });
});

describe('a webhook, a delivery and an event of another organization', () => {
  test('get the same bytes as missing ones', async () => {
    const [mine, other] = [await running.newTenant('SCALE'), await running.newTenant('SCALE')];
    const webhook = await failingWebhook(other);
    const delivery = await waitingDelivery(other);
    const key = mine.keys.owner;
    const targets: readonly (readonly [string, string, string, unknown?])[] = [
      ['GET /webhooks/', webhook.id, ''],
      ['PATCH /webhooks/', webhook.id, '', { url: 'https://10.0.0.1/' }],
      ['DELETE /webhooks/', webhook.id, ''],
      ['POST /webhooks/', webhook.id, '/rotate-secret'],
      ['POST /webhooks/', webhook.id, '/test', { type: TYPE }],
      ['POST /webhooks/', webhook.id, '/replay', { since: '2026-01-01T00:00:00Z' }],
      ['GET /webhooks/deliveries/', delivery.id, ''],
      ['POST /webhooks/deliveries/', delivery.id, '/replay'],
      ['GET /webhooks/deliveries?webhook_id=', webhook.id, ''],
    ];
    for (const [start, id, end, body] of targets) {
      const missing = id === delivery.id ? UNKNOWN_DELIVERY_ID : UNKNOWN_ID;
      const ask = (named: string) =>
        running.request(`${start}${named}${end}`, { key, body, requestId: 'equal-to-the-byte' });
      const [theirs, none] = [await ask(id), await ask(missing)];
      expect([start, end, theirs.status, theirs.text]).toEqual([start, end, none.status, none.text]);
    }
    expect((await running.request(`GET /webhooks/${webhook.id}`, { key: other.keys.owner })).body).toMatchObject({
      status: 'ACTIVE',
      url: webhook.url,
    });
  });
});

describe('waiting deliveries', () => {
  test('go to a new URL', async () => {
    const tenant = await running.newTenant('SCALE');
    const webhook = await failingWebhook(tenant);
    await waitingDelivery(tenant);
    const path = newPath();
    const url = `${receiver.origin}${path}`;
    await running.request(`PATCH /webhooks/${webhook.id}`, { key: tenant.keys.owner, body: { url } });
    await eventually(() => expect(receiver.to(path)).toHaveLength(1));
    const [request] = receiver.to(path);
    const [t = '', v1] = String(request?.headers['svc-signature']).split(',');
    const text = `${String(request?.headers['svc-event-id'])}.${t.slice(2)}.${request?.body ?? ''}`;
    expect(v1).toBe(`v1=${createHmac('sha256', webhook.secret).update(text).digest('hex')}`);
    await eventually(async () => expect(await statuses(tenant)).toEqual(['DELIVERED']));
  });

  test('of a DISABLED webhook are SKIPPED when due, and events in the meantime are never delivered', async () => {
    const tenant = await running.newTenant('SCALE');
    const { id, path } = await failingWebhook(tenant);
    const delivery = await waitingDelivery(tenant);
    const key = tenant.keys.owner;
    const setStatus = (status: string) => running.request(`PATCH /webhooks/${id}`, { key, body: { status } });
    await setStatus('DISABLED');
    await eventually(async () => expect(await statuses(tenant)).toEqual(['SKIPPED']));
    await analyze(tenant);
    receiver.answer(path, (_, response) => response.end());
    await setStatus('ACTIVE');
    await analyze(tenant);
    await eventually(async () => expect(await statuses(tenant)).toEqual(['DELIVERED', 'SKIPPED']));
    const replay = await running.request(`POST /webhooks/deliveries/${delivery.id}/replay`, { key });
    expect(replay).toMatchObject({ status: 202, body: { id: delivery.id, status: 'PENDING' } });
    await eventually(async () => expect(await statuses(tenant)).toEqual(['DELIVERED', 'DELIVERED']));
    expect((await running.request(`POST /webhooks/deliveries/${delivery.id}/replay`, { key })).status).toBe(409);
  });

  test('of a plan below SCALE are SKIPPED, and events after the plan is back are delivered', async () => {
    const tenant = await running.newTenant('SCALE');
    const { path } = await failingWebhook(tenant);
    await waitingDelivery(tenant);
    await running.setPlan(tenant.organizationId, { plan: 'CONTROL' });
    await eventually(async () => expect(await statuses(tenant)).toEqual(['SKIPPED']));
    await analyze(tenant);
    await eventually(async () => expect(await statuses(tenant)).toEqual(['SKIPPED', 'SKIPPED']));
    await running.setPlan(tenant.organizationId, { plan: 'SCALE' });
    receiver.answer(path, (_, response) => response.end());
    await eventually(async () => {
      await analyze(tenant);
      expect(await statuses(tenant)).toContain('DELIVERED');
    });
  });

  test('of a deleted organization are over at once, and after its restoration its webhooks are as they were', async () => {
    const tenant = await running.newTenant('SCALE');
    const { id, path } = await failingWebhook(tenant);
    await waitingDelivery(tenant);
    const key = tenant.keys.owner;
    const { body: organization } = await running.request<{ name: string }>('GET /organizations/current', { key });
    const deleted = await running.request<{ recoveryToken: string }>('DELETE /organizations/current', {
      key,
      body: { confirm_name: organization.name },
    });
    const restored = await running.request<{ ownerKey: string }>('POST /organizations/current/restore', {
      body: { recovery_token: deleted.body.recoveryToken },
    });
    const back = { ...tenant, keys: { ...tenant.keys, owner: restored.body.ownerKey } };
    await eventually(async () => expect(await statuses(back)).toEqual(['SKIPPED']));
    const attempts = receiver.to(path).length;
    await delay(2 * RETRY_WAIT_MS);
    expect(receiver.to(path)).toHaveLength(attempts);
    const { body: webhook } = await running.request<Webhook>(`GET /webhooks/${id}`, { key: back.keys.owner });
    expect(webhook).toMatchObject({ id, status: 'ACTIVE' });
    receiver.answer(path, (_, response) => response.end());
    await eventually(async () => {
      await analyze(back);
      expect(await statuses(back)).toContain('DELIVERED');
    });
  });
});

describe('hostile input', () => {
  test('is refused by every route, and never breaks one', async () => {
    const tenant = await running.newTenant('SCALE');
    const { body: webhook } = await create(tenant.keys.owner);
    const key = tenant.keys.owner;
    const values: readonly unknown[] = [
      {},
      [],
      null,
      7,
      'text',
      { $gt: '' },
      { url: { $ne: 1 } },
      { events: [{ $gt: '' }] },
      { events: [] },
      { url: 'https://a.example/\u0000', events: [TYPE] },
      { url: `https://${'a'.repeat(300)}.example/`, events: [TYPE] },
      { url: 'https://user:pass@a.example/', events: [TYPE] },
      { type: '__proto__' },
      { type: ['finding.created'] },
      { since: 'yesterday' },
      { since: 1e300 },
      { since: '9999-99-99T99:99:99Z' },
      { revoke_previous: 'yes' },
      { status: 'DELETED' },
      { constructor: 1 },
    ];
    const targets = [
      'POST /webhooks',
      `PATCH /webhooks/${webhook.id}`,
      `POST /webhooks/${webhook.id}/rotate-secret`,
      `POST /webhooks/${webhook.id}/test`,
      `POST /webhooks/${webhook.id}/replay`,
    ];
    for (const target of targets) {
      for (const body of values) {
        const { status } = await running.request(target, { key, bytes: JSON.stringify(body) });
        const isAllowed = target.endsWith('rotate-secret') && JSON.stringify(body) === '{}';
        expect([target, JSON.stringify(body), status]).toEqual([target, JSON.stringify(body), isAllowed ? 200 : 400]);
      }
    }
    const queries = ['status=NONE', 'webhook_id=x', 'limit=0', 'limit=101', 'cursor=x', 'status[$ne]=FAILED', 'a=b'];
    for (const query of queries) {
      const { status } = await running.request(`GET /webhooks/deliveries?${query}`, { key });
      expect([query, status]).toEqual([query, 400]);
    }
    const ids = ['%00', '..%2f..', '%F0%9F%92%A9', "'", '$where', 'a'.repeat(500), '%7B%22$gt%22:%22%22%7D'];
    for (const id of ids) {
      const found = await Promise.all([
        running.request(`GET /webhooks/${id}`, { key }),
        running.request(`GET /webhooks/deliveries/${id}`, { key }),
        running.request(`POST /webhooks/deliveries/${id}/replay`, { key }),
      ]);
      for (const { status } of found) expect([400, 404]).toContain(status);
    }
  });
});
