import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { notificationUrl, startPaddle } from '@invoicecontrol/dev/simulators';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { PaddleSimulator } from '@invoicecontrol/simulators/paddle';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';
import type { SmtpSimulator } from '@invoicecontrol/simulators/smtp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startRunningSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';
import { plainInvoice } from './shapes.js';
import type { Page } from './shapes.js';

interface CheckoutOptions {
  readonly items: readonly { readonly priceId: string; readonly quantity: number }[];
  readonly customer?: { readonly email: string };
  readonly customData: { readonly organization_id: string; readonly checkout_reference: string };
  readonly settings: { readonly successUrl: string };
}

interface Subscription {
  readonly plan: string;
  readonly status: string;
  readonly active: boolean;
  readonly billingInterval: string | null;
  readonly additionalLegalEntities: number;
  readonly periodEnd: string | null;
  readonly scheduledChange: { readonly action: string; readonly effectiveAt: string } | null;
  readonly duplicates: readonly { readonly subscriptionId: string; readonly status: string }[];
  readonly usage: { readonly period: string; readonly items: readonly object[] };
}

interface Bought {
  readonly customerId: string;
  readonly transactionId: string;
  readonly subscriptionId: string;
}

const SECRET = 'pdl_ntfset_test_one';
const SECRETS = `${SECRET},pdl_ntfset_test_two`;
/** The event `subscription_changed` must take effect within a second. */
const WITHIN_MS = 1_000;

let paddle: PaddleSimulator;
let smtp: SmtpSimulator;
let running: RunningSystem;
beforeAll(async () => {
  smtp = await startSmtpSimulator();
  const started = await startPaddle({ PADDLE_NOTIFICATION_SECRETS: SECRETS });
  paddle = started.simulator;
  running = await startRunningSystem({
    ...started.env,
    PADDLE_NOTIFICATION_SECRETS: SECRETS,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'control@example.com',
  });
  paddle.setNotificationUrl(notificationUrl(running.system.baseUrl));
});
afterEach(() => {
  paddle.setFault('NONE', 0);
  paddle.setOutage(false);
});
afterAll(async () => {
  await running.stop();
  await paddle.stop();
  await smtp.stop();
});

function checkOut(tenant: Tenant, body: unknown = {}): Promise<Answer<CheckoutOptions & ErrorBody>> {
  return running.request('POST /billing/checkout', { key: tenant.keys.admin, body });
}

async function subscriptionOf(tenant: Tenant): Promise<Subscription> {
  const { status, body } = await running.request<Subscription>('GET /billing/subscription', { key: tenant.keys.admin });
  expect(status).toBe(200);
  return body;
}

