import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { EndpointStatus } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { ReceivedRequest, WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { startService } from '../compose.js';
import type { DeliveryDocument } from '../storage/deliveries.js';
import { caller, newEventId, startWebhooks } from '../testing/running-webhooks.js';
import type { Created, RunningWebhooks } from '../testing/running-webhooks.js';

let running: RunningWebhooks;
let receiver: WebhookReceiver;
const lines: string[] = [];
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: 'test', level: 'info', destination });
  running = await startWebhooks((config) => startService(config, { logger }), {
    receiver,
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
  });
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
});

const newTenant = (): string => running.organization.newTenant();
const stored = () => running.mongo.db.collection<DeliveryDocument>('deliveries');

async function requestsTo({ path }: Created, count: number): Promise<readonly ReceivedRequest[]> {
  await eventually(() => expect(receiver.to(path)).toHaveLength(count));
  return receiver.to(path);
}

async function closed(organizationId: string, status: DeliveryStatus) {
  return eventually(async () => {
    const [delivery] = await running.deliveriesOf(organizationId);
    expect(delivery?.status).toBe(status);
    return delivery ?? fail();
  });
}

function fail(): never {
  throw new Error('there is none');
}

function isSignedWith({ headers, body }: ReceivedRequest, secret: string): boolean {
  const [t = '', ...values] = String(headers['svc-signature']).split(',');
  const signed = `${String(headers['svc-event-id'])}.${t.slice('t='.length)}.${body}`;
  return values.includes(`v1=${createHmac('sha256', secret).update(signed).digest('hex')}`);
}

const changeStatus = (organizationId: string, { endpoint }: Created, status: EndpointStatus) =>
  running.endpoints.updateEndpoint({ organizationId, endpointId: endpoint.endpointId, events: [], status }, caller);

describe('an event', () => {
  test('reaches each endpoint once, however often it is announced', async () => {
    const organizationId = newTenant();
    const receivers = [await running.newEndpoint(organizationId), await running.newEndpoint(organizationId)];
    const eventId = await running.analyzed(organizationId);
    for (const created of receivers) await requestsTo(created, 1);
    const [first] = await stored().find({ eventId }).toArray();
    const { subject, codec } = events.invoiceAnalyzed;
    const again = {
      ...codec.fromJSON({
        eventId,
        organizationId,
        invoiceId: 'x',
        decision: 'DECISION_PASS',
        source: 'INVOICE_SOURCE_API',
      }),
      eventTime: new Date(),
    };
    // The published message lacks the id by which the broker recognizes repeats.
    await running.bus.jetstream.publish(subject, JSON.stringify(codec.toJSON(again)));
    const other = await running.analyzed(organizationId);
    for (const created of receivers) {
      const requests = await requestsTo(created, 2);
      expect(requests.map(({ headers }) => headers['svc-event-id'])).toEqual([eventId, other]);
    }
    expect(
      await stored()
        .find({ _id: first?._id ?? '' })
        .toArray(),
    ).toMatchObject([{ attemptCount: 1 }]);
  });

  test('from before the endpoint was created, subscribed or switched on is not delivered', async () => {
    const organizationId = newTenant();
    const before = new Date(Date.now() - 1_000);
    const created = await running.newEndpoint(organizationId);
    await running.analyzed(organizationId, before);
    const eventId = await running.analyzed(organizationId);
    const [request] = await requestsTo(created, 1);
    expect(request?.headers['svc-event-id']).toBe(eventId);
    await changeStatus(organizationId, created, EndpointStatus.DISABLED);
    const whileOff = new Date();
    await changeStatus(organizationId, created, EndpointStatus.ACTIVE);
    // The clocks of the test and of the database differ by some milliseconds.
    await running.analyzed(organizationId, new Date(whileOff.getTime() - 500));
    const last = await running.analyzed(organizationId, new Date(Date.now() + 1_000));
    await eventually(() =>
      expect(receiver.to(created.path).map(({ headers }) => headers['svc-event-id'])).toEqual([eventId, last]),
    );
  });

  test('is skipped at once on a plan without webhooks, and sent again from the moment the plan is back', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    const setPlan = async (plan: string): Promise<void> => {
      running.organization.setPlan(organizationId, plan);
      const { subject, codec } = events.organizationChanged;
      const change = { eventId: newEventId(), eventTime: new Date(), organizationId, version: 2, changed: ['plan'] };
      running.bus.connection.publish(subject, JSON.stringify(codec.toJSON(change)));
      await running.bus.connection.flush();
    };
    await setPlan('CONTROL');
    const skipped = await running.analyzed(organizationId);
    const delivery = await closed(organizationId, DeliveryStatus.SKIPPED);
    expect(delivery).toMatchObject({ eventId: skipped, attemptCount: 0 });
    await setPlan('SCALE');
    await running.deliveries.replayDelivery({ organizationId, deliveryId: delivery.deliveryId }, caller);
    const [request] = await requestsTo(created, 1);
    expect(request?.headers['svc-event-id']).toBe(skipped);
  });
});

