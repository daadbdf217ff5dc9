import { expect, test } from 'vitest';
import type { PublicEvent } from '@invoicecontrol/public-events';
import type { Endpoint } from '../domain/endpoint.js';
import { fanOut } from './fan-out.js';
import type { NewDelivery, StoredEvent } from './stores.js';

const BODY_BYTES_MAX = 65_536;
const at = new Date('2026-03-01T00:00:00Z');
const before = new Date('2026-02-01T00:00:00Z');
const endpoint = {
  id: 'endpoint',
  status: 'ACTIVE',
  activeSince: before,
  createdAt: before,
  events: [{ type: 'finding.created', since: before }],
} as unknown as Endpoint;

/** Publishes an event whose body has the given number of bytes. */
async function tell(bytes: number) {
  const events: StoredEvent[] = [];
  const deliveries: NewDelivery[] = [];
  const deliver = fanOut({
    endpoints: { subscribed: async () => [endpoint] },
    events: { insert: async (event) => void events.push(event) },
    queue: {
      insert: async (stored) => {
        deliveries.push(...stored);
        return new Set();
      },
    },
    plans: { of: async () => 'SCALE' },
    worker: { take: () => undefined, start: () => {}, add: () => {} },
    clock: { now: () => at },
  });
  const withSummary = (summary: string): PublicEvent => ({
    type: 'finding.created',
    data: { finding_id: 'f', invoice_id: null, scan_id: null, type: 'T', severity: 'LOW', summary },
  });
  const emptyBytes = JSON.stringify({ id: 'evt_1', ...withSummary('') }).length;
  // Most letters of the webhook body take two bytes, and the remaining letters take one byte.
  const letters = bytes - emptyBytes;
  const summary = 'é'.repeat(Math.floor(letters / 2)) + 'e'.repeat(letters % 2);
  const done = deliver({ eventId: 'evt_1', at, organizationId: 'organization', event: withSummary(summary) });
  return { done, events, deliveries };
}

test('a body of 64 KiB is stored and delivered', async () => {
  const { done, events, deliveries } = await tell(BODY_BYTES_MAX);
  await done;
  expect([events.map(({ body }) => Buffer.byteLength(body)), deliveries.length]).toEqual([[BODY_BYTES_MAX], 1]);
});

test('one byte more is refused, so that it becomes a dead letter, and stores nothing', async () => {
  const { done, events, deliveries } = await tell(BODY_BYTES_MAX + 1);
  await expect(done).rejects.toThrow('The body of event finding.created evt_1 has 65537 bytes; the maximum is 65536.');
  expect([events, deliveries]).toEqual([[], []]);
});
