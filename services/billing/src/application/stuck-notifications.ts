import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import { unlinkedSentences } from '../domain/unlinked.js';
import type { Notifications, SubscriptionLinks, UnlinkedSubscriptions } from './stores.js';

/** Notifies the operator of payment provider notifications that are still pending. */
export const stuckNotifications =
  ({ notifications }: { readonly notifications: Pick<Notifications, 'waitingSince'> }) =>
  async (before: Date): Promise<readonly StuckItem[]> => {
    const waiting = await notifications.waitingSince(before);
    if (waiting === undefined) return [];
    return [
      {
        kind: 'payment_notification',
        what: `notifications from the payment provider that wait to be applied: ${waiting.count}`,
        since: waiting.oldest,
        why: waiting.reason ?? 'no attempt has failed; no replica runs the sweep',
        resolution: 'docs/runbooks/subscription-wrong.md',
      },
    ];
  };

/** Notifies the operator of paid subscriptions that are not linked to an organization. */
export const stuckSubscriptions =
  ({
    unlinked,
    links,
  }: {
    readonly unlinked: Pick<UnlinkedSubscriptions, 'listSince'>;
    readonly links: Pick<SubscriptionLinks, 'find'>;
  }) =>
  async (before: Date): Promise<readonly StuckItem[]> => {
    const found = await unlinked.listSince(before);
    const linked = await Promise.all(found.map(({ subscriptionId }) => links.find(subscriptionId)));
    return found
      .filter((_, index) => linked[index] === undefined)
      .map(({ subscriptionId, customerId = 'unknown', plan, status, namedOrganizationId, reason, since }) => ({
        kind: 'unlinked_subscription',
        what: `subscription ${subscriptionId} (${plan}, ${status}) of customer ${customerId}, which names ${
          namedOrganizationId === undefined ? 'no organization' : `organization ${namedOrganizationId}`
        }`,
        since,
        why: unlinkedSentences[reason],
        // The operator must check whether an unlinked subscription belongs to the organization that it names, so the
        // command that the notice suggests is a dry run, which changes nothing.
        resolution: `npm run admin -- link-subscription --subscription ${subscriptionId} --organization ${namedOrganizationId ?? 'ID'} --dry-run`,
      }));
  };