describe('a failing endpoint', () => {
  test('gets exactly five attempts with the same bytes, each with a fresh signature, and then FAILED', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    receiver.answer(created.path, (_, response) => {
      response.statusCode = 503;
      response.end('later');
    });
    await running.analyzed(organizationId);
    const { deliveryId } = await closed(organizationId, DeliveryStatus.FAILED);
    const requests = await requestsTo(created, 5);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    for (const request of requests) expect(isSignedWith(request, created.secret)).toBe(true);
    const { delivery, attempts, responseExcerpt } = await running.delivery(organizationId, deliveryId);
    expect(delivery).toMatchObject({ attemptCount: 5, responseCode: 503, nextAttemptTime: undefined });
    expect(attempts).toHaveLength(5);
    for (const attempt of attempts) expect(attempt).toMatchObject({ outcome: 'HTTP_ERROR', responseCode: 503 });
    expect(responseExcerpt).toBe('later');
    // Each failed attempt has one line, without the URL and what the receiver sent.
    const failed = lines.filter((line) => line.includes('an attempt to deliver a webhook failed'));
    const own = failed.filter((line) => line.includes(deliveryId));
    expect(own.map((line) => JSON.parse(line))).toMatchObject(
      [1, 2, 3, 4, 5].map((failures) => ({
        organizationId,
        endpointId: created.endpoint.endpointId,
        deliveryId,
        eventId: expect.stringMatching(/^evt_/),
        outcome: 'http_error',
        code: 503,
        failures,
        status: failures < 5 ? 'pending' : 'failed',
        durationMs: expect.any(Number),
      })),
    );
    expect(own.join('')).not.toMatch(/later|127\.0\.0\.1|https/);
  });

  test('is sent to again by a replay: same event, five further attempts, new secret and URL', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    receiver.answer(created.path, (_, response) => response.writeHead(500).end());
    await running.analyzed(organizationId);
    const { deliveryId } = await closed(organizationId, DeliveryStatus.FAILED);
    const { endpointId } = created.endpoint;
    const { secret } = await running.endpoints.rotateSecret(
      { organizationId, endpointId, revokePrevious: true },
      caller,
    );
    const path = `${created.path}-moved`;
    const update = {
      organizationId,
      endpointId,
      url: `${receiver.origin}${path}`,
      events: [],
      status: 0,
    } as const;
    await running.endpoints.updateEndpoint({ ...update, events: [] }, caller);
    const { delivery } = await running.deliveries.replayDelivery({ organizationId, deliveryId }, caller);
    expect(delivery).toMatchObject({ status: DeliveryStatus.PENDING, attemptCount: 5 });
    const [request] = await requestsTo({ ...created, path }, 1);
    const [first] = receiver.to(created.path);
    expect(request?.body).toBe(first?.body);
    expect(request && isSignedWith(request, secret)).toBe(true);
    expect(request && isSignedWith(request, created.secret)).toBe(false);
    expect((await closed(organizationId, DeliveryStatus.DELIVERED)).attemptCount).toBe(6);
    await expect(running.deliveries.replayDelivery({ organizationId, deliveryId }, caller)).rejects.toMatchObject({
      kind: 'wrong_state',
    });
  });

  test('is replayed once by fifty requests at a time', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    receiver.answer(created.path, (_, response) => response.writeHead(500).end());
    await running.analyzed(organizationId);
    const { deliveryId } = await closed(organizationId, DeliveryStatus.FAILED);
    receiver.answer(created.path, (_, response) => response.end());
    const replays = await Promise.allSettled(
      Array.from({ length: 50 }, () => running.deliveries.replayDelivery({ organizationId, deliveryId }, caller)),
    );
    expect(replays.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await closed(organizationId, DeliveryStatus.DELIVERED);
    expect(receiver.to(created.path)).toHaveLength(6);
  });

  test('has all its failed deliveries since a time replayed, each once, while repeats join', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    const { endpointId } = created.endpoint;
    receiver.answer(created.path, (_, response) => response.writeHead(500).end());
    const sinceTime = new Date();
    for (let index = 0; index < 5; index++) await running.analyzed(organizationId);
    await eventually(async () => {
      const found = await running.deliveriesOf(organizationId);
      expect(found.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => DeliveryStatus.FAILED));
    });
    const answers: (() => void)[] = [];
    receiver.answer(created.path, (_, response) => void answers.push(() => response.end()));
    const replay = () => running.endpoints.replayFailedDeliveries({ organizationId, endpointId, sinceTime }, caller);
    expect((await replay()).count).toBe(5);
    expect((await Promise.all([replay(), replay(), replay()])).map(({ count }) => count)).toEqual([5, 5, 5]);
    await eventually(async () => {
      for (const answer of answers.splice(0)) answer();
      const found = await running.deliveriesOf(organizationId);
      expect(found.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => DeliveryStatus.DELIVERED));
    });
    expect(receiver.to(created.path)).toHaveLength(5 * 5 + 5);
    expect((await replay()).count).toBe(0);
  });

  test('whose answer echoes the request shows no signature', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    receiver.answer(created.path, ({ headers }, response) => {
      response.end(`${JSON.stringify(headers)} ${created.secret}`);
    });
    await running.analyzed(organizationId);
    const { deliveryId } = await closed(organizationId, DeliveryStatus.DELIVERED);
    const { responseExcerpt } = await running.delivery(organizationId, deliveryId);
    expect(responseExcerpt).toContain('svc-signature');
    expect(responseExcerpt).not.toMatch(/[0-9a-f]{64}|whsec_[0-9A-Za-z]{10}/);
  });

  test('whose answer echoes the request shows no part of a signature that the excerpt cuts', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    const shown = 40;
    receiver.answer(created.path, ({ headers }, response) => {
      const [, value = ''] = String(headers['svc-signature']).split('v1=');
      response.end(`${'x'.repeat(4_096 - shown)}${value}`);
    });
    await running.analyzed(organizationId);
    const { deliveryId } = await closed(organizationId, DeliveryStatus.DELIVERED);
    const { responseExcerpt } = await running.delivery(organizationId, deliveryId);
    expect(responseExcerpt).toBe(`${'x'.repeat(4_096 - shown)}***`);
    expect(await stored().findOne({ _id: deliveryId })).toMatchObject({ lastExcerpt: responseExcerpt });
  });
});

