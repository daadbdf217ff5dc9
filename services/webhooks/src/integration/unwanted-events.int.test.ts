import { afterAll, beforeAll, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { startService } from '../compose.js';
import { startWebhooks } from '../testing/running-webhooks.js';
import type { RunningWebhooks } from '../testing/running-webhooks.js';

const EVENTS = 200;
const REPLICAS = 2;
/** Maximum number of events that wait together for one read, and maximum time in milliseconds that they wait. */
const WAITING_MAX = 50;
const WAIT_MS = 250;
const ROUNDS = 10;
const PROFILE_BYTES = 16 * 1024 * 1024;

const databaseName = testDatabaseName();
let running: RunningWebhooks;
let receiver: WebhookReceiver;
let second: { stop(): Promise<void> };
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  running = await startWebhooks(startService, { infrastructure: testInfrastructure(), databaseName, receiver });
  second = await running.startReplica();
});
afterAll(async () => {
  await second.stop();
  await running.stop();
  await receiver.close();
});

/** Resolves when both replicas have handled all events about analyzed invoices. */
function allHandled(): Promise<void> {
  return eventually(async () => {
    const durable = `${databaseName}__invoice_analyzed`;
    const { num_pending, num_ack_pending } = await running.bus.manager.consumers.info(
      events.invoiceAnalyzed.stream,
      durable,
    );
    expect(num_pending + num_ack_pending).toBe(0);
  });
}

test('a replica reads who wants events at most four times a second, however many come that no webhook wants', async () => {
  const organizations = Array.from({ length: 10 }, () => running.organization.newTenant());
  // Until its first read of an organization's webhooks has ended, a replica reads them for each event of the
  // organization.
  for (let round = 0; round < 10; round++) {
    for (const organizationId of organizations) await running.analyzed(organizationId);
    await allHandled();
  }
  const { db } = running.mongo;
  await db.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
  await db.command({ profile: 2 });
  const begunAtMs = performance.now();
  try {
    for (let index = 0; index < EVENTS; index++) await running.analyzed(organizations[index % organizations.length]!);
    await allHandled();
  } finally {
    await db.command({ profile: 0 });
  }
  const waits = (performance.now() - begunAtMs) / WAIT_MS + 1;
  const read = await db
    .collection('system.profile')
    .find({ ns: `${databaseName}.endpoints`, op: 'query' })
    .toArray();
  // Other tests publish events of their own organizations to the same stream. Each of those organizations is read once.
  const subscribed = read.filter(({ command }) => {
    const { filter } = command as { filter: { 'events.type'?: object; organizationId?: { $in?: string[] } } };
    return 'events.type' in filter && filter.organizationId?.$in?.some((id) => organizations.includes(id));
  });
  expect(subscribed.length).toBeGreaterThan(0);
  // In each replica, the first event of an organization does not wait for others.
  const firstReads = organizations.length;
  expect(subscribed.length).toBeLessThanOrEqual(REPLICAS * waits + EVENTS / WAITING_MAX + firstReads);
});

test('the first webhook of an organization receives each event from the response to its creation on, whatever replica handles it', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const organizationId = running.organization.newTenant();
    // So many events are announced that both replicas learn that no webhook wants them.
    await Promise.all(Array.from({ length: 8 }, () => running.analyzed(organizationId)));
    await allHandled();
    const waiting = running.analyzed(organizationId);
    const created = await running.newEndpoint(organizationId);
    const expected = await Promise.all(Array.from({ length: 8 }, () => running.analyzed(organizationId)));
    const early = await waiting;
    await eventually(() => {
      const received = receiver.to(created.path).map(({ headers }) => headers['svc-event-id']);
      const later = received.filter((id) => id !== early);
      expect(new Set(later)).toEqual(new Set(expected));
      expect(later).toHaveLength(expected.length);
    });
  }
});
