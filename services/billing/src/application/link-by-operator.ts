import { events } from '@invoicecontrol/contracts/events';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Account } from '../domain/account.js';
import type { PlanCode } from '../domain/prices.js';
import type { SubscriptionStatus } from '../domain/subscription.js';
import type { WorkOnNotification } from './apply-notification.js';
import { ProviderUnavailable, UnknownAtProvider } from './provider-api.js';
import { readSnapshot } from './read-snapshot.js';
import { reconcileOne } from './reconcile.js';
import type { ReconcilingDeps } from './reconcile.js';
import type { Notifications, UnlinkedSubscriptions } from './stores.js';

export interface OperatorLinkingDeps extends ReconcilingDeps {
  readonly unlinked: UnlinkedSubscriptions;
  readonly notifications: Pick<Notifications, 'reopenUnlinked' | 'claim'>;
  readonly work: WorkOnNotification;
}

export interface OperatorLinking {
  readonly subscriptionId: string;
  readonly organizationId: string;
  /** True if the link of a subscription to its organization is only checked and no subscription is changed. */
  readonly isDryRun: boolean;
}

/**
 * The payer of a subscription, and the other subscriptions of the organization. This information helps the operator to
 * decide and never causes a refusal.
 */
export interface LinkedByOperator {
  readonly isLinked: boolean;
  readonly wasLinkedBefore: boolean;
  readonly plan: PlanCode;
  readonly status: SubscriptionStatus;
  readonly customerId: string | undefined;
  /** E-mail address of the payer of a subscription, or undefined if the payment provider does not return it. */
  readonly customerEmail: string | undefined;
  /** The organization that the checkout of a subscription named, as claimed by the person who opened the checkout. */
  readonly namedOrganizationId: string | undefined;
  /** Ids of the customers at the payment provider to which the other subscriptions of the organization belong. */
  readonly otherCustomerIds: readonly string[];
  /**
   * The other subscriptions of the organization that are not canceled. While one of them exists, the subscription to
   * link is a duplicate.
   */
  readonly otherSubscriptionIds: readonly string[];
}

const SUBSCRIPTION_ID = /^sub_[0-9A-Za-z_-]{1,100}$/;

/**
 * Permanently links an unlinked subscription to an organization, and applies its payment notifications. A repeated call
 * changes nothing.
 * @throws DomainError invalid; not_found for an unknown organization or subscription; wrong_state for a subscription of
 *   another organization or without a price from the configuration; foreign_failure if the provider must be called and
 *   does not respond
 */
export const linkByOperator =
  (deps: OperatorLinkingDeps) =>
  async (
    { subscriptionId, organizationId, isDryRun }: OperatorLinking,
    context: RequestContext,
  ): Promise<LinkedByOperator> => {
    const { accounts, links } = deps;
    if (!SUBSCRIPTION_ID.test(subscriptionId)) {
      throw invalidField('subscription_id', 'must be the id of a subscription at the payment provider: sub_...');
    }
    const account = await accounts.find(organizationId);
    if (account === undefined) throw new DomainError('not_found', 'No such organization.');
    const linkedBefore = await links.find(subscriptionId);
    requireSame(linkedBefore, { subscriptionId, organizationId });
    const shown = await findShown(deps, account, subscriptionId);
    const others = account.subscriptions.filter(({ id }) => id !== subscriptionId);
    const result = {
      plan: shown.plan,
      status: shown.status,
      customerId: shown.customerId,
      namedOrganizationId: shown.namedOrganizationId,
      wasLinkedBefore: linkedBefore !== undefined,
      customerEmail: await findEmail(deps, shown.customerId),
      otherCustomerIds: [...new Set(others.flatMap(({ customerId }) => customerId ?? []))],
      otherSubscriptionIds: others.filter(({ status }) => status !== 'canceled').map(({ id }) => id),
    };
    if (isDryRun) return { ...result, isLinked: linkedBefore !== undefined };
    requireSame(await links.link(subscriptionId, { organizationId, checkoutId: undefined }), {
      subscriptionId,
      organizationId,
    });
    if (linkedBefore === undefined) await recordLinking(deps, { subscriptionId, organizationId }, context);
    await applyWaiting(deps, { subscriptionId, organizationId });
    await deps.unlinked.remove(subscriptionId);
    return { ...result, isLinked: true };
  };

