import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReceivedRequest } from '@invoicecontrol/testkit/webhook-receiver';
import type { Hold, HoldOptions } from '@invoicecontrol/testkit/mongo-proxy';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { Schemas } from '@invoicecontrol/client';
import { reached } from './crash/reached.js';
import { startWebhookTrial } from './crash/webhook-trial.js';
import type { Customer, StoredDelivery, WebhookTrial } from './crash/webhook-trial.js';

/**
 * A point at which the service is killed, with a separate customer. All points are reached one after another before the
 * single kill. Each point is a claim, a write or a request that the killed process never completes.
 */
interface KillPoint {
  /** Guarantee that must hold although the service is killed. */
  readonly guarantee: string;
  /** Prepares the kill point, before anything is paused. */
  prepare(): Promise<unknown>;
  /** Resolves when the service has reached the tested point, where it waits. */
  reach(): Promise<unknown>;
  /** Function that runs while the service is down. */
  whileDown?(): Promise<unknown>;
  check(): Promise<unknown>;
}

/** Age in milliseconds from which the sweep finishes a deletion. It leaves younger deletions to their requests. */
const SWEPT_AFTER_MS = 31_000;

let trial: WebhookTrial;
const holds: Hold[] = [];

/**
 * Pauses a database command of a service.
 * @returns a function that waits until the command was sent
 */
function hold(service: 'webhooks' | 'analysis', options: HoldOptions): () => Promise<void> {
  const held = trial.system.proxyOf(service).hold(options);
  holds.push(held);
  return () => reached(held, `${options.side} "${options.command}" was not reached`);
}

function release(): void {
  for (const held of holds.splice(0)) held.drop();
}

/** Creates a customer and pauses the storing of webhook deliveries for one of its events. */
function fanOut(guarantee: string, side: HoldOptions['side'], expected: object): KillPoint {
  let customer: Customer;
  return {
    guarantee,
    prepare: async () => (customer = await trial.newCustomer()),
    async reach() {
      const { organizationId } = customer.tenant;
      const isReached = hold('webhooks', { command: 'insert deliveries', side, mentioning: [organizationId] });
      await trial.sendInvoice(customer);
      await isReached();
    },
    check: async () => expect(await trial.delivered(customer.endpoint)).toEqual([expected]),
  };
}

function fanOutAfterOneOfThree(): KillPoint {
  let customer: Customer;
  return {
    guarantee: 'an event of which one of three deliveries was stored arrives once at each endpoint under one id',
    prepare: async () => (customer = await trial.newCustomer({ endpoints: 3 })),
    async reach() {
      const { organizationId } = customer.tenant;
      const isReached = hold('webhooks', { command: 'insert deliveries', side: 'after', mentioning: [organizationId] });
      await trial.sendInvoice(customer);
      await isReached();
    },
    // One command stores all three deliveries. A real database may stop within the command. The test database does not,
    // so the test stores what such a stop would leave.
    async whileDown() {
      const [endpoint, ...others] = customer.endpoints;
      expect(await trial.deliveriesOf(customer.endpoint)).toHaveLength(1);
      const deliveries = trial.db.collection<StoredDelivery>('deliveries');
      const { deletedCount } = await deliveries.deleteMany({ endpointId: { $in: others.map(({ id }) => id) } });
      expect({ endpoint, deletedCount }).toEqual({ endpoint: customer.endpoint, deletedCount: 2 });
    },
    async check() {
      const [first, ...others] = customer.endpoints;
      const outcomes = await Promise.all(customer.endpoints.map((endpoint) => trial.delivered(endpoint)));
      expect(outcomes.flat()).toEqual([
        // The killed process had claimed the first webhook delivery before it sent anything, which is an interruption.
        { requests: 1, attemptCount: 1, interruptions: 1 },
        { requests: 1, attemptCount: 1, interruptions: 0 },
        { requests: 1, attemptCount: 1, interruptions: 0 },
      ]);
      const arrived = [first, ...others].flatMap((endpoint) => trial.receiver.to(endpoint?.path ?? ''));
      expect(new Set(arrived.map(({ headers, body }) => `${String(headers['svc-event-id'])} ${body}`)).size).toBe(1);
    },
  };
}

