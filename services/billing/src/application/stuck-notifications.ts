import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import type { Notifications } from './stores.js';

/** Notifications of the payment provider that wait, as the operator is told about them. */
export const stuckNotifications =
  ({ notifications }: { readonly notifications: Pick<Notifications, 'waitingSince'> }) =>
  async (before: Date): Promise<readonly StuckItem[]> => {
    const waiting = await notifications.waitingSince(before);
    if (waiting === undefined) return [];
    return [
      {
        kind: 'payment_notification',
        what: `notifications of the payment provider that wait: ${waiting.count}`,
        since: waiting.oldest,
        why: waiting.reason ?? 'no attempt has failed; no replica sweeps',
        resolution: 'docs/runbooks/subscription-wrong.md',
      },
    ];
  };
