import { events } from '@invoicecontrol/contracts/events';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { applySnapshot, currentSubscription, duplicateSubscriptions } from '../domain/account.js';
import type { Account, ApplyOutcome, GraceRule } from '../domain/account.js';
import { toDate } from '../domain/instant.js';
import { isAboutSubscription, isFailedPayment, isKept } from '../domain/notification.js';
import type { Prices } from '../domain/prices.js';
import type { Snapshot } from '../domain/subscription.js';
import { duplicateFound, entitlementChanged, notificationApplied, severalPlansFound } from '../telemetry.js';
import { subscriptionChanged } from './change-account.js';
import type { ChangeAccount } from './change-account.js';
import { linkSubscription } from './link-subscription.js';
import type { LinkingDeps } from './link-subscription.js';
import { readNotification } from './read-notification.js';
import type { ProviderNotification } from './read-notification.js';
import { readSnapshot } from './read-snapshot.js';
import type {
  ClaimedNotification,
  NotificationOutcome,
  NotificationResult,
  Notifications,
  StoredNotification,
} from './stores.js';

export interface ApplyingDeps extends LinkingDeps {
  readonly changeAccount: ChangeAccount;
  readonly notifications: Pick<Notifications, 'reopenUnlinked'>;
  /** Prices of the plans at the payment provider. Undefined where no plan is sold. */
  readonly prices: Prices | undefined;
  readonly rule: GraceRule;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Applies a claimed payment notification and completes it. A failed attempt is logged and retried later. The promise
 * never rejects.
 */
export type WorkOnNotification = (claimed: ClaimedNotification) => Promise<void>;

const FIRST_RETRY_MS = 1_000;
const RETRY_MS_MAX = 300_000;
/** Outcomes of payment notifications that the operator must check. */
const ALERTED: ReadonlySet<NotificationOutcome> = new Set([
  'UNKNOWN_ORGANIZATION',
  'UNKNOWN_PRICE',
  'UNREADABLE',
  'TOO_MANY_SUBSCRIPTIONS',
]);

export const workOnNotification =
  (deps: ApplyingDeps): WorkOnNotification =>
  async ({ notification, attempts, complete, retryAt }) => {
    const { eventId, type } = notification;
    try {
      const result = await applyNotification(deps, notification, { isRetry: attempts > 1 });
      const { outcome } = result;
      await complete(result);
      notificationApplied(outcome);
      if (outcome === 'APPLIED') {
        entitlementChanged((deps.clock.now().getTime() - Date.parse(notification.occurredAt)) / 1_000);
      }
      if (outcome === 'UNLINKED') await reopenIfLinked(deps, notification);
      if (ALERTED.has(outcome)) {
        deps.logger.error({ eventId, type, outcome }, 'a notification from the payment provider grants nothing');
      }
    } catch (error) {
      deps.logger.warn({ error, eventId, type, attempts }, 'a notification could not be applied; it will be retried');
      const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), RETRY_MS_MAX);
      const reason = error instanceof Error ? error.message : String(error);
      // If the write that completes a notification fails too, the lease on the payment notification expires and the
      // sweep applies the notification.
      await retryAt(new Date(deps.clock.now().getTime() + waitMs), reason).catch(() => {});
    }
  };

/**
 * Applies a payment notification. The function can run again for the same notification: a message that was applied
 * before is recognized as stale, and an e-mail has the same id each time, so it is sent only once.
 */
async function applyNotification(
  deps: ApplyingDeps,
  stored: StoredNotification,
  { isRetry }: { readonly isRetry: boolean },
): Promise<NotificationResult> {
  const notification = readNotification(Buffer.from(stored.body, 'utf8'));
  const { type } = notification;
  if (isAboutSubscription(type)) return applySubscription(deps, notification, isRetry);
  if (!isKept(type)) return { outcome: 'IGNORED', organizationId: '' };
  const { subscriptionId } = stored;
  // The organization that a notification names is not trusted, because the buyer chooses it. An invoice of the payment
  // provider belongs to the organization to which its subscription is linked. Without a linked subscription, it belongs
  // to no organization.
  if (subscriptionId === undefined) return { outcome: 'KEPT', organizationId: '' };
  const organizationId = await deps.links.find(subscriptionId);
  if (organizationId === undefined) return { outcome: 'UNLINKED' };
  if (isFailedPayment(type)) return announceFailedPayment(deps, notification, organizationId);
  return { outcome: 'KEPT', organizationId };
}

/**
 * Makes the stored notifications about a subscription due again if the subscription was linked to an organization after
 * the check that found no link.
 */
async function reopenIfLinked(
  { links, notifications }: Pick<ApplyingDeps, 'links' | 'notifications'>,
  { subscriptionId }: StoredNotification,
): Promise<void> {
  if (subscriptionId === undefined || (await links.find(subscriptionId)) === undefined) return;
  await notifications.reopenUnlinked(subscriptionId);
}

const outcomes = {
  APPLIED: 'APPLIED',
  STALE: 'STALE',
  UNPRICED: 'UNKNOWN_PRICE',
  FULL: 'TOO_MANY_SUBSCRIPTIONS',
} as const satisfies Record<ApplyOutcome, NotificationOutcome>;

