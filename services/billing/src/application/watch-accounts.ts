import { events } from '@invoicecontrol/contracts/events';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import { currentSubscription, trialNoticeDue } from '../domain/account.js';
import { subscriptionChanged } from './change-account.js';
import type { AccountDeps, ChangeAccount } from './change-account.js';

/**
 * Publishes events about trials that end within three days, and about subscriptions in arrears whose grace period is
 * over.
 */
export const watchAccounts =
  ({ accounts, changeAccount, rule, clock }: AccountDeps & { readonly changeAccount: ChangeAccount }) =>
  async (signal: AbortSignal): Promise<void> => {
    for (const { organizationId } of await accounts.listDue(clock.now())) {
      if (signal.aborted) return;
      await changeAccount(organizationId, (account) => {
        if (account === undefined) return undefined;
        const now = clock.now();
        const current = currentSubscription(account);
        const due = trialNoticeDue(account);
        const isDue = current?.trialEnd !== undefined && due !== undefined && due <= now;
        const notice: Announcement[] =
          isDue && current.trialEnd > now
            ? [announce(events.trialEnding, { subscriptionId: current.id, trialEndTime: current.trialEnd })]
            : [];
        // The billing account is saved even if there is nothing to publish, because saving removes it from the list of
        // due accounts.
        return {
          account: { ...account, trialNoticeFor: isDue ? current.trialEnd : account.trialNoticeFor },
          events: [...notice, ...subscriptionChanged(account, { rule, clock })],
          result: undefined,
        };
      });
    }
  };
