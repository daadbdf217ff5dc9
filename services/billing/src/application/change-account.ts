import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { createKeyLock } from '@invoicecontrol/runtime/key-lock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import { currentSubscription, isActive } from '../domain/account.js';
import type { Account, GraceRule } from '../domain/account.js';
import type { Accounts } from './stores.js';

export interface AccountDeps {
  readonly accounts: Accounts;
  readonly rule: GraceRule;
  readonly clock: Clock;
}

/** Result of a function that changes the billing account of an organization. */
export interface AccountChange<T> {
  /** Billing account after the change. If the account is the same object as before, nothing is written. */
  readonly account: Account;
  readonly events: readonly Announcement[];
  readonly result: T;
}

export type ChangeAccount = <T>(
  organizationId: string,
  /**
   * Decides how the billing account of an organization changes. After a conflict with another write, the function is
   * called again with the newer version of the account. The account is undefined for an unknown organization.
   */
  decide: (account: Account | undefined) => AccountChange<T> | undefined | Promise<AccountChange<T> | undefined>,
) => Promise<T | undefined>;

/**
 * Reads, changes and stores a billing account with its events in one conditional write. Changes to the same account are
 * queued.
 */
export function accountChanger(accounts: Accounts): ChangeAccount {
  const withLock = createKeyLock();
  return (organizationId, decide) =>
    withLock(organizationId, () =>
      retryOnConflict(async () => {
        const before = await accounts.find(organizationId);
        const change = await decide(before);
        if (change === undefined) return undefined;
        if (change.account !== before) await accounts.save(change.account, change.events);
        return change.result;
      }),
    );
}

/**
 * Returns the event `subscription_changed` for a billing account that is about to be stored, or nothing without a
 * subscription.
 */
export function subscriptionChanged(account: Account, { rule, clock }: Omit<AccountDeps, 'accounts'>): Announcement[] {
  const current = currentSubscription(account);
  if (current === undefined) return [];
  const { plan, status, additionalLegalEntities, periodEnd } = current;
  return [
    announce(events.subscriptionChanged, {
      version: account.version + 1,
      plan,
      status,
      active: isActive(current, rule, clock.now()),
      additionalLegalEntities,
      periodEndTime: periodEnd,
    }),
  ];
}
