import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { CHECKOUT_REFERENCE_MS, hashOfReference } from '../domain/checkout.js';
import type { Purchase, Snapshot } from '../domain/subscription.js';
import type { UnlinkedReason } from '../domain/unlinked.js';
import type { Checkouts, SubscriptionLinks, UnlinkedSubscriptions } from './stores.js';

export interface LinkingDeps {
  readonly links: SubscriptionLinks;
  readonly checkouts: Pick<Checkouts, 'findByReference'>;
  readonly unlinked: Pick<UnlinkedSubscriptions, 'record'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Linked =
  { readonly organizationId: string; readonly isNew: boolean } | { readonly refusal: 'UNLINKED' | 'UNKNOWN_PRICE' };

/**
 * Finds the organization to which a subscription belongs: the organization to which it was linked first or, if it was
 * not linked yet, the organization that created its checkout. A checkout also contains the id of an organization, but
 * this id proves nothing, because anyone who opens a checkout can choose it. The reference of the checkout proves who
 * created it, but only for one subscription and only until {@link CHECKOUT_REFERENCE_MS} after the checkout was
 * created. A subscription without proof is recorded for the operator and grants nothing.
 * @param seenAt normalized time at which the payment provider reported this state of the subscription
 */
export async function linkSubscription(deps: LinkingDeps, snapshot: Snapshot, seenAt: string): Promise<Linked> {
  const linked = await deps.links.find(snapshot.id);
  if (linked !== undefined) return { organizationId: linked, isNew: false };
  // Other products of the same seller may use the payment provider as well. Their subscriptions belong to no
  // organization.
  if (snapshot.purchase === undefined) return { refusal: 'UNKNOWN_PRICE' };
  const linking = await linkByReference(deps, snapshot);
  if ('organizationId' in linking) return { ...linking, isNew: true };
  await recordUnlinked(deps, { ...snapshot, purchase: snapshot.purchase }, { ...linking, seenAt });
  return { refusal: 'UNLINKED' };
}

async function linkByReference(
  { links, checkouts, clock }: LinkingDeps,
  { id, claimedOrganizationId, checkoutReference }: Snapshot,
): Promise<{ readonly organizationId: string } | { readonly reason: UnlinkedReason }> {
  if (claimedOrganizationId === undefined || checkoutReference === undefined) return { reason: 'NO_REFERENCE' };
  const checkout = await checkouts.findByReference(claimedOrganizationId, hashOfReference(checkoutReference));
  if (checkout === undefined) return { reason: 'UNKNOWN_REFERENCE' };
  if (clock.now().getTime() - checkout.createdAt.getTime() > CHECKOUT_REFERENCE_MS) {
    return { reason: 'EXPIRED_REFERENCE' };
  }
  const to = { organizationId: claimedOrganizationId, checkoutId: checkout.id };
  const organizationId = await links.link(id, to);
  return organizationId === undefined ? { reason: 'USED_REFERENCE' } : { organizationId };
}

async function recordUnlinked(
  { unlinked, logger }: LinkingDeps,
  { id: subscriptionId, claimedOrganizationId, status, purchase, customerId }: Snapshot & { purchase: Purchase },
  { reason, seenAt }: { readonly reason: UnlinkedReason; readonly seenAt: string },
): Promise<void> {
  const { isNew } = await unlinked.record({
    subscriptionId,
    reason,
    namedOrganizationId: claimedOrganizationId,
    status,
    plan: purchase.plan,
    customerId,
    occurredAt: seenAt,
  });
  if (isNew && status !== 'canceled') {
    logger.error({ subscriptionId, reason }, 'a subscription waits for the operator to link it: link-subscription');
  }
}