async function applySubscription(
  deps: ApplyingDeps,
  { data, occurredAt, eventId }: ProviderNotification,
  isRetry: boolean,
): Promise<NotificationResult> {
  const snapshot = readSnapshot(data, deps.prices);
  if (snapshot === undefined) return { outcome: 'UNREADABLE' };
  const linked = await linkSubscription(deps, snapshot, occurredAt);
  if ('refusal' in linked) return { outcome: linked.refusal };
  const { organizationId, isNew } = linked;
  // The link between a subscription and its organization is stored again, because a crash may have prevented the first
  // write.
  if (isNew || isRetry) await deps.notifications.reopenUnlinked(snapshot.id);
  const outcome = await deps.changeAccount(organizationId, (before) => {
    if (before === undefined) return undefined;
    const { account, outcome: applied } = applySnapshot(before, snapshot, occurredAt);
    const isVisible =
      currentSubscription(account)?.id === snapshot.id ||
      currentSubscription(account)?.id !== currentSubscription(before)?.id;
    const isSame = applied !== 'APPLIED' && isSameTimes(before, account, snapshot.id);
    return {
      account: isSame ? before : account,
      events: [
        ...(isVisible && !isSame ? subscriptionChanged(account, deps) : []),
        ...(applied === 'APPLIED' && snapshot.hasSeveralPlans ? [severalPlans(snapshot, eventId)] : []),
      ],
      result: applied,
    };
  });
  if (outcome === undefined) return { outcome: 'UNKNOWN_ORGANIZATION', organizationId };
  // The alert about an unlinked subscription is logged again, because a crash may have prevented the alert after the
  // subscription was stored.
  if (outcome === 'APPLIED' || isRetry) {
    await alertDuplicate(deps, organizationId, snapshot);
    if (snapshot.hasSeveralPlans) {
      severalPlansFound();
      deps.logger.error(
        { organizationId, subscriptionId: snapshot.id, plan: snapshot.purchase?.plan },
        'SEVERAL PLANS in one subscription: the highest one counts; remove the others at the provider',
      );
    }
  }
  if (snapshot.hasUnknownPrice) {
    deps.logger.error({ eventId, subscriptionId: snapshot.id }, 'a subscription has a price that is not configured');
  }
  return { outcome: outcomes[outcome], organizationId };
}

/** Returns the audit event about a subscription that contains the prices of several plans. */
function severalPlans({ id }: Snapshot, eventId: string): Announcement {
  return auditAnnouncement(events.billingAuditRecorded, systemContext(eventId), {
    action: 'billing.several_plans_found',
    target: `subscription:${id}`,
    outcome: 'SUCCEEDED',
  });
}

/**
 * Checks whether a message changes neither the first time nor the cancellation time that a billing account stores for a
 * subscription. A stale message may change them too, because it may be the oldest message about the subscription or
 * about its cancellation.
 */
function isSameTimes(before: Account, after: Account, subscriptionId: string): boolean {
  const timesOf = ({ subscriptions }: Account): string => {
    const { firstOccurredAt, canceledAt } = subscriptions.find(({ id }) => id === subscriptionId) ?? {};
    return `${firstOccurredAt}|${canceledAt}`;
  };
  return timesOf(before) === timesOf(after);
}

async function alertDuplicate(
  { changeAccount, logger }: Pick<ApplyingDeps, 'changeAccount' | 'logger'>,
  organizationId: string,
  { id: subscriptionId, status }: Snapshot,
): Promise<void> {
  const isDuplicate = await changeAccount(
    organizationId,
    (account) =>
      account && {
        account,
        events: [],
        result: duplicateSubscriptions(account).some(({ id }) => id === subscriptionId),
      },
  );
  if (isDuplicate !== true) return;
  duplicateFound();
  // The cancellation of the current subscription may not have arrived yet, so the payment provider is queried before
  // anything is changed.
  logger.error(
    { organizationId, subscriptionId, status },
    'DUPLICATE SUBSCRIPTION: reconcile-subscriptions; if it stays a duplicate, cancel and refund it',
  );
}

/**
 * Sends one e-mail for each unpaid invoice of the payment provider and each day, however often the payment provider
 * retries.
 */
async function announceFailedPayment(
  { changeAccount }: Pick<ApplyingDeps, 'changeAccount'>,
  { data, occurredAt }: ProviderNotification,
  organizationId: string,
): Promise<NotificationResult> {
  const transactionId = data['id'];
  if (typeof transactionId !== 'string') return { outcome: 'UNREADABLE', organizationId };
  const day = toDate(occurredAt).toISOString().slice(0, 10);
  const isAnnounced = await changeAccount(
    organizationId,
    (account) =>
      account && {
        account: { ...account },
        events: [announce(events.paymentFailed, { transactionId, day })],
        result: true,
      },
  );
  return { outcome: isAnnounced === true ? 'APPLIED' : 'UNKNOWN_ORGANIZATION', organizationId };
}

const SWEEP_BATCH_MAX = 100;
const CONCURRENT_MAX = 8;

/** Applies payment notifications whose processing a crash or an outage interrupted. */
export const sweepNotifications =
  ({ notifications, work }: { notifications: Notifications; work: WorkOnNotification }) =>
  async (signal: AbortSignal): Promise<void> => {
    const ids = [...(await notifications.listDue(SWEEP_BATCH_MAX))];
    const next = async (): Promise<void> => {
      for (let id = ids.shift(); id !== undefined && !signal.aborted; id = ids.shift()) {
        const claimed = await notifications.claim(id);
        if (claimed !== undefined) await work(claimed);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_MAX }, next));
  };