describe('waiting deliveries', () => {
  /**
   * Creates a webhook whose first request is in progress. `fail` responds to this request with an error, so that
   * another attempt follows.
   */
  const failing = async (organizationId: string): Promise<Created & { fail(): void }> => {
    const created = await running.newEndpoint(organizationId);
    const pending: (() => void)[] = [];
    receiver.answer(created.path, (_, response) => void pending.push(() => response.writeHead(503).end()));
    await running.analyzed(organizationId);
    await requestsTo(created, 1);
    return { ...created, fail: () => pending.forEach((answer) => answer()) };
  };
  /** Waits until earlier events were handled: an event that was published after them has arrived. */
  const untilHandled = async (): Promise<void> => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    await running.analyzed(organizationId);
    await requestsTo(created, 1);
  };

  test('of a deleted endpoint are CANCELED at once, and it gets nothing more', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    // The receiver does not respond, so an attempt is in progress when the webhook is deleted.
    receiver.answer(created.path, () => {});
    for (let index = 0; index < 4; index++) await running.analyzed(organizationId);
    await requestsTo(created, 2);
    await running.endpoints.deleteEndpoint({ organizationId, endpointId: created.endpoint.endpointId }, caller);
    await eventually(async () => {
      const statuses = (await running.deliveriesOf(organizationId)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([DeliveryStatus.CANCELED]));
      expect(statuses).toHaveLength(4);
    });
    await running.analyzed(organizationId);
    const [delivery] = await running.deliveriesOf(organizationId);
    await expect(
      running.deliveries.replayDelivery({ organizationId, deliveryId: delivery?.deliveryId ?? '' }, caller),
    ).rejects.toMatchObject({ kind: 'wrong_state' });
    expect(receiver.to(created.path)).toHaveLength(2);
  });

  test('of a DISABLED endpoint are SKIPPED when they come due', async () => {
    const organizationId = newTenant();
    const created = await failing(organizationId);
    await changeStatus(organizationId, created, EndpointStatus.DISABLED);
    created.fail();
    await closed(organizationId, DeliveryStatus.SKIPPED);
    expect(receiver.to(created.path)).toHaveLength(1);
  });

  test('of a deleted organization are SKIPPED at once', async () => {
    const organizationId = newTenant();
    await running.newEndpoint(organizationId);
    const created = await failing(organizationId);
    running.organization.deleteTenant(organizationId);
    await running.publish(events.organizationDeleted, {
      eventId: newEventId(),
      eventTime: new Date(),
      organizationId,
      version: 3,
    });
    await eventually(async () => {
      const open = (await running.deliveriesOf(organizationId)).filter(
        ({ status }) => status === DeliveryStatus.PENDING,
      );
      expect(open).toEqual([]);
    });
    created.fail();
    await running.analyzed(organizationId);
    await untilHandled();
    expect(receiver.to(created.path)).toHaveLength(1);
  });
});

