import { expect, test } from 'vitest';
import { toDelivery } from './deliveries.js';
import type { DeliveryDocument } from './deliveries.js';

const at = new Date('2026-11-02T08:00:00Z');
const stored = {
  _id: 'dlv_1',
  organizationId: '0192a000-0000-7000-8000-000000000002',
  endpointId: '0192a000-0000-7000-8000-000000000003',
  eventId: 'evt_1',
  type: 'finding.created',
  createdAt: at,
  version: 1,
  failures: 0,
  tries: 0,
  attempts: [],
  attemptCount: 0,
} satisfies Omit<DeliveryDocument, 'state'>;

test('a delivery has a next attempt exactly while it is PENDING', () => {
  expect(toDelivery({ ...stored, state: 'PENDING', nextAttemptAt: at }).nextAttemptAt).toBe(at);
  expect(toDelivery({ ...stored, state: 'FAILED', nextAttemptAt: at }).nextAttemptAt).toBeUndefined();
  expect(() => toDelivery({ ...stored, state: 'PENDING' })).toThrow('delivery dlv_1 has no next attempt');
});
