import type { Purchase, ScheduledChange, Snapshot, SubscriptionStatus } from './subscription.js';

/** A subscription that was linked to an organization, with its state in the newest payment notification. */
export interface TrackedSubscription extends Purchase {
  readonly id: string;
  readonly status: SubscriptionStatus;
  readonly customerId: string | undefined;
  readonly periodStart: Date | undefined;
  readonly periodEnd: Date | undefined;
  readonly trialEnd: Date | undefined;
  readonly scheduledChange: ScheduledChange | undefined;
  /**
   * Time of the newest message of the payment provider about the subscription, in a normalized form that sorts by time.
   */
  readonly lastOccurredAt: string;
  /**
   * Time of the oldest message of the payment provider about the subscription, regardless of the order in which
   * messages arrive.
   */
  readonly firstOccurredAt: string;
  /** Time of the oldest message of the payment provider that says that the subscription is canceled. */
  readonly canceledAt: string | undefined;
}

/**
 * Subscriptions of one organization. They are stored in one record, because the current subscription is chosen from all
 * of them.
 */
export interface Account {
  readonly organizationId: string;
  readonly version: number;
  /** Subscriptions of the organization, in the order in which they were linked. */
  readonly subscriptions: readonly TrackedSubscription[];
  /** End of the trial of the subscription about which the owners were last notified. */
  readonly trialNoticeFor: Date | undefined;
}

/** Maximum number of subscriptions that one organization can have over time. */
export const SUBSCRIPTIONS_MAX = 100;

/**
 * Outcome of applying a message of the payment provider. `UNPRICED` means a new subscription without the price of a
 * plan, and `FULL` a subscription beyond {@link SUBSCRIPTIONS_MAX}.
 */
export type ApplyOutcome = 'APPLIED' | 'STALE' | 'UNPRICED' | 'FULL';

/**
 * Applies one message of the payment provider. A message contains the whole state of a subscription. Messages arrive in
 * any order and may be repeated. The newest message is used, and a message with an equal time is stale, so the result
 * does not depend on the order.
 * @param occurredAt normalized time (see `normaliseInstant`)
 */
export function applySnapshot(
  account: Account,
  snapshot: Snapshot,
  occurredAt: string,
): { readonly account: Account; readonly outcome: ApplyOutcome } {
  const known = account.subscriptions.find(({ id }) => id === snapshot.id);
  const canceledAt = snapshot.status === 'canceled' ? occurredAt : undefined;
  if (known === undefined) {
    if (snapshot.purchase === undefined) return { account, outcome: 'UNPRICED' };
    if (account.subscriptions.length >= SUBSCRIPTIONS_MAX) return { account, outcome: 'FULL' };
    const added = {
      ...shownOf(snapshot, snapshot.purchase),
      lastOccurredAt: occurredAt,
      firstOccurredAt: occurredAt,
      canceledAt,
    };
    return { account: { ...account, subscriptions: [...account.subscriptions, added] }, outcome: 'APPLIED' };
  }
  const isNewer = occurredAt > known.lastOccurredAt;
  const next: TrackedSubscription = {
    ...(isNewer ? { ...shownOf(snapshot, snapshot.purchase ?? known), lastOccurredAt: occurredAt } : known),
    firstOccurredAt: earlier(known.firstOccurredAt, occurredAt),
    canceledAt: earlier(known.canceledAt, canceledAt),
  } as TrackedSubscription;
  return { account: replaceSubscription(account, next), outcome: isNewer ? 'APPLIED' : 'STALE' };
}

/**
 * Applies the state of a subscription that the payment provider's API returned. The state is applied even if it is not
 * newer than the last message, because a payment notification may have been lost, or misread by an earlier release.
 */
export function correctSubscription(account: Account, snapshot: Snapshot, updatedAt: string): Account {
  const applied = applySnapshot(account, snapshot, updatedAt);
  if (applied.outcome !== 'STALE') return applied.account;
  const known = applied.account.subscriptions.find(({ id }) => id === snapshot.id);
  if (known === undefined) return applied.account;
  return replaceSubscription(applied.account, { ...known, ...shownOf(snapshot, snapshot.purchase ?? known) });
}

