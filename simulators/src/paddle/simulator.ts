import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { readCheckoutOptions } from './checkout-options.js';
import type { CheckoutOptions } from './checkout-options.js';
import { faultKinds } from './faults.js';
import type { FaultKind } from './faults.js';
import { newId } from './ids.js';
import { asObject, readItems } from './items.js';
import type { Prices } from './items.js';
import { notifier } from './notifier.js';
import type { EventToSend, SentNotification } from './notifier.js';
import { ApiRefusal, invalid } from './refusal.js';
import { readEffectiveFrom, Subscriptions } from './subscriptions.js';
import type { Happened } from './subscriptions.js';

export type { EventToSend, SentNotification } from './notifier.js';
export { signatureHeader } from './signature.js';

export interface PaddleOptions {
  readonly port?: number;
  /** URL for payment notifications, which can also be set later. */
  readonly notificationUrl?: string;
  /** Secrets whose signatures the receivers of payment notifications accept. The simulator signs with the first one. */
  readonly notificationSecrets: readonly string[];
  /** Ids of the prices of the simulated payment provider by name, such as `CORE_MONTH`. */
  readonly prices: Prices;
  readonly successUrl: string;
  /** API key that requests to the simulated payment provider must have. If it is absent, any key is accepted. */
  readonly apiKey?: string;
}

export interface PaddleSimulator {
  /** URL of the simulated payment provider, such as `http://127.0.0.1:4300`. */
  readonly url: string;
  readonly notifications: readonly SentNotification[];
  setNotificationUrl(url: string): void;
  setFault(kind: FaultKind, times: number): void;
  /** Starts or ends an outage of the simulated payment provider in which every API call gets 503. */
  setOutage(isOut: boolean): void;
  /** Sends payment notifications about the given events in the given order. */
  send(sequence: readonly EventToSend[]): Promise<void>;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Address to which a page leads the browser. */
  readonly location?: string;
  /** Events that the request caused. The simulator sends payment notifications about them after its response. */
  readonly sequence?: readonly EventToSend[];
}