describe('interrupted attempts', () => {
  const lapse = (deliveryId: string, changes: object) =>
    stored().updateOne(
      { _id: deliveryId },
      { $set: { leaseUntil: new Date(Date.now() - 1), claim: randomUUID(), ...changes } },
    );

  test('are made again without being counted', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    const pending: (() => void)[] = [];
    receiver.answer(created.path, (_, response) => void pending.push(() => response.end()));
    await running.analyzed(organizationId);
    await requestsTo(created, 1);
    const [delivery] = await running.deliveriesOf(organizationId);
    // The webhook delivery looks as if its worker had crashed.
    await lapse(delivery?.deliveryId ?? '', {});
    await requestsTo(created, 2);
    for (const answer of pending) answer();
    const { deliveryId } = await closed(organizationId, DeliveryStatus.DELIVERED);
    const { attempts, delivery: shown } = await running.delivery(organizationId, deliveryId);
    expect([shown?.attemptCount, attempts.length]).toEqual([1, 1]);
    expect(await stored().findOne({ _id: deliveryId })).toMatchObject({ attempts: [{ n: 1, interruptions: 1 }] });
  });

  test('count as INTERRUPTED after ten claims that ended without a result', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    receiver.answer(created.path, () => {});
    await running.analyzed(organizationId);
    await requestsTo(created, 1);
    const [delivery] = await running.deliveriesOf(organizationId);
    const deliveryId = delivery?.deliveryId ?? '';
    await lapse(deliveryId, { tries: 10 });
    await eventually(async () => {
      const { attempts } = await running.delivery(organizationId, deliveryId);
      expect(attempts[0]).toMatchObject({ outcome: 'INTERRUPTED', responseCode: undefined });
    });
  });
});