/** Response that the webhook receiver sends by default. */
const ok = (_request: ReceivedRequest, response: ServerResponse): void => void response.end('ok');

const rotate = (customer: Customer) =>
  trial.call<{ secret: string }>(customer, `POST /webhooks/${customer.endpoint.id}/rotate-secret`, {});

/**
 * Requests that a webhook delivery is sent again.
 * @returns the status of the response
 */
async function replay(customer: Customer, delivery: StoredDelivery | undefined): Promise<number> {
  return (await trial.call(customer, `POST /webhooks/deliveries/${delivery?._id}/replay`)).status;
}

function claimOfAReplay(): KillPoint {
  let customer: Customer;
  let failed: StoredDelivery | undefined;
  return {
    guarantee: 'an attempt that was claimed and not sent is made again, and is counted once',
    prepare: async () => {
      customer = await trial.newCustomer();
      [failed] = await trial.fail(customer, 1);
    },
    async reach() {
      const mentioning = [failed?._id ?? ''];
      const isReached = hold('webhooks', { command: 'update deliveries', side: 'after', mentioning });
      expect(await replay(customer, failed)).toBe(202);
      await isReached();
    },
    check: async () =>
      expect(await trial.delivered(customer.endpoint)).toEqual([{ requests: 6, attemptCount: 6, interruptions: 1 }]),
  };
}

function requestWithoutAnswer(): KillPoint {
  let customer: Customer;
  return {
    guarantee: 'a request that was sent and not answered is sent once more, and its attempt is counted once',
    prepare: async () => (customer = await trial.newCustomer()),
    async reach() {
      const { path } = customer.endpoint;
      trial.receiver.answer(path, () => {});
      await trial.sendInvoice(customer);
      await eventually(() => expect(trial.receiver.to(path)).toHaveLength(1));
    },
    whileDown: async () => trial.receiver.answer(customer.endpoint.path, ok),
    check: async () =>
      expect(await trial.delivered(customer.endpoint)).toEqual([{ requests: 2, attemptCount: 1, interruptions: 1 }]),
  };
}

/** Makes the receiver respond as soon as the service would write the result, which is then paused. */
function result(guarantee: string, side: HoldOptions['side'], expected: object): KillPoint {
  let customer: Customer;
  return {
    guarantee,
    prepare: async () => (customer = await trial.newCustomer()),
    async reach() {
      const { path } = customer.endpoint;
      let answer = (): void => {};
      trial.receiver.answer(path, (_request, response) => {
        answer = () => void response.end('ok');
      });
      await trial.sendInvoice(customer);
      await eventually(() => expect(trial.receiver.to(path)).toHaveLength(1));
      const [delivery] = await trial.deliveriesOf(customer.endpoint);
      const mentioning = [delivery?._id ?? ''];
      const isReached = hold('webhooks', { command: 'update deliveries', side, mentioning });
      answer();
      await isReached();
      trial.receiver.answer(path, ok);
    },
    check: async () => expect(await trial.delivered(customer.endpoint)).toEqual([expected]),
  };
}

function rotation(guarantee: string, side: HoldOptions['side']): KillPoint {
  let customer: Customer;
  const requestAfter = async (events: number) => {
    await trial.sendInvoice(customer);
    await trial.delivered(customer.endpoint, events);
    return trial.receiver.to(customer.endpoint.path).at(-1);
  };
  return {
    guarantee,
    prepare: async () => (customer = await trial.newCustomer()),
    async reach() {
      const mentioning = [customer.endpoint.id];
      const isReached = hold('webhooks', { command: 'findAndModify endpoints', side, mentioning });
      rotate(customer).catch(() => {});
      await isReached();
    },
    async check() {
      const { secrets } = customer.endpoint;
      // The response with the new webhook secret never arrived, whether or not the service stored the secret.
      const afterCrash = await requestAfter(1);
      expect(trial.signers(afterCrash, secrets)).toEqual(side === 'before' ? [0] : [null, 0]);
      const { status, body } = await rotate(customer);
      expect(status).toBe(200);
      const older = side === 'before' ? 0 : null;
      expect(trial.signers(await requestAfter(2), [...secrets, body.secret])).toEqual([1, older]);
      secrets.push(body.secret);
    },
  };
}