interface Call {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

const HOST = '127.0.0.1';
const BODY_BYTES_MAX = 1024 ** 2;
const PAGE_SIZE_MAX = 200;
const PAGE_SIZE_DEFAULT = 50;
const TIMES_MAX = 100_000;

/**
 * Starts a simulator of Paddle Billing: a hosted checkout that is paid at once, the subscriptions that such checkouts
 * create, and the signed notifications about them. Without a port, the operating system chooses one. The simulator
 * responds to these requests:
 *
 * - to check out: `GET /config`; `POST /checkouts` with the options of `Paddle.Checkout.open`; the page of a prepared
 *   transaction, `GET /pay?_ptxn=...`, which pays and leads to the page of the seller
 * - to change a subscription: `POST /subscriptions/{id}/pause`, `/resume`, `/cancel`, `/renew`, `/fail-payment`;
 *   `PATCH /subscriptions/{id}`
 * - as in the API of Paddle: `POST /transactions`, `GET /subscriptions`, `GET /subscriptions/{id}`, `GET /customers/{id}`,
 *   `POST /customers/{id}/portal-sessions`
 * - for tests: `POST /faults` with `{ "kind": "SHUFFLE", "times": 7 }`; `GET /notifications`
 */
export async function startPaddleSimulator(options: PaddleOptions): Promise<PaddleSimulator> {
  const { prices, notificationSecrets, successUrl, apiKey } = options;
  const subscriptions = new Subscriptions(prices);
  const sender = notifier({ url: options.notificationUrl, secrets: notificationSecrets });
  /** Transactions that were prepared and not paid, by their ids. */
  const prepared = new Map<string, CheckoutOptions>();
  let isOut = false;
  let origin = '';

  const changed = ({ subscription, sequence }: Happened): Answer => ({
    status: 200,
    body: inEnvelope(subscription),
    sequence,
  });
  const routes: Readonly<Record<string, (call: Call) => Answer>> = {
    'GET /config': () => ({
      status: 200,
      body: { notificationUrl: sender.url ?? null, notificationSecrets, prices, successUrl },
    }),
    'GET /notifications': () => ({ status: 200, body: sender.sent }),
    'POST /faults': ({ body }) => {
      const { kind, times } = readFault(body);
      sender.setFault(kind, times);
      return { status: 200, body: { kind, times } };
    },
    'POST /checkouts': ({ body }) => {
      const { subscription, transactionId, sequence } = subscriptions.checkOut(readCheckoutOptions(body, prices));
      const ids = { customerId: subscription.customer_id, transactionId, subscriptionId: subscription.id };
      return { status: 201, body: ids, sequence };
    },
    'POST /transactions': ({ body }) => {
      const { items, custom_data: customData } = asObject(body, 'body');
      const id = newId('txn');
      prepared.set(id, readCheckoutOptions({ items: readItems(items, prices, 'price_id'), customData }, prices));
      return { status: 201, body: inEnvelope({ id, checkout: { url: `${origin}/pay?_ptxn=${id}` } }) };
    },
    'GET /pay': ({ query }) => {
      const id = query.get('_ptxn') ?? '';
      const options = prepared.get(id);
      if (options === undefined) throw new ApiRefusal(404, 'not_found', 'There is no such transaction.');
      // A page that is loaded again pays no second time.
      prepared.delete(id);
      return { status: 303, body: {}, location: successUrl, sequence: subscriptions.checkOut(options).sequence };
    },
    'GET /subscriptions': ({ query }) => ({ status: 200, body: pageOf(subscriptions.list(), query, origin) }),
    'GET /subscriptions/:id': ({ id }) => ({ status: 200, body: inEnvelope(subscriptions.get(id)) }),
    'PATCH /subscriptions/:id': ({ id, body }) => {
      subscriptions.get(id);
      const { items } = asObject(body, 'body');
      return changed(subscriptions.changeItems(id, readItems(items, prices, idFieldOf(items))));
    },
    'POST /subscriptions/:id/pause': ({ id, body }) =>
      changed(subscriptions.pause(id, readEffectiveFrom(fieldOf(body), 'next_billing_period'))),
    'POST /subscriptions/:id/resume': ({ id, body }) =>
      changed(subscriptions.resume(id, readEffectiveFrom(fieldOf(body), 'immediately'))),
    'POST /subscriptions/:id/cancel': ({ id, body }) =>
      changed(subscriptions.cancel(id, readEffectiveFrom(fieldOf(body), 'next_billing_period'))),
    'POST /subscriptions/:id/renew': ({ id }) => changed(subscriptions.renew(id)),
    'POST /subscriptions/:id/fail-payment': ({ id }) => changed(subscriptions.failPayment(id)),
    'GET /customers/:id': ({ id }) => ({ status: 200, body: inEnvelope(subscriptions.customer(id)) }),
    'POST /customers/:id/portal-sessions': ({ id, body }) => {
      subscriptions.customer(id);
      const { subscription_ids: ids = [] } = asObject(body, 'body');
      const overview = `${origin}/portal?token=${newId('pga')}`;
      const of = (ids as readonly string[]).map((subscription) => ({
        id: subscriptions.get(subscription).id,
        cancel_subscription: `${overview}&action=cancel_subscription`,
        update_subscription_payment_method: `${overview}&action=update_subscription_payment_method`,
      }));
      return {
        status: 201,
        body: inEnvelope({ id: newId('cpls'), customer_id: id, urls: { general: { overview }, subscriptions: of } }),
      };
    },
  };

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const url = new URL(request.url ?? '/', origin);
    const { name, id } = routeName(request.method ?? 'GET', url.pathname);
    const handle = routes[name];
    if (handle === undefined) throw new ApiRefusal(404, 'not_found', `There is no ${name}.`);
    const isApi = /^(?:GET|PATCH) \/subscriptions|^(?:GET|POST) \/customers|^POST \/transactions/.test(name);
    if (isApi && isOut) throw new ApiRefusal(503, 'service_unavailable', 'The API is not available.');
    const { authorization } = request.headers;
    if (isApi && authorization !== undefined && apiKey !== undefined && authorization !== `Bearer ${apiKey}`) {
      throw new ApiRefusal(403, 'invalid_token', 'The API key is not valid.');
    }
    return handle({ id, query: url.searchParams, body: await readBody(request) });
  };
  const server = createServer((request, response) => {
    const reply = (status: number, body: unknown, location?: string): void => {
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        ...(location === undefined ? {} : { location }),
      };
      response.writeHead(status, headers).end(JSON.stringify(body));
    };
    answer(request).then(
      ({ status, body, location, sequence }) => {
        reply(status, body, location);
        if (sequence !== undefined) void sender.send(sequence);
      },
      (error: unknown) => {
        const refusal = error instanceof ApiRefusal ? error : new ApiRefusal(500, 'internal_error', String(error));
        const type = refusal.status < 500 ? 'request_error' : 'api_error';
        reply(refusal.status, { error: { type, code: refusal.code, detail: refusal.message }, meta: metaOf() });
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, HOST, resolve);
  });
  origin = `http://${HOST}:${(server.address() as AddressInfo).port}`;

