import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { Environment, Paddle } from '@paddle/paddle-node-sdk';
import { startPaddleSimulator } from './simulator.js';
import type { PaddleSimulator, SentNotification } from './simulator.js';

const SECRET = 'pdl_ntfset_simulated';
const prices = Object.fromEntries(
  ['CORE', 'SCALE', 'ENTITY'].flatMap((product) =>
    ['MONTH', 'YEAR'].map((interval) => {
      const name = `${product}_${interval}`;
      return [name, `pri_${name.toLowerCase().replace('_', '').padEnd(26, '0')}`];
    }),
  ),
);

interface Received {
  readonly body: string;
  readonly signature: string;
}

let received: Received[] = [];
let receiver: Server;
let paddle: PaddleSimulator;
beforeAll(async () => {
  receiver = createServer((request, response) => {
    void readText(request).then((body) => {
      const signature = String(request.headers['paddle-signature']);
      received.push({ body, signature });
      response.writeHead(isGood(body, signature) ? 200 : 401).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  paddle = await startPaddleSimulator({
    notificationUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    notificationSecrets: [SECRET],
    prices,
    successUrl: 'https://example.com/',
    apiKey: 'pdl_sdbx_apikey_right',
  });
});
afterEach(() => {
  received = [];
  paddle.setFault('NONE', 0);
});
afterAll(async () => {
  await paddle.stop();
  receiver.close();
});

const options = (items: readonly object[] = [{ priceId: prices['SCALE_MONTH'], quantity: 1 }], more: object = {}) => ({
  items,
  customData: { organization_id: 'o' },
  settings: { successUrl: 'https://example.com/' },
  ...more,
});

async function call<T = Record<string, string>>(target: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(`${paddle.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

/** Buys a plan, and waits until every payment notification about it got a 200 response. */
async function buy(
  items?: readonly object[],
): Promise<{ ids: Record<string, string>; sent: readonly SentNotification[] }> {
  const before = paddle.notifications.length;
  const { status, body: ids } = await call('POST /checkouts', options(items));
  expect(status).toBe(201);
  return eventually(() => {
    const sent = paddle.notifications.slice(before);
    expect(sent).toHaveLength(7);
    expect(sent.every(({ attempts }) => attempts.at(-1)?.status === 200)).toBe(true);
    return { ids, sent };
  });
}

/** Checks a payment notification as a receiver does: it must be current, and one of the signatures must match. */
function isGood(body: string, signature: string): boolean {
  const [time = '', ...values] = signature.split(';');
  const ts = Number(time.replace('ts=', ''));
  const expected = createHmac('sha256', SECRET).update(`${ts}:${body}`).digest('hex');
  return Math.abs(Date.now() / 1_000 - ts) <= 300 && values.includes(`h1=${expected}`);
}

const sdk = new Paddle('pdl_sdbx_apikey_right', { environment: Environment.sandbox });

test('the signatures and entities are what the library of the vendor accepts', async () => {
  const { ids } = await buy();
  for (const { body, signature } of received) {
    expect(await sdk.webhooks.isSignatureValid(body, SECRET, signature)).toBe(true);
    expect(await sdk.webhooks.isSignatureValid(`${body} `, SECRET, signature)).toBe(false);
  }
  const created = received.find(({ body }) => body.includes('"subscription.created"'));
  const event = await sdk.webhooks.unmarshal(created?.body ?? '', SECRET, created?.signature ?? '');
  expect(event).toMatchObject({
    eventType: 'subscription.created',
    data: {
      id: ids['subscriptionId'],
      customerId: ids['customerId'],
      status: 'active',
      items: [{ quantity: 1, price: { id: prices['SCALE_MONTH'] } }],
      customData: { organization_id: 'o' },
    },
  });
});

test('a checkout plays the usual sequence, each instant later than the one before', async () => {
  const { sent } = await buy();
  expect(sent.map(({ eventType }) => eventType)).toEqual([
    'transaction.created',
    'customer.created',
    'transaction.ready',
    'transaction.paid',
    'subscription.created',
    'subscription.activated',
    'transaction.completed',
  ]);
  const instants = sent.map(({ occurredAt }) => occurredAt);
  expect(instants).toEqual(instants.toSorted());
  expect(new Set(instants).size).toBe(instants.length);
});

test.each<[string, unknown]>([
  ['an unknown price', options([{ priceId: 'pri_1', quantity: 1 }])],
  [
    'mixed intervals',
    options([
      { priceId: prices['SCALE_MONTH'], quantity: 1 },
      { priceId: prices['ENTITY_YEAR'], quantity: 1 },
    ]),
  ],
  ['two of a plan', options([{ priceId: prices['SCALE_MONTH'], quantity: 2 }])],
  ['101 entities', options([{ priceId: prices['ENTITY_MONTH'], quantity: 101 }])],
  ['a quantity of 0', options([{ priceId: prices['ENTITY_MONTH'], quantity: 0 }])],
  ['no items', options([])],
  ['empty customData', options(undefined, { customData: {} })],
  ['an option that Paddle.js does not have', options(undefined, { coupon: 'X' })],
  ['a field that an item does not have', options([{ priceId: prices['SCALE_MONTH'], quantity: 1, price: 1 }])],
])('refuses a checkout with %s', async (_, body) => {
  expect(await call('POST /checkouts', body)).toMatchObject({
    status: 400,
    body: { error: { type: 'request_error', code: expect.any(String), detail: expect.any(String) } },
  });
});

test('takes 100 entities', async () => {
  const items = [
    { priceId: prices['SCALE_MONTH'], quantity: 1 },
    { priceId: prices['ENTITY_MONTH'], quantity: 100 },
  ];
  expect((await buy(items)).sent).toHaveLength(7);
});

describe('the faults', () => {
  test('SHUFFLE sends another order', async () => {
    paddle.setFault('SHUFFLE', 7);
    const { sent } = await buy();
    const instants = sent.map(({ occurredAt }) => occurredAt);
    expect(instants).not.toEqual(instants.toSorted());
  });

  test('DUPLICATE sends each twice', async () => {
    paddle.setFault('DUPLICATE', 7);
    const { sent } = await buy();
    await eventually(() => expect(sent.every(({ attempts }) => attempts.length === 2)).toBe(true));
  });

  test('TWO_H1 has the right signature among two', async () => {
    paddle.setFault('TWO_H1', 7);
    await buy();
    expect(received.every(({ signature }) => signature.split(';h1=').length === 3)).toBe(true);
  });

  test.each(['BAD_SIGNATURE', 'OLD_TIMESTAMP'] as const)('%s comes first, then the right one', async (fault) => {
    paddle.setFault(fault, 7);
    const { sent } = await buy();
    for (const { attempts } of sent) expect(attempts.map(({ status }) => status)).toEqual([401, 200]);
  });

  test('LOSE sends nothing', async () => {
    paddle.setFault('LOSE', 7);
    const before = paddle.notifications.length;
    await call('POST /checkouts', options());
    await eventually(() => expect(paddle.notifications.slice(before)).toHaveLength(7));
    expect(paddle.notifications.slice(before).every(({ attempts }) => attempts.length === 0)).toBe(true);
    expect(received).toEqual([]);
  });
});

test('the API lists page by page, and refuses a wrong key and what is not there', async () => {
  await buy();
  await buy();
  interface List {
    readonly data: readonly { readonly id: string }[];
    readonly meta: { readonly pagination: { readonly has_more: boolean; readonly next: string } };
  }
  const first = await call<List>('GET /subscriptions?per_page=1');
  expect(first.body.meta.pagination.has_more).toBe(true);
  const next = new URL(first.body.meta.pagination.next);
  const second = await call<List>(`GET ${next.pathname}${next.search}`);
  expect(second.body.data[0]?.id).not.toBe(first.body.data[0]?.id);
  expect((await call('GET /subscriptions', undefined, { authorization: 'Bearer wrong' })).status).toBe(403);
  expect((await call('GET /subscriptions/sub_none')).status).toBe(404);
});