function replayOfOne(guarantee: string, side: HoldOptions['side'], repeated: number): KillPoint {
  let customer: Customer;
  let failed: StoredDelivery | undefined;
  return {
    guarantee,
    prepare: async () => {
      customer = await trial.newCustomer();
      [failed] = await trial.fail(customer, 1);
    },
    async reach() {
      const mentioning = [failed?._id ?? ''];
      const isReached = hold('webhooks', { command: 'findAndModify deliveries', side, mentioning });
      replay(customer, failed).catch(() => {});
      await isReached();
    },
    async check() {
      expect(await replay(customer, failed)).toBe(repeated);
      const [outcome] = await trial.delivered(customer.endpoint);
      expect(outcome).toMatchObject({ requests: 6, attemptCount: 6 });
    },
  };
}

function replayOfMany(guarantee: string, side: HoldOptions['side']): KillPoint {
  let customer: Customer;
  let failed: readonly StoredDelivery[] = [];
  const since = new Date().toISOString();
  const replayAll = () => trial.call(customer, `POST /webhooks/${customer.endpoint.id}/replay`, { since });
  return {
    guarantee,
    prepare: async () => {
      customer = await trial.newCustomer();
      failed = await trial.fail(customer, 2);
    },
    async reach() {
      const mentioning = failed.map(({ _id }) => _id);
      const isReached = hold('webhooks', { command: 'update deliveries', side, mentioning });
      replayAll().catch(() => {});
      await isReached();
    },
    async check() {
      expect(await replayAll()).toEqual({ status: 202, body: { count: 2 } });
      for (const outcome of await trial.delivered(customer.endpoint, 2)) {
        expect(outcome).toMatchObject({ requests: 6, attemptCount: 6 });
      }
    },
  };
}

/**
 * Deletes an endpoint while one of its requests is in progress. The sweep that finishes the deletion is killed as well.
 */
function deletion(): KillPoint & { reachSweep(): () => Promise<void> } {
  let customer: Customer;
  return {
    guarantee: 'a deletion goes on after a kill before and a kill within its sweep, and nothing more is sent',
    prepare: async () => (customer = await trial.newCustomer()),
    async reach() {
      const { id, path } = customer.endpoint;
      trial.receiver.answer(path, () => {});
      await trial.sendInvoice(customer);
      await eventually(() => expect(trial.receiver.to(path)).toHaveLength(1));
      const isReached = hold('webhooks', { command: 'findAndModify endpoints', side: 'after', mentioning: [id] });
      trial.call(customer, `DELETE /webhooks/${id}`).catch(() => {});
      await isReached();
    },
    // Moves times as if the service had been down for that long.
    async whileDown() {
      const before = { deletionPending: new Date(Date.now() - SWEPT_AFTER_MS) };
      const { modifiedCount } = await trial.db
        .collection<{ _id: string }>('endpoints')
        .updateOne({ _id: customer.endpoint.id, deletionPending: { $exists: true } }, { $set: before });
      expect(modifiedCount).toBe(1);
    },
    reachSweep: () =>
      hold('webhooks', { command: 'update deliveries', side: 'before', mentioning: [customer.endpoint.id] }),
    async check() {
      await eventually(async () => {
        const { organizationId } = customer.tenant;
        expect(await trial.deliveriesOf(customer.endpoint)).toMatchObject([{ state: 'CANCELED', attemptCount: 0 }]);
        const left = { organizationId, deletionPending: { $exists: true } };
        expect(await trial.db.collection('endpoints').countDocuments(left)).toBe(0);
      });
      expect(trial.receiver.to(customer.endpoint.path)).toHaveLength(1);
      const usage = await trial.call<Schemas['Usage']>(customer, 'GET /organizations/current/usage');
      expect(usage.body.items).toContainEqual(expect.objectContaining({ meter: 'webhooks', used: 0 }));
    },
  };
}

