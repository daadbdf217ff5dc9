import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import type { Deliveries, OverdueDelivery } from './stores.js';

/**
 * Maximum number of overdue webhook deliveries that are reported. If there are more, they usually have the same cause.
 */
const LISTED_MAX = 100;

/** Notifies the operator of overdue webhook deliveries. */
export const stuckDeliveries =
  ({ deliveries }: { deliveries: Pick<Deliveries, 'dueSince'> }) =>
  async (before: Date, now: Date): Promise<readonly StuckItem[]> =>
    (await deliveries.dueSince(before, LISTED_MAX)).map((delivery) => ({
      kind: 'delivery',
      what: `delivery ${delivery.id} to endpoint ${delivery.endpointId} of organization ${delivery.organizationId}`,
      since: delivery.nextAttemptAt,
      why: reasonOf(delivery, now),
      resolution: 'docs/runbooks/webhooks-not-delivered.md',
    }));

function reasonOf({ tries, leaseUntil }: OverdueDelivery, now: Date): string {
  const interrupted =
    tries > 1 ? `; ${tries === 2 ? '1 claim' : `${tries - 1} claims`} of this attempt ended without a result` : '';
  if (leaseUntil > now) return `a worker holds it until ${leaseUntil.toISOString()}${interrupted}`;
  return `no worker holds it: its endpoint is slow and has earlier deliveries, or no worker is running${interrupted}`;
}