describe('deliveries', () => {
  test('are listed newest first, by endpoint and status, at most the latest 100', async () => {
    const organizationId = newTenant();
    const [first, second] = [await running.newEndpoint(organizationId), await running.newEndpoint(organizationId)];
    await Promise.all(Array.from({ length: 60 }, () => running.analyzed(organizationId)));
    await eventually(async () => {
      expect(await stored().countDocuments({ organizationId, state: 'DELIVERED' })).toBe(120);
    });
    const list = (part: object) =>
      running.deliveries.listDeliveries(
        { organizationId, status: DeliveryStatus.UNSPECIFIED, pageSize: 40, pageToken: '', ...part },
        caller,
      );
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await list({ pageToken });
      seen.push(...page.deliveries.map(({ deliveryId }) => deliveryId));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect([seen.length, new Set(seen).size]).toEqual([100, 100]);
    const ofFirst = await list({ endpointId: first.endpoint.endpointId, pageSize: 100 });
    expect(ofFirst.deliveries).toHaveLength(60);
    expect((await list({ endpointId: second.endpoint.endpointId, status: DeliveryStatus.FAILED })).deliveries).toEqual(
      [],
    );
    expect((await list({ endpointId: randomUUID() })).deliveries).toEqual([]);
    expect(await running.deliveriesOf(newTenant(), first.endpoint.endpointId)).toEqual([]);
    const { lastDay } = await running.endpoints.getEndpoint(
      { organizationId, endpointId: first.endpoint.endpointId },
      caller,
    );
    expect(lastDay).toMatchObject({ delivered: 60, failed: 0, p95Ms: expect.any(Number) });
  });
});

test('deliveries are found by event type, invoice and time', async () => {
  const organizationId = newTenant();
  await running.newEndpoint(organizationId, { events: ['invoice.analysis.completed', 'finding.created'] });
  const [first, second] = [await running.analyzed(organizationId), await running.analyzed(organizationId)];
  await eventually(async () => {
    expect(await stored().countDocuments({ organizationId, state: 'DELIVERED' })).toBe(2);
  });
  const list = async (part: object, tenant = organizationId) => {
    const { deliveries } = await running.deliveries.listDeliveries(
      { organizationId: tenant, status: DeliveryStatus.UNSPECIFIED, pageSize: 100, pageToken: '', ...part },
      caller,
    );
    return deliveries;
  };
  const eventIds = async (part: object) => (await list(part)).map(({ eventId }) => eventId).toSorted(byText);
  expect(await eventIds({ eventType: 'invoice.analysis.completed' })).toEqual([first, second].toSorted(byText));
  expect(await eventIds({ eventType: 'finding.created' })).toEqual([]);
  const { invoiceId = '' } = (await stored().findOne({ organizationId, eventId: first })) ?? {};
  expect(invoiceId).toMatch(/^[0-9a-f-]{36}$/);
  expect(await eventIds({ invoiceId })).toEqual([first]);
  expect(await eventIds({ invoiceId, status: DeliveryStatus.FAILED })).toEqual([]);
  expect(await list({ invoiceId }, newTenant())).toEqual([]);
  const [delivery] = await list({ invoiceId });
  const at = delivery?.createdTime ?? new Date(0);
  expect(await eventIds({ invoiceId, createdFromTime: at })).toEqual([first]);
  expect(await eventIds({ invoiceId, createdToTime: at })).toEqual([]);
  expect(await eventIds({ createdFromTime: new Date(Date.now() + 3_600_000) })).toEqual([]);
});

describe('two replicas', () => {
  test('send each delivery once', async () => {
    const replica = await running.startReplica();
    try {
      const organizationId = newTenant();
      const created = await running.newEndpoint(organizationId);
      const ids = await Promise.all(Array.from({ length: 100 }, () => running.analyzed(organizationId)));
      const requests = await requestsTo(created, 100);
      expect(new Set(requests.map(({ headers }) => headers['svc-event-id']))).toEqual(new Set(ids));
    } finally {
      await replica.stop();
    }
  });
});

function byText(left: string, right: string): number {
  return left < right ? -1 : 1;
}
