import { events } from '@invoicecontrol/contracts/events';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import { currentSubscription, trialNoticeDue } from '../domain/account.js';
import { subscriptionChanged } from './change-account.js';
import type { AccountDeps, ChangeAccount } from './change-account.js';

/** Tells of trials that end within three days, and of subscriptions in arrears whose grace has ended. */
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
        // Saved even when there is nothing left to announce, because that takes it off the list.
        return {
          account: { ...account, trialNoticeFor: isDue ? current.trialEnd : account.trialNoticeFor },
          events: [...notice, ...subscriptionChanged(account, { rule, clock })],
          result: undefined,
        };
      });
    }
  };