async function callPaddle<Body = unknown>(target: string, body?: unknown): Promise<{ status: number; body: Body }> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(`${paddle.url}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

async function buy(tenant: Tenant, body: unknown = { plan_code: 'SCALE' }): Promise<Bought> {
  const options = await checkOut(tenant, body);
  expect(options.status).toBe(200);
  const bought = await callPaddle<Bought>('POST /checkouts', options.body);
  expect(bought.status).toBe(201);
  return bought.body;
}

async function buyAndWait(tenant: Tenant, body?: unknown): Promise<Bought> {
  const bought = await buy(tenant, body);
  await eventually(async () => expect(await subscriptionOf(tenant)).toMatchObject({ active: true }));
  return bought;
}

function sign(text: string, { secret = SECRET, ts = Math.floor(Date.now() / 1_000) } = {}): string {
  return `ts=${ts};h1=${createHmac('sha256', secret).update(`${ts}:${text}`).digest('hex')}`;
}

function notify(text: string, signature = sign(text)): Promise<Answer<ErrorBody>> {
  return running.request('POST /billing/paddle/notifications', {
    bytes: text,
    headers: signature === '' ? {} : { 'paddle-signature': signature },
  });
}

function notification(data: Readonly<Record<string, unknown>>, type = 'subscription.updated', occurredAt = new Date()) {
  return JSON.stringify({
    event_id: `evt_${randomUUID()}`,
    event_type: type,
    occurred_at: occurredAt.toISOString(),
    notification_id: `ntf_${randomUUID()}`,
    data,
  });
}

function createWebhook(tenant: Tenant): Promise<Answer<ErrorBody>> {
  return running.request('POST /webhooks', {
    key: tenant.keys.owner,
    body: { url: 'https://hooks.example.com/a', events: ['scan.completed'] },
  });
}

describe('the checkout', () => {
  test('returns exactly what Paddle.js takes, with the defaults for an empty body', async () => {
    const tenant = await running.newTenant('FREE');
    const { status, body } = await running.request<CheckoutOptions>('POST /billing/checkout', {
      key: tenant.keys.admin,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [{ priceId: expect.stringMatching(/^pri_[a-z0-9]{26}$/), quantity: 1 }],
      customer: { email: expect.stringContaining('@') },
      customData: {
        organization_id: tenant.organizationId,
        checkout_reference: expect.stringMatching(/^chk_[0-9a-f]{64}$/),
      },
      settings: { successUrl: expect.stringMatching(/^http/) },
    });
    const { body: config } = await callPaddle<{ prices: Record<string, string> }>('GET /config');
    expect(body.items[0]?.priceId).toBe(config.prices['CONTROL_MONTH']);
  });

  test('adds one item for additional legal entities, with the same interval', async () => {
    const tenant = await running.newTenant('FREE');
    const { body } = await checkOut(tenant, {
      plan_code: 'CORE',
      billing_interval: 'year',
      additional_legal_entities: 100,
    });
    const { body: config } = await callPaddle<{ prices: Record<string, string> }>('GET /config');
    expect(body.items).toEqual([
      { priceId: config.prices['CORE_YEAR'], quantity: 1 },
      { priceId: config.prices['ENTITY_YEAR'], quantity: 100 },
    ]);
  });

  test.each([
    [{ plan_code: 'ENTERPRISE' }, 'plan_code'],
    [{ billing_interval: 'week' }, 'billing_interval'],
    [{ additional_legal_entities: 101 }, 'additional_legal_entities'],
    [{ additional_legal_entities: -1 }, 'additional_legal_entities'],
    [{ additional_legal_entities: 1.5 }, 'additional_legal_entities'],
    [{ coupon: 'X' }, 'coupon'],
  ])('refuses %p', async (body, path) => {
    const answer = await checkOut(running.tenant, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.text).toContain(path);
  });

  test('is recorded in the audit trail', async () => {
    const tenant = await running.newTenant('FREE');
    await checkOut(tenant);
    await eventually(async () => {
      const { body } = await running.request<Page<{ action: string; target: string }>>('GET /audit-events', {
        key: tenant.keys.owner,
      });
      expect(body.items).toContainEqual(
        expect.objectContaining({
          action: 'billing.checkout_requested',
          target: `organization:${tenant.organizationId}`,
        }),
      );
    });
  });

  test('uses the billing e-mail that was set a moment ago', async () => {
    const tenant = await running.newTenant('FREE');
    await running.request('PATCH /organizations/current', {
      key: tenant.keys.owner,
      body: { billing_email: 'bills@example.com' },
    });
    expect((await checkOut(tenant)).body.customer).toEqual({ email: 'bills@example.com' });
  });

  test('works while the payment provider cannot be reached', async () => {
    paddle.setOutage(true);
    expect((await checkOut(await running.newTenant('FREE'))).status).toBe(200);
  });

  test('is refused while a subscription is not canceled, after the body was found good', async () => {
    const tenant = await running.newTenant('FREE');
    const { subscriptionId } = await buyAndWait(tenant);
    expect(await checkOut(tenant)).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect(await checkOut(tenant, { plan_code: 'NONE' })).toMatchObject({ status: 400 });
    await callPaddle(`POST /subscriptions/${subscriptionId}/cancel`, { effective_from: 'immediately' });
    await eventually(async () => expect((await checkOut(tenant)).status).toBe(200));
  });
});

describe('a paid subscription', () => {
  test('opens the gates within a second, and closes them when it is canceled', async () => {
    const tenant = await running.newTenant('FREE');
    expect((await createWebhook(tenant)).status).toBe(403);
    const { subscriptionId } = await buy(tenant, { plan_code: 'SCALE', additional_legal_entities: 2 });
    const openAt = await eventually(async () => {
      expect((await createWebhook(tenant)).status).toBe(201);
      return Date.now();
    });
    const told = paddle.notifications.find(
      (one) => one.subscriptionId === subscriptionId && one.eventType === 'subscription.created',
    );
    expect(openAt - Date.parse(told?.attempts.at(-1)?.at ?? '')).toBeLessThanOrEqual(WITHIN_MS);
    expect(await subscriptionOf(tenant)).toMatchObject({
      plan: 'SCALE',
      status: 'active',
      active: true,
      billingInterval: 'month',
      additionalLegalEntities: 2,
      periodEnd: expect.any(String),
      scheduledChange: null,
      duplicates: [],
    });
    const all = await running.request<Subscription['usage']>('GET /organizations/current/usage', {
      key: tenant.keys.owner,
    });
    expect((await subscriptionOf(tenant)).usage).toEqual(all.body);

    const mode = { key: tenant.keys.owner, body: { mode: 'ALL' } };
    expect((await running.request('PATCH /organizations/current/reference-validation', mode)).status).toBe(200);
    await callPaddle(`POST /subscriptions/${subscriptionId}/cancel`, { effective_from: 'immediately' });
    await eventually(async () =>
      expect(await subscriptionOf(tenant)).toMatchObject({ plan: 'FREE', status: 'canceled', active: false }),
    );
    expect((await createWebhook(tenant)).status).toBe(403);
    expect((await running.request('PATCH /organizations/current/reference-validation', mode)).status).toBe(403);
    const { body } = await running.request('GET /organizations/current', { key: tenant.keys.owner });
    expect(body).toMatchObject({
      referenceValidationMode: 'ALL',
      referenceValidationInForce: 'DECLARED_PROFILES',
      plan: 'SCALE',
      subscriptionStatus: 'canceled',
    });
  });

  test('forbids deleting the organization until it is canceled', async () => {
    const tenant = await running.newTenant('FREE');
    const { subscriptionId } = await buyAndWait(tenant);
    const key = tenant.keys.owner;
    const { body } = await running.request<{ name: string }>('GET /organizations/current', { key });
    const deletion = { key, body: { confirm_name: body.name } };
    expect((await running.request('DELETE /organizations/current', deletion)).status).toBe(409);
    await callPaddle(`POST /subscriptions/${subscriptionId}/cancel`, { effective_from: 'immediately' });
    await eventually(async () => expect((await subscriptionOf(tenant)).status).toBe('canceled'));
    expect((await running.request('DELETE /organizations/current', deletion)).status).toBe(200);
  });

  test('stays active until a scheduled cancellation takes effect, and through arrears; not while it is paused', async () => {
    const tenant = await running.newTenant('FREE');
    const { subscriptionId } = await buyAndWait(tenant);
    const act = (action: string, from?: string) =>
      callPaddle(`POST /subscriptions/${subscriptionId}/${action}`, from && { effective_from: from });
    await act('cancel', 'next_billing_period');
    await eventually(async () =>
      expect(await subscriptionOf(tenant)).toMatchObject({
        status: 'active',
        active: true,
        scheduledChange: { action: 'cancel', effectiveAt: expect.any(String) },
      }),
    );
    await act('fail-payment');
    await eventually(async () =>
      expect(await subscriptionOf(tenant)).toMatchObject({ plan: 'SCALE', status: 'past_due', active: true }),
    );
    await act('pause', 'immediately');
    await eventually(async () =>
      expect(await subscriptionOf(tenant)).toMatchObject({ plan: 'FREE', status: 'paused', active: false }),
    );
    expect((await checkOut(tenant)).status).toBe(409);
    await act('resume', 'immediately');
    await eventually(async () =>
      expect(await subscriptionOf(tenant)).toMatchObject({ plan: 'SCALE', status: 'active', active: true }),
    );
  });

  test('changes its plan with its items', async () => {
    const tenant = await running.newTenant('FREE');
    const { subscriptionId } = await buyAndWait(tenant, { plan_code: 'CORE' });
    const { body: config } = await callPaddle<{ prices: Record<string, string> }>('GET /config');
    await callPaddle(`PATCH /subscriptions/${subscriptionId}`, {
      items: [
        { price_id: config.prices['CONTROL_YEAR'], quantity: 1 },
        { price_id: config.prices['ENTITY_YEAR'], quantity: 3 },
      ],
    });
    await eventually(async () =>
      expect(await subscriptionOf(tenant)).toMatchObject({
        plan: 'CONTROL',
        billingInterval: 'year',
        additionalLegalEntities: 3,
      }),
    );
  });

  test('mails the owners when a payment fails, once', async () => {
    const tenant = await running.newTenant('FREE');
    const { subscriptionId } = await buyAndWait(tenant);
    paddle.setFault('DUPLICATE', 10);
    await callPaddle(`POST /subscriptions/${subscriptionId}/fail-payment`);
    await eventually(async () => {
      const { body } = await running.request<Page<{ kind: string; status: string; userId: string }>>(
        'GET /notifications',
        { key: tenant.keys.owner },
      );
      expect(body.items.filter(({ kind }) => kind === 'PAYMENT_FAILED')).toEqual([
        expect.objectContaining({ status: 'SENT', userId: tenant.users.owner }),
      ]);
    });
    expect(smtp.mails.some(({ subject }) => /payment/i.test(subject))).toBe(true);
    await eventually(async () =>
      expect(await subscriptionOf(tenant)).toMatchObject({ status: 'past_due', active: true }),
    );
  });

  test('is bought on the page of the provider that a link leads to; 409 afterwards, 502 while the provider does not respond', async () => {
    const tenant = await running.newTenant('FREE');
    const open = () =>
      running.request<{ url: string } & ErrorBody>('POST /billing/checkout-session', {
        key: tenant.keys.admin,
        body: { plan_code: 'SCALE', additional_legal_entities: 2 },
      });
    paddle.setOutage(true);
    expect(await open()).toMatchObject({ status: 502, body: { error: { code: 'PROCESSING_FAILED' } } });
    paddle.setOutage(false);
    const { status, body } = await open();
    expect(status).toBe(200);
    expect(await subscriptionOf(tenant)).toMatchObject({ status: 'none' });
    const paid = await fetch(body.url, { redirect: 'manual' });
    expect(paid.status).toBe(303);
    expect(paid.headers.get('location')).toMatch(/^http/);
    await eventually(async () =>
      expect(await subscriptionOf(tenant)).toMatchObject({
        plan: 'SCALE',
        active: true,
        additionalLegalEntities: 2,
      }),
    );
    expect(await open()).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    // A page that is loaded again buys nothing more.
    expect((await fetch(body.url)).status).toBe(404);
  });

  test('leads to the page of the provider; 404 when the provider does not know the customer, 502 while it does not respond', async () => {
    const tenant = await running.newTenant('FREE');
    const open = () =>
      running.request<{ url: string } & ErrorBody>('POST /billing/portal-session', { key: tenant.keys.admin });
    expect(await open()).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    await buyAndWait(tenant);
    const opened = await open();
    expect(opened.status).toBe(200);
    expect(opened.body.url).toMatch(/^http.*token=/);
    const former = await running.newTenant('FREE');
    const { items, customData } = (await checkOut(former)).body;
    const deleted = notification(
      {
        id: `sub_${randomUUID()}`,
        status: 'active',
        customer_id: 'ctm_deleted',
        items: [{ price: { id: items[0]?.priceId }, quantity: 1 }],
        custom_data: customData,
      },
      'subscription.created',
    );
    expect((await notify(deleted)).status).toBe(200);
    const unknown = await running.request<ErrorBody>('POST /billing/portal-session', { key: former.keys.admin });
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    expect(unknown.body.error.message).toMatch(/payment provider has no customer/);
    paddle.setOutage(true);
    expect(await open()).toMatchObject({ status: 502, body: { error: { code: 'PROCESSING_FAILED' } } });
  });

  test('is marked as a duplicate when another one exists, which stays', async () => {
    const tenant = await running.newTenant('FREE');
    const [first, second] = [
      await checkOut(tenant, { plan_code: 'CORE' }),
      await checkOut(tenant, { plan_code: 'SCALE' }),
    ];
    const { body: kept } = await callPaddle<Bought>('POST /checkouts', first.body);
    await eventually(async () => expect(await subscriptionOf(tenant)).toMatchObject({ plan: 'CORE', active: true }));
    const { body: other } = await callPaddle<Bought>('POST /checkouts', second.body);
    const duplicates = [{ subscriptionId: other.subscriptionId, status: 'active' }];
    await eventually(async () => expect(await subscriptionOf(tenant)).toMatchObject({ plan: 'CORE', duplicates }));
    await callPaddle(`POST /subscriptions/${kept.subscriptionId}/cancel`, { effective_from: 'immediately' });
    await eventually(async () =>
      expect(await subscriptionOf(tenant)).toMatchObject({ plan: 'FREE', status: 'canceled', duplicates }),
    );
    expect((await checkOut(tenant)).status).toBe(409);
  });
});

describe("a stranger's checkout", () => {
  /** Pays with options that the buyer has changed, and waits until the provider has received a response. */
  const pay = async (options: CheckoutOptions, customData: object): Promise<Bought> => {
    const customer = { email: 'stranger@example.net' };
    const { status, body } = await callPaddle<Bought>('POST /checkouts', { ...options, customer, customData });
    expect(status).toBe(201);
    await eventually(() => {
      const told = paddle.notifications.filter((one) => one.subscriptionId === body.subscriptionId);
      expect(told.some(({ eventType }) => eventType === 'transaction.completed')).toBe(true);
      expect(told.every(({ attempts }) => attempts.at(-1)?.status === 200)).toBe(true);
    });
    return body;
  };
  const portalOf = ({ keys }: Tenant) =>
    running.request<ErrorBody>('POST /billing/portal-session', { key: keys.admin });
  const kindsOf = async ({ keys }: Tenant): Promise<string[]> => {
    const { body } = await running.request<Page<{ kind: string }>>('GET /notifications', { key: keys.owner });
    return body.items.map(({ kind }) => kind);
  };

  test('that names an organization changes neither its plan nor its portal, and its end takes nothing away', async () => {
    const [victim, stranger] = [await running.newTenant('ENTERPRISE'), await running.newTenant('FREE')];
    const { body: options } = await checkOut(stranger, { plan_code: 'CORE' });
    const before = await subscriptionOf(victim);
    expect(before).toMatchObject({ plan: 'ENTERPRISE', status: 'none', active: true });
    const bought = await pay(options, { organization_id: victim.organizationId });
    // The payment states a checkout reference that belongs to another organization.
    await pay(options, { ...options.customData, organization_id: victim.organizationId });
    expect(await subscriptionOf(victim)).toEqual(before);
    expect(await portalOf(victim)).toMatchObject({ status: 409 });
    await callPaddle(`POST /subscriptions/${bought.subscriptionId}/fail-payment`);
    await callPaddle(`POST /subscriptions/${bought.subscriptionId}/cancel`, { effective_from: 'immediately' });
    await eventually(() => {
      const told = paddle.notifications.filter((one) => one.subscriptionId === bought.subscriptionId);
      expect(told.map(({ eventType }) => eventType)).toContain('subscription.canceled');
      expect(told.every(({ attempts }) => attempts.at(-1)?.status === 200)).toBe(true);
    });
    expect(await subscriptionOf(victim)).toEqual(before);
    expect((await checkOut(victim)).status).toBe(200);
    expect(await kindsOf(victim)).not.toContain('PAYMENT_FAILED');
  });

  test('cannot use a reference again that an organization has used', async () => {
    const victim = await running.newTenant('FREE');
    const { body: options } = await checkOut(victim, { plan_code: 'SCALE' });
    await callPaddle('POST /checkouts', options);
    await eventually(async () => expect(await subscriptionOf(victim)).toMatchObject({ plan: 'SCALE', active: true }));
    await pay(options, options.customData);
    expect(await subscriptionOf(victim)).toMatchObject({ plan: 'SCALE', status: 'active', duplicates: [] });
  });
});

describe.each(['SHUFFLE', 'DUPLICATE', 'DELAY', 'TWO_H1', 'BAD_SIGNATURE', 'OLD_TIMESTAMP'] as const)(
  'notifications with the fault %s',
  (fault) => {
    test('end in the same subscription', async () => {
      const tenant = await running.newTenant('FREE');
      paddle.setFault(fault, 7);
      await buy(tenant, { plan_code: 'CONTROL', additional_legal_entities: 1 });
      await eventually(async () =>
        expect(await subscriptionOf(tenant)).toMatchObject({
          plan: 'CONTROL',
          status: 'active',
          active: true,
          additionalLegalEntities: 1,
          duplicates: [],
        }),
      );
      await eventually(() => {
        const own = paddle.notifications.slice(-7);
        expect(own.every(({ attempts }) => attempts.at(-1)?.status === 200)).toBe(true);
      });
    });
  },
);

describe('a notification', () => {
  const data = { id: 'sub_1', status: 'active', items: [] };
  const now = () => Math.floor(Date.now() / 1_000);

  test.each<[string, (text: string) => string]>([
    ['no signature', () => ''],
    ['an empty text', () => ' '],
    ['a wrong signature', (text) => sign(text, { secret: 'wrong' })],
    ['a signature of 301 seconds ago', (text) => sign(text, { ts: now() - 302 })],
    ['a signature from 301 seconds ahead', (text) => sign(text, { ts: now() + 303 })],
    ['two times', (text) => `ts=${now()};${sign(text)}`],
    ['21 signatures', (text) => `${sign(text)}${`;h1=${'0'.repeat(64)}`.repeat(20)}`],
    ['a signature of other bytes', (text) => sign(`${text} `)],
  ])('with %s is refused with the one sentence', async (_, signature) => {
    const text = notification(data);
    const answer = await notify(text, signature(text));
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    expect(answer.body.error.message).toBe((await notify('{}', 'nonsense')).body.error.message);
  });

  test.each<[string, (text: string) => string]>([
    ['any of the secrets', (text) => sign(text, { secret: 'pdl_ntfset_test_two' })],
    ['a good one among 20 signatures', (text) => `${sign(text)}${`;h1=${'0'.repeat(64)}`.repeat(19)}`],
    ['a good one after what is no HMAC', (text) => sign(text).replace(';h1=', ';h1=abc;h1=')],
    ['a signature of 290 seconds ago', (text) => sign(text, { ts: now() - 290 })],
  ])('with %s is taken', async (_, signature) => {
    const text = notification(data, 'product.created');
    expect((await notify(text, signature(text))).status).toBe(200);
  });

  test.each([
    ['no JSON', 'nonsense'],
    ['a list', '[]'],
    ['no event_id', JSON.stringify({ event_type: 'a', occurred_at: '2026-01-01T00:00:00Z', data: {} })],
    ['no event_type', JSON.stringify({ event_id: 'a', occurred_at: '2026-01-01T00:00:00Z', data: {} })],
    ['a day as instant', JSON.stringify({ event_id: 'a', event_type: 'a', occurred_at: '2026-01-01', data: {} })],
    [
      'a list as data',
      JSON.stringify({ event_id: 'a', event_type: 'a', occurred_at: '2026-01-01T00:00:00Z', data: [] }),
    ],
  ])('that is signed but has %s is refused with 400', async (_, text) => {
    expect(await notify(text)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });

  test.each<[string, number, string]>([
    ['a thousand levels of lists', 200, `{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`],
    ['half a million levels of lists', 400, `{"a":${'['.repeat(500_000)}}`],
    ['names of prototypes', 200, '{"__proto__":{"status":"active"},"constructor":{"prototype":{}},"id":"sub_1"}'],
    ['operators of the database', 200, '{"id":{"$gt":""},"subscription_id":{"$ne":null},"custom_data":{"$where":"1"}}'],
    ['half of a character', 200, '{"id":"\\ud800","customer_id":"\\u0000"}'],
    ['numbers beyond all bounds', 200, '{"id":1e999,"items":[{"price":{"id":"a"},"quantity":1e308}],"status":-0}'],
    ['a name twice', 200, '{"id":"sub_1","id":"sub_2","status":"active","items":[]}'],
    ['101 items', 200, `{"id":"sub_1","status":"active","items":[${Array.from({ length: 101 }, () => '{}').join()}]}`],
    ['no UTF-8', 400, '{"id":"\u00ff"}'],
  ])('that is signed but whose data has %s is answered %i', async (name, expected, text) => {
    const whole = notification({}, 'subscription.updated').replace('"data":{}', `"data":${text}`);
    const bytes = Buffer.from(whole, name === 'no UTF-8' ? 'latin1' : 'utf8');
    const ts = now();
    const h1 = createHmac('sha256', SECRET).update(`${ts}:`).update(bytes).digest('hex');
    const { status } = await running.request<ErrorBody>('POST /billing/paddle/notifications', {
      bytes,
      headers: { 'paddle-signature': `ts=${ts};h1=${h1}` },
    });
    expect(status).toBe(expected);
  });

  test.each<[string, Record<string, string>]>([
    ['a type that is none', { 'content-type': 'no/such; charset=utf-16' }],
    ['a compression that its bytes do not have', { 'content-encoding': 'gzip' }],
    ['a key of nobody', { authorization: 'Bearer ick_live_nobody' }],
    ['an idempotency key', { 'idempotency-key': 'once' }],
    ['another method in a header', { 'x-http-method-override': 'DELETE' }],
  ])('that says it has %s counts by its bytes and signature alone', async (_, headers) => {
    const text = notification(data, 'product.created');
    const { status } = await running.request('POST /billing/paddle/notifications', {
      bytes: text,
      headers: { 'paddle-signature': sign(text), ...headers },
    });
    expect(status).toBe(200);
  });

  test('that is sent 50 times at once counts once, whatever fresh signatures it has', async () => {
    const tenant = await running.newTenant('FREE');
    const { items, customData } = (await checkOut(tenant, { plan_code: 'SCALE' })).body;
    const text = notification({
      id: `sub_${randomUUID()}`,
      status: 'active',
      items: [{ price: { id: items[0]?.priceId }, quantity: 1 }],
      custom_data: customData,
    });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => notify(text, sign(text, { ts: now() - index }))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await subscriptionOf(tenant)).toMatchObject({ plan: 'SCALE', status: 'active', duplicates: [] });
  });

  test('of 1 MiB is taken, and one byte more is 413', async () => {
    const text = notification(data, 'product.created');
    const whole = text.padEnd(1024 ** 2, ' ');
    expect((await notify(whole)).status).toBe(200);
    expect((await notify(`${whole} `)).status).toBe(413);
  });

  test('is taken after many refused ones of the same address', async () => {
    for (let sent = 0; sent < 40; sent++) expect((await notify('{}', 'nonsense')).status).toBe(401);
    expect((await notify(notification(data, 'product.created'))).status).toBe(200);
  });

  test('about an unknown price grants nothing', async () => {
    const tenant = await running.newTenant('FREE');
    const text = notification({
      id: `sub_${randomUUID()}`,
      status: 'active',
      items: [{ price: { id: 'pri_01unknown0000000000000000' }, quantity: 1 }],
      custom_data: (await checkOut(tenant)).body.customData,
    });
    expect((await notify(text)).status).toBe(200);
    expect(await subscriptionOf(tenant)).toMatchObject({ plan: 'FREE', status: 'none', active: false });
  });

  test('that is older than the last one changes nothing', async () => {
    const tenant = await running.newTenant('FREE');
    const { subscriptionId } = await buyAndWait(tenant);
    const { body } = await callPaddle<{ data: Record<string, unknown> }>(`GET /subscriptions/${subscriptionId}`);
    const stale = notification({ ...body.data, status: 'canceled' }, 'subscription.canceled', new Date('2020-01-01'));
    expect((await notify(stale)).status).toBe(200);
    expect(await subscriptionOf(tenant)).toMatchObject({ status: 'active' });
  });

  test('cannot move a subscription to another organization', async () => {
    const [tenant, other] = [await running.newTenant('FREE'), await running.newTenant('FREE')];
    const { subscriptionId } = await buyAndWait(tenant);
    const { body } = await callPaddle<{ data: Record<string, unknown> }>(`GET /subscriptions/${subscriptionId}`);
    const moved = { ...body.data, custom_data: (await checkOut(other)).body.customData };
    expect((await notify(notification(moved, 'subscription.updated', new Date(Date.now() + 1_000)))).status).toBe(200);
    expect(await subscriptionOf(other)).toMatchObject({ status: 'none', plan: 'FREE' });
    expect(await subscriptionOf(tenant)).toMatchObject({ status: 'active', plan: 'SCALE' });
  });
});

test('ENTERPRISE from the operator is active without a subscription, and does not forbid a checkout', async () => {
  const tenant = await running.newTenant('ENTERPRISE');
  expect(await subscriptionOf(tenant)).toMatchObject({
    plan: 'ENTERPRISE',
    status: 'none',
    active: true,
    billingInterval: null,
    periodEnd: null,
  });
  expect((await checkOut(tenant)).status).toBe(200);
});

test('a plan that the operator set is not lowered by what the organization buys, nor by the end of it', async () => {
  const tenant = await running.newTenant('FREE');
  await running.setPlan(tenant.organizationId, { plan: 'ENTERPRISE' });
  const plan = async () => {
    const { body } = await running.request<{ plan: string }>('GET /organizations/current', { key: tenant.keys.owner });
    return body.plan;
  };
  const { subscriptionId } = await buy(tenant, { plan_code: 'CORE' });
  // Waits for the first effect of the purchase, which must not lower the plan.
  await eventually(async () => expect(await subscriptionOf(tenant)).toMatchObject({ status: 'active' }));
  await eventually(async () => {
    const { body } = await running.request<Page<{ action: string }>>('GET /audit-events', { key: tenant.keys.owner });
    expect(body.items.map(({ action }) => action)).toContain('organization.subscription_changed');
  });
  expect(await plan()).toBe('ENTERPRISE');
  expect((await createWebhook(tenant)).status).toBe(201);
  await callPaddle(`POST /subscriptions/${subscriptionId}/cancel`, { effective_from: 'immediately' });
  await eventually(async () =>
    expect(await subscriptionOf(tenant)).toMatchObject({ plan: 'ENTERPRISE', status: 'canceled', active: true }),
  );
  expect(await plan()).toBe('ENTERPRISE');
});

test('a plan that the operator sets during a subscription lasts until the next notification', async () => {
  const tenant = await running.newTenant('FREE');
  const { subscriptionId } = await buyAndWait(tenant, { plan_code: 'CORE' });
  await running.setPlan(tenant.organizationId, { plan: 'SCALE' });
  await eventually(async () => expect((await createWebhook(tenant)).status).toBe(201));
  await callPaddle(`POST /subscriptions/${subscriptionId}/renew`);
  await eventually(async () => expect((await createWebhook(tenant)).status).toBe(403));
});

test('the owners are told once when 80 and 100 percent of a quota are used', async () => {
  const tenant = await running.newTenant('FREE');
  for (let number = 1; number <= 25; number++) {
    const { status } = await running.request('POST /invoices', { key: tenant.keys.owner, body: plainInvoice(number) });
    expect(status).toBe(202);
  }
  const { status } = await running.request('POST /invoices', { key: tenant.keys.owner, body: plainInvoice(26) });
  expect(status).toBe(429);
  await eventually(async () => {
    const { body } = await running.request<Page<{ kind: string; subject: string }>>('GET /notifications', {
      key: tenant.keys.owner,
    });
    const subjects = body.items.filter(({ kind }) => kind === 'USAGE_REACHED').map(({ subject }) => subject);
    expect(subjects.toSorted()).toEqual([
      expect.stringContaining('has used 100% of its analyses'),
      expect.stringContaining('has used 80% of its analyses'),
    ]);
  });
});
