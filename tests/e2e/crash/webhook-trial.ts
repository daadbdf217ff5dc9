// Simulates customers with endpoints at a receiver of the test, and audits the webhook deliveries that the killed
// service stored for them.
import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { verifyWebhook } from '@invoicecontrol/client';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { ReceivedRequest, WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { openBooks } from '../../chaos/books.js';
import { auditWebhooks } from '../../chaos/webhook-audit.js';
import type { WebhookArrival } from '../../chaos/webhook-audit.js';
import { openWebhookBooks } from '../../chaos/webhook-books.js';
import { startKillableSystem } from './killable-system.js';
import type { KillableSystem } from './killable-system.js';
import { sampleInvoice } from './sample-invoices.js';

/** Retry settings of the webhooks service with which five failed attempts take a second. */
const RETRIES = { WEBHOOK_RETRY_WAITS_MS: '100,100,100,100', WEBHOOK_RETRY_FLOOR_MS: '100' };
/**
 * Time until a webhook delivery of a killed process is attempted again: its lease expires after 35 s, and the attempt
 * is repeated two polls later. An event is delivered again after 30 s.
 */
const SENT_AGAIN_MS_MAX = 90_000;
const EVENT = 'invoice.analysis.completed';

export interface Endpoint {
  readonly id: string;
  readonly path: string;
  /** Secrets of the webhook that were ever shown, oldest first. */
  readonly secrets: string[];
}

export interface Customer {
  readonly tenant: Tenant;
  readonly endpoints: readonly Endpoint[];
  /** Webhook of the simulated customer. */
  readonly endpoint: Endpoint;
}

/** Webhook delivery in its stored form. */
export interface StoredDelivery {
  readonly _id: string;
  readonly organizationId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly state: string;
  readonly attemptCount: number;
  readonly attempts: readonly { readonly n: number; readonly series: number; readonly interruptions: number }[];
}

/** The outcome of an event at one webhook endpoint. */
export interface Outcome {
  readonly requests: number;
  readonly attemptCount: number;
  readonly interruptions: number;
}

export interface WebhookTrial {
  readonly system: KillableSystem;
  readonly receiver: WebhookReceiver;
  /** Database of the webhooks service, reached without the proxy. */
  readonly db: MongoConnection['db'];
  newCustomer(options?: { readonly endpoints?: number }): Promise<Customer>;
  /** Causes one event that is sent to every webhook of the customer. */
  sendInvoice(customer: Customer): Promise<void>;
  call<T>(customer: Pick<Customer, 'tenant'>, route: string, body?: object): Promise<{ status: number; body: T }>;
  deliveriesOf(endpoint: Endpoint): Promise<readonly StoredDelivery[]>;
  /**
   * The webhook endpoint refuses deliveries until this number of attempts has failed, and accepts them from then on.
   */
  fail(customer: Customer, events: number): Promise<readonly StoredDelivery[]>;
  /**
   * Waits until every webhook delivery of the endpoint has arrived.
   * @returns the deliveries in the order of their events
   */
  delivered(endpoint: Endpoint, events?: number): Promise<readonly Outcome[]>;
  /**
   * Finds the secrets that created the signatures of a webhook request: `null` for a signature that no secret created.
   */
  signers(request: ReceivedRequest | undefined, secrets: readonly string[]): readonly (number | null)[];
  /** Waits until the gateway can reach the other services again. */
  untilReachable(): Promise<void>;
  /**
   * Waits until no webhook delivery is left to send, and compares all requests that arrived with the published and
   * stored records.
   */
  breaches(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function startWebhookTrial(): Promise<WebhookTrial> {
  const receiver = await startWebhookReceiver();
  const webhooksEnv = { EGRESS_ALLOW_CIDRS: '127.0.0.1/32', WEBHOOK_TEST_CA_FILE: receiver.caFile, ...RETRIES };
  const system = await startKillableSystem({ webhooksEnv });
  const { db, close } = await connectMongo({ url: system.mongodbUrl, databaseName: 'webhooks', appName: 'audit' });
  const books = await openBooks(system);
  const webhookBooks = await openWebhookBooks(system);
  const endpoints: Endpoint[] = [];
  /** Webhook requests that did not get a 2xx response. */
  const refused = new Set<ReceivedRequest>();
  let customers = 0;
  let invoices = 0;

  const call: WebhookTrial['call'] = async <T>({ tenant }: Pick<Customer, 'tenant'>, route: string, body?: object) => {
    const [method = 'GET', path] = route.split(' ');
    const response = await fetch(`${system.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${tenant.keys.owner}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
  };
  const deliveriesOf: WebhookTrial['deliveriesOf'] = (endpoint) =>
    db
      .collection<StoredDelivery>('deliveries')
      .find({ endpointId: endpoint.id })
      .sort({ createdAt: 1, _id: 1 })
      .toArray();
  const sendInvoice: WebhookTrial['sendInvoice'] = async (customer) => {
    const number = `W-${(invoices += 1)}`;
    const invoice = sampleInvoice({ supplier: invoices, number, amount: 100 + invoices, sentAs: number });
    expect(await call(customer, 'POST /invoices', invoice)).toMatchObject({ status: 202 });
  };
  const signers: WebhookTrial['signers'] = (request, secrets) => {
    const [t = '', ...signatures] = String(request?.headers['svc-signature']).split(',');
    const text = `${String(request?.headers['svc-event-id'])}.${t.slice(2)}.${request?.body}`;
    const made = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(text).digest('hex')}`);
    return signatures.map((signature) => (made.includes(signature) ? made.indexOf(signature) : null));
  };
  const arrivals = (): WebhookArrival[] => {
    const secretsOf = new Map(endpoints.map(({ path, secrets }) => [path, secrets]));
    return receiver.requests.map((request) => {
      const { path, headers, body, at } = request;
      const t = /^t=(\d+)/.exec(String(headers['svc-signature']))?.[1];
      return {
        path,
        eventId: String(headers['svc-event-id']),
        body,
        arrivedAtMs: at.getTime(),
        t: t === undefined ? null : Number(t),
        isVerified: verifies(request, secretsOf.get(path) ?? []),
        isAccepted: !refused.has(request),
        isCut: false,
      };
    });
  };
  return {
    system,
    receiver,
    db,
    call,
    deliveriesOf,
    sendInvoice,
    signers,
    async newCustomer({ endpoints: count = 1 } = {}) {
      const tenant = await system.newTenant(`Customer ${(customers += 1)}`);
      const own: Endpoint[] = [];
      for (let number = 1; number <= count; number++) {
        const path = `/${tenant.organizationId}/${number}`;
        const order = { url: `${receiver.origin}${path}`, events: [EVENT] };
        const created = await call<{ id: string; secret: string }>({ tenant }, 'POST /webhooks', order);
        expect(created.status).toBe(201);
        own.push({ id: created.body.id, path, secrets: [created.body.secret] });
      }
      endpoints.push(...own);
      const [endpoint] = own;
      if (endpoint === undefined) throw new Error('A customer has at least one endpoint.');
      return { tenant, endpoints: own, endpoint };
    },
    async fail(customer, events) {
      const { endpoint } = customer;
      receiver.answer(endpoint.path, (request, response) => {
        refused.add(request);
        response.writeHead(500).end();
      });
      for (let sent = 0; sent < events; sent++) await sendInvoice(customer);
      const failed = await eventually(async () => {
        const deliveries = await deliveriesOf(endpoint);
        expect(deliveries.map(({ state }) => state)).toEqual(Array.from({ length: events }, () => 'FAILED'));
        return deliveries;
      });
      receiver.answer(endpoint.path, (_request, response) => void response.end('ok'));
      return failed;
    },
    async delivered(endpoint, events = 1) {
      const deliveries = await eventually(
        async () => {
          const all = await deliveriesOf(endpoint);
          expect(all.map(({ state }) => state)).toEqual(Array.from({ length: events }, () => 'DELIVERED'));
          return all;
        },
        { timeoutMs: SENT_AGAIN_MS_MAX },
      );
      return deliveries.map(({ eventId, attemptCount, attempts }) => ({
        requests: receiver.to(endpoint.path).filter(({ headers }) => headers['svc-event-id'] === eventId).length,
        attemptCount,
        interruptions: attempts.reduce((sum, attempt) => sum + attempt.interruptions, 0),
      }));
    },
    async untilReachable() {
      const reader = { tenant: await system.newTenant('Reader') };
      await eventually(async () => {
        for (const path of ['/webhooks', '/invoices']) {
          expect(await call(reader, `GET ${path}`)).toMatchObject({ status: 200 });
        }
      });
    },
    async breaches() {
      await eventually(async () => expect(await webhookBooks.pending()).toBe(0), {
        timeoutMs: SENT_AGAIN_MS_MAX,
      });
      const { events } = await books.read();
      return auditWebhooks(await webhookBooks.read(arrivals, events)).map(
        ({ count, sentence }) => `${count}: ${sentence}`,
      );
    },
    async stop() {
      await webhookBooks.close();
      await books.close();
      await close();
      await system.stop();
      await receiver.close();
    },
  };
}

/** Verifies a webhook request with the function of the public client, at the time of the arrival. */
function verifies({ body, headers, at }: ReceivedRequest, secrets: readonly string[]): boolean {
  try {
    verifyWebhook({ body, headers, secret: secrets, now: () => at });
    return true;
  } catch {
    return false;
  }
}
