import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { startService } from '../compose.js';
import type { DeliveryDocument } from '../storage/deliveries.js';
import { startWebhooks } from '../testing/running-webhooks.js';
import type { RunningWebhooks } from '../testing/running-webhooks.js';

let running: RunningWebhooks;
let receiver: WebhookReceiver;
let organizationId: string;
let path: string;
/** Requests to which the receiver has not responded. */
let waiting: ServerResponse[];
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  running = await startWebhooks(startService, {
    receiver,
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
  });
  organizationId = running.organization.newTenant();
  ({ path } = await running.newEndpoint(organizationId));
  waiting = [];
  receiver.answer(path, (_, response) => void waiting.push(response));
});
afterEach(async () => {
  await running.stop();
  await receiver.close();
});

const stored = () => running.mongo.db.collection<DeliveryDocument>('deliveries');
const eventIds = () => receiver.to(path).map(({ headers }) => String(headers['svc-event-id']));

/** Publishes several events, of which two are being delivered while the others wait. */
async function sendMany(count: number): Promise<readonly string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => running.analyzed(organizationId)));
  await eventually(async () => {
    expect(eventIds()).toHaveLength(2);
    expect(await stored().countDocuments({ organizationId })).toBe(count);
  });
  return ids;
}

test('a service that stops lets requests under way end: they count, and what waited is sent by the next one', async () => {
  const ids = await sendMany(20);
  const stopping = running.stopService();
  receiver.answer(path, (_, response) => setTimeout(() => response.end(), 50));
  for (const response of waiting) response.end();
  await stopping;
  const sent = eventIds();
  const delivered = await stored().find({ organizationId, state: 'DELIVERED' }).toArray();
  expect(delivered.map(({ eventId }) => eventId).toSorted()).toEqual(sent.toSorted());
  for (const { attemptCount } of delivered) expect(attemptCount).toBe(1);
  const waitingStill = await stored().countDocuments({
    organizationId,
    state: 'PENDING',
    tries: 0,
    attemptCount: 0,
    leaseUntil: new Date(0),
  });
  expect(waitingStill).toBe(20 - sent.length);

  const next = await running.startReplica();
  try {
    await eventually(async () => {
      expect(await stored().countDocuments({ organizationId, state: 'DELIVERED', attemptCount: 1 })).toBe(20);
    });
    expect(eventIds().toSorted()).toEqual(ids.toSorted());
  } finally {
    await next.stop();
  }
});

test('a request that gets no answer while the service stops is given back: not counted, and sent again', async () => {
  const ids = await sendMany(3);
  const interrupted = eventIds();
  await running.stopService();
  const left = await stored().find({ organizationId }).toArray();
  expect(left).toHaveLength(3);
  for (const delivery of left) {
    expect(delivery).toMatchObject({ state: 'PENDING', tries: 0, failures: 0, attemptCount: 0, attempts: [] });
    expect([delivery.claim, delivery.leaseUntil]).toEqual([undefined, new Date(0)]);
  }
  // This update has the effect that half a minute has passed since the internal fault.
  await stored().updateMany({ organizationId }, { $set: { nextAttemptAt: new Date(0) } });

  receiver.answer(path, (_, response) => response.end());
  const next = await running.startReplica();
  try {
    await eventually(async () => {
      const found = await stored().find({ organizationId, state: 'DELIVERED' }).toArray();
      expect(found.map(({ attempts }) => attempts)).toEqual(
        ids.map(() => [expect.objectContaining({ n: 1, outcome: 'SUCCESS', interruptions: 0 })]),
      );
    });
    expect(eventIds().toSorted()).toEqual([...ids, ...interrupted].toSorted());
  } finally {
    await next.stop();
  }
});
