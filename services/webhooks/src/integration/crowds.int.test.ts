import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { EndpointStatus } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { startService } from '../compose.js';
import type { DeliveryDocument } from '../storage/deliveries.js';
import type { EndpointDocument } from '../storage/endpoints.js';
import { caller, newEventId, startWebhooks } from '../testing/running-webhooks.js';
import type { RunningWebhooks } from '../testing/running-webhooks.js';

const HOUR_MS = 3_600_000;

let running: RunningWebhooks;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  running = await startWebhooks(startService, {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    receiver,
    // The job that looks for failing webhooks runs as often as the shorter of these times, and needs two runs to disable one.
    env: { WEBHOOK_NOTICE_AFTER_MS: '1000', WEBHOOK_DISABLE_AFTER_MS: '2000' },
  });
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
});

const endpoints = () => running.mongo.db.collection<EndpointDocument>('endpoints');
const deliveries = () => running.mongo.db.collection<DeliveryDocument>('deliveries');
const ago = (ms: number): Date => new Date(Date.now() - ms);

/** Stores the given number of copies of a webhook in the database. */
async function copiesOf(endpointId: string, count: number, part: Partial<EndpointDocument>): Promise<void> {
  const document = await endpoints().findOne({ _id: endpointId });
  if (document === null) throw new Error('no endpoint');
  const { outbox: _, outboxPending: _pending, ...rest } = document as EndpointDocument & Record<string, unknown>;
  await endpoints().insertMany(
    Array.from({ length: count }, () => ({ ...rest, _id: randomUUID(), ...part }) as EndpointDocument),
  );
}

/** Stores failed webhook deliveries of a webhook, each with its event. */
async function failedDeliveries(organizationId: string, endpointId: string, count: number): Promise<void> {
  const eventId = newEventId();
  const type = 'invoice.analysis.completed' as const;
  await running.mongo.db
    .collection<{ _id: string }>('events')
    .insertOne({ _id: eventId, organizationId, type, body: '{}', createdAt: ago(1_000) } as { _id: string });
  await deliveries().insertMany(
    Array.from({ length: count }, (_, index) => ({
      _id: `dlv_${index}_${endpointId}`,
      organizationId,
      endpointId,
      eventId,
      type,
      createdAt: ago(1_000),
      state: 'FAILED' as const,
      version: 1,
      failures: 5,
      tries: 0,
      attempts: [],
      attemptCount: 5,
      closedAt: ago(500),
    })),
  );
}

describe('many endpoints', () => {
  test('that were told of as failing hide none that fails since', async () => {
    const organizationId = running.organization.newTenant();
    const { endpoint } = await running.newEndpoint(organizationId);
    await copiesOf(endpoint.endpointId, 300, { failingSince: ago(9 * HOUR_MS), failuresInRow: 3, noticedAt: ago(1) });
    await endpoints().updateOne(
      { _id: endpoint.endpointId },
      { $set: { failingSince: ago(3 * HOUR_MS), failuresInRow: 20 } },
    );
    await eventually(async () => {
      expect(await endpoints().findOne({ _id: endpoint.endpointId })).toMatchObject({ status: 'DISABLED' });
    });
  });

  test('that hang at a host delay no other endpoint at it', async () => {
    const hangingTenant = running.organization.newTenant();
    for (let index = 0; index < 70; index++) {
      const { path } = await running.newEndpoint(hangingTenant);
      receiver.answer(path, () => {});
    }
    await running.analyzed(hangingTenant);
    await eventually(async () => {
      const begun = await deliveries().countDocuments({ organizationId: hangingTenant, claim: { $exists: true } });
      expect(begun).toBe(70);
    });
    const tenant = running.organization.newTenant();
    const healthy = await running.newEndpoint(tenant);
    await running.analyzed(tenant);
    await eventually(() => expect(receiver.to(healthy.path)).toHaveLength(1));
  });
});

describe('a replay of failed deliveries', () => {
  test('gives the same answer to twenty requests at a time', async () => {
    const organizationId = running.organization.newTenant();
    const { endpoint, path } = await running.newEndpoint(organizationId);
    const { endpointId } = endpoint;
    await failedDeliveries(organizationId, endpointId, 1_200);
    receiver.answer(path, (_, response) => setTimeout(() => response.end(), 100));
    const request = { organizationId, endpointId, sinceTime: ago(60_000) };
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => running.endpoints.replayFailedDeliveries(request, caller)),
    );
    const counts = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.count] : []));
    expect(new Set(counts)).toEqual(new Set([1_200]));
    expect(await deliveries().countDocuments({ organizationId, version: { $ne: 2 } })).toBe(0);
  });
});

describe('an organization that was restored', () => {
  test('keeps its waiting deliveries when the broker tells of the deletion again', async () => {
    const organizationId = running.organization.newTenant();
    const { endpoint } = await running.newEndpoint(organizationId);
    await running.endpoints.updateEndpoint(
      { organizationId, endpointId: endpoint.endpointId, events: [], status: EndpointStatus.ACTIVE },
      caller,
    );
    await failedDeliveries(organizationId, endpoint.endpointId, 1);
    const waiting = {
      state: 'PENDING',
      nextAttemptAt: new Date(Date.now() + HOUR_MS),
      leaseUntil: new Date(0),
    } as const;
    await deliveries().updateOne({ organizationId }, { $set: waiting, $unset: { closedAt: '' } });
    const deleted = (eventTime: Date) =>
      running.publish(events.organizationDeleted, { eventId: newEventId(), eventTime, organizationId, version: 3 });
    await deleted(ago(HOUR_MS));
    await deleted(ago(HOUR_MS));
    // When this later event arrives, the earlier events have been handled.
    const later = running.organization.newTenant();
    const { path } = await running.newEndpoint(later);
    await running.analyzed(later);
    await eventually(() => expect(receiver.to(path)).toHaveLength(1));
    const [delivery] = await running.deliveriesOf(organizationId);
    expect(delivery?.status).toBe(DeliveryStatus.PENDING);
    await deleted(new Date());
    await eventually(async () => {
      const [found] = await running.deliveriesOf(organizationId);
      expect(found?.status).toBe(DeliveryStatus.SKIPPED);
    });
  });
});

describe('an endpoint whose secrets this replica cannot open', () => {
  test('is not sent to, and its delivery spends no attempt', async () => {
    const organizationId = running.organization.newTenant();
    const { endpoint, path } = await running.newEndpoint(organizationId);
    const unopened = { 'secrets.0.sealed': 'e1.k9.AAAA.AAAA', 'secrets.0.keyId': 'k9' };
    await endpoints().updateOne({ _id: endpoint.endpointId }, { $set: unopened });
    await running.analyzed(organizationId);
    await eventually(async () => {
      const found = await deliveries().findOne({ organizationId });
      expect(found).toMatchObject({ state: 'PENDING', tries: 0, attemptCount: 0 });
      expect(found?.nextAttemptAt?.getTime()).toBeGreaterThan(Date.now() + 20_000);
    });
    expect(receiver.to(path)).toEqual([]);
  });
});
