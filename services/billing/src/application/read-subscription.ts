import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { currentSubscription, duplicateSubscriptions, hasOpenSubscription, isActive } from '../domain/account.js';
import type { GraceRule, TrackedSubscription } from '../domain/account.js';
import type { WorkOnNotification } from './apply-notification.js';
import type { Accounts, Notifications } from './stores.js';

export interface ReadingDeps {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly notifications: Pick<Notifications, 'listWaiting' | 'claim'>;
  readonly work: WorkOnNotification;
  readonly rule: GraceRule;
  readonly clock: Clock;
}

export interface SubscriptionView {
  readonly current: (TrackedSubscription & { readonly isActive: boolean }) | undefined;
  readonly duplicates: readonly TrackedSubscription[];
}

export const readSubscription =
  ({ accounts, rule, clock }: ReadingDeps) =>
  async (organizationId: string): Promise<SubscriptionView> => {
    const account = await accounts.find(organizationId);
    const current = account && currentSubscription(account);
    return {
      current: current && { ...current, isActive: isActive(current, rule, clock.now()) },
      duplicates: account === undefined ? [] : duplicateSubscriptions(account),
    };
  };

const WAIT_MS_MAX = 2_000;
const POLL_EACH_MS = 20;

/**
 * Checks whether a subscription prevents the deletion of the organization (endpoint 18). Pending payment notifications
 * are applied first, because they may change the subscription.
 * @throws DomainError unavailable if a notification is still pending
 */
export const checkDeletion =
  ({ accounts, notifications, work }: ReadingDeps) =>
  async (organizationId: string): Promise<{ hasSubscription: boolean; isKnown: boolean }> => {
    const giveUpAt = performance.now() + WAIT_MS_MAX;
    for (;;) {
      const account = await accounts.find(organizationId);
      const subscriptionIds = (account?.subscriptions ?? []).map(({ id }) => id);
      const waiting = await notifications.listWaiting({ organizationId, subscriptionIds });
      if (waiting.length === 0) {
        // The billing account is read again, because the last payment notification may have been applied between the
        // two reads.
        const applied = await accounts.find(organizationId);
        return {
          hasSubscription: applied !== undefined && hasOpenSubscription(applied),
          isKnown: applied !== undefined && applied.subscriptions.length > 0,
        };
      }
      if (performance.now() > giveUpAt) {
        throw new DomainError(
          'unavailable',
          'A notification about the subscription is still being processed. Retry the request in a moment.',
        );
      }
      for (const eventId of waiting) {
        const claimed = await notifications.claim(eventId);
        if (claimed !== undefined) await work(claimed);
      }
      await delay(POLL_EACH_MS);
    }
  };