type Pair = Pick<OperatorLinking, 'subscriptionId' | 'organizationId'>;

function requireSame(linked: string | undefined, { subscriptionId, organizationId }: Pair): void {
  if (linked === undefined || linked === organizationId) return;
  throw new DomainError(
    'wrong_state',
    `The subscription ${subscriptionId} is already linked to the organization ${linked}. A subscription cannot be moved to another organization.`,
  );
}

type Shown = Pick<LinkedByOperator, 'plan' | 'status' | 'customerId' | 'namedOrganizationId'>;

/** Finds the subscription to link in its newest payment notification or, if there is none, at the payment provider. */
async function findShown(
  deps: OperatorLinkingDeps,
  { subscriptions }: Account,
  subscriptionId: string,
): Promise<Shown> {
  const waiting = await deps.unlinked.find(subscriptionId);
  if (waiting !== undefined) return waiting;
  const tracked = subscriptions.find(({ id }) => id === subscriptionId);
  if (tracked !== undefined) return { ...tracked, namedOrganizationId: undefined };
  const snapshot = readSnapshot(await askProvider(deps, subscriptionId), deps.prices);
  if (snapshot?.purchase === undefined) {
    throw new DomainError(
      'wrong_state',
      `The subscription ${subscriptionId} has no price that is configured in PADDLE_PRICE_..., so it grants no plan. Configure its price, or change the subscription at the payment provider.`,
    );
  }
  const { status, customerId, claimedOrganizationId: namedOrganizationId } = snapshot;
  return { plan: snapshot.purchase.plan, status, customerId, namedOrganizationId };
}

async function askProvider({ api }: OperatorLinkingDeps, subscriptionId: string): Promise<unknown> {
  try {
    return await api.subscription(subscriptionId);
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error;
    if (error instanceof UnknownAtProvider) {
      throw new DomainError('not_found', `The payment provider has no subscription ${subscriptionId}.`, {
        cause: error,
      });
    }
    throw new DomainError(
      'foreign_failure',
      `No notification about the subscription ${subscriptionId} is stored, and the payment provider cannot be queried: ${error.message}. Run the command again later.`,
      { cause: error },
    );
  }
}

/**
 * The e-mail address of the payer is only information for the operator, so an outage of the payment provider does not
 * prevent linking.
 */
async function findEmail({ api }: OperatorLinkingDeps, customerId: string | undefined): Promise<string | undefined> {
  if (customerId === undefined) return undefined;
  try {
    return await api.customerEmail(customerId);
  } catch (error) {
    if (error instanceof ProviderUnavailable) return undefined;
    throw error;
  }
}

async function recordLinking(
  { changeAccount, logger }: OperatorLinkingDeps,
  { subscriptionId, organizationId }: Pair,
  context: RequestContext,
): Promise<void> {
  const line = {
    action: 'billing.subscription_linked',
    target: `subscription:${subscriptionId}`,
    outcome: 'SUCCEEDED',
  } as const;
  await changeAccount(
    organizationId,
    (account) =>
      account && {
        account: { ...account },
        events: [auditAnnouncement(events.billingAuditRecorded, context, line)],
        result: undefined,
      },
  );
  logger.warn({ organizationId, subscriptionId, actor: context.actor.id }, 'the operator linked a subscription');
}

/**
 * Applies the stored notifications about a linked subscription or, if there are none, its current state at the payment
 * provider.
 */
async function applyWaiting(deps: OperatorLinkingDeps, { subscriptionId, organizationId }: Pair): Promise<void> {
  for (const eventId of await deps.notifications.reopenUnlinked(subscriptionId)) {
    const claimed = await deps.notifications.claim(eventId);
    if (claimed !== undefined) await deps.work(claimed);
  }
  const account = await deps.accounts.find(organizationId);
  if (account?.subscriptions.some(({ id }) => id === subscriptionId) === true) return;
  await reconcileOne(deps, await askProvider(deps, subscriptionId));
}