function replaceSubscription(account: Account, next: TrackedSubscription): Account {
  return { ...account, subscriptions: account.subscriptions.map((one) => (one.id === next.id ? next : one)) };
}

/** Returns the part of a stored subscription that messages of the payment provider contain. */
export function shownOf(snapshot: Snapshot, { plan, interval, additionalLegalEntities }: Purchase) {
  const { id, status, customerId, periodStart, periodEnd, trialEnd, scheduledChange } = snapshot;
  return {
    id,
    status,
    plan,
    interval,
    additionalLegalEntities,
    customerId,
    periodStart,
    periodEnd,
    trialEnd,
    scheduledChange,
  };
}

function earlier<T extends string | undefined>(left: T, right: T): T {
  if (left === undefined || right === undefined) return left ?? right;
  return left < right ? left : right;
}

/**
 * Returns the current subscription of an organization. This is its first subscription until that is canceled, and then
 * the first one that began after the cancellation. A subscription that began while the first was active remains a
 * duplicate even after the cancellation, so that it does not silently become the current one.
 */
export function currentSubscription({ subscriptions }: Account): TrackedSubscription | undefined {
  const byBegin = subscriptions.toSorted((left, right) => compare(left.firstOccurredAt, right.firstOccurredAt));
  let current: TrackedSubscription | undefined;
  for (const next of byBegin) {
    const isOver =
      current?.status === 'canceled' && current.canceledAt !== undefined && current.canceledAt <= next.firstOccurredAt;
    if (current === undefined || isOver) current = next;
  }
  return current;
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Returns the subscriptions of an organization for which payments continue, other than the current subscription. */
export function duplicateSubscriptions(account: Account): readonly TrackedSubscription[] {
  const current = currentSubscription(account);
  return account.subscriptions.filter(({ id, status }) => id !== current?.id && status !== 'canceled');
}

/**
 * Checks whether payments continue for any subscription of an organization, which prevents another checkout and the
 * deletion of the organization.
 */
export function hasOpenSubscription({ subscriptions }: Account): boolean {
  return subscriptions.some(({ status }) => status !== 'canceled');
}

const DAY_MS = 24 * 3_600_000;

/**
 * Time for which a subscription remains active without payment. Undefined means as long as the payment provider tries
 * to collect the payment.
 */
export interface GraceRule {
  readonly pastDueDaysMax: number | undefined;
}

/** Returns the time when a subscription with unpaid bills stops being active, or undefined if it remains active. */
export function pastDueEnd(subscription: TrackedSubscription, { pastDueDaysMax }: GraceRule): Date | undefined {
  const { status, periodStart } = subscription;
  if (status !== 'past_due' || pastDueDaysMax === undefined || periodStart === undefined) return undefined;
  return new Date(periodStart.getTime() + pastDueDaysMax * DAY_MS);
}

/**
 * Checks whether a subscription is active. All features that require a subscription use this function (billing
 * reference, section 5).
 */
export function isActive(subscription: TrackedSubscription, rule: GraceRule, now: Date): boolean {
  const { status } = subscription;
  if (status === 'trialing' || status === 'active') return true;
  if (status !== 'past_due') return false;
  const end = pastDueEnd(subscription, rule);
  return end === undefined || now < end;
}

const TRIAL_NOTICE_MS = 3 * DAY_MS;

/**
 * Returns the trial end date of which the owners must be notified, or undefined if the owners need no notification or
 * were already notified.
 */
export function trialNoticeDue(account: Account): Date | undefined {
  const trialEnd = currentSubscription(account)?.trialEnd;
  if (trialEnd === undefined || account.trialNoticeFor?.getTime() === trialEnd.getTime()) return undefined;
  return new Date(trialEnd.getTime() - TRIAL_NOTICE_MS);
}