/** Kills the service before its outbox is emptied: published events are still in it. */
function outboxOfWebhooks(): KillPoint {
  let customer: Customer;
  return {
    guarantee: 'what the service announced is announced once when it is killed before its outbox is emptied',
    prepare: async () => (customer = await trial.newCustomer()),
    async reach() {
      await eventually(async () => {
        for (const name of ['endpoints', 'deliveries']) {
          expect(await trial.db.collection(name).countDocuments({ outboxPending: true })).toBe(0);
        }
      });
      const isReached = hold('webhooks', { command: 'update relay', side: 'before' });
      const { status, body } = await rotate(customer);
      expect(status).toBe(200);
      customer.endpoint.secrets.push(body.secret);
      await isReached();
    },
    async check() {
      const target = `webhook:${customer.endpoint.id}`;
      const lines = () => trial.call<{ items: { action: string; target: string }[] }>(customer, 'GET /audit-events');
      await eventually(async () => {
        const left = { _id: customer.endpoint.id, outboxPending: true };
        expect(await trial.db.collection<{ _id: string }>('endpoints').countDocuments(left)).toBe(0);
        const { body } = await lines();
        const own = body.items.filter((line) => line.target === target).map(({ action }) => action);
        expect(own).toEqual(['webhook.secret_rotated', 'webhook.created']);
      });
    },
  };
}

function outboxOfAnalysis(): KillPoint {
  let customer: Customer;
  return {
    guarantee: 'an event whose publisher is killed before its outbox is emptied arrives once',
    prepare: async () => (customer = await trial.newCustomer()),
    async reach() {
      const isReached = hold('analysis', { command: 'update relay', side: 'before' });
      await trial.sendInvoice(customer);
      await isReached();
      await trial.delivered(customer.endpoint);
    },
    check: async () =>
      expect(await trial.delivered(customer.endpoint)).toEqual([{ requests: 1, attemptCount: 1, interruptions: 0 }]),
  };
}

const once = { requests: 1, attemptCount: 1, interruptions: 0 } as const;
const deleted = deletion();
const points: readonly KillPoint[] = [
  // The kill point of the outbox comes first, so that no other change waits in an outbox. The last point holds the
  // events of all others.
  outboxOfWebhooks(),
  fanOutAfterOneOfThree(),
  fanOut('an event that was stored without a delivery arrives once', 'before', once),
  fanOut('a delivery that was stored with a claim and not sent arrives once', 'after', { ...once, interruptions: 1 }),
  claimOfAReplay(),
  requestWithoutAnswer(),
  result('an answer whose result was not stored is asked for once more, and its attempt is counted once', 'before', {
    requests: 2,
    attemptCount: 1,
    interruptions: 1,
  }),
  result('an answer whose result was stored is not asked for again', 'after', once),
  rotation('a rotation that was not stored leaves the secret as it was, and can be repeated', 'before'),
  rotation('a rotation whose answer was lost leaves the old secret valid, and its repeat leaves two', 'after'),
  replayOfOne('a replay that was not stored can be repeated', 'before', 202),
  replayOfOne('a replay whose answer was lost is carried out, and its repeat changes nothing', 'after', 409),
  replayOfMany('a replay of many that reached none of them is finished by its repeat', 'before'),
  replayOfMany(
    'a replay of many whose answer was lost is carried out once, and its repeat has the same answer',
    'after',
  ),
  deleted,
  outboxOfAnalysis(),
];

beforeAll(async () => {
  trial = await startWebhookTrial();
  const { webhooks, analysis } = trial.system;
  await Promise.all(points.map((point) => point.prepare()));
  for (const point of points) await point.reach();
  await Promise.all([webhooks.kill(), analysis.kill()]);
  release();
  for (const point of points) await point.whileDown?.();
  const sweepIsReached = deleted.reachSweep();
  await Promise.all([webhooks.restart(), analysis.restart()]);
  await sweepIsReached();
  await webhooks.kill();
  release();
  await webhooks.restart();
  await trial.untilReachable();
}, 300_000);
afterAll(() => trial.stop());

describe('webhooks whose service is killed', () => {
  test.each(points)('$guarantee', async ({ check: expectGuarantee }) => {
    await expectGuarantee();
  });

  test('reach every endpoint or end after five attempts, signed, with the stored bytes, and never twice without a cause', async () => {
    expect(await trial.breaches()).toEqual([]);
  });
});
