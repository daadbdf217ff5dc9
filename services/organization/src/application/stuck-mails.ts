import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import type { Notifications } from './notifications.js';

/** Notifies the operator of notification mails that have been waiting to be sent since before a given time. */
export const stuckMails =
  ({ notifications }: { readonly notifications: Pick<Notifications, 'waitingSince'> }) =>
  async (before: Date): Promise<readonly StuckItem[]> => {
    const waiting = await notifications.waitingSince(before);
    if (waiting === undefined) return [];
    return [
      {
        kind: 'mail',
        what: `mails that wait to be sent: ${waiting.count}`,
        since: waiting.oldest,
        why: waiting.reason ?? 'no attempt has failed; without SMTP_URL no mail is sent',
        resolution: 'docs/runbooks/mails-not-sent.md',
      },
    ];
  };