  return {
    url: origin,
    notifications: sender.sent,
    setNotificationUrl: (url) => sender.setUrl(url),
    setFault: (kind, times) => sender.setFault(kind, times),
    setOutage(next) {
      isOut = next;
    },
    send: (sequence) => sender.send(sequence),
    async stop() {
      sender.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Returns the route of a path of the simulated payment provider: `/subscriptions/sub_1/pause` is the route
 * `/subscriptions/:id/pause` with an id.
 */
function routeName(method: string, path: string): { name: string; id: string } {
  const [, first = '', id, ...rest] = path.split('/');
  const segments = id === undefined ? [first] : [first, ':id', ...rest];
  return { name: `${method} /${segments.join('/')}`, id: id ?? '' };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) throw invalid('The body is too large.');
  const text = await readText(request);
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The body is not JSON.');
  }
}

function fieldOf(body: unknown): unknown {
  return asObject(body, 'body')['effective_from'];
}

/**
 * Returns the name of the field for the price id: `price_id` as in the Paddle API, or `priceId` if the caller sends the
 * items of a checkout unchanged.
 */
function idFieldOf(items: unknown): 'priceId' | 'price_id' {
  return Array.isArray(items) && items.some((item) => typeof item === 'object' && item !== null && 'priceId' in item)
    ? 'priceId'
    : 'price_id';
}

function readFault(body: unknown): { kind: FaultKind; times: number } {
  const { kind: named, times = 1 } = asObject(body, 'body');
  const kind = faultKinds.find((known) => known === named);
  if (kind === undefined || typeof times !== 'number' || !Number.isInteger(times) || times < 0 || times > TIMES_MAX) {
    throw invalid(`Send { "kind": one of ${faultKinds.join(', ')}, "times": a number from 0 to ${TIMES_MAX} }.`);
  }
  return { kind, times };
}

function metaOf(): { request_id: string } {
  return { request_id: newId('req') };
}

function inEnvelope(data: unknown): { data: unknown; meta: object } {
  return { data, meta: metaOf() };
}

function pageOf(all: readonly { readonly id: string }[], query: URLSearchParams, origin: string): unknown {
  const size = Math.min(Number(query.get('per_page') ?? PAGE_SIZE_DEFAULT) || PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX);
  const after = query.get('after');
  const begin = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const data = all.slice(begin, begin + size);
  const next = new URL('/subscriptions', origin);
  next.searchParams.set('per_page', String(size));
  next.searchParams.set('after', data.at(-1)?.id ?? after ?? '');
  return {
    data,
    meta: {
      ...metaOf(),
      pagination: {
        per_page: size,
        next: next.toString(),
        has_more: begin + size < all.length,
        estimated_total: all.length,
      },
    },
  };
}
