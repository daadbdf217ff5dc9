import { expect, test } from 'vitest';
import { stuckDeliveries } from './stuck-deliveries.js';
import type { OverdueDelivery } from './stores.js';

const now = new Date('2026-03-14T10:00:00Z');
const ago = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);
const overdue = (part: Partial<OverdueDelivery>): OverdueDelivery => ({
  id: 'dlv_1',
  organizationId: 'o1',
  endpointId: 'e1',
  nextAttemptAt: ago(30),
  tries: 0,
  leaseUntil: new Date(0),
  ...part,
});

test('a delivery that is due for long is told with its endpoint, since when, and why it does not move', async () => {
  const found = [overdue({}), overdue({ id: 'dlv_2', tries: 3, leaseUntil: ago(-1) })];
  const items = await stuckDeliveries({ deliveries: { dueSince: async () => found } })(ago(10), now);
  expect(items).toEqual([
    {
      kind: 'delivery',
      what: 'delivery dlv_1 to endpoint e1 of organization o1',
      since: ago(30),
      why: 'no worker holds it: its endpoint is slow and has earlier deliveries, or no worker is running',
      resolution: 'docs/runbooks/webhooks-not-delivered.md',
    },
    expect.objectContaining({
      why: 'a worker holds it until 2026-03-14T10:01:00.000Z; 2 claims of this attempt ended without a result',
    }),
  ]);
});
